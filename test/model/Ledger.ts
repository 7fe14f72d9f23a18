/** The model: what callers were told and what people did. It knows nothing of tables, holds or sessions' states. */
import type { PricedOption } from "../../src/availability/BookingOption.ts"
import { refundAt, type Visit } from "./hall.ts"
import type { Snapshot } from "./snapshot.ts"
import type { RequestVariant } from "./repeatedRequests.ts"

/** An option that someone saw. */
export interface Seen {
  readonly visit: Visit
  readonly option: PricedOption
}

/** A call of `create_booking`. */
export interface Request {
  readonly key: string
  readonly email: string
  readonly seen: Seen
  readonly idempotency_key: string | undefined
  readonly as: RequestVariant
}

/** What a booking's moves made of it: amounts in minor units. */
export interface Moved {
  readonly total: number
  /** What counts as paid since the last move, at least. */
  readonly due_now: number
  /** What all moves decided to give back. */
  readonly back: number
  /** The most that the operator ever held of its payments, at any of its moves. */
  readonly most: number
  /** The package by whose terms a cancellation refunds, and the earliest start, by which it counts. */
  readonly terms: Visit
  /** Payment sessions that were paid before the last move. */
  readonly settled: ReadonlySet<string>
}

/** A booking that was acknowledged. */
export interface Booked {
  readonly booking_id: string
  readonly reference: string
  /** The call that made it. */
  request: Request
  /** The option that it was made with. */
  readonly origin: Seen
  /** Set when it was moved. */
  moved: Moved | undefined
  /** Set when it was cancelled: all that is owed of what had been counted as paid then, by the terms or a person's word. */
  cancelled: { readonly owed: number; readonly paid: number } | undefined
  /** What the operator gave back by hand, and what payers had back by disputes. */
  byHand: number
  /** It could not have its places when its money came: they were taken, or the visit had begun. */
  excused: boolean
}

/** A page whose address someone was given. */
export interface Page {
  readonly payment_session_id: string
  readonly provider_id: string
  readonly booking: Booked
  readonly purpose: "due_now" | "balance"
  /** What it asked for. */
  readonly amount: number
}

/** What a booking costs now, and what of it is not its balance. */
export const agreedOf = ({ moved, request }: Booked): { readonly total: number; readonly due_now: number } =>
  moved ?? request.seen.option.price

/** The visit by which a cancellation refunds. */
export const termsOf = ({ moved, request }: Booked): Visit => moved?.terms ?? request.seen.visit

/**
 * What a cancellation gives back by the terms. What moves gave back and was paid once more counts neither as paid nor as given back:
 * the percentage is of the most that the operator ever held.
 */
export const refundOf = (
  booked: Booked,
  now: number,
  { back, paid }: { readonly paid: number; readonly back: number }
): number => {
  const { back: byMoves, most } = booked.moved ?? { back: 0, most: 0 }
  const twice = paid - Math.max(most, paid - byMoves)
  return Math.max(0, Math.min(refundAt(termsOf(booked), now, paid - twice) - (back - twice), paid - back))
}

/** Whether a page is for the balance that the booking has now. */
export const isForBalance = (
  { moved }: Booked,
  page: { readonly payment_session_id: string; readonly purpose: string }
): boolean => page.purpose === "balance" && moved?.settled.has(page.payment_session_id) !== true

export class Ledger {
  edition = 0
  readonly closed = new Set<number>()
  readonly bookings: Array<Booked> = []
  readonly options: Array<Seen> = []
  readonly pages: Array<Page> = []
  /** What idempotency keys stand for, with the arguments they were used with. */
  readonly bookingKeys = new Map<string, { readonly args: string; readonly booking_id: string }>()
  readonly sessionKeys = new Map<string, { readonly args: string; readonly payment_session_id: string }>()
  /** Keys that a call of `create_payment_session` was made with, whatever came of it. */
  readonly triedKeys = new Set<string>()
  /** What the database said after the last step. */
  last: Snapshot = { bookings: [], occupancy: [], sessions: [], refunds: [], history: [], events: [], tasks: [] }
  /** Events that were delivered at least once, each with the release of the API that it was of. */
  readonly delivered = new Set<string>()
}

/** Counts as the last of a list. */
export const last = -1

/** The n-th of a list that may be shorter; or the last. */
export const nth = <A>(list: ReadonlyArray<A>, n: number): A | undefined =>
  n === last ? list.at(-1) : list.length === 0 ? undefined : list[n % list.length]
