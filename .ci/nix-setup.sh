# What stdenv and buildNpmPackage with importNpmLock's hook do, in their order, as far as flake.nix uses it. It runs in the
# tree of .ci/nix-sandbox.mjs; its argument is a file with the derivation's attributes.
set -e -o pipefail
shopt -s nullglob
. "$1"

export HOME=/homeless-shelter TMPDIR=/build NIX_BUILD_TOP=/build NIX_STORE=/nix/store TZ=UTC SOURCE_DATE_EPOCH=315619200
export PATH="$nodejs/bin:/nix/store/stand-in-stdenv/bin" HOST_PATH="$nodejs/bin"
unset shell
export SHELL=/nix/store/stand-in-stdenv/bin/bash CONFIG_SHELL=/nix/store/stand-in-stdenv/bin/bash
cd "$NIX_BUILD_TOP"

postConfigureHooks=(npmConfigHook)
postInstallHooks=(restoreManifestOfGlobalInstall)

# The attribute of that name first, and only then the hooks of the inputs.
runHook() {
  local name="$1" hook
  local -n hooks="${name}Hooks"
  if declare -F "$name" >/dev/null; then "$name"; elif [ -n "${!name-}" ]; then eval "${!name}"; fi
  for hook in "${hooks[@]}"; do "$hook"; done
}

runPhase() {
  echo "== $1"
  if [ -n "${!1-}" ]; then eval "${!1}"; else "$1"; fi
}

patchShebangs() {
  local path="$PATH" file line interpreter rest program
  case "$1" in --host) path="$HOST_PATH" && shift ;; --build) shift ;; esac
  while IFS= read -r file; do
    IFS= read -r line <"$file" || true
    read -r interpreter rest <<<"${line:2}"
    case "$interpreter" in
      /nix/store/*) continue ;;
      */env) read -r program rest <<<"$rest" ;;
      *) program="${interpreter##*/}" ;;
    esac
    program="$(PATH="$path" type -P "$program" || true)"
    if [ -n "$program" ]; then sed -i "1s|.*|#!$program${rest:+ $rest}|" "$file"; fi
  done < <(find "$@" -type f -perm -0100 -exec grep -IlZm1 '^#!' {} + | tr '\0' '\n')
}

makeWrapper() {
  local program="$1" wrapper="$2" flags=""
  shift 2
  mkdir -p "${wrapper%/*}"
  {
    echo "#!$SHELL -e"
    while [ $# -gt 0 ]; do
      case "$1" in
        --add-flags) flags+=" $2" && shift 2 ;;
        --set) printf 'export %s=%q\n' "$2" "$3" && shift 3 ;;
        --set-default) printf 'export %s=${%s-%q}\n' "$2" "$2" "$3" && shift 3 ;;
        *) echo "makeWrapper: $1 is not known here" >&2 && exit 1 ;;
      esac
    done
    echo "exec \"$program\"$flags \"\$@\""
  } >"$wrapper"
  chmod +x "$wrapper"
}

npmConfigHook() {
  export HOME="$TMPDIR"
  export npm_config_nodedir=/nix/store/stand-in-node-source npm_config_node_gyp=/nix/store/stand-in-node-gyp
  npm config set offline true
  npm config set progress false
  npm config set fund false
  mv package.json .package.json.orig
  mv package-lock.json .package-lock.json.orig
  cp --no-preserve=mode "$npmDeps/package.json" "$npmDeps/package-lock.json" .
  npm install --ignore-scripts $npmInstallFlags $npmFlags
  patchShebangs node_modules
  npm rebuild $npmRebuildFlags $npmFlags
  patchShebangs node_modules
}

restoreManifestOfGlobalInstall() {
  local global
  for global in "$out"/lib/node_modules/*/; do cp --no-preserve=mode .package.json.orig "$global/package.json"; done
}

unpackPhase() {
  runHook preUnpack
  cp -r --preserve=mode,timestamps "$src" source
  chmod -R u+w source
  cd source
  runHook postUnpack
}

patchPhase() {
  runHook prePatch
  runHook postPatch
}

configurePhase() {
  runHook preConfigure
  if [ -x ./configure ]; then ./configure --prefix="$out"; fi
  runHook postConfigure
}

buildPhase() {
  runHook preBuild
  if [ -z "${dontNpmBuild-}" ]; then npm run "${npmBuildScript-build}" $npmBuildFlags $npmFlags; fi
  runHook postBuild
}

fixupPhase() {
  runHook preFixup
  if [ -d "$out" ]; then
    chmod -R u+w "$out"
    patchShebangs --host "$out"
  fi
  runHook postFixup
}

runPhase unpackPhase
runPhase patchPhase
runPhase configurePhase
runPhase buildPhase
runPhase installPhase
runPhase fixupPhase

[ -e "$out" ] || { echo "there is no output" && exit 1; }
# What is in the store has one time and is nobody's to write.
find "$out" -exec touch -h -d @1 {} +
chmod -R a-w "$out"
