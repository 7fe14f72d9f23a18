/**
 * What an answer says of a booking, compared with its rows: where it stands, what is paid and due, what a cancellation
 * gives back.
 */
import { Effect } from "effect"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { at } from "../../support/Assistant.ts"
import { clockOf } from "../../support/oracle/Clock.ts"
import { priceByHand } from "../../support/oracle/Price.ts"
import { amountIn } from "./Amounts.ts"
import { listAt, numberAt, textAt } from "./Reading.ts"
import { type Booked, hourMs, looks, onTheWall, readCalendar, refundByHand, statusOf } from "./Truth.ts"
import type { Verdicts } from "./Verdicts.ts"

/** A step back whose time has passed is not offered; dated steps give what a cancellation then gives. */
const refundSteps = ({ say, told }: Verdicts, booking: unknown, row: Booked, now: number) => {
  const words = textAt(booking, "terms", "text") ?? ""
  const passed = row.cancellation.filter(({ hours_before }) => row.start - hours_before * hourMs < now)
  const offered = passed.filter(({ hours_before }) => words.includes(`until ${hours_before / 24} days before`))
  say("terms: no step that has passed", offered.length === 0, words)
  const dated = at(booking, "terms", "refunds")
  if (row.total > 0) told("terms: dated steps", dated !== undefined)
  // Of what is due when booking, as of what is paid: both are what a person may have in mind.
  const amounts = [row.received - row.refunded, Math.max(row.received, row.due_now), row.total]
  for (const step of listAt(dated)) {
    const until = textAt(step, "until")
    const moment = until === undefined ? row.start : Date.parse(until)
    // The last one has no end: it goes on during the visit.
    say("terms: no step that has passed", until === undefined || moment >= now, JSON.stringify(step))
    const amount = numberAt(step, "refund", "amount")
    const right = amounts.map((received) => refundByHand({ ...row, received, refunded: 0 }, moment))
    if (amount !== undefined)
      say("terms: refund of a step", right.includes(amount), `${JSON.stringify(step)}, by hand ${right.join(" or ")}`)
  }
}

/** Everything that is said of a booking at a moment. */
export const bookingStatements = (verdicts: Verdicts, booking: unknown, row: Booked, now: number): void => {
  const { compare, told } = verdicts
  const alive = ["held", "confirmed"].includes(statusOf(row, now))
  compare("booking: status", at(booking, "status"), statusOf(row, now))
  compare("booking: payment_status", at(booking, "payment_status"), row.payment_status)
  compare("booking: total", at(booking, "price", "total"), row.total)
  compare("booking: paid", at(booking, "paid", "amount"), row.received - row.refunded)
  compare("booking: outstanding", at(booking, "outstanding", "amount"), alive ? row.total - row.received : 0)
  // A price as agreed says "due now" for ever: only beside the booking's own word is it understood as of then.
  const due = at(booking, "due_now", "amount") ?? at(booking, "price", "due_now")
  // What is being processed is not due again.
  const processing = row.payment_status === "processing"
  const isHeld = statusOf(row, now) === "held"
  compare("booking: due now", due, isHeld && !processing ? row.due_now : 0)
  compare("booking: refund if cancelled now", at(booking, "refund_if_cancelled_now", "amount"), refundByHand(row, now))
  compare("booking: start", Date.parse(textAt(booking, "start") ?? ""), row.start)
  compare("booking: end", Date.parse(textAt(booking, "end") ?? ""), row.end)
  compare("booking: children", at(booking, "children"), row.children)
  const end = textAt(booking, "hold_expires_at")
  // While a page is open, it has to be paid before the page ends, and the hold outlives it by some minutes.
  const open = at(booking, "payment_session", "status") === "open" && isHeld
  const pageEnd = open
    ? textAt(booking, "payment_session", "expires_in") && textAt(booking, "payment_session", "expires_at")
    : undefined
  const holdEnd = pageEnd === undefined ? row.hold_end : Date.parse(pageEnd)
  const lapsed = row.status === "held" && (!isHeld || (holdEnd ?? now) <= now)
  if (!processing)
    compare("booking: end of the hold", end === undefined ? null : Date.parse(end), lapsed ? null : holdEnd)
  if (alive && row.total > Math.max(row.received, row.due_now)) {
    const balance = at(booking, "balance", "amount", "amount") ?? at(booking, "price", "balance_due")
    compare("booking: balance", balance, row.total - row.due_now)
    told("booking: how the balance is paid", textAt(booking, "balance", "how") !== undefined)
  }
  told("booking: page of the family", textAt(booking, "page_url") !== undefined)
  told("booking: whom to ask", textAt(booking, "operator", "email") !== undefined)
  refundSteps(verdicts, booking, row, now)
}

