// What the scripts of this folder share: a service of their own, calls of its tools, and PostgreSQL's programs.
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync } from "node:fs"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "..")
export const node = join(root, "node_modules/.bin/node")
/** The server on which scripts make databases of their own. */
export const server = process.env.TEST_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres"

export const must = (truth, what) => {
  if (!truth) throw new Error(what)
}
export const sleep = (ms) => new Promise((later) => setTimeout(later, ms))
/** Waits until something holds. */
export const until = async (what, holds, withinMs = 30_000) => {
  for (const end = Date.now() + withinMs; !(await holds()); await sleep(50))
    must(Date.now() < end, `not within ${withinMs / 1000} seconds: ${what}`)
}
const given = new Set()
/** Where ports are looked for. Each row of drills that run at the same time (`ROW` of `.ci/run`) has its own. */
const ports = { 0: [31_700, 32_234], 1: [32_234, 32_768] }[process.env.ROW] ?? [31_700, 32_768]
/**
 * A port that was free a moment ago and was not given before, below those that systems give to outgoing connections: a
 * server that starts a minute later would meet one of thousands of calls there.
 */
export const freePort = () =>
  new Promise((found) => {
    const port = randomInt(...ports)
    if (given.has(port)) return found(undefined)
    given.add(port)
    const listener = createServer()
      .once("error", () => found(undefined))
      .listen(port, "127.0.0.1", () => listener.close(() => found(port)))
  }).then((port) => port ?? freePort())
/** The date in so many days. */
export const day = (days) => new Date(Date.now() + days * 864e5).toISOString().slice(0, 10)

/** The newest PostgreSQL's programs before those of `PATH`. */
const installed = "/usr/lib/postgresql"
const newest = (existsSync(installed) ? readdirSync(installed) : []).sort((a, b) => Number(b) - Number(a))[0]
export const path = `${newest === undefined ? "" : `${installed}/${newest}/bin:`}${process.env.PATH}`

// PostgreSQL refuses to run as root.
const isRoot = process.getuid() === 0
/** A command as the user who owns the clusters. */
export const asOwner = (command) => (isRoot ? ["runuser", "-u", "postgres", "--", ...command] : command)
/** A new folder for clusters. */
export const clusterFolder = (name) => {
  const folder = mkdtempSync(join(tmpdir(), `playroom-${name}-`))
  if (isRoot) {
    const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
    chownSync(folder, id("-u"), id("-g"))
  }
  chmodSync(folder, 0o755)
  return folder
}

/** Runs a command to its end, and lets this process go on meanwhile. */
export const run = async ([file, ...args], options) => {
  const child = spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
  const output = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (text) => (output.out += text))
  child.stderr.setEncoding("utf8").on("data", (text) => (output.err += text))
  const status = await new Promise((closed) => child.once("close", closed))
  return { status, ...output }
}
/** The same for a command that has to succeed; answers what it printed. */
export const runWell = async (command, options) => {
  const { err, out, status } = await run(command, options)
  must(status === 0, `${command.join(" ")}: ${out}${err}`)
  return out.trim()
}

/** Starts the service by a command that is given `serve`; `log` is all that it prints, `out` its standard output. */
export const serve = ([file, ...args], options) => {
  const child = spawn(file, [...args, "serve"], options)
  const service = { child, log: "", out: "" }
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text) => (service.log += text))
  child.stdout.on("data", (text) => (service.out += text))
  service.ended = new Promise((over) => child.once("exit", over))
  return service
}
/** The status of `/readyz`; 0 while nobody answers. */
export const readyz = (port) =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ status }) => status,
    () => 0
  )
/** Waits until a service that was started is ready. */
export const ready = (service, port) =>
  until(
    "the service is ready",
    async () => {
      must(service.child.exitCode === null, `the service ended: ${service.log}`)
      return (await readyz(port)) === 200
    },
    60_000
  )

/** Calls a tool, with a key or without. */
export const callTool = async (port, name, input, key) => {
  const headers = { "content-type": "application/json", accept: "application/json" }
  const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: "POST",
    headers: key === undefined ? headers : { ...headers, "x-api-key": key },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } })
  })
  const { error, result } = await answer.json()
  must(error === undefined && !result.isError, `${name}: ${JSON.stringify(error ?? result?.content)}`)
  return result.structuredContent
}
