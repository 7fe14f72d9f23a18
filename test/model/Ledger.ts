/** The model: what callers were told and what people did. It knows nothing of tables, holds or sessions' states. */
import type { PaidThere } from "../../src/domain/payment/changes/VenueBookings.ts"
import type { PricedOption } from "../../src/domain/availability/BookingOption.ts"
import { balanceDueAt, type ClosedTime, firstSizes, isIn, onDay, refundAt, releaseHoursOf, type Visit } from "./hall.ts"
import type { VoucherId } from "../../src/platform/ids/Ids.ts"
import { hourMs } from "../../src/platform/time/LocalTime.ts"
import type { Decision } from "./misfits.ts"
import type { Snapshot } from "./snapshot.ts"
import type { RequestVariant } from "./repeatedRequests.ts"

/** An option that someone saw, of an edition of the price list. */
export interface Seen {
  readonly visit: Visit
  readonly edition: number
  readonly option: PricedOption
}

/** A call of `create_booking`. */
export interface Request {
  readonly key: string
  readonly email: string
  readonly seen: Seen
  readonly idempotency_key: string | undefined
  readonly as: RequestVariant
  /** Of a booking that staff make: what is paid at once at the venue. */
  readonly paid?: PaidThere | undefined
}

/** What a booking costs after a move, another party or a payment at the venue. Amounts are minor units. */
export interface Agreed {
  readonly total: number
  /** Counted as paid by then. */
  readonly due_now: number
  /** When the rest is due; undefined: at the start. */
  readonly balanceDueAt: number | undefined
  /** The payments that were counted by then. */
  readonly settled: ReadonlySet<string>
}

/** The state of a moved booking. Amounts are minor units. */
export interface Moved {
  /** The sum of refunds by moves. */
  readonly back: number
  /** The highest amount paid net of refunds, at any move. */
  readonly most: number
  /** What was paid too much for the cheapest visit that it was moved to. */
  readonly owed: number
  /**
   * The package whose terms apply to a cancellation, and the start from which they count: the earliest that the family
   * gave it.
   */
  readonly terms: Visit
}

/** The most and the least that a decision gives back of a booking's own payments, with all that went back before. */
export interface Decided {
  readonly owed: number
  readonly least: number
}

/** What a booking's end gives back; `paid`: the amount paid by then. */
export interface Ended extends Decided {
  readonly paid: number
}

/** Whether the family came, as staff marked it. */
export type Mark = "arrived" | "no_show"

/** Whom a booking is for. */
export interface Contact {
  readonly name: string
  readonly email: string
}

/** A booking that a caller was told of. */
export interface Booked {
  readonly booking_id: string
  readonly reference: string
  /** The call that made it. */
  request: Request
  /** The option that it was first booked with. */
  readonly origin: Seen
  /** Whom it was for, as it was booked and after each correction. The last is whom it is for. */
  contacts: ReadonlyArray<Contact>
  /** Set when it was moved, its party changed, or a part of it was paid at the venue. */
  agreed: Agreed | undefined
  /** What has left its party costs so much more today than all that was agreed: it counts at its next change. */
  credit: number
  /** Set when it was moved. */
  moved: Moved | undefined
  /** Set by amounts that a person gave back without a cancellation. */
  given: Decided | undefined
  /** What staff gave back beside the price: no later price counts it. */
  goodwill: number
  mark: Mark | null
  /** Set by a cancellation. */
  cancelled: Ended | undefined
  /** The step in which it was first confirmed: when that began and ended. */
  confirmed: { readonly began: number; readonly ended: number } | undefined
  /** Set while its places are released because its balance was not paid. */
  released: Ended | undefined
  /** A late payment could not confirm it: its places were taken, or the visit had begun. */
  excused: boolean
  /** Its hold has lapsed: another may have its use of the code. */
  wasOver: boolean
}

/** A payment page that a caller was given. */
export interface Page {
  readonly payment_session_id: string
  readonly provider_id: string
  readonly booking: Booked
  readonly purpose: "due_now" | "balance"
  /** The amount to pay. */
  readonly amount: number
}

