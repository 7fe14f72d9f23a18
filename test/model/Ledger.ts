/** The model: what callers were told and what people did. It knows nothing of tables, holds or sessions' states. */
import type { PricedOption } from "../../src/booking/Offers.ts"
import type { Visit } from "./hall.ts"
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

/** A booking that was acknowledged. */
export interface Booked {
  readonly booking_id: string
  readonly reference: string
  /** The call that made it. */
  request: Request
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
}

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
