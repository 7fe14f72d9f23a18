/** What the key that asks holds itself: told to that key alone, so that nobody takes their own hold for somebody else's. */
import { Context, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Reference } from "../kernel/Ids.ts"
import { dayRange, format, type Instant, InstantFromDate, type LocalDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import type { Playroom } from "../catalogue/Playroom.ts"

/** The key behind a question that needs none, where a good one came with it. It is looked up by whoever wants to know. */
export const AskingKey = Context.Reference<Effect.Effect<string | undefined>>("playroom/booking/AskingKey", {
  defaultValue: () => Effect.undefined
})

/** A live hold of the key that asks. */
export const OwnHold = Schema.Struct({
  reference: Reference.annotate({ description: "For get_booking." }),
  start: Schema.String.annotate({ description: "RFC 3339." })
})
export type OwnHold = typeof OwnHold.Type

const mostTold = 10

const holdRows = decodeRows(Schema.Array(Schema.Struct({ reference: Reference, starts_at: InstantFromDate })))

/** The live holds of the asking key at a playroom whose visits start on these dates; none where no key asks. */
export const ownHolds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return Effect.fn("ownHolds")(function* (
    { playroom_id, time_zone }: Playroom,
    from: LocalDate,
    to: LocalDate,
    now: Instant
  ) {
    const key_id = yield* Effect.flatten(AskingKey)
    if (key_id === undefined) return []
    const rows = yield* holdRows(sql`
      select reference, starts_at from booking
      where key_id = ${key_id} and status = 'held' and playroom_id = ${playroom_id}
        and starts_at >= ${new Date(dayRange(time_zone, from).start)} and starts_at < ${new Date(dayRange(time_zone, to).end)}
        and (hold_expires_at > ${new Date(now)} or payment_status = 'processing' or awaiting_provider)
      order by starts_at, reference limit ${mostTold}`)
    return rows.map(({ reference, starts_at }): OwnHold => ({ reference, start: format(time_zone, starts_at) }))
  })
})
