/** What a comparison of the provider's data with this database tells (`AccountComparison.ts`, `DisputeComparison.ts`). */

/**
 * `settled`: a known payment session had a new state; `assigned`: an unknown payment was assigned to its booking;
 * `rebooked`: so was the booking, which was unknown too; `page_closed`: an unknown payment page was closed; `refunded`:
 * money went back; `disputed`: a payer's dispute was unknown; `dispute_changed`: it stood otherwise; `unknown_payment`
 * and `misfit`: a person has to decide.
 */
export type DifferenceKind =
  | "settled"
  | "assigned"
  | "rebooked"
  | "page_closed"
  | "refunded"
  | "disputed"
  | "dispute_changed"
  | "unknown_payment"
  | "misfit"

/** A difference between the provider and this database. */
export interface Difference {
  readonly kind: DifferenceKind
  readonly account: string
  readonly provider_session_id: string
  /** The provider's id of the dispute, if it is one. */
  readonly dispute_id?: string
  readonly booking_id: string
  readonly reference: string | undefined
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly paid_for: string | undefined
  readonly payer: string | undefined
  /** What was done (in a dry run: would be done), or why nothing can be done. */
  readonly text: string
  readonly needs_person: boolean
}
