# Starts the package from its output, in the tree of .ci/nix-sandbox.mjs.
set -e -o pipefail
. "$1"
export PATH="$nodejs/bin:/nix/store/stand-in-stdenv/bin" HOME=/build TMPDIR=/build
program="$out/bin/$mainProgram"
cd /build

fail() {
  echo "nix-build: $*" >&2
  cat serve.log >&2 2>/dev/null || true
  exit 1
}

# Each path that the output names is there with it for good: Node is meant, the packages' archives are not.
named="$(grep -rhoaE '/nix/store/[a-z0-9]{32}-[A-Za-z0-9._+-]+' "$out" | sort -u | grep -vxF -e "$nodejs" -e "$out" || true)"
[ -z "$named" ] || fail "the package names $(wc -l <<<"$named") other paths of the store, so $(head -n 1 <<<"$named")"

version="$("$program" --version)"
export DATA_DIR=/build/data PORT=18231
HOST=127.0.0.1 "$program" serve >serve.log 2>&1 &
served=$!
ready() { node -e 'fetch("http://127.0.0.1:18231/readyz").then((r) => process.exit(r.status === 200 ? 0 : 1), () => process.exit(1))'; }
for ((i = 0; i < 120; i++)); do
  ready && break
  kill -0 "$served" 2>/dev/null || fail "the package does not serve"
  sleep 0.5
done
ready || fail "the package is not ready after a minute"
kill "$served"
wait "$served" || fail "the package does not stop well"
rooms="$("$program" catalogue export | wc -l)" || fail "a command fails"
echo "nix-build: the package tells its version ($version), serves, is ready, stops, and runs a command ($rooms lines)"
