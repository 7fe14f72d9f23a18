/**
 * An assistant that thinks nothing: it does what `fix`, `next_step` and the tools' descriptions say, word by word, with
 * what its person wished and what it was told. A sentence that it can't follow is a fault of the sentence.
 */
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { addDays } from "../../src/platform/time/LocalTime.ts"
import { isJsonObject } from "../../src/surfaces/mcp/transport/JsonRpc.ts"
import { isToolName, listedTools, type ToolName } from "../../src/surfaces/mcp/tools/ToolList.ts"
import { callTool, type Fault, issuesOf, type Told, type toolWorld, venue } from "./ToolWorld.ts"
import { assert } from "@effect/vitest"
import type { Package } from "../../src/domain/catalogue/Package.ts"
import { actAndDeliver, sessionRow } from "./PaymentWorld.ts"
import { packages } from "./paymentVenues.ts"

type Input = Readonly<Record<string, unknown>>

export interface Call {
  readonly tool: ToolName
  readonly input: Input
}

/** Who asks, from where. */
export interface Caller {
  readonly key?: string | undefined
  /** The access token of somebody who has signed in. */
  readonly token?: string
  readonly address?: string
}

/** What the assistant knows: the person's wish, ids that it was told. */
export interface Known {
  readonly playroom_id: string
  readonly date: string
  readonly children: number
  readonly contact: { readonly name: string; readonly email: string }
  readonly booking_id?: string
  /** Of a booking that another chat made, from the person's confirmation. */
  readonly reference?: string
  readonly idempotency_key?: string
}

/** How it ended: a live booking, a page to pay on, or something to tell the person. */
export interface Ending {
  readonly end: "booked" | "to_pay" | "told"
  /** Calls after the first one. */
  readonly calls: number
  readonly trail: ReadonlyArray<string>
}

const limit = 12

const sentences = (text: string) => text.split(/(?<=\.) /)
/** The tools that a text says to call, in order, each with the words that belong to it. */
const named = (text: string): ReadonlyArray<{ readonly tool: ToolName; readonly words: string }> =>
  [...text.matchAll(/\b(?:[Cc]all|then) (\w+)\b([^,.;:]*)/g)].flatMap(([, tool = "", words = ""]) =>
    isToolName(tool) ? [{ tool, words }] : []
  )

const nextOf = (tool: ToolName): ToolName | undefined => {
  const next = /Next: (.*)$/.exec(listedTools.find(({ name }) => name === tool)?.description ?? "")?.[1] ?? ""
  return next.split(/\W+/).find(isToolName)
}

/** What stands at a path of an answer; undefined where nothing does. */
export const at = (value: unknown, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof key === "number"
        ? Array.isArray(inner)
          ? inner[key]
          : undefined
        : isJsonObject(inner)
          ? inner[key]
          : undefined,
    value
  )

const without = (input: Input, path: string): Input => {
  const [, name = "", index, inner] = /^(\w+)(?:\[(\d+)\])?(?:\.(\w+))?$/.exec(path) ?? []
  const { [name]: value, ...rest } = input
  if (index !== undefined && Array.isArray(value))
    return { ...rest, [name]: value.filter((_, i) => i !== Number(index)) }
  return inner !== undefined && isJsonObject(value) ? { ...rest, [name]: without(value, inner) } : rest
}

/**
 * Follows what it is told from a first call on, until there is an end. Throws at what it can't follow, and after too
 * many calls.
 */
