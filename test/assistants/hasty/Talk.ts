/**
 * One family's conversation, and the other one that goes on at the same time on the same key: calls in turn, each
 * answer looked through for what is false and for what belongs to the other family.
 */
import { Data, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { isJsonObject } from "../../../src/surfaces/mcp/transport/JsonRpc.ts"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { responseBudgets, pageBudget } from "../../../src/platform/text/ResponseBudget.ts"
import type { ToolName } from "../../../src/surfaces/mcp/tools/ToolList.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import type { PageAction } from "../../support/ScriptedGateway.ts"
import { amountIn } from "./Amounts.ts"
import {
  acts,
  type Habit,
  type Hasty,
  type Input,
  isRequired,
  type KnownIds,
  misspelt,
  skimmed,
  spoilt
} from "./Habits.ts"
import { objectionTo, tellsOfOthers, tellsOfPaid, tellsOfSameVisit } from "./Person.ts"
import { listAt, textAt } from "./Reading.ts"
import type { Statements } from "./Statements.ts"
import type { Verdicts } from "./Verdicts.ts"
import type { Wish, Wrong } from "./Wishes.ts"
import { type Answer, say } from "./World.ts"

export const mostCalls = 60

/** The answers give no way on: a dead end, with the words that led there. */
export class Stuck extends Data.TaggedError("Stuck")<{ readonly why: string }> {}

/** A text that the person saw: said by the assistant, or on the page where they pay. */
export interface Shown {
  readonly text: string
  readonly page: boolean
}

/** What had been shown to the person, and said by answers, when money moved. */
export interface Seen {
  readonly shown: ReadonlyArray<Shown>
  readonly said: ReadonlyArray<string>
}

/** What an answer says to ask the person; `due`: an answer said so; `asked`: the assistant did. */
export type Question = "adults" | "time"
interface Asking {
  due: boolean
  asked: boolean
}

export interface Talk extends Hasty {
  readonly url: string
  readonly key: string
  /** Of another family's assistant, with a key of its own. */
  readonly rivalKey: string
  readonly chance: Chance
  /** People change their minds. */
  wish: Wish
  readonly venues: ReadonlyArray<Venue>
  readonly habits: Set<Habit>
  /** Whether the assistant knows it: people say some of it at once, and the rest when they are asked. */
  readonly knows: Record<Question, boolean>
  readonly asking: Readonly<Record<Question, Asking>>
  /** A wish of money in the notes that was told as agreed, and whether an answer denied it at its beginning. */
  readonly promised: Array<{ readonly denied: boolean }>
  readonly ids: KnownIds
  readonly statements: Statements
  readonly verdicts: Verdicts
  /** Every call and what came of it, every sentence and what the person said to it. */
  readonly trail: Array<string>
  /** Of the booking that is being made: what the person saw, and every text of an answer that is meant for them. */
  readonly shown: Array<Shown>
  readonly said: Array<string>
  /** What was said here of things that can't be had, told or not. */
  readonly refused: Array<string>
  /** What only this family may see, and what of the other one's was in an answer. */
  readonly secrets: Set<string>
  readonly others: { readonly secrets: ReadonlySet<string>; readonly leaks: Array<string> }
  /** A second parent, who lets theirs lapse once they hear of the other's. */
  readonly yields: boolean
  /**
   * How it stands with the chats of the person's family, whom they ask if they hear that one of these may have booked.
   */
  readonly family: ReadonlyArray<Talk["end"]>
  /** Waits until it is this family's turn. */
  readonly turn: Effect.Effect<void>
  readonly count: { calls: number }
  /** What was done on payment pages and the service was not told of. */
  readonly late: Array<{ readonly provider_session_id: string; readonly action: PageAction }>
  /**
   * How it ended: why there is no booking, in words of an answer; how often the person paid; and the last time that
   * they did, whether they had seen what was wrong, and whether an answer had said it.
   */
  readonly end: { honest?: string; paid: number; told?: Seen }
}

export type Fault = Extract<Answer, { readonly kind: "fault" }>["fault"]
export type Told = Exclude<Answer, { readonly kind: "protocol" }>

const short = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

const remember = (talk: Talk, value: unknown): void => {
  if (Array.isArray(value)) return value.forEach((one) => remember(talk, one))
  if (!isJsonObject(value)) return
  for (const kind of ["playroom_id", "package_id", "option_id"] as const) {
    const id = value[kind]
    if (typeof id === "string" && !talk.ids[kind].includes(id)) talk.ids[kind].push(id)
  }
  for (const field of ["booking_id", "reference", "page_url", "url", "payment_session_id"]) {
    const secret = textAt(value, field)
    if (secret !== undefined && !secret.includes("images.")) talk.secrets.add(secret)
  }
  Object.values(value).forEach((inner) => remember(talk, inner))
}

/** One call as it is; everything in its answer is looked through. */
export const send = Effect.fn("send")(function* (
  talk: Talk,
  tool: ToolName | (string & {}),
  input: Input
): Effect.fn.Return<Answer, Stuck, SqlClient.SqlClient> {
  yield* talk.turn
  if (talk.count.calls++ >= mostCalls) return yield* new Stuck({ why: `${mostCalls} calls` })
  const answer = yield* say(talk.url, talk.key, tool, input)
  const came =
    answer.kind === "result"
      ? short(answer.result)
      : answer.kind === "fault"
        ? `${answer.fault.code}: ${answer.fault.message} FIX ${answer.fault.fix}`
        : `protocol: ${answer.message}`
  talk.trail.push(`${tool} ${JSON.stringify(input)} → ${came}`)
  const all = JSON.stringify(answer)
  for (const secret of talk.others.secrets)
    if (all.includes(secret) && !talk.secrets.has(secret)) talk.others.leaks.push(`${secret} in ${tool}`)
  if (answer.kind === "result") remember(talk, answer.result)
  else talk.refused.push(answer.kind === "fault" ? answer.fault.message : answer.message)
  const most = pageBudget(input.limit === undefined ? undefined : 1)
  // A playroom with much to tell is longer (`AnswerLengths.test.ts`).
  if (answer.kind === "result" && tool !== "get_playroom")
    talk.verdicts.say(
      "answer: short",
      JSON.stringify(answer.result).length <= most,
      `${tool} ${JSON.stringify(answer.result).length} ${came}`
    )
  if (answer.kind === "fault")
    talk.verdicts.say("refusal: short", JSON.stringify({ error: answer.fault }).length <= responseBudgets.usual, came)
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

/** What the person says to what the venue asks before it is booked, as `create_booking` takes it. */
export const answerTo = ({ trail, wish }: Talk, slug: string): string => {
  trail.push(`(asks the person: ${slug})`)
  return `${slug}: ${slug === "allergies" ? wish.allergies : "nothing"}`
}

/** The arguments put right by what the refusal says, or what it names dropped altogether. */
const repaired = (talk: Talk, tool: string, sent: Input, meant: Input, fault: Fault): Input | undefined => {
  const drops = acts(talk, "named_field_dropped")
  const right = listAt(fault.details, "issues").reduce<Input | undefined>((input, issue) => {
    const path = textAt(issue, "path") ?? ""
    const name = /^\w+/.exec(path)?.[0] ?? ""
    // Put right already.
    if (name in sent && input !== undefined && !same(input[name], sent[name])) return input
    if (drops && input !== undefined && name in input && !isRequired(tool, name)) return without(input, name)
    const message = textAt(issue, "message") ?? ""
    const asked = /Expected "slug: answer" for each of ([\w, -]+): ask the person/.exec(message)?.[1]
    if (path === "answers" && asked !== undefined && input !== undefined)
      return Object.assign({}, input, { answers: asked.split(", ").map((slug) => answerTo(talk, slug)) })
    return input && repairedOf(input, meant, path, message)
  }, sent)
  return same(right, sent) ? undefined : right
}

/** What a call becomes that is repeated because its answer was lost: the same one, or with another key or spelling. */
const repeatedAs = (input: Input, chance: Chance): Input => {
  const kind = chance.below(4)
  const contact = input.contact
  if (kind === 0 && "idempotency_key" in input) return { ...input, idempotency_key: `again ${chance.below(1000)}` }
  if (kind === 1 && isJsonObject(contact))
    return { ...input, contact: { ...contact, email: String(contact.email).toUpperCase() } }
  return input
}

/** Asks what is meant, in a hasty assistant's way, until it is understood: a result, or a refusal of another kind. */
export const ask = Effect.fn("ask")(function* (talk: Talk, tool: ToolName, meant: Input) {
  let slip = acts(talk, "id_misspelt") ? misspelt(meant, talk.chance) : undefined
  let input = slip ?? spoilt(tool, meant, talk)
  for (;;) {
    let answer = yield* send(talk, tool, input)
    if (slip !== undefined) {
      const refused =
        answer.kind === "fault" && /_not_found$|^option_invalid$|^invalid_arguments$/.test(answer.fault.code)
      talk.verdicts.say("an id with another letter: refused as such", refused, talk.trail.at(-1) ?? "")
      slip = undefined
    }
    const writes = tool === "create_booking" || tool === "create_payment_session"
    if (writes && acts(talk, "answer_lost")) {
      talk.trail.push("(the answer was lost)")
      input = repeatedAs(input, talk.chance)
      answer = yield* send(talk, tool, input)
    }
    if (answer.kind === "protocol") return yield* new Stuck({ why: answer.message })
    if (answer.kind === "result") return { answer, input }
    const { code, fix } = answer.fault
    const newKey = code === "idempotency_conflict" && fix.includes("with a new idempotency_key")
    // An id that it had from elsewhere: it takes the one that it was told last.
    const lost = /_not_found$|^option_invalid$/.test(code) && !same(input, meant)
    if (code !== "invalid_arguments" && !newKey && !lost) return { answer, input }
    const next = newKey
      ? { ...input, idempotency_key: `${String(input.idempotency_key)}+` }
      : lost
        ? meant
        : repaired(talk, tool, input, meant, answer.fault)
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

/** What the person may object to: something wrong with the visit, or that it is paid already. */
export type Objection = Wrong | "again"

const misled: Readonly<Record<Objection, ReadonlyArray<Habit>>> = {
  place: ["first_result", "ids_mixed"],
  need: ["first_result", "ids_mixed"],
  day: ["weekday_wrong", "first_option", "ids_mixed"],
  time: ["first_option", "ids_mixed", "question_unasked", "named_field_dropped"],
  mode: ["mode_ignored", "first_option", "ids_mixed", "named_field_dropped", "values_invented"],
  party: ["ids_mixed", "values_invented", "adults_left_out", "named_field_dropped"],
  price: ["first_option", "ids_mixed", "whole_units"],
  again: []
}

/** Whether a text asks for more money than an option was told to cost: whoever wants the cheapest remembers it. */
const isDearer = ({ shown, wish }: Talk, text: string): boolean => {
  const told = shown.findLast((one) => one.text.includes("in all "))
  const agreed = told === undefined ? undefined : amountIn(told.text.slice(told.text.indexOf("in all ")))
  const asked = amountIn(/\b(?:to pay|Pay) (.*)/.exec(text)?.[1] ?? "")
  return wish.goal === "cheapest_weekday" && agreed !== undefined && asked !== undefined && asked > agreed
}

/** Tells the person a text; what they object to, if they do. The assistant then gives up what misled it. */
export const tell = (talk: Talk, text: string, page = false): Objection | undefined => {
  const dearer = isDearer(talk, text) ? ("price" as const) : undefined
  talk.shown.push({ text, page })
  const { goal } = talk.wish
  // Of two parents, each lets theirs lapse where the other's is paid; the second one where it is held, too.
  const knows = goal !== "two_rooms" && (talk.end.paid > 0 || goal === "second_parent")
  const isPaid = (knows && tellsOfPaid(text)) || (tellsOfSameVisit(text) && talk.family.some(({ paid }) => paid > 0))
  const again = isPaid || (talk.yields && tellsOfOthers(text)) ? ("again" as const) : undefined
  const objection = again ?? objectionTo(talk.wish, text, talk.venues, page) ?? dearer
  talk.trail.push(`${page ? "on the page" : "told"}: ${text}${objection === undefined ? "" : ` — NO: ${objection}`}`)
  if (objection !== undefined) for (const habit of misled[objection]) talk.habits.delete(habit)
  // Who objects says what they want.
  if (objection === "party") talk.knows.adults = true
  if (objection === "time") talk.knows.time = true
  return objection
}

/** The next step of an answer as far as the assistant reads it. */
export const stepRead = (talk: Talk, answer: unknown): string =>
  acts(talk, "skims")
    ? JSON.stringify(answer)
        .slice(0, skimmed)
        .replace(/^\{"next_step":"/, "")
    : (textAt(answer, "next_step") ?? "")

const questions: ReadonlyArray<readonly [Question, RegExp]> = [
  ["time", /Ask which start/],
  ["adults", /No adults are counted: ask/]
]

/** Asks the person what an answer says to ask, or passes over it; whether the assistant learns what it did not know. */
export const asks = (talk: Talk, answer: unknown): boolean => {
  const told = textAt(answer, "ask") ?? ""
  let learns = false
  for (const [question, words] of questions) {
    if (!words.test(told)) continue
    const { asked } = talk.asking[question]
    talk.asking[question].due = true
    if (asked || acts(talk, "question_unasked")) continue
    talk.asking[question].asked = true
    const matters = question === "adults" ? talk.wish.adults > 0 : talk.wish.times !== undefined
    talk.trail.push(`(asks the person: ${question})`)
    // Whoever asks which start names some: the person hears of which day they are.
    const day = /Ask which start: (.*?), /.exec(told)?.[1]
    if (question === "time" && day !== undefined && tell(talk, `Which start on ${day}?`) !== undefined) learns = true
    if (question === "adults") talk.habits.delete("adults_left_out")
    learns ||= matters
    talk.knows[question] = true
  }
  return learns
}

/** Money moves, or a booking with nothing due was made and told: what the person knew of it then. */
export const committed = (talk: Talk): void => {
  talk.end.paid++
  // Of two bookings the person keeps what was said of the first.
  const before = talk.wish.goal === "two_rooms" ? talk.end.told : undefined
  talk.end.told = {
    shown: [...(before?.shown ?? []), ...talk.shown],
    said: [...(before?.said ?? []), ...talk.said]
  }
}
