/**
 * The sandbox's outgoing events: written down in the transaction that changes the object, delivered later, signed at that
 * moment, retried with backoff until a receiver answers 2xx. They survive a restart.
 */
import { Clock, Context, Effect, Layer, Queue, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient, type SqlError } from "effect/sql"
import { createHmac } from "node:crypto"
import { InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type Receiver, SandboxedService } from "./SandboxedService.ts"
import { SandboxFaults } from "./SandboxFaults.ts"
import { randomId } from "./SandboxIds.ts"
import { eventObject } from "./SandboxObjects.ts"

const Delivery = Schema.Struct({
  event_id: Schema.String,
  receiver: Schema.Literals(["platform", "connected"]),
  type: Schema.String,
  body: Schema.String,
  attempts: Schema.Int,
  seq: Schema.Int
})
type Delivery = typeof Delivery.Type
const deliveries = decodeRows(Schema.Array(Delivery))
const Next = Schema.Array(Schema.Struct({ at: Schema.NullOr(InstantFromDate) }))
const decodeNext = Schema.decodeUnknownEffect(Next)

/** After this many the sandbox gives up: about a day and a half. */
const maxAttempts = 430
const backoffMs = (attempts: number): number => Math.min(2 ** attempts * 500, 300_000)
// A delivery is tried again after this long where the process died before it was done.
const leaseMs = 5_000
const overtakenMs = 2_000

