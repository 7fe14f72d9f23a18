/**
 * Which doors the settings open, to whom, and which of the paths that a process believes others can change. For
 * `playroom doctor --doors`.
 */
import { existsSync, realpathSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { isLoopback } from "../../platform/text/Text.ts"
import type { Settings } from "../../platform/config/AppConfig.ts"
import { secretFiles } from "../../platform/config/Variables.ts"
import { socketPath } from "../../platform/database/DataDirectory.ts"
import { owns } from "../../platform/files/OwnFolder.ts"
import { bundles, compiled, root } from "./Bundle.ts"

/** Something that answers, where, who reaches it, and what they need there. */
interface Door {
  readonly door: string
  readonly at: string
  readonly whom: string
  readonly needs: string
}

type OfDoors = Pick<Settings, "baseUrl" | "database" | "host" | "managementPort" | "port" | "provider" | "sandboxPort">

const thisMachine = "every user of this machine"

/** The doors that a service with these settings opens. A socket of systemd's takes the place of the first address. */
export const doorsOf = (settings: OfDoors): ReadonlyArray<Door> => {
  const { baseUrl, database, host, managementPort, port, provider, sandboxPort } = settings
  const local = isLoopback(host)
  const at = (name: string, number: number) => `${name.includes(":") ? `[${name}]` : name}:${number}`
  const service = `${at(host, port)}, as ${baseUrl}`
  const whom = !local
    ? "whoever reaches this address"
    : isLoopback(new URL(baseUrl).hostname)
      ? thisMachine
      : `${thisMachine}, and whoever a proxy lets in`
  return [
    { door: "searches, documents", at: service, whom, needs: "nothing; within limits of rates" },
    { door: "bookings by assistants", at: service, whom, needs: "an API key, or signing in" },
    { door: "a family's pages", at: service, whom, needs: "the booking's link" },
    { door: "desk, operator's pages", at: service, whom, needs: "an invitation's sign-in; the operator's link" },
    { door: "the provider's events", at: service, whom, needs: "the provider's signature" },
    ...(managementPort === undefined
      ? []
      : [{ door: "metrics, probes", at: at("127.0.0.1", managementPort), whom: thisMachine, needs: "nothing" }]),
    ...(provider.kind === "sandbox"
      ? [{ door: "payment sandbox", at: at("127.0.0.1", sandboxPort), whom: thisMachine, needs: "nothing" }]
      : []),
    ...(database.kind === "embedded"
      ? [
          {
            door: "embedded database",
            at: socketPath(database.dataDir),
            whom: "this user, and root",
            needs: "nothing; all data can be read and changed"
          }
        ]
      : [])
  ]
}

const [ofGroup, ofAll, sticky] = [0o020, 0o002, 0o1000]

/**
 * Who else can change what stands at a path, or put something in its place: another owner (not root) of it or of a
 * folder above it, or those who may write there. Undefined if nobody can, and for a path that is not there.
 */
export const changedByOthers = (path: string): string | undefined => {
  if (process.getuid === undefined || !existsSync(path)) return undefined
  const real = realpathSync(path)
  for (let at = real; ; at = dirname(at)) {
    const its = statSync(at)
    if (its.uid !== 0 && !owns(its)) return `the user with the uid ${its.uid}, who owns ${at}`
    // In a sticky folder, like /tmp, nobody takes away what another owns.
    if (at === real || (its.mode & sticky) === 0) {
      if ((its.mode & ofAll) !== 0) return `all users, who may write to ${at}`
      if ((its.mode & ofGroup) !== 0 && its.gid !== 0 && its.gid !== process.getgid?.())
        return `the group ${its.gid}, which may write to ${at}`
    }
    if (at === dirname(at)) return undefined
  }
}

/** What a process of these settings believes: its programs, what it keeps compiled, its data, its secrets. */
export const believedPaths = (
  { database }: Pick<Settings, "database">,
  environment: Readonly<Record<string, string | undefined>>
): ReadonlyArray<readonly [what: string, path: string]> => [
  ["programs", join(root, "src")],
  ["packages", join(root, "node_modules")],
  ["bundle", bundles],
  ["compiled programs", compiled],
  ...(database.kind === "embedded"
    ? [
        ["data directory", database.dataDir] as const,
        ["socket of the embedded database", dirname(socketPath(database.dataDir))] as const
      ]
    : []),
  ...secretFiles(environment)
]
