/** The town of the rounds, and how an assistant calls its service. */
import { Effect, Option, Schedule, Schema } from "effect"
import type { Chance } from "../../fuzz/Chance.ts"
import type { Service } from "../Service.ts"
import type { Cancelled } from "./Judge.ts"
import type { OutsideProvider } from "./OutsideProvider.ts"

interface Payment {
  /** The provider's id of the page. */
  readonly session: string
  readonly amount: number
}

/** A booking that was paid, by one page or two. */
export interface PaidBooking {
  readonly booking_id: string
  readonly currency: string
  readonly payments: readonly [Payment, ...ReadonlyArray<Payment>]
}

export interface RoundWorld {
  readonly service: Service
  readonly provider: OutsideProvider
  readonly chance: Chance
  readonly playrooms: ReadonlyArray<string>
  readonly accounts: ReadonlyArray<string>
  readonly cancelled: Map<string, Cancelled>
  /** Paid bookings that nobody has cancelled yet. */
  readonly uncancelled: Array<PaidBooking>
  /** Until when operators' subscriptions were paid at the beginning, by the customer who pays. */
  readonly subscribed: ReadonlyMap<string, number>
  readonly counts: Map<string, number>
  /** Accounts that took our access away, or can't pay, for now. */
  readonly troubled: Set<string>
}

export const count = ({ counts }: RoundWorld, what: string, by = 1): void =>
  void counts.set(what, (counts.get(what) ?? 0) + by)

export const Unknown = Schema.Record(Schema.String, Schema.Unknown)
const Reply = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    structuredContent: Schema.optionalKey(Unknown),
    content: Schema.Array(Schema.Struct({ text: Schema.String }))
  })
})
export const Playrooms = Schema.Struct({
  playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String }))
})

/** A tool call as an assistant makes it, made again while the process is dead or says that this helps; none: it gave up, or was refused. */
export const callTool = <A>(
  service: Service,
  schema: Schema.Codec<A, unknown>,
  name: string,
  args: Record<string, unknown>
) =>
  Effect.tryPromise({
    try: async () => {
      const response = await fetch(`${service.baseUrl}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-api-key": service.apiKey },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
        signal: AbortSignal.timeout(12_000)
      })
      const { result } = Schema.decodeUnknownSync(Reply)(await response.json())
      if (result.isError !== true) return Option.some(result.structuredContent)
      const text = result.content[0]?.text ?? ""
      if (text.includes('"retryable":true')) throw new Error(text)
      return Option.none<unknown>()
    },
    catch: (cause) => new Error(String(cause))
  }).pipe(
    Effect.retry(Schedule.spaced("300 millis")),
    Effect.timeout("60 seconds"),
    Effect.catch(() => Effect.succeedNone),
    // An answer in another shape is no trouble of a round: the rounds have to follow.
    Effect.flatMap((answer) =>
      Option.isNone(answer)
        ? Effect.succeedNone
        : Effect.asSome(Effect.orDie(Schema.decodeUnknownEffect(schema)(answer.value)))
    )
  )
