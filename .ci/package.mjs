// Makes the package that npm installs anywhere: `dist/playroom-booking-VERSION.tgz`. Below node_modules Node strips no types, so
// it has the service in a few files and no sources; what they contain is no dependency of it. It runs on the Node that is there.
// With `try`, npx then runs it in an empty folder, as somebody who has nothing else would, and asks it for playrooms.
import { spawn, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

const packaged = "dist/package"
const { devDependencies, dependencies, description, keywords, license, name, version } = JSON.parse(
  readFileSync("package.json", "utf8")
)
const node = dependencies.node.split(".")[0]

const run = (command, args, options = {}) => {
  const { status, stdout } = spawnSync(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    ...options
  })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed`)
  return stdout.trim()
}

rmSync(packaged, { recursive: true, force: true })
const files = JSON.parse(run("node_modules/.bin/node", ["src/ops/process/makePackage.ts", join(packaged, "dist/main")]))
for (const file of readdirSync(join(packaged, "dist/main"))) {
  // They lead to sources, which are not there.
  if (file.endsWith(".map")) rmSync(join(packaged, "dist/main", file))
}
// What the service reads beside its sources.
for (const file of ["sql", "LICENSE", "README.md", "CHANGELOG.md", ...files.beside]) {
  mkdirSync(dirname(join(packaged, file)), { recursive: true })
  cpSync(file, join(packaged, file), { recursive: true })
}
writeFileSync(
  join(packaged, "playroom.mjs"),
  `#!/usr/bin/env node
const [major] = process.versions.node.split(".")
if (Number(major) < ${node}) {
  console.error(\`Playroom booking runs on Node ${node}, and this is \${process.version}.\`)
  process.exit(1)
}
await import("./dist/main/main.js")
`
)
const needed = Object.fromEntries(files.needs.map((one) => [one, { ...devDependencies, ...dependencies }[one]]))
const manifest = {
  name,
  version,
  description,
  ...(keywords === undefined ? {} : { keywords }),
  license,
  type: "module",
  bin: { playroom: "playroom.mjs" },
  engines: { node: `>=${node}` },
  dependencies: needed
}
writeFileSync(join(packaged, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
const packed = JSON.parse(run("npm", ["pack", "--json", "--pack-destination", resolve("dist")], { cwd: packaged }))
const tarball = resolve("dist", `${name}-${version}.tgz`)
console.log(tarball)

if (process.argv[2] === "try") {
  const empty = mkdtempSync(join(tmpdir(), "playroom-package-"))
  const free = createServer().listen(0, "127.0.0.1")
  await new Promise((listening) => free.once("listening", listening))
  const { port } = free.address()
  free.close()
  // The Node that runs this comes first: a shell's may be older.
  const path = `${dirname(process.execPath)}:${process.env.PATH}`
  const env = {
    ...process.env,
    PATH: path,
    PORT: String(port),
    SANDBOX_PORT: "0",
    DRAIN_SECONDS: "0",
    npm_config_cache: join(empty, "npm")
  }
  const started = spawn("npx", ["--yes", `file:${tarball}`, "serve"], {
    cwd: empty,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [started.stdout, started.stderr]) stream.on("data", (text) => (said += text))
  try {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_playrooms", arguments: { city: "London" } }
    })
    const headers = { "Content-Type": "application/json" }
    const ask = () =>
      fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers, body }).then((answer) => answer.text())
    let answer = ""
    for (let waited = 0; waited < 240 && started.exitCode === null && answer === ""; waited++) {
      await new Promise((later) => setTimeout(later, 1000))
      answer = await ask().catch(() => "")
    }
    if (!answer.includes("Sunny Side Clapham")) throw new Error(`the package does not serve: ${answer}\n${said}`)
    console.log(
      `npx ${name}: serves in an empty folder, ${packed[0].files.length} files, ${Math.round(packed[0].size / 1024)} KB`
    )
  } finally {
    if (started.exitCode === null) {
      process.kill(-started.pid, "SIGTERM")
      await new Promise((ended) => started.once("exit", ended))
    }
    rmSync(empty, { recursive: true, force: true })
  }
}
