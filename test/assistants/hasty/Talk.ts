/** One conversation's calls: spoilt as a hasty assistant spoils them, put right by what the refusal says and nothing else. */
import { Data, Effect } from "effect"
import { isJsonObject } from "../../../src/mcp/transport/JsonRpc.ts"
import type { ToolName } from "../../../src/mcp/tools/Tools.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import { type Input, type Names, spoilt } from "./Habits.ts"
import { listAt, textAt } from "./Reading.ts"
import type { Statements } from "./Statements.ts"
import type { Wish } from "./Wishes.ts"
import { type Answer, say } from "./World.ts"

export const mostCalls = 25

/** The answers give no way on: a dead end, with the words that led there. */
export class Stuck extends Data.TaggedError("Stuck")<{ readonly why: string }> {}

export interface Talk {
  readonly url: string
  readonly key: string
  /** Of another family's assistant. */
  readonly rivalKey: string
  readonly chance: Chance
  readonly wish: Wish
  readonly statements: Statements
  /** Every call and what came of it. */
  readonly trail: Array<string>
  readonly names: { playroom?: string; package?: string }
}

export type Fault = Extract<Answer, { readonly kind: "fault" }>["fault"]
export type Told = Exclude<Answer, { readonly kind: "protocol" }>

const short = (value: unknown): string => JSON.stringify(value).slice(0, 300)

/** One call as it is, counted; its statements are compared with what is true. */
export const send = Effect.fn("send")(function* (talk: Talk, tool: ToolName | (string & {}), input: Input) {
  if (talk.trail.length >= mostCalls) return yield* new Stuck({ why: `${mostCalls} calls` })
  const answer = yield* say(talk.url, talk.key, tool, input)
  const came =
    answer.kind === "result"
      ? short(answer.result)
      : answer.kind === "fault"
        ? `${answer.fault.code}: ${answer.fault.message} FIX ${answer.fault.fix}`
        : `protocol: ${answer.message}`
  talk.trail.push(`${tool} ${JSON.stringify(input)} → ${came}`)
  yield* talk.statements.check(tool, input, answer)
  return answer
})

const without = (input: Input, path: string): Input => {
  const [, name = "", index, inner] = /^(\w+)(?:\[(\d+)\])?(?:\.(\w+))?/.exec(path) ?? []
  const { [name]: value, ...rest } = input
  if (index !== undefined && Array.isArray(value))
    return { ...rest, [name]: value.filter((_, i) => i !== Number(index)) }
  return inner !== undefined && isJsonObject(value) ? { ...rest, [name]: without(value, inner) } : rest
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** One thing put right: undefined where the refusal says neither what is expected nor what to leave out. */
const repairedOf = (input: Input, meant: Input, path: string, message: string): Input | undefined => {
  const name = /^\w+/.exec(path)?.[0] ?? ""
  const leave = /\bleave (\S+) out\b/i.exec(message)?.[1]?.replace(/[,;]$/, "")
  const expected = /expected|required|needs/i.test(message)
  if (expected && name in meant && !same(meant[name], input[name])) return { ...input, [name]: meant[name] }
  if (leave !== undefined) return without(input, leave)
  if (message.includes("only together with")) return without(input, path)
  // "Exactly one of": of the whole input.
  return path === "" && expected && !same(meant, input) ? meant : undefined
}

/**
 * The arguments put right: by what the person meant where the refusal says what is expected, and else by leaving out what it says to
 * leave out. Undefined where it says neither.
 */
export const repaired = (sent: Input, meant: Input, fault: Fault): Input | undefined => {
  const right = listAt(fault.details, "issues").reduce<Input | undefined>(
    (input, issue) => input && repairedOf(input, meant, textAt(issue, "path") ?? "", textAt(issue, "message") ?? ""),
    sent
  )
  return same(right, sent) ? undefined : right
}

/** Asks what is meant, in a hasty assistant's way, until it is understood: a result, or a refusal of another kind. */
export const ask = Effect.fn("ask")(function* (talk: Talk, tool: ToolName, meant: Input) {
  const names: Names = talk.names
  let input = spoilt(tool, meant, talk.chance, names)
  for (;;) {
    const answer = yield* send(talk, tool, input)
    if (answer.kind === "protocol") return yield* new Stuck({ why: answer.message })
    if (answer.kind === "result") return { answer, input }
    const { code, fix } = answer.fault
    const newKey = code === "idempotency_conflict" && fix.includes("with a new idempotency_key")
    const known = code === "booking_not_found" && fix.startsWith("Repeat this call with the booking_id")
    if (code !== "invalid_arguments" && !newKey && !(known && !same(input, meant))) return { answer, input }
    const next = newKey
      ? { ...input, idempotency_key: `${String(input.idempotency_key)}+` }
      : known
        ? meant
        : repaired(input, meant, answer.fault)
    if (next === undefined) return yield* new Stuck({ why: `${tool}: ${answer.fault.message}` })
    input = next
  }
})

/** The result of a call that has no reason to fail. */
export const get = Effect.fn("get")(function* (talk: Talk, tool: ToolName, meant: Input) {
  const { answer } = yield* ask(talk, tool, meant)
  return answer.kind === "result"
    ? answer.result
    : yield* new Stuck({ why: `${tool}: ${answer.fault.code}: ${answer.fault.message} ${answer.fault.fix}` })
})
