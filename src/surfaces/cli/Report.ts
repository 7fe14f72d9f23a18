/**
 * The report of a command that does several things. It says of each that was not done why, its last line counts what
 * was done and what was not, and the command fails if anything was not done or needs a person.
 */
import { Effect } from "effect"
import type { Outcome } from "../../platform/concurrency/Outcomes.ts"
import { describeCause } from "../../platform/telemetry/FailureText.ts"
import { type CommandFailed, failed } from "./Failure.ts"
import { plain, print } from "./Output.ts"
import { counted } from "../../platform/text/Text.ts"

const thingsFor = (open: number): string => `${counted(open, "thing needs", "things need")} a person.`

/** Fails if anything needs a person. */
export const failIfOpen = (open: number): Effect.Effect<void, CommandFailed> =>
  open === 0 ? Effect.void : failed(thingsFor(open))

interface Counts {
  readonly done: number
  readonly failed: number
  readonly not_tried: number
}

const countsOf = (outcomes: ReadonlyArray<Outcome<unknown>>): Counts => {
  const number = (which: Outcome<unknown>["outcome"]) => outcomes.filter(({ outcome }) => outcome === which).length
  return { done: number("done"), failed: number("failed"), not_tried: number("not_tried") }
}

/** `2 of 3 accounts compared, 1 failed.` */
const summary = ({ done, failed, not_tried }: Counts, { noun, verb }: Wording): string =>
  [
    `${done} of ${counted(done + failed + not_tried, noun)} ${verb}`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(not_tried === 0 ? [] : [`${not_tried} not tried`])
  ].join(", ")

interface Wording {
  readonly noun: string
  /** The participle of what was done, like `compared`. */
  readonly verb: string
}

/** An outcome as data: the same facts as in the text. */
const asData = <Item>(one: Outcome<Item>, item: object) => ({
  ...item,
  outcome: one.outcome,
  ...(one.outcome === "failed" ? { reason: describeCause(one.cause) } : {})
})

/**
 * Prints the report. If an item was not done, the command fails with what was not done and why; also if `open` things
 * need a person. `name`: an item in the text;
 * `data`: in the JSON, beside its outcome. `lines`: what else there is to say, before the outcomes. `rest`: the end of
 * the last line. `value`: the rest of the JSON.
 */
export const report = Effect.fnUntraced(function* <Item>(
  json: boolean,
  outcomes: ReadonlyArray<Outcome<Item>>,
  as: Wording & {
    readonly name: (item: Item) => string
    readonly data: (item: Item) => object
    readonly lines: ReadonlyArray<string>
    readonly rest?: string
    readonly value?: object
    readonly open?: number
  }
) {
  const { lines, name, open = 0, rest = ".", value = {} } = as
  const counts = countsOf(outcomes)
  const complete = counts.failed + counts.not_tried === 0
  const last = `${summary(counts, as)}${rest}`
  const text = [...lines, ...(complete ? [last] : [])]
  const data = { ...value, outcomes: outcomes.map((one) => asData(one, as.data(one.item))), ...counts }
  if (json || text.length > 0) yield* print(json, data, text.join("\n"))
  if (complete) return yield* failIfOpen(open)
  const notDone = outcomes.flatMap((one) => {
    if (one.outcome === "done") return []
    const what = plain(name(one.item))
    return one.outcome === "failed" ? `Failed: ${what}: ${plain(describeCause(one.cause))}` : `Not tried: ${what}`
  })
  const people = open === 0 ? [] : [thingsFor(open)]
  return yield* failed([...people, ...notDone, last].join("\n"))
})
