/** Reads the sentence of the terms back, as a person would: what it claims that a cancellation refunds. */
import { nearest, stepByHand } from "./oracle/Price.ts"
import { hourMs, type Instant, instantAt, minutesOf } from "../../src/platform/time/LocalTime.ts"

interface Visit {
  readonly start: Instant
  readonly time_zone: string
}

/**
 * Minor units, or thousandths of a percent of the total, that are kept; and what comes back of the rest, until when.
 */
export interface Claims {
  readonly kept: { readonly amount: number } | { readonly percent: number } | "everything" | undefined
  readonly steps: ReadonlyArray<{ readonly until: Instant; readonly percent: number }>
}

const months = "January February March April May June July August September October November December".split(" ")

const untilOf = (words: string, { start, time_zone }: Visit): Instant => {
  if (words === "the start") return start
  const before = /^(\d+) (day|hour)s? before$/.exec(words)
  if (before !== null) return start - Number(before[1]) * (before[2] === "day" ? 24 : 1) * hourMs
  const wall = /^\w+day (\d+) (\w+) (\d{4}), (\d\d:\d\d)$/.exec(words)
  if (wall === null) throw new Error(`no time: ${words}`)
  const [, day = "", month = "", year = "", clock = ""] = wall
  const date = `${year}-${String(months.indexOf(month) + 1).padStart(2, "0")}-${day.padStart(2, "0")}`
  return instantAt(time_zone, date, minutesOf(clock))
}

const percentOfWords = (words: string): number => {
  const known: Readonly<Record<string, number>> = { all: 100, half: 50, nothing: 0 }
  const percent = known[words] ?? Number(/^([\d.]+) %$/.exec(words)?.[1])
  if (Number.isNaN(percent)) throw new Error(`no share: ${words}`)
  return percent
}

const stepsOf = (text: string, visit: Visit): Claims["steps"] =>
  text.split(/, (?=(?:all|half|nothing|[\d.]+ %) until)/).map((part) => {
    const [, share = "", until = ""] = /^(.+?)(?: back)? until (.+)$/.exec(part) ?? []
    return { percent: percentOfWords(share), until: untilOf(until, visit) }
  })

const amountOf = (words: string): { readonly amount: number } | { readonly percent: number } => {
  const percent = /^([\d.]+) %$/.exec(words)
  return percent === null ? { amount: Number(words.replaceAll(/\D/g, "")) } : { percent: Number(percent[1]) }
}

const nothing: Claims = { kept: "everything", steps: [] }

/** What the text claims of a visit. Throws where it can't be read. */
export const claimsOf = (text: string, visit: Visit): Claims => {
  if (text.startsWith("Nothing is to be paid.")) return nothing
  if (/^(\S.* deposit\. )?Nothing that is paid is refunded\./.test(text)) return nothing
  const read =
    /^(?:(?<deposit>\S.*?) deposit(?<kept>, not refunded)?\. )?(?:If cancelled: |If cancelled, of all that is paid: |Of the rest: )(?<steps>.+?), then nothing\./.exec(
      text
    )
  if (read === null) throw new Error(`no terms: ${text}`)
  const { deposit, kept, steps = "" } = read.groups ?? {}
  return {
    kept: kept === undefined || deposit === undefined ? undefined : amountOf(deposit),
    steps: stepsOf(steps, visit)
  }
}

/** `amount × percent / 100` as it can be charged, halves up, counted in whole numbers. */
const shareOf = (amount: number, percent: number, currency: string): number =>
  Number(nearest(BigInt(amount) * BigInt(Math.round(percent * 1000)), 100_000n, BigInt(stepByHand(currency))))

/**
 * What comes back by these claims of what is `paid`, cancelled at `now`; `total` is the price of the visit, minor
 * units.
 */
export const claimedRefund = (
  { kept, steps }: Claims,
  paid: number,
  { currency, total }: { readonly currency: string; readonly total: number },
  now: Instant
): number => {
  if (kept === "everything") return 0
  const keeps = kept === undefined ? 0 : "amount" in kept ? kept.amount : shareOf(total, kept.percent, currency)
  const step = steps.find(({ until }) => now <= until)
  return step === undefined ? 0 : shareOf(Math.max(0, paid - keeps), step.percent, currency)
}

/**
 * What the terms of a visit claim: of a sum paid, what comes back until when (minor units); nothing after the last one.
 */
type VisitClaims = ReadonlyMap<number, ReadonlyArray<{ readonly until: Instant; readonly refund: number }>>

const minorOf = (words: string): number => Number(words.replaceAll(/\D/g, ""))

const instantIn = (words: string, time_zone: string): Instant => {
  const [, date = "", clock = "", offset] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d)(?: \(([+-]\d\d:\d\d)\))?$/.exec(words) ?? []
  if (date === "") throw new Error(`no time: ${words}`)
  return offset === undefined
    ? instantAt(time_zone, date, minutesOf(clock))
    : Date.parse(`${date}T${clock}:00${offset}`)
}

/** Reads the sentences of a visit's terms, as a person would. Throws where they can't be read. */
export const visitClaimsOf = (text: string, time_zone: string): VisitClaims => {
  const sentences = [
    ...text.matchAll(
      /If cancelled,? (?:of the ([^:]+?) (?:paid|due now)|once all ([^:]+?) is paid): (.+?); afterwards: nothing\./g
    )
  ]
  if (
    sentences.length === 0 &&
    !/^([^:]+? deposit\. )?(Nothing that is paid is refunded|Nothing is to be paid)\.|Nothing more is refunded\./.test(
      text
    )
  ) {
    throw new Error(`no terms: ${text}`)
  }
  return new Map(
    sentences.map(([, paid, all, rows = ""]) => [
      minorOf(paid ?? all ?? ""),
      rows.split("; ").map((row) => {
        const [, until = "", refund = ""] = /^until (.+): (.+) back$/.exec(row) ?? []
        return { until: instantIn(until, time_zone), refund: refund === "nothing" ? 0 : minorOf(refund) }
      })
    ])
  )
}

/** What comes back by these claims of what is `paid`, cancelled at `now`. */
export const refundClaimed = (claims: VisitClaims, paid: number, now: Instant): number =>
  claims.get(paid)?.find(({ until }) => now <= until)?.refund ?? 0
