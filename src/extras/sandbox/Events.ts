/**
 * The sandbox's outgoing events. They are stored in the transaction that changes the object, signed and delivered
 * later, and retried with backoff until the receiver returns 2xx. They survive a restart.
 */
import { Clock, Context, Effect, Layer, Option, Queue, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SqlClient, type SqlError } from "effect/sql"
import { createHmac } from "node:crypto"
import { decodeRows } from "../../platform/database/Rows.ts"
import { Faults } from "./Faults.ts"
import { eventObject, newId, thinEventObject } from "./Objects.ts"

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

const decodeEvent = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.StructWithRest(
      Schema.Struct({ data: Schema.Struct({ object: Schema.Record(Schema.String, Schema.Unknown) }) }),
      [Schema.Record(Schema.String, Schema.Unknown)]
    )
  )
)

const askedKinds = decodeRows(Schema.Array(Schema.Struct({ thin: Schema.Boolean, snapshot: Schema.Boolean })))

/** About a day and a half. */
const maxAttempts = 430
const backoffMs = (attempts: number): number => Math.min(2 ** attempts * 500, 300_000)
// A delivery is retried after this long if the process died.
const leaseMs = 5_000
const reorderDelayMs = 2_000

/** `Stripe-Signature` of a body: HMAC-SHA256 over `timestamp.body` (https://docs.stripe.com/webhooks/signature). */
const signatureHeader = (body: string, secret: string, timestamp: number): string =>
  `t=${timestamp},v1=${createHmac("sha256", secret).update(`${timestamp}.${body}`, "utf8").digest("hex")}`

/**
 * A snapshot event as another API release would write it: the same content in other fields. Thin ones have no release.
 */
const ofOtherRelease = (body: string): string => {
  const decoded = Option.getOrUndefined(decodeEvent(body))
  if (decoded === undefined) return body
  const { data, ...event } = decoded
  const { amount_total, lines, payment_status, status, ...rest } = data.object
  const object = {
    ...rest,
    total: { amount: amount_total, lines },
    state: { payment: payment_status, session: status }
  }
  return JSON.stringify({ ...event, api_version: "2031-01-15.quinoa", data: { object } }, undefined, 2)
}

/** `platform`: events of the service's own account. `connected`: of its operators' accounts. */
type Receiver = "platform" | "connected"

/** The service that uses this sandbox as its payment provider. */
export class SandboxedService extends Context.Service<
  SandboxedService,
  {
    /** The sandbox's port; 0: any free one. */
    readonly port: number
    /** The addresses for events, and the secrets that the service accepts. The sandbox signs with the first. */
    readonly receivers: Readonly<
      Record<Receiver, { readonly url: string; readonly secrets: ReadonlyArray<Redacted.Redacted> }>
    >
    /** The name of a connected account on its payment pages. */
    readonly accountName: (account: string) => Effect.Effect<string, SqlError.SqlError>
    /** The number of concurrent deliveries; 1 keeps events in order. */
    readonly deliveriesAtOnce: number
    /** Maximum items on a page of a list. The provider's limit is 100. */
    readonly longestPage: number
  }
>()("playroom/sandbox/SandboxedService") {}

interface NewEvent {
  readonly receiver: Receiver
  readonly type: string
  readonly account?: string
  readonly object: object
}

export class Events extends Context.Service<
  Events,
  {
    /**
     * Stores an event in the caller's transaction, if any, and returns its id. It is delivered after the commit: as a
     * snapshot or a thin event, or as both.
     */
    readonly emit: (event: NewEvent) => Effect.Effect<string, SqlError.SqlError>
    /** Delivers due events; returns the number of attempts. */
    readonly deliverDue: Effect.Effect<number, SqlError.SqlError>
    /** Waits until this process has stored an event. */
    readonly written: Effect.Effect<void>
  }
