/**
 * What stands in sentences, read back and compared with the rows: amounts, dates, weekdays, times, people, rooms,
 * references, what comes back when, and what is said to have happened.
 */
import { at } from "../../support/Assistant.ts"
import { isJsonObject } from "../../../src/surfaces/mcp/transport/JsonRpc.ts"
import { weekdayOf } from "../../support/oracle/Clock.ts"
import { amountIn, amountsIn } from "./Amounts.ts"
import { ofOwnVisit } from "./BookingStatements.ts"
import { dateIn, inWords } from "./Person.ts"
import { listAt, textAt } from "./Reading.ts"
import { type Booked, hourMs, onTheWall, refundByHand, statusOf } from "./Truth.ts"
import type { Verdicts } from "./Verdicts.ts"

const clockText = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`

/** A moment as clocks in the playroom show it. */
const shownAt = (zone: string, instant: number): string => {
  const { date, minutes } = onTheWall(zone, instant)
  return `${date} ${clockText(minutes)}`
}

/** Every object of an answer. */
const objectsIn = (value: unknown): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  Array.isArray(value)
    ? value.flatMap(objectsIn)
    : isJsonObject(value)
      ? [value, ...Object.values(value).flatMap(objectsIn)]
      : []

const displays = [
  ["amount", "display"],
  ["total", "display_total"],
  ["due_now", "display_due_now"],
  ["balance_due", "display_balance_due"]
] as const

/** What holds in every answer: a text for people is the number beside it, and a day in words is the one beside it. */
export const plainSentences = ({ say }: Verdicts, answer: unknown): void => {
  for (const one of objectsIn(answer)) {
    for (const [number, text] of displays) {
      const [fact, told] = [one[number], one[text]]
      // A line shows how it comes to its amount.
      const last = typeof told === "string" ? amountsIn(told).at(-1)?.minor : undefined
      if (typeof fact === "number" && last !== undefined)
        say("in words: amount", Math.abs(fact) === last, `${String(told)} beside ${fact}`)
    }
    const [start, when] = [textAt(one, "start") ?? textAt(one, "next_start"), textAt(one, "when")]
    if (start === undefined || when === undefined) continue
    const [said] = when.matchAll(inWords)
    const date = dateIn(said?.[2], said?.[3], said?.[4])
    const end = textAt(one, "end")?.slice(11, 16)
    const holds =
      said !== undefined &&
      weekdayOf(date).startsWith((said[1] ?? "").toLowerCase()) &&
      `${date}T${said[5]}` === start.slice(0, 16) &&
      (end === undefined || said[6] === undefined || said[6] === end)
    say("in words: when", holds, `${when} beside ${start}`)
  }
}

/** Amounts that may be told of a booking: its own, its lines', and what comes back at any of its deadlines. */
const amountsOf = (row: Booked, now: number): ReadonlySet<number> => {
  const { balance, due_now, received, refunded, total } = row
  const sums = [received, received + due_now, received + balance, total, due_now]
  const deadlines = [now, row.start, ...row.cancellation.map((tier) => row.start - tier.hours_before * hourMs)]
  const back = sums.flatMap((sum) =>
    deadlines.map((moment) => refundByHand({ ...row, received: sum, refunded: 0 }, moment))
  )
  return new Set([
    0,
    total,
    due_now,
    total - due_now,
    total - received,
    received,
    refunded,
    received - refunded,
    balance,
    row.deposit,
    ...back
  ])
}

/** The bookings of one call are told together: `group`, of which `row` is one. */
const ofDates = ({ say }: Verdicts, text: string, group: ReadonlyArray<Booked>) => {
  const visits = group.map(({ end, start, zone }) => [shownAt(zone, start), shownAt(zone, end)] as const)
  for (const [all, weekday = "", day, month, year, from = "", until] of text.matchAll(inWords)) {
    const date = dateIn(day, month, year)
    say("sentence: weekday of a date", weekdayOf(date).startsWith(weekday.toLowerCase()), all)
    if (until !== undefined)
      say(
        "sentence: when the visit is",
        visits.some(([start, end]) => `${date} ${from}` === start && end.endsWith(until)),
        all
      )
  }
}

/** Deadlines with zone or without: each is one of the booking's. */
const ofMoments = ({ say }: Verdicts, text: string, row: Booked, now: number, ends: ReadonlyArray<number>) => {
  const hours = [...row.cancellation.map(({ hours_before }) => hours_before), ...row.hours]
  const known = [row.start, row.end, ...ends, ...hours.map((before) => row.start - before * hourMs)]
  const shown = new Set(known.map((instant) => shownAt(row.zone, instant)))
  for (const [all, date, clock, zoned] of text.matchAll(/(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d)(:\d\d[+-]\d\d:\d\d)?/g)) {
    say("sentence: a deadline", shown.has(`${date} ${clock}`), `${all} in ${text}`)
    const minutes = new RegExp(`${all.replace(/[+]/g, "\\+")} \\(in (\\d+) minutes?\\)`).exec(text)?.[1]
    if (zoned !== undefined && minutes !== undefined)
      say("sentence: how long from now", Math.abs((Date.parse(all) - now) / 60_000 - Number(minutes)) <= 1, text)
  }
}

/** "Of £X: until D: £Y back; …; afterwards: nothing": what a cancellation then does. */
const ofRefunds = ({ say }: Verdicts, text: string, row: Booked, now: number) => {
  for (const [all, of = "", steps = ""] of text.matchAll(
    /If cancelled(?:,| once all) (?:of the )?([^:]*?) (?:is )?(?:paid|due now): ((?:[^;]+; )*?afterwards: nothing)/g
  )) {
    const received = amountIn(of) ?? -1
    for (const [step, until = "", back = ""] of steps.matchAll(
      /until (\d{4}-\d\d-\d\d \d\d:\d\d): (nothing|[^;]*?) back/g
    )) {
      const tier = row.cancellation.find((one) => shownAt(row.zone, row.start - one.hours_before * hourMs) === until)
      const moment = tier === undefined ? now : row.start - tier.hours_before * hourMs
      const right = refundByHand({ ...row, received, refunded: 0 }, moment)
      say(
        "sentence: what comes back until then",
        (amountIn(back) ?? 0) === right,
        `${step} of ${all}: by hand ${right}`
      )
      say("sentence: a deadline that has not passed", moment >= now, step)
    }
  }
  if (text.includes("Nothing that is paid is refunded")) {
    const most = refundByHand({ ...row, received: row.total, refunded: 0 }, now)
    say("sentence: nothing is refunded", most === 0, `${text}: by hand ${most}`)
  }
}

const ofStanding = ({ say }: Verdicts, text: string, row: Booked, now: number) => {
  const status = statusOf(row, now)
  const claims: ReadonlyArray<readonly [RegExp, boolean]> = [
    [/The booking is confirmed/, status === "confirmed"],
    [/The booking is cancelled/, status === "cancelled"],
    [/The hold has expired/, status === "expired"],
    [/nothing was charged|Nothing was paid/i, row.received === 0],
    [/Nothing more is to be paid/, row.received >= row.total],
    [/The places are held until/, status === "held"],
    [/is being processed/, row.payment_status === "processing"],
    [/was paid back/, row.refunded > 0],
    [/the whole room/, row.mode === "exclusive"],
    [/places in open play/, row.mode === "shared"]
  ]
  for (const [claim, holds] of claims)
    if (claim.test(text)) say(`sentence: ${claim.source}`, holds, `${text}: ${status}, ${row.payment_status}`)
  const reference = /the reference (\S{4}-\S{4})/.exec(text)?.[1]
  if (reference !== undefined) say("sentence: reference", reference === row.reference, text)
  const children = /(?:room|families), (\d+) child/.exec(text)?.[1]
  if (children !== undefined) say("sentence: children", Number(children) === row.children, text)
}

/** A booking, and those of `all` that one call made with it. */
export const together = (row: Booked, all: ReadonlyArray<Booked>): ReadonlyArray<Booked> => [
  row,
  ...all.filter((one) => one.booking_id !== row.booking_id && one.order_id !== null && one.order_id === row.order_id)
]

/** Every sentence of an answer about a booking. `ends`: when its hold and its payment page end. */
export const bookingSentences = (
  verdicts: Verdicts,
  answer: unknown,
  row: Booked,
  others: ReadonlyArray<Booked>,
  now: number
): void => {
  const { say } = verdicts
  const page = at(answer, "payment_session") ?? at(answer, "booking", "payment_session")
  const ends = [
    ...(row.hold_end === null ? [] : [row.hold_end]),
    ...(row.balance_due === null ? [] : [row.balance_due]),
    Date.parse(textAt(page, "expires_at") ?? "") || now
  ]
  const next = ofOwnVisit(textAt(answer, "next_step") ?? "")
  const texts = [
    next,
    textAt(answer, "booking", "terms", "text"),
    textAt(answer, "booking", "balance", "how"),
    ...listAt(answer, "booking", "terms", "refunds").map((one) => textAt(one, "text"))
  ].filter((text) => text !== undefined)
  const group = together(row, others)
  const due = group.reduce((sum, one) => sum + one.due_now, 0)
  const total = group.reduce((sum, one) => sum + one.total, 0)
  const own = new Set([...group.flatMap((one) => [...amountsOf(one, now)]), due, total])
  for (const text of texts) {
    for (const { minor, text: shown } of amountsIn(text))
      say("sentence: amounts", own.has(minor), `${shown} in ${text}`)
    ofDates(verdicts, text, group)
    ofMoments(verdicts, text.replace(/This e-mail address also has.*/, ""), row, now, ends)
    ofRefunds(verdicts, text, row, now)
    ofStanding(verdicts, text, row, now)
  }
  for (const one of listAt(answer, "other_bookings")) {
    // It says neither what nor when, but perhaps that it is there that day.
    if (at(one, "other_name") === true) {
      const dayOf = ({ start, zone }: Booked) => onTheWall(zone, start).date
      const isThere = (other: Booked) => other.playroom_id === row.playroom_id && dayOf(other) === dayOf(row)
      if (at(one, "same_playroom") === true)
        say("sentence: a booking under another name, there that day", others.some(isThere), JSON.stringify(one))
      continue
    }
    const start = Date.parse(textAt(one, "start") ?? "")
    const known = others.some((other) => other.start === start && statusOf(other, now) === textAt(one, "status"))
    say("sentence: another booking of the person", known, JSON.stringify(one))
  }
}
