# Systems that use nix/module.nix, for .ci/flake to look at: `nixosModules` of the flake becomes what they are made of.
{ nixpkgs, nixosModules }:
let
  system =
    playroom:
    (nixpkgs.lib.nixosSystem {
      system = "x86_64-linux";
      modules = [
        nixosModules.default
        { services.playroom = playroom; }
      ];
    }).config;
  shown = import ./shown.nix;
  secrets = {
    PAYMENT_WEBHOOK_SECRETS = "/run/secrets/platform";
    PAYMENT_CONNECT_WEBHOOK_SECRETS = "/run/secrets/connected";
  };
  sandbox = {
    BASE_URL = "https://book.example.com";
    PAYMENT_PROVIDER = "sandbox";
  };
  enable = true;
  accepted =
    playroom:
    (builtins.tryEval (
      builtins.toJSON {
        inherit ((system (playroom // { inherit enable; })).services.playroom) settings secretFiles database;
      }
    )).success;
  empty = (system { }).services.playroom;
in
{
  systems = {
    local = shown (system {
      inherit enable;
      settings = sandbox;
      secretFiles = secrets;
      database.createLocally = true;
    });
    remote = shown (system {
      inherit enable;
      processes = 2;
      settings = {
        BASE_URL = "https://book.example.com";
        PRIVACY_URL = "https://example.com/caf%C3%A9";
        RATE_LIMIT_DISABLED = true;
        CONNECT = [
          "key"
          "guest"
        ];
        HOLD_MINUTES = 20;
        DRAIN_SECONDS = 30;
        PORT = 8000;
        MANAGEMENT_PORT = 9464;
      };
      secretFiles = secrets // {
        DATABASE_URL = "/run/secrets/it's a database";
        STRIPE_SECRET_KEY = "/run/secrets/stripe";
      };
    });
    embedded = shown (system {
      inherit enable;
      settings = sandbox;
      secretFiles = secrets;
    });
    off = shown (system { });
    faulty = shown (system {
      inherit enable;
      processes = 2;
      database.createLocally = true;
      secretFiles = {
        DATABASE_URL = "${builtins.storeDir}/secret";
        API_KEY = "secret";
      };
    });
  };
  lists = {
    settings = builtins.attrNames empty.settings;
    secrets = builtins.attrNames empty.secretFiles;
  };
  refused = {
    "a setting that does not exist" = accepted { settings.HOLD_MINUTE = 20; };
    "a number that is too large" = accepted { settings.HOLD_MINUTES = 3000; };
    "a number as text" = accepted { settings.PORT = "3000"; };
    "another environment" = accepted { settings.NODE_ENV = "prod"; };
    "a secret among the settings" = accepted { settings.API_KEY = "secret"; };
    "nothing at all" = !accepted { };
  };
}
