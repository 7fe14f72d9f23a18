# `services.playroom` for NixOS. The same units for other systems are in docs/systemd; .ci/flake compares them.
playroomFor:
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib)
    concatStringsSep
    mapAttrs
    mapAttrsToList
    filterAttrs
    mkEnableOption
    mkIf
    mkOption
    optional
    optionalAttrs
    types
    ;
  cfg = config.services.playroom;
  stateDir = "/var/lib/playroom";

  secretNames = [
    "DATABASE_URL"
    "DATABASE_REPLICA_URL"
    "API_KEY"
    "STRIPE_SECRET_KEY"
    "PAYMENT_WEBHOOK_SECRETS"
    "PAYMENT_CONNECT_WEBHOOK_SECRETS"
    "MAIL_URL"
  ];
  secretFiles = filterAttrs (_: file: file != null) cfg.secretFiles;

  text =
    value:
    if builtins.isBool value then
      lib.boolToString value
    else if builtins.isList value then
      concatStringsSep "," value
    else
      toString value;

  environment = {
    NODE_ENV = "production";
    DATA_DIR = stateDir;
    MALLOC_MMAP_THRESHOLD_ = "131072";
    # What Node compiled is kept from start to start.
    NODE_COMPILE_CACHE = "/var/cache/playroom";
  }
  // optionalAttrs cfg.database.createLocally {
    # Through the socket, where PostgreSQL knows the user from the kernel and asks for no password.
    DATABASE_URL = "postgres:///playroom?host=/run/postgresql&port=${toString config.services.postgresql.settings.port}&user=playroom";
  }
  // mapAttrs (_: text) (filterAttrs (_: value: value != null) cfg.settings);

  given = name: otherwise: if cfg.settings.${name} == null then otherwise else cfg.settings.${name};
  host = given "HOST" "127.0.0.1";
  port = given "PORT" 3000;
  drainSeconds = given "DRAIN_SECONDS" 5;

  # The process with this number.
  unit = n: {
    description = "Playroom booking, process ${toString n}";
    wantedBy = [ "multi-user.target" ];
    wants = [ "network-online.target" ];
    requires = optional cfg.database.createLocally "postgresql.target";
    after = [ "network-online.target" ] ++ optional cfg.database.createLocally "postgresql.target";

    # systemd expands what follows a percent sign, here only the directory of the credentials.
    environment =
      mapAttrs (_: lib.replaceStrings [ "%" ] [ "%%" ]) environment
      // optionalAttrs (cfg.settings.MANAGEMENT_PORT != null) {
        MANAGEMENT_PORT = toString (cfg.settings.MANAGEMENT_PORT + n - 1);
      }
      // lib.mapAttrs' (name: _: lib.nameValuePair "${name}_FILE" "%d/${name}") secretFiles;

    serviceConfig = {
      # It is started once it listens: `systemctl restart` waits for that. A migration takes as long as it needs.
      Type = "notify";
      NotifyAccess = "all";
      TimeoutStartSec = "infinity";
      ExecStart = "${cfg.package}/bin/playroom serve";
      # All processes take connections from this one.
      Sockets = "playroom.socket";
      # A restart hands over: the process takes no new connections, and goes once clients have ended those that they keep.
      RestartKillSignal = "SIGHUP";
      # One that is stopped, or works without a break, is killed and started again.
      WatchdogSec = 30;
      WatchdogSignal = "SIGKILL";
      User = "playroom";
      Group = "playroom";
      LoadCredential = mapAttrsToList (name: file: "${name}:${file}") secretFiles;
      StateDirectory = "playroom";
      StateDirectoryMode = "0700";
      CacheDirectory = "playroom";
      CacheDirectoryMode = "0700";
      WorkingDirectory = stateDir;
      UMask = "0077";
      Restart = "on-failure";
      RestartSec = 2;
      # A stop takes DRAIN_SECONDS and up to 20 seconds, handing over up to 96; then the process ends itself.
      TimeoutStopSec = drainSeconds + 100;
      # Each connection is one of these.
      LimitNOFILE = 65536;

      CapabilityBoundingSet = "";
      AmbientCapabilities = "";
      DeviceAllow = "";
      DevicePolicy = "closed";
      KeyringMode = "private";
      LockPersonality = true;
      # V8 and WebAssembly compile at run time, so MemoryDenyWriteExecute can't be set.
      NoNewPrivileges = true;
      PrivateDevices = true;
      PrivateMounts = true;
      PrivateTmp = true;
      PrivateUsers = true;
      ProcSubset = "pid";
      ProtectClock = true;
      ProtectControlGroups = true;
      ProtectHome = true;
      ProtectHostname = true;
      ProtectKernelLogs = true;
      ProtectKernelModules = true;
      ProtectKernelTunables = true;
      ProtectProc = "invisible";
      ProtectSystem = "strict";
      RemoveIPC = true;
      RestrictAddressFamilies = [
        "AF_INET"
        "AF_INET6"
        "AF_UNIX"
      ];
      RestrictNamespaces = true;
      RestrictRealtime = true;
      RestrictSUIDSGID = true;
      SystemCallArchitectures = "native";
      SystemCallErrorNumber = "EPERM";
      SystemCallFilter = [
        "@system-service"
        # V8 protects compiled code with memory keys where the processor has them.
        "@pkey"
        "~@privileged @resources"
      ];
    };
  };

  # The command with the service's settings and secrets, as its user. Secrets are read by root, who alone may have them.
  command = pkgs.writeShellScriptBin "playroom" ''
    set -eu
    if [ "$(${pkgs.coreutils}/bin/id -u)" != 0 ]; then
      echo "playroom: run this as root (sudo playroom …): it reads the service's secrets and goes on as its user." >&2
      exit 1
    fi
    ${concatStringsSep "\n" (
      mapAttrsToList (name: value: "export ${name}=${lib.escapeShellArg value}") environment
      ++ mapAttrsToList (name: file: ''
        ${name}="$(${pkgs.coreutils}/bin/cat ${lib.escapeShellArg file})"
        export ${name}'') secretFiles
    )}
    exec ${pkgs.util-linux}/bin/setpriv --reuid playroom --regid playroom --init-groups ${cfg.package}/bin/playroom "$@"
  '';