>()("playroom/sandbox/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { deliveriesAtOnce, receivers } = yield* SandboxedService
      const random = yield* SecureRandom.SecureRandom
      const faults = yield* Faults
      const client = yield* HttpClient.HttpClient
      const wake = yield* Queue.sliding<void>(1)

      const secretOf = (receiver: Receiver): string => {
        const [first] = receivers[receiver].secrets
        return first === undefined ? "" : Redacted.value(first)
      }

      /**
       * The kinds of events that are sent for a fact. Without endpoints that ask for it as a thin event, a snapshot.
       * With them, a thin one, and a snapshot only if there is an endpoint for that as well.
       */
      const kindsOf = Effect.fnUntraced(function* ({ receiver, type }: NewEvent) {
        const [found] = yield* askedKinds(sql`
          select coalesce(bool_or(thin and enabled_events @> ${JSON.stringify([`v1.${type}`])}::jsonb), false) as thin,
            coalesce(bool_or(not thin), false) as snapshot
          from sandbox.endpoint where not disabled and connect = ${receiver === "connected"}`)
        if (found?.thin !== true) return ["snapshot"] as const
        return found.snapshot ? (["snapshot", "thin"] as const) : (["thin"] as const)
      })

      const emit = Effect.fn("Sandbox.emit")(function* (event: NewEvent) {
        const now = yield* Clock.currentTimeMillis
        const { receiver, type, ...rest } = event
        const kinds = yield* kindsOf(event)
        const ids: Array<string> = []
        for (const kind of kinds) {
          const id = yield* Effect.provideService(newId("evt_", 24), SecureRandom.SecureRandom, random)
          const [snapshot] = ids
          const made = { id, type, created: now, ...rest }
          const object =
            kind === "snapshot"
              ? eventObject(made)
              : thinEventObject(snapshot === undefined ? made : { ...made, snapshot })
          yield* sql`insert into sandbox.delivery (event_id, receiver, type, body, next_attempt_at, created_at)
            values (${id}, ${receiver}, ${type}, ${JSON.stringify(object, undefined, 2)}, ${new Date(now)}, ${new Date(now)})`
          ids.push(id)
        }
        yield* sql.afterCommit(Effect.asVoid(Queue.offer(wake, undefined)))
        return ids[0] ?? ""
      })

      // One attempt: the receiver's response, and whether it accepted the event.
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
          yield* sql`update sandbox.delivery set attempts = ${attempts}::int, next_attempt_at = ${next}::timestamptz,
            delivered_at = ${result.ok ? new Date(now) : null}::timestamptz, last_answer = ${result.answer}
            where event_id = ${delivery.event_id} and delivered_at is null`
        })

      const postpone = (delivery: Delivery, byMs: number, why: string) =>
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* sql`update sandbox.delivery set attempts = 1, next_attempt_at = ${new Date(now + byMs)}, last_answer = ${why}
            where event_id = ${delivery.event_id}`
        })

      const deliver = Effect.fnUntraced(function* (delivery: Delivery) {
        // A fault applies to an event's first attempt only.
        const fresh = delivery.attempts === 0
        const planned = fresh ? yield* faults.nextDeliveryFault(delivery.body) : undefined
        const ofThis = sql`where event_id = ${delivery.event_id}`
        switch (planned?.fault) {
          case "drop":
            yield* sql`update sandbox.delivery set next_attempt_at = null, last_answer = 'dropped' ${ofThis}`
            return 0
          case "delay":
            yield* postpone(delivery, planned.delay_seconds * 1000, "delayed")
            return 0
          case "reorder":
            yield* postpone(delivery, reorderDelayMs, "held back")
            return 0
          case "duplicate": {
            const both = yield* Effect.all([send(delivery, false), send(delivery, false)], {
              concurrency: 2
            })
            yield* recordAnswer(delivery, both[0].ok ? both[0] : both[1])
            return 2
          }
          case "other_release": {
            const changed = { ...delivery, body: ofOtherRelease(delivery.body) }
            yield* sql`update sandbox.delivery set body = ${changed.body} ${ofThis}`
            yield* recordAnswer(changed, yield* send(changed, false))
            return 1
          }
          default:
            yield* recordAnswer(delivery, yield* send(delivery, planned?.fault === "corrupt"))
            return 1
        }
      })

      return Events.of({
        emit,

        deliverDue: Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const due = yield* deliveries(sql`
            with due as (
              select event_id from sandbox.delivery where next_attempt_at <= ${new Date(now)}
              order by seq limit 20 for update skip locked
            )
            update sandbox.delivery d set next_attempt_at = ${new Date(now + leaseMs)} from due
            where d.event_id = due.event_id
            returning d.event_id, d.receiver, d.type, d.body, d.attempts, d.seq::int as seq`)
          const inOrder = due.toSorted((a, b) => a.seq - b.seq)
          const made = yield* Effect.forEach(inOrder, deliver, { concurrency: deliveriesAtOnce })
          return made.reduce<number>((sum, attempts) => sum + attempts, 0)
        }).pipe(Effect.withSpan("Sandbox.deliverDue")),

        written: Effect.asVoid(Queue.take(wake))
      })
    })
  )
}
