/**
 * `audit`: what an audit of 2,000 and of 20,000 bookings takes, nearly all of them over: the first one, that of the next
 * day, and a full one. What the tenfold past adds to that of the next day is what a past costs. Processor time is worth
 * more than seconds if other work runs meanwhile.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { rowFaults } from "../../src/ops/audit/RowFaults.ts"
import type { Bench } from "./Bench.ts"
import { scratchDatabase, scratchEmbedded, serverClient } from "./support/Databases.ts"
import { median, number, table, takeTurns, timed } from "./support/Figures.ts"
import { pastOn } from "./support/Past.ts"
import { backendsOf, processorSeconds } from "./support/Usage.ts"

const few = 2_000
const many = 10 * few

interface Audited {
  readonly checked: number
  readonly seconds: number
  /** Of this process and of the server's for its database. */
  readonly processor: number
}

const world = Effect.fnUntraced(function* (kind: "embedded" | "server", bookings: number) {
  const url = kind === "server" ? yield* scratchDatabase() : undefined
  const context = yield* url === undefined ? pastOn(scratchEmbedded, bookings) : pastOn(serverClient(url, 1), bookings)
  const processor = () => {
    const { system, user } = process.cpuUsage()
    const backends = url === undefined ? [] : backendsOf(new URL(url).pathname.slice(1))
    return backends.reduce((sum, pid) => sum + processorSeconds(pid), (system + user) / 1e6)
  }
  const audit = Effect.fnUntraced(function* (full: boolean) {
    const before = processor()
    const [ms, { checked, found }] = yield* timed(rowFaults({ full }))
    if (found.length > 0)
      return yield* Effect.die(new Error(`The audit blames sound data: ${JSON.stringify(found[0])}`))
    return { checked, seconds: ms / 1000, processor: processor() - before } satisfies Audited
  })
  return {
    audit: (full: boolean) => Effect.provide(audit(full), context),
    forget: Effect.provide(
      SqlClient.SqlClient.use((sql) => sql`delete from audit_mark`),
      context
    )
  }
})

export const bench: Bench = {
  about: "an audit of 2,000 bookings that are over, and of ten times as many",
  run: Effect.fnUntraced(function* ({ rounds }) {
    for (const kind of ["server", "embedded"] as const) {
      const worlds = [yield* world(kind, few), yield* world(kind, many)] as const
      const names = ["few", "many"] as const
      const ways = ["first", "next", "full"] as const
      const taken = yield* takeTurns(
        rounds,
        worlds.map(({ audit, forget }, i) => [
          names[i] ?? "",
          () => Effect.all([Effect.andThen(forget, audit(false)), audit(false), audit(true)])
        ])
      )
      const figures = (name: string, way: number, of: keyof Audited) =>
        taken(name).flatMap((round) => round[way]?.[of] ?? [])
      yield* table(
        `audit: ${number(few)} and ${number(many)} bookings, ${kind}`,
        [
          "",
          "looked at",
          "s",
          "processor s",
          "looked at, ×10",
          "s, ×10",
          "processor s, ×10",
          "processor s more a million"
        ],
        ways.map((way, i) => {
          const more = median(figures("many", i, "processor")) - median(figures("few", i, "processor"))
          return [
            way,
            median(figures("few", i, "checked")),
            figures("few", i, "seconds"),
            figures("few", i, "processor"),
            median(figures("many", i, "checked")),
            figures("many", i, "seconds"),
            figures("many", i, "processor"),
            (more * 1e6) / (many - few)
          ]
        })
      )
    }
  })
}
