/** `playroom webhook …`: the payment provider's events. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { EventRecords, EventStatus } from "../../domain/payment/events/EventRecords.ts"
import { WebhookInbox } from "../../domain/payment/events/WebhookInbox.ts"
import { given } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { fields, instant, json, print, table } from "./Output.ts"

const event_id = Argument.String("event-id").pipe(Argument.withDescription("evt_…, as `webhook list` shows it"))
const missing = (event_id: string) => failed(`There is no event ${event_id}: see playroom webhook list.`)

const list = Command.make(
  "list",
  {
    status: Flag.Literals("status", EventStatus.literals).pipe(
      Flag.withDescription("Only events with this status"),
      Flag.optional
    ),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription("How many, newest first"),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
      Flag.withDefault(50)
    ),
    json
  },
  Effect.fn(function* ({ status, limit, json }) {
    const records = yield* EventRecords
    const events = yield* records.list({ limit, ...given("status", status) })
    yield* print(
      json,
      events,
      events.length === 0
        ? "No events."
        : table(
            ["RECEIVED", "EVENT", "TYPE", "ACCOUNT", "BOOKING", "STATUS", "TRIES", "OUTCOME"],
            events.map((event) => [
              instant(event.received_at),
              event.event_id,
              event.type,
              event.account ?? event.receiver,
              event.booking_id ?? "",
              event.status,
              String(event.attempts),
              event.outcome ?? ""
            ])
          )
    )
  })
).pipe(Command.withDescription("List the provider's events and what became of them"))

const show = Command.make(
  "show",
  { event_id, json },
  Effect.fn(function* ({ event_id, json }) {
    const found = yield* EventRecords.use((records) => records.show(event_id))
    if (Option.isNone(found)) return yield* missing(event_id)
    const event = found.value
    return yield* print(
      json,
      event,
      `${fields([
        ["event", event.event_id],
        ["type", event.type],
        ["receiver", event.receiver],
        ["account", event.account ?? undefined],
        ["payment", event.payment_session_id ?? undefined],
        ["booking", event.booking_id ?? undefined],
        ["api version", event.api_version ?? undefined],
        ["received", instant(event.received_at)],
        ["status", event.status],
        ["outcome", event.outcome ?? undefined],
        ["tries", event.attempts],
        ["applied", event.applied_at === null ? undefined : instant(event.applied_at)],
        ["next try", event.status === "received" ? instant(event.next_attempt_at) : undefined]
      ])}\n\n${event.payload}`
    )
  })
).pipe(Command.withDescription("Show one event with its body"))

const retry = Command.make(
  "retry",
  { event_id, json },
  Effect.fn(function* ({ event_id, json }) {
    const found = yield* WebhookInbox.use((inbox) => inbox.retry(event_id))
    if (!found) return yield* missing(event_id)
    return yield* print(json, { event_id, retrying: true }, `${event_id} will be applied again by a running node.`)
  })
).pipe(Command.withDescription("Let an event be applied again; doing so twice does no harm"))

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("List, show and retry the payment provider's events"),
  Command.withSubcommands([list, show, retry])
)
