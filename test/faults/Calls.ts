/** How a family or an operator calls, and how each call is written down with its answer. */
import { Cause, Effect, Exit, Option, Schema } from "effect"
import { Booked, callTool, resultOf, toolErrorOf } from "../support/McpRequests.ts"
import type { RoundWorld } from "../support/outsideProvider/RoundWorld.ts"
import type { Service } from "../support/Service.ts"
import type { Event, Shown } from "./History.ts"

/** All that is written down. */
export interface Notes {
  readonly events: Array<Event>
  readonly slots: Map<string, number>
  readonly refused: Map<string, number>
  calls: number
  acknowledged: number
  moved: number
  unanswered: number
}
export const emptyNotes = (): Notes => ({
  events: [],
  slots: new Map(),
  refused: new Map(),
  calls: 0,
  acknowledged: 0,
  moved: 0,
  unanswered: 0
})

export interface Saturday {
  readonly world: RoundWorld
  readonly nodes: readonly [Service, ...ReadonlyArray<Service>]
  readonly playrooms: ReadonlyArray<string>
  readonly notes: Notes
  readonly callers: { cut: boolean }
  /** Where the fault of the phase is, and how many families are about to move. */
  readonly fault: { begun: boolean; over: boolean; movers: number }
}

/** A clock that never steps, in milliseconds since 1970. */
export const clientNow = (): number => performance.timeOrigin + performance.now()

/** A slot's name: it is one start of a playroom on a day of its own. */
export const slotOf = (playroom_id: string, start: string): string => `${playroom_id} ${start.slice(0, 10)}`

/** So often a call is repeated: minutes, which no fault lasts. */
export const mostTries = 1200
export const betweenTries = "250 millis"

interface Refused {
  readonly refused: string
}

/**
 * Makes a call. No answer, or one that leaves open what was done: nobody knows whether it was, nor whether it will be.
 */
export const noted = Effect.fnUntraced(function* <A extends object | string, E>(
  { notes }: Saturday,
  call: Effect.Effect<A | Refused | undefined, E>,
  patienceMs = 30_000
) {
  notes.calls++
  const began = clientNow()
  const exit = yield* Effect.exit(Effect.timeout(call, patienceMs))
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.failCause(exit.cause)
  const answer = Exit.isSuccess(exit) ? exit.value : undefined
  if (answer === undefined) notes.unanswered++
  else if (typeof answer === "object" && "refused" in answer)
    notes.refused.set(answer.refused, (notes.refused.get(answer.refused) ?? 0) + 1)
  return { began, ended: answer === undefined ? undefined : clientNow(), answer }
})

const retryable = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ error: Schema.Struct({ code: Schema.String, retryable: Schema.Boolean }) }))
)

/** A tool call that answers a booking. */
const bookingCall = (node: Service, name: string, args: object) =>
  callTool(`${node.baseUrl}/mcp`, name, args, { "x-api-key": node.apiKey }).pipe(
    Effect.map((answer): Shown | Refused | undefined => {
      const { content, isError, structuredContent } = resultOf(answer)
      if (isError === true) {
        const error = retryable(content[0].text)
        if (Option.isSome(error) && error.value.error.retryable) return undefined
        return { refused: toolErrorOf(answer).code }
      }
      const { booking } = Schema.decodeUnknownSync(Booked)(structuredContent)
      const { booking_id, hold_expires_at, playroom_id, start, status } = booking
      const lapses = hold_expires_at === undefined ? {} : { lapses: new Date(hold_expires_at).getTime() }
      return { booking_id, status, slot: slotOf(playroom_id, start), ...lapses }
    })
  )

/** A call for places, by a wish that has the same idempotency key each time. */
export const book = Effect.fnUntraced(function* (
  saturday: Saturday,
  wish: string,
  { option_id, size, slot }: { readonly option_id: string; readonly size: number; readonly slot: string },
  node: Service,
  patienceMs?: number
) {
  const contact = { name: "Ana Lima", email: `${wish}@example.com` }
  const call = bookingCall(node, "create_booking", { option_id, contact, idempotency_key: wish })
  const called = yield* noted(saturday, call, patienceMs)
  saturday.notes.events.push({ kind: "book", wish, slot, size, ...called })
  return called.answer
})

/** Looks at a booking until there is an answer. */
export const look = Effect.fnUntraced(function* (saturday: Saturday, booking_id: string, node: Service) {
  for (let tries = 0; tries < mostTries; tries++) {
    const called = yield* noted(saturday, bookingCall(node, "get_booking", { booking_id }))
    saturday.notes.events.push({ kind: "see", booking_id, ...called })
    if (called.answer !== undefined) return called.answer
    yield* Effect.sleep(betweenTries)
  }
  return undefined
})
