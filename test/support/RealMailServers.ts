/**
 * Mail servers as Debian has them, if they are on this machine: each on a port of its own, with its configuration, its
 * queue and its mailboxes in a new folder. They know `family@local.example`, and take no letter over 20 KB.
 */
import { Effect } from "effect"
import { execFileSync, spawn } from "node:child_process"
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./freePort.ts"

const largest = 20_480
const isRoot = process.getuid?.() === 0

/** Where one runs, and whether it passes letters on to other domains, into nothing. */
interface Place {
  readonly folder: string
  readonly port: number
  readonly relays: boolean
  /** Whose its mailboxes are. */
  readonly user: string
}

interface Program {
  readonly path: string
  readonly version: (path: string) => string
  /** Whose its files are; it runs as root only. */
  readonly owner: string
  /** Writes the configuration; answers the command that stays in the foreground. */
  readonly configure: (place: Place) => ReadonlyArray<string>
  /** Stops what does not end with that command. */
  readonly stop?: (folder: string) => void
}

const said = (file: string, ...args: ReadonlyArray<string>): string => execFileSync(file, args, { encoding: "utf8" })

const exim: Program = {
  path: "/usr/sbin/exim4",
  version: (path) => /version (\S+)/.exec(said(path, "-bV"))?.[1] ?? "",
  owner: "Debian-exim",
  configure: ({ folder, port, relays, user }) => {
    writeFileSync(
      join(folder, "exim.conf"),
      `primary_hostname = mail.local.example
spool_directory = ${folder}/queue
log_file_path = ${folder}/data/%slog
keep_environment =
pid_file_path = ${folder}/data/pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${port}
message_size_limit = ${largest}
tls_advertise_hosts =
acl_smtp_rcpt = rcpt
domainlist ours = local.example
hostlist relayed = ${relays ? "127.0.0.1" : ""}
begin acl
rcpt:
  accept hosts = +relayed
  require message = relay not permitted
          domains = +ours
  require verify = recipient
  accept
begin routers
mailbox:
  driver = accept
  domains = +ours
  local_parts = family
  transport = mailbox
elsewhere:
  driver = redirect
  domains = ! +ours
  data = :blackhole:
begin transports
mailbox:
  driver = appendfile
  file = ${folder}/mail/family
  user = ${user}
`
    )
    return [exim.path, "-C", join(folder, "exim.conf"), "-bdf"]
  }
}

const postfix: Program = {
  path: "/usr/sbin/postfix",
  version: () => said("/usr/sbin/postconf", "-hd", "mail_version").trim(),
  owner: "postfix",
  configure: ({ folder, port, relays, user }) => {
    const id = (flag: string) => said("id", flag, user).trim()
    writeFileSync(join(folder, "users"), "family@local.example family\n")
    writeFileSync(
      join(folder, "main.cf"),
      `compatibility_level = 3.6
queue_directory = ${folder}/queue
data_directory = ${folder}/data
myhostname = mail.local.example
mydestination =
mynetworks = ${relays ? "127.0.0.1/32" : "192.0.2.1/32"}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtpd_peername_lookup = no
message_size_limit = ${largest}
mailbox_size_limit = 0
virtual_mailbox_limit = 0
virtual_mailbox_domains = local.example
virtual_mailbox_maps = texthash:${folder}/users
virtual_mailbox_base = ${folder}/mail
virtual_minimum_uid = 1
virtual_uid_maps = static:${id("-u")}
virtual_gid_maps = static:${id("-g")}
default_transport = discard
alias_maps =
maillog_file =
`
    )
    const services = ["cleanup", "bounce", "trace bounce", "defer bounce", "error", "retry error", "virtual", "discard"]
    writeFileSync(
      join(folder, "master.cf"),
      [
        `127.0.0.1:${port} inet n - n - - smtpd`,
        "qmgr unix n - n 300 1 qmgr",
        "rewrite unix - - n - - trivial-rewrite",
        "proxymap unix - - n - - proxymap",
        "anvil unix - - n - 1 anvil",
        ...services.map((service) => {
          const [name, program = name] = service.split(" ")
          return `${name} unix ${name === "virtual" ? "- n" : "n -"} n - 0 ${program}`
        }),
        ""
      ].join("\n")
    )
    return [postfix.path, "-c", folder, "start-fg"]
  },
  stop: (folder) => said(postfix.path, "-c", folder, "abort")
}

const isThere = ({ path }: Program): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return isRoot
  } catch {
    return false
  }
}

/** Those that can be run here, by their names. */
export const realMailServers = Object.entries({ exim, Postfix: postfix }).map(([name, program]) => ({
  name,
  version: isThere(program) ? program.version(program.path) : undefined,
  program
}))

const greets = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => resume(Effect.succeed(false)))
    socket.once("data", () => {
      socket.end("QUIT\r\n")
      resume(Effect.succeed(true))
    })
  })

/** Waits until something holds, by the machine's clock; answers whether it came to hold. */
export const within10Seconds = Effect.fnUntraced(function* (holds: Effect.Effect<boolean>) {
  for (let tries = 0; tries < 200; tries++) {
    if (yield* holds) return true
    yield* Effect.promise(() => new Promise((later) => setTimeout(later, 50)))
  }
  return false
})

/** Runs one for the scope's lifetime. `mailbox` is the file of `family@local.example`. */
export const runMailServer = Effect.fnUntraced(function* (program: Program, { relays = false } = {}) {
  const port = yield* freePort
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-mail-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const id = (flag: string) => Number(said("id", flag, program.owner))
  chmodSync(folder, 0o755)
  for (const name of ["queue", "data", "mail"]) {
    mkdirSync(join(folder, name))
    // Postfix wants the queue's root to be root's.
    if (program !== postfix || name !== "queue") chownSync(join(folder, name), id("-u"), id("-g"))
  }
  const [file = "", ...args] = program.configure({ folder, port, relays, user: program.owner })
  yield* Effect.acquireRelease(
    // In a group of its own: what it starts ends with it.
    Effect.sync(() => spawn(file, args, { stdio: "ignore", detached: true })),
    (child) =>
      Effect.callback<void>((resume) => {
        if (child.exitCode !== null || child.pid === undefined) return resume(Effect.void)
        child.once("exit", () => resume(Effect.void))
        if (program.stop === undefined) process.kill(-child.pid, "SIGTERM")
        else program.stop(folder)
      })
  )
  if (!(yield* within10Seconds(greets(port)))) return yield* Effect.die(`${program.path} does not answer`)
  const mailbox = join(folder, "mail", "family")
  return { port, mailbox, delivered: within10Seconds(Effect.sync(() => existsSync(mailbox))) }
})
