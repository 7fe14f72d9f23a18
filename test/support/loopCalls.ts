/** What the cases of the loop test are written in: a caller's wish, and the calls that lead to a first failing one. */
import { assert } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Call, Caller, Known } from "./Assistant.ts"
import { actAndDeliver, sessionRow } from "./PaymentWorld.ts"
import { packages } from "./paymentVenues.ts"
import { callTool, type toolWorld, venue } from "./ToolWorld.ts"

export const { playroom_id } = venue.playroom
/** The package that costs something. */
export const [payingPackage = packages.party] = venue.packages

/** One run of a case: a caller and a wish of its own. */
export interface Run {
  readonly who: Caller
  readonly known: Known
  readonly bound: boolean
}

/** A first call that fails with the case's code, and what happens after it. */
export interface Start {
  readonly call: Call
  readonly known?: Partial<Known>
  readonly who?: Caller
  readonly meanwhile?: Effect.Effect<unknown>
}

export type Services = Layer.Success<typeof toolWorld>

export interface Loop {
  /** The first call's; undefined where it succeeds, and `next_step` is what leads on. */
  readonly code: string | undefined
  readonly what: string
  readonly start: (run: Run) => Effect.Effect<Start, unknown, Services>
  /** `booked`: the booking, or the page to pay it on. `bound_told`: so too, but a key of one business has something to tell. */
  readonly end: "booked" | "to_pay" | "told" | "bound_told"
  /** Only keys that are bound to a business come here, or those with an idempotency key. */
  readonly only?: "bound" | "keyed"
}

export const ask = Effect.fnUntraced(function* (tool: Call["tool"], input: Call["input"], who: Caller) {
  const answer = yield* callTool(tool, input, who)
  return "result" in answer ? answer.result : assert.fail(`${tool}: ${JSON.stringify(answer.fault)}`)
})

export const inside = (value: unknown, ...path: ReadonlyArray<string | number>): string => {
  const found = path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value
  )
  return typeof found === "string" ? found : assert.fail(`nothing at ${path.join(".")}`)
}

/** An option of the wish: of the package that costs something, unless another is named. */
export const optionFor = Effect.fnUntraced(function* (
  { known, who }: Run,
  pkg: Package = payingPackage,
  more: Call["input"] = {}
) {
  const { children, date } = known
  const input = { playroom_id, date, children, package_id: pkg.package_id, ...more }
  return inside(yield* ask("get_booking_options", input, who), "options", 0, "option_id")
})

export const createCall = ({ known }: Run, option_id: string, more: Call["input"] = {}): Call => ({
  tool: "create_booking",
  input: {
    option_id,
    contact: known.contact,
    ...(known.idempotency_key === undefined ? {} : { idempotency_key: known.idempotency_key }),
    ...more
  }
})

export const bookFor = Effect.fnUntraced(function* (run: Run, pkg: Package = payingPackage) {
  const { input, tool } = createCall(run, yield* optionFor(run, pkg))
  return inside(yield* ask(tool, input, run.who), "booking", "booking_id")
})

export const payCall = (booking_id: string, more: Call["input"] = {}): Call => ({
  tool: "create_payment_session",
  input: { booking_id, ...more }
})

/** Pays what is due when booking. */
export const payFor = Effect.fnUntraced(function* ({ who }: Run, booking_id: string) {
  const session = yield* ask("create_payment_session", { booking_id }, who)
  yield* actAndDeliver(yield* sessionRow(inside(session, "payment_session", "payment_session_id")), "pay")
})

export const foreignId = (id: string) => `${id.slice(0, -4)}zzzz`

export const create = (run: Run, who: Caller) =>
  Effect.map(optionFor(run), (option_id): Start => ({ call: createCall(run, option_id), who }))
