# Sourced by what evaluates flake.nix, with nixpkgs replaced by a stand-in: so it needs no network and builds nothing.
# Brings `evaluate OUTPUT FUNCTION`, and the folder $store, which goes at the end.
store="$(mktemp -d)"
trap 'chmod -R u+w "$store"; rm -rf "$store"' EXIT

# Only what git knows is part of the flake; a copy of it keeps the checkout's ownership and leftovers out of this.
mkdir "$store/source"
git -c safe.directory='*' ls-files -z | xargs -0 cp --parents -t "$store/source"

evaluate() {
  nix --extra-experimental-features 'nix-command flakes' eval --json --store "$store/root" \
    --no-write-lock-file --override-input nixpkgs "path:$store/source/test/support/nixpkgs-stand-in" \
    "path:$store/source#$1" --apply "$2" 2>"$store/log" || {
    cat "$store/log" >&2
    echo "flake.nix: $1 does not evaluate" >&2
    return 1
  }
}
