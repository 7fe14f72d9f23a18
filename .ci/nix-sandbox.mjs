// Lays out the tree in which .ci/nix-build runs the flake's scripts: the tools of stdenv and Node with another loader
// than the usual one, npm's packages as files, and what importNpmLock makes of package.json and the lock file.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"

const [root, ...outputs] = process.argv.slice(2)
const at = (path) => join(root, path)
const json = (file) => JSON.parse(readFileSync(file, "utf8"))
const system = "x86_64-linux"

const derivations = outputs.flatMap((file) =>
  Object.entries(json(file)[system]).map(([name, derivation]) => ({
    ...derivation,
    name: `${basename(file, ".json")}-${name}`
  }))
)
const { nodejs, npmDeps, src } = derivations[0].attributes

// As long as the usual path, so that it takes its place in a binary. Only what was given this loader runs in the
// sandbox.
const usualLoader = "/lib64/ld-linux-x86-64.so.2"
const loader = "/nix/store/ld-linux-x86.so"
const libraries = "/lib/x86_64-linux-gnu"

const addLibraries = (file) => {
  const listed = execFileSync("ldd", [file], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
  for (const [, library] of listed.matchAll(/=> (\/\S+)/g))
    cpSync(realpathSync(library), at(join(libraries, basename(library))))
}

const addBinary = (from, to) => {
  const bytes = readFileSync(from)
  const place = bytes.indexOf(`${usualLoader}\0`)
  if (place >= 0) {
    bytes.write(loader.padEnd(usualLoader.length, "\0"), place)
    addLibraries(from)
  }
  writeFileSync(to, bytes, { mode: 0o755 })
}

const inPath = (name) =>
  (process.env.PATH ?? "")
    .split(":")
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file))

for (const folder of ["bin", "build", "dev/shm", "etc", libraries, "proc", "tmp", join(nodejs, "bin")])
  mkdirSync(at(folder), { recursive: true })
chmodSync(at("tmp"), 0o1777)
symlinkSync("/proc/self/fd", at("dev/fd"))
writeFileSync(at("etc/passwd"), "root:x:0:0::/build:/noshell\nnixbld:x:1000:100::/build:/noshell\n")
writeFileSync(at("etc/group"), "root:x:0:\nnixbld:!:100:\n")
writeFileSync(at("etc/hosts"), "127.0.0.1 localhost\n::1 localhost\n")

// The loader finds the C library's own parts; librt is one of them that Node itself does not name.
addBinary(usualLoader, at(loader))
cpSync(realpathSync(join(libraries, "librt.so.1")), at(join(libraries, "librt.so.1")))

// What stdenv brings: coreutils, findutils, diffutils, sed, grep, awk, tar, gzip, bzip2, xz, make, patch and bash.
const stdenv = at("nix/store/stand-in-stdenv")
mkdirSync(join(stdenv, "bin"), { recursive: true })
const tools =
  "arch b2sum base64 basename cat chgrp chmod chown cksum comm cp csplit cut date dd df dirname du echo env expr factor false fmt fold head id install join link ln ls md5sum mkdir mkfifo mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pr printenv printf pwd readlink realpath rm rmdir seq sha1sum sha256sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee test timeout touch tr true truncate tsort tty uname unexpand uniq unlink vdir wc whoami yes find xargs cmp diff sed grep tar gzip bzip2 xz make patch bash setpriv"
for (const name of tools.split(" ")) {
  const tool = inPath(name)
  if (tool !== undefined) addBinary(tool, join(stdenv, "bin", name))
}
const awk = inPath("awk")
if (awk !== undefined) addBinary(awk, join(stdenv, "bin/awk"))
symlinkSync("bash", join(stdenv, "bin/sh"))
addBinary(inPath("sh"), at("bin/sh"))
for (const script of ["setup", "try-package", "try-shell"]) cpSync(`.ci/nix-${script}.sh`, join(stdenv, script))

