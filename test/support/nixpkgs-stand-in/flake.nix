# What flake.nix uses of nixpkgs, as derivations that are never built: enough to evaluate every output without a network.
{
  description = "A stand-in for nixpkgs";

  outputs =
    { self }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      packagesFor =
        system:
        let
          derivation' =
            name: attributes:
            derivation (
              {
                inherit name system;
                builder = "/bin/sh";
                args = [
                  "-c"
                  "exit 1"
                ];
              }
              // attributes
            );
          tool = name: derivation' name { };
          # `meta` is for people and no part of a derivation, as in nixpkgs.
          built =
            {
              pname,
              version,
              meta ? { },
              ...
            }@attributes:
            derivation' "${pname}-${version}" (removeAttrs attributes [ "meta" ]) // { inherit meta; };
        in
        {
          nodejs_24 = tool "nodejs";
          postgresql = tool "postgresql";
          pgbouncer = tool "pgbouncer";
          git = tool "git";
          makeWrapper = tool "make-wrapper";
          nixfmt-tree = tool "nixfmt-tree";
          coreutils = tool "coreutils";
          util-linux = tool "util-linux";
          stdenv.hostPlatform.isLinux = builtins.match ".*-linux" system != null;
          writeShellScriptBin = name: text: derivation' name { inherit text; };
          dockerTools.buildLayeredImage =
            {
              name,
              tag,
              contents,
              fakeRootCommands,
              config,
            }:
            derivation' "${name}.tar.gz" {
              inherit tag contents fakeRootCommands;
              config = builtins.toJSON config;
            };
          mkShell = { packages }: derivation' "shell" { inherit packages; };
          buildNpmPackage = built;
          importNpmLock = {
            npmConfigHook = tool "npm-config-hook";
            __functor =
              _:
              { npmRoot }:
              let
                lock = builtins.fromJSON (builtins.readFile (npmRoot + "/package-lock.json"));
                names = builtins.filter (name: name != "") (builtins.attrNames lock.packages);
                # The real one fetches each package by these two, and a lock file can be without them.
                checksums = map (name: lock.packages.${name}.resolved + lock.packages.${name}.integrity) names;
              in
              derivation' "npm-deps" { inherit checksums; };
          };
        };
    in
    {
      lib = import ./lib.nix packagesFor;
      legacyPackages = builtins.listToAttrs (
        map (system: {
          name = system;
          value = packagesFor system;
        }) systems
      );
    };
}
