/**
 * What an answer says of a booking, compared with its rows: where it stands, what is paid and due, what a cancellation
 * gives back.
 */
import { at } from "../../support/Assistant.ts"
import { listAt, numberAt, textAt } from "./Reading.ts"
import { type Booked, hourMs, refundByHand, statusOf } from "./Truth.ts"
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
    say("terms: no step that has passed", moment >= now, JSON.stringify(step))
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