/** `Stripe-Signature` of a body: HMAC-SHA256 over `timestamp.body` (https://docs.stripe.com/webhooks/signature). */
export const signatureHeader = (body: string, secret: string, timestamp: number): string =>
  `t=${timestamp},v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`, "utf8").digest("hex")}`

export class SandboxEvents extends Context.Service<
  SandboxEvents,
  {
    /** Writes an event down, in the caller's transaction where there is one: it is delivered only if that commits. Answers its id. */
    readonly emit: (event: {
      readonly receiver: Receiver
      readonly type: string
      readonly account?: string
      readonly object: object
    }) => Effect.Effect<string, SqlError.SqlError>
    /** Delivers all that is due; answers how many attempts it made. */
    readonly deliverDue: Effect.Effect<number, SqlError.SqlError>
    /** When the next delivery is due, in milliseconds since 1970. */
    readonly nextDue: Effect.Effect<number | undefined, SqlError.SqlError>
    /** Waits until an event was written by this process. */
    readonly written: Effect.Effect<void>
  }
>()("playroom/sandbox/SandboxEvents") {
  static readonly layer = Layer.effect(
    SandboxEvents,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { receivers } = yield* SandboxedService
      const random = yield* SecureRandom.SecureRandom
      const faults = yield* SandboxFaults
      const client = yield* HttpClient.HttpClient
      const wake = yield* Queue.sliding<void>(1)

      const secretOf = (receiver: Receiver): string => {
        const [first] = receivers[receiver].secrets
        return first === undefined ? "" : Redacted.value(first)
      }

      const emit = Effect.fn("SandboxEvents.emit")(function* (event: {
        readonly receiver: Receiver
        readonly type: string
        readonly account?: string
        readonly object: object
      }) {
        const now = yield* Clock.currentTimeMillis
        const id = yield* Effect.provideService(randomId("evt_", 24), SecureRandom.SecureRandom, random)
        const { receiver, type, ...rest } = event
        const body = JSON.stringify(eventObject({ id, type, created: now, ...rest }), undefined, 2)
        yield* sql`insert into sandbox_delivery (event_id, receiver, type, body, next_attempt_at, created_at)
          values (${id}, ${receiver}, ${type}, ${body}, ${new Date(now)}, ${new Date(now)})`
        yield* sql.afterCommit(Effect.asVoid(Queue.offer(wake, undefined)))
        return id
      })

      // One attempt: what the receiver answered, and whether it took the event.
      const send = (delivery: Delivery, corrupt: boolean) =>
        Effect.gen(function* () {
          const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
          const signature = signatureHeader(delivery.body, secretOf(delivery.receiver), timestamp)
          const body = corrupt ? delivery.body.replace(`"livemode": false`, `"livemode":  false`) : delivery.body
          const response = yield* client.execute(
            HttpClientRequest.post(receivers[delivery.receiver].url).pipe(
              HttpClientRequest.bodyText(body, "application/json; charset=utf-8"),
              HttpClientRequest.setHeaders({
                "stripe-signature": signature,
                "user-agent": "Sandbox/1.0 (stand-in for the payment provider)"
              })
            )
          )
          const text = yield* response.text
          return {
            ok: response.status >= 200 && response.status < 300,
            answer: `${response.status} ${text.slice(0, 200)}`
          }
        }).pipe(
          Effect.provideService(HttpClient.TracerPropagationEnabled, false),
          Effect.timeout("20 seconds"),
          Effect.catch((error) => Effect.succeed({ ok: false, answer: `no answer: ${error.message.slice(0, 200)}` }))
        )

      const recordAnswer = (delivery: Delivery, result: { readonly ok: boolean; readonly answer: string }) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const attempts = delivery.attempts + 1
          const next = result.ok || attempts >= maxAttempts ? null : new Date(now + backoffMs(attempts))
          if (!result.ok) {
            yield* Effect.logDebug("Sandbox: event not taken").pipe(
              Effect.annotateLogs({ event: delivery.event_id, type: delivery.type, attempts, answer: result.answer })
            )
          }
          yield* sql`update sandbox_delivery set attempts = ${attempts}::int, next_attempt_at = ${next}::timestamptz,
            delivered_at = ${result.ok ? new Date(now) : null}::timestamptz, last_answer = ${result.answer}
            where event_id = ${delivery.event_id} and delivered_at is null`
        })

      const postpone = (delivery: Delivery, byMs: number, why: string) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* sql`update sandbox_delivery set attempts = 1, next_attempt_at = ${new Date(now + byMs)}, last_answer = ${why}
            where event_id = ${delivery.event_id}`
        })

      const deliver = Effect.fnUntraced(function* (delivery: Delivery) {
        // An event meets a fault once: one that was tried or postponed before is delivered as it is.
        const fresh = delivery.attempts === 0
        const planned = fresh ? yield* faults.nextDeliveryFault : undefined
        switch (planned?.fault) {
          case "drop":
            yield* sql`update sandbox_delivery set next_attempt_at = null, last_answer = 'dropped' where event_id = ${delivery.event_id}`
            return 0
          case "delay":
            yield* postpone(delivery, planned.delay_seconds * 1000, "delayed")
            return 0
          case "reorder":
            yield* postpone(delivery, overtakenMs, "held back")
            return 0
          case "duplicate": {
            const both = yield* Effect.all([send(delivery, false), send(delivery, false)], {
              concurrency: 2
            })
            yield* recordAnswer(delivery, both[0].ok ? both[0] : both[1])
            return 2
          }
          default:
            yield* recordAnswer(delivery, yield* send(delivery, planned?.fault === "corrupt"))
            return 1
        }
      })

      return SandboxEvents.of({
        emit,

        deliverDue: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const due = yield* deliveries(sql`
            with due as (
              select event_id from sandbox_delivery where next_attempt_at <= ${new Date(now)}
              order by seq limit 20 for update skip locked
            )
            update sandbox_delivery d set next_attempt_at = ${new Date(now + leaseMs)} from due
            where d.event_id = due.event_id
            returning d.event_id, d.receiver, d.type, d.body, d.attempts, d.seq::int as seq`)
          if (due.length === 0) return 0
          const made = yield* Effect.forEach(
            due.toSorted((a, b) => a.seq - b.seq),
            deliver
          )
          return made.reduce<number>((sum, attempts) => sum + attempts, 0)
        }).pipe(Effect.withSpan("SandboxEvents.deliverDue")),

        nextDue: Effect.gen(function* () {
          const [next] = yield* Effect.orDie(
            decodeNext(
              yield* sql`select min(next_attempt_at) as at from sandbox_delivery where next_attempt_at is not null`
            )
          )
          return next?.at ?? undefined
        }),

        written: Effect.asVoid(Queue.take(wake))
      })
    })
  )
}
