/**
 * What assistants' programs make of this service's answers: each client is installed as its makers publish it, calls
 * the service, and what its model is given is compared with the table in docs/connecting.md.
 *
 *     npm run clients                    fails where the table says otherwise; needs the npm registry
 *     npm run clients -- LangChain       some of them
 *     npm run clients -- --write         writes what was seen into the table
 *     npm run clients -- --show          prints what the models were given
 *
 * A new client is an entry of `clients.mjs`, a new case one of `cases.mjs`. No test runs this.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { freePort, must, node, ready, root, runWell, serve } from "../../.ci/support.mjs"
import { listenBetween } from "./between.mjs"
import { cases } from "./cases.mjs"
import { clients } from "./clients.mjs"

const page = join(root, "docs/connecting.md")
const [begin, end] = ["<!-- What `npm run clients` saw -->\n", "<!-- so far -->"]
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, show: { type: "boolean" } }
})

/** A client's name in addresses and folders. */
const slugOf = (name) => name.replaceAll(" ", "-")

/** The folder with a client's packages; kept, since some are large. */
const install = async (name) => {
  const { packages } = clients[name]
  const folder = join(tmpdir(), "playroom-clients", packages.join("+").replaceAll("/", "_"))
  if (!existsSync(join(folder, "installed"))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    await runWell(["npm", "install", "--save-exact", ...quiet, ...packages], { cwd: folder })
    writeFileSync(join(folder, "installed"), "")
  }
  for (const file of ["clients.mjs", "hosts.mjs"]) cpSync(join(import.meta.dirname, file), join(folder, file))
  return folder
}

/** One word for all where they are alike. */
const together = (cells) => (new Set(cells).size === 1 ? cells[0] : cells.join(", "))

const head = [
  '| Client | Of an answer | A refusal | HTTP 401, 429, 503 | Page 2 of the tools | `"4"`, `null`, an unknown argument | First message |',
  "|---|---|---|---|---|---|---|"
]
const row = (name, seen, sentBy) => {
  const version = clients[name].packages[0].split("@").at(-1)
  const read = (key) => cases[key].read({ seen: seen[key], sent: sentBy(slugOf(name), key).calls[0] })
  const { methods, pages } = sentBy(slugOf(name), "answer")
  const cells = [
    `${name} ${version}`,
    read("answer"),
    read("refusal"),
    together([read("sign_in"), read("limit"), read("overload")]),
    pages === 2 ? "read" : "not read",
    together([read("number"), read("null"), read("unknown")]),
    `\`${methods[0]}\``
  ]
  return `| ${cells.join(" | ")} |`
}
const nameIn = (line) => line.slice(2).split(/ [\d.]+ \|/)[0]

const data = mkdtempSync(join(tmpdir(), "playroom-clients-data-"))
const [port, sandboxPort, betweenPort] = [await freePort(), await freePort(), await freePort()]
const baseUrl = `http://localhost:${betweenPort}`
const env = {
  PATH: process.env.PATH,
  PORT: String(port),
  SANDBOX_PORT: String(sandboxPort),
  BASE_URL: baseUrl,
  DATA_DIR: data,
  CONNECT: "guest",
  RATE_LIMIT_DISABLED: "true"
}
const service = serve([node, "src/main.ts"], { cwd: root, env })
const between = await listenBetween(betweenPort, `http://localhost:${port}`)
try {
  await ready(service, port)
  const chosen = Object.keys(clients).filter((name) => positionals.length === 0 || positionals.includes(name))
  must(chosen.length > 0, `no such client: ${positionals.join(", ")}`)
  const [before = "", rest = ""] = readFileSync(page, "utf8").split(begin)
  const [table = "", after] = rest.split(end)
  must(after !== undefined, `docs/connecting.md has no ${begin}${end}`)
  const rows = new Map(
    table
      .split("\n")
      .slice(head.length, -1)
      .map((line) => [nameIn(line), line])
  )
  // Whoever is to sign in is at the service's own address for that.
  const urlOf = (name, key) => `${baseUrl}${key === "sign_in" ? "/mcp/connect" : `/${slugOf(name)}/${key}/mcp`}`
  for (const name of chosen) {
    const folder = await install(name)
    const plays = Object.entries(cases).map(([key, { args, tool }]) => [key, { args, tool, url: urlOf(name, key) }])
    const command = [node, "clients.mjs", "play", name, JSON.stringify(Object.fromEntries(plays))]
    await runWell(command, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } })
    const seen = JSON.parse(readFileSync(join(folder, "seen.json"), "utf8"))
    if (values.show) for (const key in seen) console.log(`${name}, ${key}: ${seen[key].slice(0, 400)}`)
    const line = row(name, seen, between.sentBy)
    const known = values.write || rows.get(name) === line
    console.log(known ? line : `${line}\n  The table has: ${rows.get(name) ?? "nothing"}`)
    if (!known) process.exitCode = 1
    rows.set(name, line)
  }
  const lines = [...head, ...Object.keys(clients).flatMap((name) => rows.get(name) ?? [])]
  if (values.write) writeFileSync(page, `${before}${begin}${lines.join("\n")}\n${end}${after}`)
} finally {
  between.close()
  service.child.kill()
  await service.ended
  rmSync(data, { recursive: true, force: true })
}