/** A gift voucher of an amount. `ends`: when nothing more can be paid with it. */
export interface Voucher {
  readonly voucher_id: VoucherId
  readonly code: string
  readonly amount: number
  readonly ends: number | undefined
  /** It was sold by mistake. */
  undone: boolean
}

/** A page that pays several bookings, and what it asks for each. */
export interface OrderPage {
  readonly payment_session_id: string
  readonly provider_id: string
  readonly parts: ReadonlyArray<{ readonly booking: Booked; readonly amount: number }>
  /** What was paid on it, for the bookings. Nobody is given it. */
  readonly voucher: Voucher
}

/** A family that waits for a visit. */
export interface Waiting {
  readonly waiting_id: string
  /** The visit's, at the prices of the day on which it was put on the list. */
  readonly option_id: string
  readonly visit: Visit
  readonly request: Request
  /** Which network it is of, and its number among that network's entries of the start. */
  readonly network: number
  readonly turn: number
}

/** A payment that staff took at the venue, or with a voucher. */
export interface Taken {
  readonly payment_session_id: string
  readonly booking: Booked
  readonly purpose: "due_now" | "balance"
  readonly amount: number
  /** It was recorded by mistake: there never was such money. */
  undone: boolean
  /** What staff gave back of it by hand, and what is on its voucher again. */
  returned: number
  readonly voucher?: Voucher | undefined
  /** What is on its voucher again. */
  onto: number
}

/** A time that the venue closed itself. */
export interface Closure extends ClosedTime {
  readonly closure_id: string
  /** The bookings that were there first and have not left it since. */
  inside: ReadonlySet<string>
}

/** What staff were shown of cancelling bookings in closed time. */
export interface ClosedPlan {
  readonly shown: string
  /** By booking: what goes back if it can be cancelled, and how many lines its history had, if that is known. */
  readonly planned: ReadonlyMap<string, { readonly refund: number | undefined; readonly lines: number | undefined }>
}

/** What a command would do with bookings in closed time. */
export interface CommandPlan extends ClosedPlan {
  readonly args: ReadonlyArray<string>
  /** The closures and sizes of its time. */
  readonly standing: string
  /** Where one of them goes. */
  readonly to: Seen | undefined
}

/** The current price of a booking, and its part without the balance. */
export const agreedOf = ({ agreed, request }: Booked): { readonly total: number; readonly due_now: number } =>
  agreed ?? request.seen.option.price

/** When the balance is due; undefined: there was none when it was booked, so it would be due at the start. */
export const dueWhen = ({ agreed, origin }: Booked): number | undefined => {
  if (agreed !== undefined) return agreed.balanceDueAt
  const { due_now, total } = origin.option.price
  return due_now < total ? balanceDueAt(origin.visit, -Infinity, 0) : undefined
}

/** The visit whose terms apply to a cancellation. */
export const termsOf = ({ moved, request }: Booked): Visit => moved?.terms ?? request.seen.visit

/** How many hours after it was due an unpaid balance ends the booking; undefined: never. */
const releaseAfter = ({ origin }: Booked): number | undefined => releaseHoursOf(origin.visit, origin.option.price)

/** Whoever was confirmed late has as long to pay the balance: until when, given when the confirmation came. */
export const timeToPayUntil = (booked: Booked, confirmed: number): number =>
  confirmed + (releaseAfter(booked) ?? 0) * hourMs

/** When its places are released if its balance is unpaid; undefined: they are kept. The visit must not have begun. */
export const releasedAt = (booked: Booked): number | undefined => {
  const hours = releaseAfter(booked)
  const { due_now, total } = agreedOf(booked)
  const { start } = booked.request.seen.visit
  if (hours === undefined || due_now === total) return undefined
  const at = (dueWhen(booked) ?? start) + hours * hourMs
  return at < start ? at : undefined
}

/**
 * The refund of a cancellation by the terms. Money that a move refunded and that was paid again counts neither as paid
 * nor as refunded: the percentage is of the highest amount ever paid net of refunds. Nor does `goodwill` count, of
 * `back`.
 */