const otherStarts = /It can move to these starts of that day: (.*?)(?:, and (\d+) more)?\. (?=[A-Z])/
const furtherChildren =
  /(?:Each further child, up to (\d+) in all|One more child)(?:, if there is room)?,? costs (nothing|.*?) more(?:\.|,[^.]*\.) /

/** The other starts of its day that a next step names, each with its price if that is another one. */
export const startsOffered = (step: string): ReadonlyArray<{ readonly clock: string; readonly price?: number }> =>
  [...(otherStarts.exec(step)?.[1] ?? "").matchAll(/(\d\d:\d\d)(?: \(([^)]*)\))?/g)].map(([, clock = "", shown]) => {
    const price = amountIn(shown ?? "")
    return { clock, ...(price === undefined ? {} : { price }) }
  })

/** What further children cost as a next step says, and of how many it says so; undefined if it does not. */
export const furtherOffered = (step: string): { readonly amount: number; readonly each: boolean } | undefined => {
  const [sentence, most, costs = ""] = furtherChildren.exec(step) ?? []
  return sentence === undefined ? undefined : { amount: amountIn(costs) ?? 0, each: most !== undefined }
}

/** A next step without what it says of other visits than the booking's own. */
export const ofOwnVisit = (step: string): string => step.replace(otherStarts, "").replace(furtherChildren, "")

/** What is said of the other starts of a booking's day, and of what further children cost. */
export const changeStatements = Effect.fn("changeStatements")(function* (
  { say }: Verdicts,
  step: string,
  row: Booked,
  venue: Venue,
  now: number
) {
  const pkg = venue.packages.find(({ package_id }) => package_id === row.package_id)
  if (pkg === undefined) return
  const { adults, children, code, total } = row
  const coded = code === null ? {} : { code }
  const more = otherStarts.exec(step)?.[2] ?? "0"
  const named = startsOffered(step)
  if (named.length > 0 || step.includes("No other start is free that day")) {
    const calendar = yield* Effect.orDie(readCalendar(venue, now, row.booking_id))
    const question = { venue, packages: [pkg], party: { children, adults, add_ons: [], ...coded } }
    const { date } = onTheWall(row.zone, row.start)
    const free = looks(question, [date], calendar, now).filter(
      ({ reasons, start }) => reasons.size === 0 && start !== row.start
    )
    say("sentence: how many other starts", free.length === named.length + Number(more), step)
    for (const { clock, price = total } of named) {
      const look = free.find(({ start }) => onTheWall(row.zone, start).minutes === clockOf(clock))
      say("sentence: another start is free", look !== undefined, `${clock} in ${step}`)
      const right = look && priceByHand(venue, pkg, question.party, look.start, now).total
      say("sentence: what another start costs", right === price, `${clock} ${price}: ${right}`)
    }
  }
  const [sentence, most, costs = ""] = furtherChildren.exec(step) ?? []
  if (sentence === undefined) return
  const priceOf = (count: number) =>
    priceByHand(venue, pkg, { children: count, adults, add_ons: [], ...coded }, row.start, now).total
  const each = amountIn(costs) ?? 0
  const counts = most === undefined ? [1] : Array.from({ length: Number(most) - children }, (_, i) => i + 1)
  for (const count of counts) {
    const right = priceOf(children + count) - priceOf(children)
    say("sentence: what further children cost", right === each * count, `${count}: ${right}, ${sentence}`)
  }
})
