# `services.playroom` for NixOS. The same unit for other systems is docs/systemd/playroom.service; .ci/flake compares the two.
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
    # What Node compiled is kept from start to start.
    NODE_COMPILE_CACHE = "/var/cache/playroom";
  }
  // optionalAttrs cfg.database.createLocally {
    # Through the socket, where PostgreSQL knows the user from the kernel and asks for no password.
    DATABASE_URL = "postgres:///playroom?host=/run/postgresql&port=${toString config.services.postgresql.settings.port}&user=playroom";
  }
  // mapAttrs (_: text) (filterAttrs (_: value: value != null) cfg.settings);

  drainSeconds = if cfg.settings.DRAIN_SECONDS == null then 5 else cfg.settings.DRAIN_SECONDS;

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

    systemd.services.playroom = {
      description = "Playroom booking";
      wantedBy = [ "multi-user.target" ];
      wants = [ "network-online.target" ];
      requires = optional cfg.database.createLocally "postgresql.target";
      after = [ "network-online.target" ] ++ optional cfg.database.createLocally "postgresql.target";

      # systemd expands what follows a percent sign, here only the directory of the credentials.
      environment =
        mapAttrs (_: lib.replaceStrings [ "%" ] [ "%%" ]) environment
        // lib.mapAttrs' (name: _: lib.nameValuePair "${name}_FILE" "%d/${name}") secretFiles;

      serviceConfig = {
        Type = "exec";
        ExecStart = "${cfg.package}/bin/playroom serve";
        # Replaces the workers, where WORKERS is 2 or more.
        ExecReload = "${pkgs.coreutils}/bin/kill -HUP $MAINPID";
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
        # A stop takes DRAIN_SECONDS and up to 20 seconds; then the service ends itself.
        TimeoutStopSec = drainSeconds + 25;
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
  };
}
