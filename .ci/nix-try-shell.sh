# The development shell's scripts in a checkout, in the tree of .ci/nix-sandbox.mjs: npm's own Node does not run there.
set -e -o pipefail
. "$1"
export PATH="$nodejs/bin:/nix/store/stand-in-stdenv/bin" HOME=/build TMPDIR=/build
cd /checkout

if node_modules/node/bin/node --version 2>/dev/null; then
  echo "nix-build: npm's Node runs in the sandbox, so this shows nothing" >&2
  exit 1
fi
version="$(npm run --silent playroom -- --version)"
npm run --silent check:lint >/dev/null
npm test --silent -- test/Setup.test.ts >/build/log 2>&1 || {
  cat /build/log >&2
  exit 1
}
echo "nix-build: in the development shell npm run playroom ($version), check:lint and npm test run on $(readlink node_modules/.bin/node)"
