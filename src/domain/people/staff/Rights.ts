/** Who at a desk may do what: the one table that pages and handlers ask. */
import type { StaffRole } from "./StaffMember.ts"

/** What staff do at the desk, with the least role for it. */
const leastRole = {
  /** A new booking for a family. */
  book: "desk",
  /** The link of a family's page. */
  give_link: "desk",
  /** Arrived, did not come. */
  mark: "desk",
  /** A payment at the venue. */
  take_payment: "desk",
  /** A payment that was recorded by mistake. */
  undo_payment: "manager",
  change_party: "desk",
  move: "desk",
  /** With the refund that the terms say. */
  cancel_by_terms: "desk",
  /** With another refund. */
  cancel_otherwise: "manager",
  /** An amount back without cancelling. */
  give_back: "manager",
  /** A part of a day: what breaks in the middle of it can't wait for a manager. */
  close_time: "desk",
  /** Whole days, which turn away a day's trade. */
  close_days: "manager",
  /** The month's figures. */
  see_accounts: "manager",
  /** Who works at the desk: inviting and removing. */
  manage_staff: "manager"
} as const satisfies Record<string, StaffRole>
export type DeskRight = keyof typeof leastRole

/** Whether a role may do this. */
export const mayDo = (role: StaffRole, right: DeskRight): boolean => role === "manager" || leastRole[right] === role
