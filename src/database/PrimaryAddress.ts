/**
 * Which of several PostgreSQL servers is the primary, where `DATABASE_URL` names more than one: after a failover connections go to the
 * replica that was promoted. Nothing is promoted here; that is for a person, or for what manages the servers.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted, Schema, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { connect, type Socket } from "node:net"
import { addressesOf } from "../config/AppConfigRules.ts"

/** How often all servers are asked, and how long one may take to answer. */
const askEvery = "1 second"
const answerWithin = "2 seconds"

/** What a server says of itself. `timeline`: how often its history was promoted; undefined while it is a standby. */
export interface ServerState {
  readonly timeline: number | undefined
  /** The same of all servers that were ever copies of one another. */
  readonly system: string
}

/** None of the servers of `DATABASE_URL` takes writes. */
export class NoPrimary extends Schema.TaggedError<NoPrimary>()("NoPrimary", { servers: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `None of the servers of DATABASE_URL is a primary (${this.servers.join(", ")}): start one, or promote a standby.`
  }
}

/** The servers of `DATABASE_URL` hold different databases. */
export class NotCopies extends Schema.TaggedError<NotCopies>()("NotCopies", { servers: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `The servers of DATABASE_URL are not copies of one another (${this.servers.join(", ")}): name a primary and its replicas.`
  }
}

/**
 * The place of the server that connections should go to; undefined where they should stay as they are. Of two that take writes, the one
 * that was promoted later counts: the other is an old primary that came back. A server of another system is none of these.
 */
export const choosePrimary = (
  states: ReadonlyArray<ServerState | undefined>,
  system: string | undefined
): number | undefined => {
  let best: { readonly place: number; readonly timeline: number } | undefined
  for (const [place, state] of states.entries()) {
    if (state?.timeline === undefined || (system !== undefined && state.system !== system)) continue
    if (best === undefined || state.timeline > best.timeline) best = { place, timeline: state.timeline }
  }
  return best?.place
}

const stateOf = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ timeline: Schema.NullOr(Schema.Int), system: Schema.String })])
)

type Client = Effect.Effect<PgClient.PgClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity>

/** Where connections go now. */
export interface PrimaryAddress {
  readonly url: () => Redacted.Redacted
  /** Opens a socket to it. */
  readonly open: () => Socket
}

const nameOf = (url: string): string => new URL(url).host

/**
 * Finds the primary among the addresses of a URL, and follows it for as long as the scope is open. `clientOf` makes a client of one
 * connection.
 */
export const followPrimary = Effect.fn("PrimaryAddress.follow")(function* (
  url: Redacted.Redacted,
  clientOf: (url: Redacted.Redacted) => Client
) {
  const addresses = addressesOf(Redacted.value(url))
  const servers = addresses.map((address) => Redacted.make(address))
  const sockets = new Set<Socket>()
  let current: string | undefined
  let system: string | undefined

  // Each time over a new connection: one that is left from before the failover tells nothing.
  const ask = (server: Redacted.Redacted): Effect.Effect<ServerState | undefined, never, Reactivity.Reactivity> =>
    Effect.flatMap(
      clientOf(server),
      (sql) => sql`select (select system_identifier::text from pg_control_system()) as system,
        case when pg_is_in_recovery() then null
          else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`
    ).pipe(
      Effect.flatMap(stateOf),
      Effect.map(([{ system, timeline }]): ServerState => ({ system, timeline: timeline ?? undefined })),
      Effect.scoped,
      Effect.timeout(answerWithin),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logDebug("A server of DATABASE_URL does not answer", cause), undefined)
      )
    )

  const look = Effect.gen(function* () {
    const states = yield* Effect.forEach(servers, ask, { concurrency: "unbounded" })
    const systems = new Set(states.flatMap((state) => state?.system ?? []))
    if (current === undefined && systems.size > 1) return yield* new NotCopies({ servers: addresses.map(nameOf) })
    const place = choosePrimary(states, system)
    const found = place === undefined ? undefined : addresses[place]
    if (place === undefined || found === undefined || found === current) return undefined
    system ??= states[place]?.system
    const before = current
    current = found
    if (before === undefined) return undefined
    yield* Effect.logWarning("Another server of DATABASE_URL is the primary now", {
      was: nameOf(before),
      became: nameOf(found)
    })
    // What is left of the old one would hang, or write where nobody reads any more.
    for (const socket of sockets) socket.destroy()
    return undefined
  })

  yield* look
  if (current === undefined) return yield* new NoPrimary({ servers: addresses.map(nameOf) })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(askEvery), look)))

  const now = (): string => current ?? addresses[0] ?? ""
  return {
    url: () => Redacted.make(now()),
    open: () => {
      const { hostname, port } = new URL(now())
      const socket = connect({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || "5432"), noDelay: true })
      sockets.add(socket)
      socket.once("close", () => sockets.delete(socket))
      return socket
    }
  } satisfies PrimaryAddress
})
