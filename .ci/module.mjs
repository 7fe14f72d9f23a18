// Checks what nix/module.nix and nix/image.nix make, as .ci/flake evaluated it, against docs/systemd and the settings.
import assert from "node:assert/strict"
import { execFile, execFileSync, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { promisify } from "node:util"

const [, , folder] = process.argv
const evaluated = (name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"))
const { image, lists, systems } = evaluated("module")
const { example, local, remote, embedded, off, faulty } = systems
const first = ({ units }) => units["playroom@1"]

// The system of docs/nixos.md.
assert.deepEqual(example.faults, [])
assert.equal(first(example).environment.BASE_URL, "https://book.example.com")
assert.equal(first(example).environment.TRUSTED_PROXIES, "127.0.0.1,::1")
assert.equal(first(example).environment.STRIPE_SECRET_KEY_FILE, "%d/STRIPE_SECRET_KEY")
assert.ok(first(example).serviceConfig.LoadCredential.includes("STRIPE_SECRET_KEY:/run/secrets/stripe"))

// The three kinds of database.
assert.match(
  first(local).environment.DATABASE_URL,
  /^postgres:\/\/\/playroom\?host=\/run\/postgresql&port=5432&user=playroom$/
)
assert.deepEqual(first(local).requires, ["postgresql.target"])
assert.deepEqual(local.postgresql.ensureDatabases, ["playroom"])
assert.deepEqual(local.postgresql.ensureUsers, [{ name: "playroom", ensureDBOwnership: true }])
for (const system of [remote, embedded]) {
  assert.deepEqual(first(system).requires, [])
  assert.equal(first(system).environment.DATABASE_URL, undefined)
  assert.equal(system.postgresql.enable, null)
}
assert.equal(first(remote).environment.DATABASE_URL_FILE, "%d/DATABASE_URL")
assert.equal(first(embedded).environment.DATA_DIR, "/var/lib/playroom")

// Values: systemd expands percent signs, and the command does not.
assert.equal(first(remote).environment.PRIVACY_URL, "https://example.com/caf%%C3%%A9")
assert.match(remote.command, /^export PRIVACY_URL='https:\/\/example\.com\/caf%C3%A9'$/m)
assert.equal(first(remote).environment.RATE_LIMIT_DISABLED, "true")
assert.equal(first(remote).environment.CONNECT, "key,guest")
assert.equal(first(remote).environment.HOLD_MINUTES, "20")
assert.equal(first(remote).serviceConfig.TimeoutStopSec, 30 + 100)

// Two processes share a socket, and have management ports of their own.
assert.equal(remote.socket.socketConfig.ListenStream, "127.0.0.1:8000")
assert.deepEqual(
  Object.values(remote.units).map(({ environment }) => environment.MANAGEMENT_PORT),
  ["9464", "9465"]
)
assert.deepEqual(Object.keys(embedded.units), ["playroom@1"])
writeFileSync(`${folder}/command`, remote.command)
execFileSync("sh", ["-n", `${folder}/command`])

// A system without the service has nothing of it, and a faulty one says what is wrong.
assert.equal(first(off)?.serviceConfig?.ExecStart ?? null, null)
for (const part of [
  "BASE_URL is needed",
  "createLocally and",
  "STRIPE_SECRET_KEY, or the sandbox",
  "the sandbox has one port",
  "secretFiles.API_KEY",
  "secretFiles.DATABASE_URL"
])
  assert.ok(
    faulty.faults.some((fault) => fault.includes(part)),
    part
  )
assert.equal(faulty.faults.length, 6)
for (const [what, accepted] of Object.entries(evaluated("refused")))
  assert.equal(accepted, false, `${what} is accepted`)

// The settings that can be given are those that are read.
const { secretVariables, settings } = await import("../src/platform/config/Variables.ts")
const variables = settings.map(({ variable }) => variable)
const sorted = (names) => [...names].sort()
assert.deepEqual(sorted(lists.secrets), sorted(secretVariables), "the secrets in nix/module.nix")
assert.deepEqual(
  sorted(lists.settings),
  sorted(variables.filter((name) => name !== "DATA_DIR" && !secretVariables.includes(name))),
  "the settings in nix/settings.nix"
)

// The plain units are the module's, but for where things are.
const directivesOf = (file) => {
  const found = new Map()
  for (const line of readFileSync(`docs/systemd/${file}`, "utf8").split("\n")) {
    const [, name, value] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? []
    if (name !== undefined) found.set(name, [...(found.get(name) ?? []), value])
  }
  return found
}
const words = (value) => [value].flat().join(" ").split(" ")
/** What only one of them has: what NixOS writes elsewhere, and where things are. */
const compare = (file, made, notInMade, elsewhere = []) => {
  const plain = directivesOf(file)
  const names = Object.keys(made).filter((name) => !elsewhere.includes(name))
  for (const name of names)
    assert.deepEqual(words(plain.get(name) ?? "missing"), words(made[name]), `${name} in docs/systemd/${file}`)
  assert.deepEqual(sorted([...plain.keys()].filter((name) => !notInMade.includes(name))), sorted(names))
  return plain
}
compare("playroom.socket", embedded.socket.socketConfig, ["Description", "WantedBy"])
const plain = compare(
  "playroom@.service",
  first(embedded).serviceConfig,
  ["Description", "Wants", "After", "ExecStart", "Environment", "EnvironmentFile", "LoadCredential", "WantedBy"],
  ["ExecStart", "LoadCredential"]
)
for (const name of ["NODE_ENV", "DATA_DIR", "MALLOC_MMAP_THRESHOLD_", "NODE_COMPILE_CACHE"])
  assert.ok(plain.get("Environment").includes(`${name}=${first(embedded).environment[name]}`), name)

// The unit as NixOS writes it, with programs that are there.
const quoted = Object.entries(first(remote).environment).map(
  ([name, value]) => `Environment=${JSON.stringify(`${name}=${value}`)}`
)
const there = { ExecStart: "/bin/sh -c true" }
const directives = Object.entries({ ...first(remote).serviceConfig, ...there }).flatMap(([name, value]) =>
  [value].flat().map((one) => `${name}=${one}`)
)
writeFileSync(`${folder}/playroom.service`, ["[Service]", ...quoted, ...directives, ""].join("\n"))
const verified = spawnSync("systemd-analyze", ["verify", `${folder}/playroom.service`], { encoding: "utf8" })
if (verified.error === undefined) {
  assert.equal(verified.status, 0, verified.stderr)
  assert.ok(!verified.stderr.includes("playroom.service"), verified.stderr)
}

// The image.
const config = JSON.parse(image)
assert.match(config.User, /^[1-9]\d*:[1-9]\d*$/)
assert.match(config.Entrypoint.join(), /^\/.*\/bin\/playroom$/)
assert.deepEqual(config.Cmd, ["serve"])
assert.deepEqual(Object.keys(config.ExposedPorts), ["3000/tcp"])
assert.deepEqual(Object.keys(config.Volumes), ["/var/lib/playroom"])
assert.ok(config.Env.includes("NODE_ENV=production") && config.Env.includes("DATA_DIR=/var/lib/playroom"))
const [kind, node, ...check] = config.Healthcheck.Test
assert.equal(kind, "CMD")
assert.match(node, /\/bin\/node$/)
const run = promisify(execFile)
const health = (port) =>
  run(process.execPath, check, { env: { PORT: String(port) } }).then(
    () => 0,
    ({ code }) => code
  )
let status = 200
const server = createServer((request, response) => response.writeHead(request.url === "/healthz" ? status : 404).end())
await new Promise((done) => server.listen(0, "127.0.0.1", done))
const { port } = server.address()
assert.equal(await health(port), 0)
status = 503
assert.equal(await health(port), 1)
await new Promise((done) => server.close(done))
assert.equal(await health(port), 1)

console.log(
  `module: ${lists.settings.length} settings, ${lists.secrets.length} secrets, the same unit as docs/systemd; image: user ${config.User}`
)