export const followed = Effect.fn("followed")(function* (
  first: Call,
  knows: Known,
  who: Caller,
  /** What happens in the world once the first call has failed. */
  meanwhile: Effect.Effect<unknown> = Effect.void
) {
  const trail: Array<string> = []
  let told: Input = { ...knows }
  let call = first
  /** What is still to be done of the last instruction. */
  let plan: Array<{ readonly tool: ToolName; readonly words: string }> = []
  let repeat: Call | undefined
  const failedBefore = new Set<string>()
  let firstFault: Fault | undefined

  const stuck = (text: string): never => {
    throw new Error(`can't follow: ${text}\n${trail.join("\n")}`)
  }
  const ending = (end: Ending["end"]): Ending => ({ end, calls: trail.length - 1, trail })

  const withNewKey = (words: string) => {
    if (words.includes("new idempotency_key"))
      told = { ...told, idempotency_key: `${String(told.idempotency_key ?? "key")}+` }
  }

  /** The arguments that a tool takes, from what is known. */
  const inputFor = (tool: ToolName, words: string): Input => {
    withNewKey(words)
    if (words.includes("later dates") || words.includes("other dates")) {
      told = { ...told, date: addDays(String(told.date), 1) }
    }
    const take = (...names: ReadonlyArray<string>): Input =>
      Object.fromEntries(names.flatMap((name) => (told[name] === undefined ? [] : [[name, told[name]]])))
    switch (tool) {
      case "search_playrooms":
        return {}
      case "get_playroom":
        return take("playroom_id")
      case "get_booking_options":
        return take("playroom_id", "date", "children")
      case "create_booking":
        return take("option_id", "contact", "idempotency_key")
      case "get_booking":
        return words.includes("reference and contact_email")
          ? { ...take("reference"), contact_email: at(told, "contact", "email") }
          : take("booking_id")
      case "create_payment_session":
        return {
          ...take("booking_id", "idempotency_key"),
          ...(words.includes("purpose balance") ? { purpose: "balance" } : {})
        }
    }
  }

  const proceed = (): Call | undefined => {
    const next = plan.shift()
    if (next !== undefined) return { tool: next.tool, input: inputFor(next.tool, next.words) }
    const again = repeat
    repeat = undefined
    return again === undefined
      ? undefined
      : { tool: again.tool, input: { ...again.input, playroom_id: told.playroom_id } }
  }

  const learnt = (tool: ToolName, answer: Input) => {
    if (tool === "search_playrooms") {
      const found = at(answer, "playrooms")
      const others = (Array.isArray(found) ? found : []).map((one) => at(one, "playroom_id"))
      const other = others.find((id) => id !== told.playroom_id)
      told = { ...told, playroom_id: other ?? stuck("no other playroom") }
    }
    if (tool === "get_booking_options") told = { ...told, option_id: at(answer, "options", 0, "option_id") }
    const booking_id = at(answer, "booking", "booking_id")
    if (booking_id !== undefined) told = { ...told, booking_id }
  }

  /** After a success: the rest of the plan, the sentence `next_step`, or what the description names. */
  const afterResult = (tool: ToolName, answer: Input): Call | Ending => {
    learnt(tool, answer)
    if (tool === "get_booking_options" && at(answer, "options", 0) === undefined) {
      const date = at(answer, "next_available_date")
      if (date === undefined) return ending("told")
      told = { ...told, date }
      return { tool, input: { ...call.input, date } }
    }
    const planned = proceed()
    if (planned !== undefined) return planned
    if (tool === "get_booking") {
      const status = at(answer, "booking", "status")
      // What is over is told; what else there is to do with it is what the call before said.
      if (status !== "held") return ending(status === "confirmed" ? "booked" : "told")
    }
    const text = at(answer, "next_step")
    if (typeof text === "string") return instructed(text)
    const next = nextOf(tool)
    return next === undefined ? stuck(`nothing after ${tool}`) : { tool: next, input: inputFor(next, "") }
  }

  const instructed = (text: string): Call | Ending => {
    if (text.startsWith("Give the person the url")) return ending("to_pay")
    if (text.startsWith("The booking is confirmed: tell the person")) return ending("booked")
    // There is nothing to do but to wait for money, and the person is told so.
    if (text.includes("tell the person") && text.includes("call get_booking later")) return ending("told")
    plan = [...named(text)]
    // Of two ways ("…, or get_booking to see …") the first is taken.
    const start = proceed()
    if (start !== undefined) return start
    return /\b(tell|ask) the person\b/i.test(text) ? ending("told") : stuck(text)
  }

  const corrected = (fault: Fault): Call | Ending => {
    let { input } = call
    for (const { message, path } of issuesOf(fault)) {
      const leave = /\bleave (\S+) out\b/.exec(message)?.[1]
      if (leave !== undefined) input = without(input, leave)
      if (/ask the person for all of them|send the ages that the person told/.test(message)) {
        input = { ...input, child_ages: Array.from({ length: Number(told.children) }, () => 5) }
        continue
      }
      if (message.includes("ask the person for the reference")) {
        if (told.booking_id === undefined) return message.includes("tell the person") ? ending("told") : stuck(message)
        input = { ...input, booking_id: told.booking_id }
      } else if (leave === undefined) {
        const [field = "", inner] = path.split(".")
        const known = (inner === undefined ? told[field] : at(told, field, inner)) ?? stuck(`${path}: ${message}`)
        const outer = input[field]
        input = {
          ...input,
          [field]: inner === undefined ? known : { ...(isJsonObject(outer) ? outer : {}), [inner]: known }
        }
      }
    }
    return { ...call, input }
  }

  const afterFault = (fault: Fault): Effect.Effect<Call | Ending> =>
    Effect.gen(function* () {
      const { fix } = fault
      const wait = /^(?:Wait|Repeat the same call in) (\d+) s\b/.exec(fix)?.[1]
      if (wait !== undefined) {
        yield* TestClock.adjust(`${Number(wait)} seconds`)
        return call
      }
      if (fix.startsWith("Repeat the same call once;")) {
        return failedBefore.has(fault.code) ? ending("told") : call
      }
      if (fix.startsWith("Repeat this call with a new idempotency_key")) {
        withNewKey(fix)
        return { ...call, input: { ...call.input, idempotency_key: told.idempotency_key } }
      }
      if (fix.startsWith("Repeat this call with the booking_id")) {
        const same = told.booking_id === undefined || told.booking_id === call.input.booking_id
        return same && sentences(fix).some((one) => one.includes("tell the person"))
          ? ending("told")
          : { ...call, input: { booking_id: told.booking_id } }
      }
      if (/then repeat this call\.(?: |$)/.test(fix)) return corrected(fault)
      const leave = /^Leave (\w+) out/.exec(fix)?.[1]
      if (leave !== undefined) return { ...call, input: without(call.input, leave) }
      if (fix.includes("then repeat this call with a playroom_id")) repeat = call
      const offered = at(fault.details, "option", "option_id") ?? at(fault.details, "alternatives", 0, "option_id")
      if (offered !== undefined) told = { ...told, option_id: offered }
      return instructed(fix)
    })

  while (trail.length <= limit) {
    const answer: Told = yield* callTool(call.tool, call.input, who)
    const fault = "fault" in answer ? answer.fault : undefined
    trail.push(
      `${call.tool} ${JSON.stringify(call.input)} → ${fault === undefined ? "ok" : `${fault.code}: ${fault.fix}`}`
    )
    if (trail.length === 1) {
      firstFault = fault
      yield* meanwhile
    }
    const next: Call | Ending =
      "fault" in answer ? yield* afterFault(answer.fault) : afterResult(call.tool, answer.result)
    if (fault !== undefined) failedBefore.add(fault.code)
    if ("end" in next) return { ...next, firstFault }
    call = next
  }
  return stuck("it never ends")
})

// What the cases of the loop test are written in: a caller's wish, and the calls that lead to a first failing one.

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
  /**
   * `booked`: the booking, or the page to pay it on. `bound_told`: so too, but a key of one business has something to
   * tell.
   */
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