// Node with npm, as nixpkgs has it: the pinned Node, and the npm of this machine.
addBinary(realpathSync("node_modules/.bin/node"), at(join(nodejs, "bin/node")))
const npm = dirname(dirname(realpathSync(inPath("npm"))))
const itsNpm = join(nodejs, "lib/node_modules/npm")
cpSync(npm, at(itsNpm), { recursive: true })
const command = at(join(itsNpm, "bin/npm-cli.js"))
writeFileSync(command, readFileSync(command, "utf8").replace(/^#!.*/, `#!${nodejs}/bin/node`), { mode: 0o755 })
symlinkSync("../lib/node_modules/npm/bin/npm-cli.js", at(join(nodejs, "bin/npm")))

// npm's packages. Nix would fetch those of other systems as well; npm passes them over.
const source = at(src)
const lock = json(join(source, "package-lock.json"))
const here = json("node_modules/.package-lock.json").packages
const cache = join(execFileSync("npm", ["config", "get", "cache"], { encoding: "utf8" }).trim(), "_cacache/content-v2")
const cached = ({ integrity }) => {
  const [algorithm, digest] = integrity.split(" ")[0].split(/-(.*)/s)
  const hex = Buffer.from(digest, "base64").toString("hex")
  return join(cache, algorithm, hex.slice(0, 2), hex.slice(2, 4), hex.slice(4))
}
const fetched = Object.entries(lock.packages).filter(([, { resolved }]) => /^https?:/.test(resolved ?? ""))
const missing = fetched.filter(([path, one]) => path in here && !existsSync(cached(one)))
if (missing.length > 0)
  execFileSync("npm", ["cache", "add", ...missing.map(([, { resolved }]) => resolved)], { stdio: "inherit" })
const inStore = ({ integrity, resolved }) =>
  `/nix/store/${createHash("sha256").update(integrity).digest("hex").slice(0, 32)}-${basename(new URL(resolved).pathname)}`
for (const [, one] of fetched) if (existsSync(cached(one))) cpSync(cached(one), at(inStore(one)))

const packages = Object.fromEntries(
  Object.entries(lock.packages).map(([path, { funding: _funding, link: _link, ...one }]) => [
    path,
    /^https?:/.test(one.resolved ?? "") ? { ...one, resolved: `file:${inStore(one)}` } : one
  ])
)
const ofStore = (dependencies) =>
  Object.fromEntries(Object.keys(dependencies).map((name) => [name, packages[`node_modules/${name}`].resolved]))
const manifest = json(join(source, "package.json"))
mkdirSync(at(npmDeps), { recursive: true })
writeFileSync(at(join(npmDeps, "package-lock.json")), JSON.stringify({ ...lock, packages }))
writeFileSync(
  at(join(npmDeps, "package.json")),
  JSON.stringify({
    ...manifest,
    dependencies: ofStore(manifest.dependencies),
    devDependencies: ofStore(manifest.devDependencies)
  })
)

// Each derivation's attributes as the builder's environment has them.
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`
const plain = (value) =>
  value === true
    ? "1"
    : value === false || value === null
      ? ""
      : Array.isArray(value)
        ? value.map(plain).join(" ")
        : `${value}`
const described = at("nix/store/stand-in-derivations")
mkdirSync(described, { recursive: true })
for (const { attributes, name, out, program } of derivations) {
  const lines = Object.entries({ ...attributes, out, mainProgram: program })
    .filter(([key]) => /^[A-Za-z_]\w*$/.test(key))
    .map(([key, value]) => `export ${key}=${quoted(plain(value))}\n`)
  writeFileSync(join(described, name), lines.join(""))
}
console.log(
  `nix-build: ${derivations.length} derivations, Node ${execFileSync("node_modules/.bin/node", ["--version"], { encoding: "utf8" }).trim()}, npm ${json(join(npm, "package.json")).version}, ${fetched.length} packages`
)
