/**
 * Finds the primary if `DATABASE_URL` lists several PostgreSQL servers: after a failover, connections go to the
 * promoted replica. Promotion itself is left to a person or a cluster manager.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted, Schema, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import { connect, type Socket } from "node:net"
import { addressesOf } from "../config/Variables.ts"
import { unending } from "../time/LocalTime.ts"

/** How often all servers are asked, and how long one may take to answer. */
const checkInterval = "1 second"
const answerWithin = "2 seconds"

/** A server's state. `timeline` grows with each promotion; undefined while the server is a standby. */
export interface ServerState {
  readonly timeline: number | undefined
  /** The system identifier that all copies share. */
  readonly system: string
}

/** None of the servers of `DATABASE_URL` takes writes. */
class NoPrimary extends Schema.TaggedError<NoPrimary>()("NoPrimary", { servers: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `None of the servers of DATABASE_URL is a primary (${this.servers.join(", ")}): start one, or promote a standby.`
  }
}

/** The servers of `DATABASE_URL` hold different databases. */
class NotCopies extends Schema.TaggedError<NotCopies>()("NotCopies", { servers: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `The servers of DATABASE_URL are not copies of one another (${this.servers.join(", ")}): name a primary and its replicas.`
  }
}

/**
 * The index of the server that connections should use; undefined to change nothing. Of two servers that take writes,
 * the one promoted later wins: the other is an old primary that came back. Servers of another system are ignored.
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

const decodeState = Schema.decodeUnknownEffect(
  Schema.Tuple([Schema.Struct({ timeline: Schema.NullOr(Schema.Int), system: Schema.String })])
)

type Client = Effect.Effect<PgClient.PgClient, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity>

/** Where connections currently go. */
export interface PrimaryAddress {
  readonly url: () => Redacted.Redacted
  /** Opens a socket there. */
  readonly open: () => Socket
}

const nameOf = (url: string): string => new URL(url).host

/**
 * Finds the primary among the addresses of a URL and follows it while the scope is open. `clientOf` makes a client of
 * one connection.
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

  // A new connection each time: one from before the failover says nothing.
  const ask = (server: Redacted.Redacted): Effect.Effect<ServerState | undefined, never, Reactivity.Reactivity> =>
    Effect.flatMap(
      clientOf(server),
      (sql) => sql`select (select system_identifier::text from pg_control_system()) as system,
        case when pg_is_in_recovery() then null
          else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline`
    ).pipe(
      Effect.flatMap(decodeState),
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
    // Connections to the old primary would hang, or write where nobody reads.
    for (const socket of sockets) socket.destroy()
    return undefined
  })

  yield* look
  if (current === undefined) return yield* new NoPrimary({ servers: addresses.map(nameOf) })
  const looking = unending(Effect.andThen(Effect.sleep(checkInterval), look), "The primary was not looked for")
  yield* Effect.forkScoped(looking)

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
