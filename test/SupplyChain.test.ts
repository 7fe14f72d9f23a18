import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Schema } from "effect"

const root = join(import.meta.dirname, "..")
const read = (name: string): string => readFileSync(join(root, name), "utf8")

const Versions = Schema.Record(Schema.String, Schema.String)
const Manifest = Schema.Struct({ dependencies: Versions, devDependencies: Versions })
const Lock = Schema.Struct({
  packages: Schema.Record(
    Schema.String,
    Schema.Struct({
      dev: Schema.optionalKey(Schema.Boolean),
      hasInstallScript: Schema.optionalKey(Schema.Boolean),
      integrity: Schema.optionalKey(Schema.String),
      resolved: Schema.optionalKey(Schema.String),
      version: Schema.optionalKey(Schema.String)
    })
  )
})
const manifest = Schema.decodeSync(Schema.fromJsonString(Manifest))(read("package.json"))
const lock = Schema.decodeSync(Schema.fromJsonString(Lock))(read("package-lock.json"))
const packages = Object.entries(lock.packages).filter(([path]) => path !== "")
const page = read("docs/supply-chain.md")

// A build by Nix rewrites both files to addresses in its store.
const rewritten = packages.some(([, { resolved = "" }]) => resolved.startsWith("file:"))

describe.skipIf(rewritten)("what others wrote", () => {
  it("is pinned: exact versions, and for each package an address at the registry and a checksum", () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    assert.isAbove(versions.length, 20)
    assert.deepStrictEqual(
      versions.filter(([, version]) => !/^(npm:@?[a-z/-]+@)?\d+\.\d+\.\d+(-[a-z0-9.]+)?$/.test(version)),
      []
    )
    assert.isAbove(packages.length, 200)
    const loose = packages.filter(
      ([, { integrity = "", resolved = "" }]) =>
        !resolved.startsWith("https://registry.npmjs.org/") || !integrity.startsWith("sha512-")
    )
    assert.deepStrictEqual(
      loose.map(([path]) => path),
      []
    )
  })

  it("runs nothing when it is installed, but for the package node", () => {
    const scripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)
    assert.deepStrictEqual(
      scripts.map(([path]) => path),
      ["node_modules/node"]
    )
  })

  it("has licences that are allowed, and docs/supply-chain.md names who has another than MIT", () => {
    const printed = execFileSync(process.execPath, [join(root, ".ci/licences.mjs")], { encoding: "utf8" })
    const rows = [...page.matchAll(/^\| ([0-9A-Z][^ |]+) \| (`[^|]*) \|$/gm)].map(
      ([, licence = "", names = ""]) =>
        `${licence}: ${[...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).join(" ")}`
    )
    const lines = printed
      .trim()
      .split("\n")
      .filter((line) => !line.startsWith("MIT: "))
    assert.deepStrictEqual(
      rows,
      lines.map((line) => line.replace(/(?<= )(\S+) [^, ]+,?/g, "$1"))
    )
  })

  it("is named in the bill of materials: each package that is not for development alone", () => {
    const Bill = Schema.Struct({
      components: Schema.Array(Schema.Struct({ name: Schema.String, version: Schema.String }))
    })
    const printed = execFileSync(process.execPath, [join(root, ".ci/sbom.mjs")], { encoding: "utf8" })
    const named = Schema.decodeSync(Schema.fromJsonString(Bill))(printed).components.map(
      ({ name, version }) => `${name} ${version}`
    )
    const inProduction = packages
      .filter(([, { dev }]) => dev !== true)
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, "")} ${version}`)
    assert.sameMembers(named, inProduction)
    assert.includeMembers(named, [`effect ${manifest.dependencies["effect"]}`])
  })

  it("fails the audit for an advisory that is not explained, and is not called clean where nobody was asked", () => {
    const audit = (answer: string) => {
      const { status, stderr, stdout } = spawnSync(process.execPath, [join(root, ".ci/audit.mjs")], {
        encoding: "utf8",
        input: answer
      })
      return { status, out: stdout + stderr }
    }
    const url = "https://github.com/advisories/GHSA-0000-0000-0000"
    const via = [{ name: "koa", severity: "high", title: "Something", url }, "koa"]
    const found = audit(JSON.stringify({ vulnerabilities: { koa: { via }, "oidc-provider": { via: ["koa"] } } }))
    assert.strictEqual(found.status, 1)
    assert.include(found.out, `high: koa: Something (${url})`)
    assert.deepInclude(audit('{"vulnerabilities":{}}'), { status: 0 })
    assert.deepInclude(audit('{"message":"405 Method Not Allowed"}'), { status: 2 })
    assert.deepInclude(audit(""), { status: 2 })
  })

  it("has in the embedded database what docs/supply-chain.md says", () => {
    const dist = join(root, "node_modules/@electric-sql/pglite/dist")
    assert.include(readdirSync(dist), "pglite.wasm")
    const said = /PostgreSQL ([\d.]+) \(PGlite ([\d.]+)\).*?\) ([\d.]+) \(/.exec(
      readFileSync(join(dist, "pglite.wasm"), "latin1")
    )
    const [, postgresql = "", pglite = "", emscripten = ""] = said ?? []
    assert.strictEqual(manifest.dependencies["@electric-sql/pglite"], pglite)
    assert.include(page, `\`@electric-sql/pglite\` ${pglite},`)
    assert.include(page, `PostgreSQL ${postgresql}, compiled to WebAssembly by Emscripten ${emscripten}`)
  })
})
