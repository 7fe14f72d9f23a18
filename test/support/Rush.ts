/** A rush on a running service: many buyers at once, and what its database must say afterwards. */
import { assert } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer as McpAnswer, Booked, callTool, Options, Playrooms, resultOf, toolErrorOf } from "./McpRequests.ts"
import type { Service } from "./Service.ts"

/** What a hold lives for in these rushes. */
export const holdMinutes = 15

const children = 8
/** So many want one start, and as many the others. */
const buyersOfOneStart = 20
const otherStarts = 8

const Row = Schema.Struct({
  booking_id: Schema.String,
  reference: Schema.String,
  status: Schema.String,
  contact_email: Schema.String
})
type Acknowledged = (typeof Booked.Type)["booking"]

/** A call that a buyer makes, and makes again in the same words after an answer that never came. */
export interface Wish {
  readonly option_id: string
  readonly contact: { readonly name: string; readonly email: string }
  readonly idempotency_key?: string
}
export type Answer = { readonly booking: Acknowledged } | { readonly refused: string }

/** The same call again while there is more to do than can be done: nothing of it was done, and hosts ask again. */
export const whenAdmitted = (call: Effect.Effect<McpAnswer>): Effect.Effect<McpAnswer> =>
  Effect.repeat(call, {
    while: ({ status }) => status === 503 || status === 429,
    schedule: Schedule.spaced("200 millis"),
    times: 100
  })

/** A call with the test's key, made until it is let in. */
export const tool = Effect.fnUntraced(function* <A>(
  service: Service,
  schema: Schema.Codec<A, unknown>,
  name: string,
  args: object
) {
  const answer = yield* whenAdmitted(callTool(`${service.baseUrl}/mcp`, name, args, { "x-api-key": service.apiKey }))
  const result = resultOf(answer)
  return result.isError === true
    ? { refused: toolErrorOf(answer).code }
    : { value: Schema.decodeUnknownSync(schema)(result.structuredContent) }
})
export const sure = <A>(answer: { readonly value: A } | { readonly refused: string }): A =>
  "value" in answer ? answer.value : assert.fail(answer.refused)

export const book = (service: Service, wish: Wish): Effect.Effect<Answer> =>
  Effect.map(tool(service, Booked, "create_booking", wish), (answer) =>
    "value" in answer ? { booking: answer.value.booking } : answer
  )

/** The n-th Saturday that is two weeks away or more, and its Sunday: most playrooms sell parties then. */
export const weekend = (n: number) => {
  const dayMs = 86_400_000
  const inTwoWeeks = Math.floor(Date.now() / dayMs) + 14
  const weekday = new Date(inTwoWeeks * dayMs).getUTCDay()
  const days = inTwoWeeks + 6 - weekday + n * 7
  const [date, date_to] = [days, days + 1].map((day) => new Date(day * dayMs).toISOString().slice(0, 10))
  return { date, date_to }
}

/**
 * Starts that cost something now, on a weekend of this rush alone: one with places for several parties, and one of each
 * other playroom.
 */
const findStarts = Effect.fnUntraced(function* (service: Service, rush: number) {
  const { playrooms } = sure(yield* tool(service, Playrooms, "search_playrooms", { limit: 50 }))
  let contested: { readonly option_id: string; readonly parties: number } | undefined
  const others: Array<string> = []
  for (const { playroom_id } of playrooms) {
    const range = { playroom_id, ...weekend(rush), children, limit: 100 }
    const { options } = sure(yield* tool(service, Options, "get_booking_options", range))
    const paid = options.filter(({ price }) => price.due_now > 0)
    const [shared] = paid.flatMap(({ option_id, places_left = 0 }) =>
      places_left >= 3 * children ? [{ option_id, parties: Math.floor(places_left / children) }] : []
    )
    const exclusive = paid.find(({ places_left }) => places_left === undefined)
    if (contested === undefined && shared !== undefined) {
      contested = shared
    } else if (exclusive !== undefined && others.length < otherStarts) others.push(exclusive.option_id)
  }
  assert.isAtLeast(others.length, otherStarts / 2)
  return { contested: contested ?? assert.fail("no start with places for several"), others }
})

/** Every second buyer gives an idempotency key. */
const wishFor = (option_id: string, buyer: string, i: number): Wish => ({
  option_id,
  contact: { name: "Ana Lima", email: `${buyer}-${i}@example.com` },
  ...(i % 2 === 0 ? {} : { idempotency_key: `${buyer}-${i}` })
})

/** What a rush of its own weekend wants: a contested start that has places for so many parties, and others. */
export const planRush = Effect.fnUntraced(function* (service: Service, rush: number) {
  const { contested, others } = yield* findStarts(service, rush)
  const wishes = Array.from({ length: buyersOfOneStart }, (_, i) => [
    wishFor(contested.option_id, `one-${rush}`, i),
    wishFor(others[i % others.length] ?? assert.fail(), `other-${rush}`, i)
  ]).flat()
  const latecomers = Array.from({ length: contested.parties + 1 }, (_, i) =>
    wishFor(contested.option_id, `late-${rush}`, i)
  )
  return { contested, wishes, latecomers }
})

export const bookingIn = (answer: Answer | undefined) =>
  answer !== undefined && "booking" in answer ? answer.booking : undefined

export const liveRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows =
    yield* sql`select booking_id, reference, status, contact_email from booking where status in ('held', 'confirmed')`
  return yield* Effect.orDie(Schema.decodeUnknownEffect(Schema.Array(Row))(rows))
})

/** Half a booking, a hold without an end, a place that two parties have: each a line. */
export const faults = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ fault: string }>`
    with live as (select * from booking where status in ('held', 'confirmed'))
    select 'not all of its places: ' || booking_id as fault from live b
    where jsonb_array_length(terms -> 'claims') = 0 or jsonb_array_length(terms -> 'claims') <>
      (select count(*) from occupancy o where o.booking_id = b.booking_id)
    union all
    select 'places of no live booking: ' || o.booking_id from occupancy o
    where o.booking_id is not null and not exists (select from live b where b.booking_id = o.booking_id)
    union all
    select 'no history: ' || booking_id from booking b
    where not exists (select from booking_history h where h.booking_id = b.booking_id)
    union all
    select 'an idempotency key of no booking: ' || result_id from idempotency i
    where not exists (select from booking b where b.booking_id = i.result_id)
    union all
    select 'held too long: ' || booking_id from live
    where status = 'held' and hold_expires_at > created_at + ${holdMinutes} * interval '1 minute'
    union all
    select 'two bookings of one buyer: ' || contact_email from live group by contact_email having count(*) > 1
    union all
    select 'sold twice: ' || b.booking_id from live b join resource r on r.resource_id = b.playroom_id
    join live o on o.playroom_id = b.playroom_id and o.starts_at <= b.starts_at and b.starts_at < o.ends_at
    group by b.booking_id, r.units
    having sum(case o.terms ->> 'mode' when 'exclusive' then r.units else o.children end) > r.units`
  return rows.map(({ fault }) => fault)
})

/** As if the time of every hold were up. */
export const letHoldsLapse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update booking set hold_expires_at = now() - interval '1 second' where status = 'held'`
})