in
{
  options.services.playroom = {
    enable = mkEnableOption "Playroom booking, the booking backend for AI assistants";

    package = mkOption {
      type = types.package;
      default = playroomFor pkgs;
      defaultText = "the package of this flake";
      description = "The package that has `bin/playroom`.";
    };

    settings = mapAttrs (
      name: type:
      mkOption {
        type = types.nullOr type;
        default = null;
        description = "`${name}` of the table in docs/settings.md.";
      }
    ) (import ./settings.nix types);

    secretFiles = lib.genAttrs secretNames (
      name:
      mkOption {
        type = types.nullOr types.str;
        default = null;
        example = "/run/secrets/${name}";
        description = "The file that holds `${name}`, outside the store. systemd hands it to the service; root alone needs to be able to read it.";
      }
    );

    processes = mkOption {
      type = types.ints.between 1 9;
      default = 1;
      description = "How many processes take connections from the service's address, for machines with processors to spare. With 2 or more, MANAGEMENT_PORT is that of the first one, and the next ones have the ports after it.";
    };

    database.createLocally = mkOption {
      type = types.bool;
      default = false;
      description = "Whether to run PostgreSQL on this machine and keep everything in its database `playroom`. Without this and `secretFiles.DATABASE_URL`, the embedded database in ${stateDir} is used.";
    };
  };

  config = mkIf cfg.enable {
    assertions = [
      {
        assertion = cfg.settings.BASE_URL != null;
        message = "services.playroom.settings.BASE_URL is needed: the public address, like https://book.example.com.";
      }
      {
        assertion = !(cfg.database.createLocally && secretFiles ? DATABASE_URL);
        message = "services.playroom.database.createLocally and services.playroom.secretFiles.DATABASE_URL are both set: remove one of them.";
      }
      {
        assertion = secretFiles ? STRIPE_SECRET_KEY || cfg.settings.PAYMENT_PROVIDER == "sandbox";
        message = "services.playroom needs secretFiles.STRIPE_SECRET_KEY, or the sandbox, asked for by name: settings.PAYMENT_PROVIDER = \"sandbox\".";
      }
    ]
    ++ optional (cfg.processes > 1) {
      assertion = cfg.database.createLocally || secretFiles ? DATABASE_URL;
      message = "services.playroom.processes of 2 or more needs database.createLocally or secretFiles.DATABASE_URL: the embedded database serves one process.";
    }
    ++ optional (cfg.processes > 1) {
      assertion = secretFiles ? STRIPE_SECRET_KEY;
      message = "services.playroom.processes of 2 or more needs secretFiles.STRIPE_SECRET_KEY: the sandbox has one port.";
    }
    ++ mapAttrsToList (name: file: {
      assertion = builtins.match "/.*" file != null && builtins.match "${builtins.storeDir}/.*" file == null;
      message = "services.playroom.secretFiles.${name} must be an absolute path outside the store, which every user can read.";
    }) secretFiles;

    users.users.playroom = {
      isSystemUser = true;
      group = "playroom";
      home = stateDir;
    };
    users.groups.playroom = { };

    environment.systemPackages = [ command ];

    services.postgresql = mkIf cfg.database.createLocally {
      enable = true;
      ensureDatabases = [ "playroom" ];
      ensureUsers = [
        {
          name = "playroom";
          # The owner of a database may create the extensions that are needed: all are trusted.
          ensureDBOwnership = true;
        }
      ];
    };

    # It stays open while the processes are restarted: who connects meanwhile is taken by another one, or waits.
    systemd.sockets.playroom = {
      description = "The address of Playroom booking";
      wantedBy = [ "sockets.target" ];
      socketConfig = {
        ListenStream = "${host}:${toString port}";
        # So many connections wait until a process takes them, if net.core.somaxconn allows.
        Backlog = 4096;
        # It is started when somebody connects and none runs.
        Service = "playroom@1.service";
      };
    };

    systemd.services = builtins.listToAttrs (
      map (n: lib.nameValuePair "playroom@${toString n}" (unit n)) (lib.range 1 cfg.processes)
    );
  };
}