export const refundOf = (
  booked: Booked,
  now: number,
  { back, goodwill, paid }: { readonly paid: number; readonly back: number; readonly goodwill: number }
): number => {
  const { back: byMoves, most } = booked.moved ?? { back: 0, most: 0 }
  const twice = Math.max(0, paid - Math.max(most, paid - byMoves))
  // Staff may have moved it to an earlier start than its terms count from. After that nothing comes back.
  const share = now > booked.request.seen.visit.start ? 0 : refundAt(termsOf(booked), now, paid - twice)
  return Math.max(0, Math.min(share + twice - Math.max(0, back - goodwill), paid - back))
}

/** What a cancellation by the terms owes in all: goodwill is beside it. */
export const owedByTerms = (booked: Booked, now: number, paid: number): number =>
  Math.min(paid, refundOf(booked, now, { paid, back: 0, goodwill: 0 }) + booked.goodwill)

/** All decisions so far of what goes back. What a move owes is the most and the least. */
const decisions = ({ cancelled, given, moved, released }: Booked): ReadonlyArray<Decided> =>
  [cancelled, given, moved && { owed: moved.owed, least: moved.owed }, released].filter((one) => one !== undefined)

/**
 * The most that all decisions so far, the highest of which includes the others, give back of the booking's own
 * payments.
 */
export const owedBack = (booked: Booked): number => Math.max(0, ...decisions(booked).map(({ owed }) => owed))

/** The least. */
export const leastBack = (booked: Booked): number => Math.max(0, ...decisions(booked).map(({ least }) => least))

/** Whether a page is for the booking's current balance. */
export const isForBalance = (
  { agreed }: Booked,
  page: { readonly payment_session_id: string; readonly purpose: string }
): boolean => page.purpose === "balance" && agreed?.settled.has(page.payment_session_id) !== true

export class Ledger {
  edition = 0
  sizes = firstSizes
  /** The bookings that were there before there was too little for them, and still have too much. */
  squeezed: ReadonlySet<string> = new Set()
  /** The days that the catalogue file closes. */
  readonly closed = new Set<number>()
  closures: ReadonlyArray<Closure> = []
  plan: ClosedPlan | undefined
  command: CommandPlan | undefined
  readonly bookings: Array<Booked> = []
  readonly options: Array<Seen> = []
  readonly pages: Array<Page> = []
  /** What was taken at the venue, and goes back there, or with a voucher. */
  readonly till: Array<Taken> = []
  readonly vouchers: Array<Voucher> = []
  /** The pages that pay several bookings. */
  readonly orders: Array<OrderPage> = []
  waiting: ReadonlyArray<Waiting> = []
  /** The pages that were paid with something else than they asked for, by our id, and what a person decided of each. */
  readonly misfits = new Map<string, Decision | undefined>()
  /** Idempotency keys with their arguments and results. */
  readonly bookingKeys = new Map<string, { readonly args: string; readonly booking_id: string }>()
  readonly sessionKeys = new Map<string, { readonly args: string; readonly payment_session_id: string }>()
  /** Keys used with `create_payment_session`, with any result. */
  readonly triedKeys = new Set<string>()
  /** The database after the last step. */
  last: Snapshot = {
    bookings: [],
    occupancy: [],
    sessions: [],
    refunds: [],
    saleRefunds: [],
    parts: [],
    history: [],
    events: [],
    tasks: []
  }
  /** Delivered events, each with its API release. */
  readonly delivered = new Set<string>()
}

/** Whether nobody has closed the time of a visit. */
export const isOpen = ({ closed, closures }: Ledger, visit: Visit): boolean =>
  [...closed].every((day) => !onDay(visit, day)) && closures.every((one) => !isIn(one, visit))

/** Notes a payment at the venue, once. */
export const putIntoTill = ({ till }: Ledger, taken: Omit<Taken, "onto" | "undone" | "returned">): void => {
  if (till.every((one) => one.payment_session_id !== taken.payment_session_id))
    till.push({ ...taken, undone: false, returned: 0, onto: 0 })
}

/** An index for the last item of a list. */
export const last = -1

/** The n-th item, modulo the list's length; or the last. */
export const nth = <A>(list: ReadonlyArray<A>, n: number): A | undefined =>
  n === last ? list.at(-1) : list.length === 0 ? undefined : list[n % list.length]
