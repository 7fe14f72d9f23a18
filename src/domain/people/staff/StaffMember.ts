/** Who works at the desk of an operator. */

import { Schema } from "effect"
import { OperatorId, StaffId } from "../../../platform/ids/Ids.ts"
import { PersonName } from "../../../platform/text/Contact.ts"
import { isLoopback } from "../../../platform/text/Text.ts"
import { InstantFromDate } from "../../../platform/time/LocalTime.ts"

/** Where the desk is, as browsers and authenticators know it. */

/** The paths of the desk. The secret of an invitation, or the id of a booking, follows the path. */
export const deskPaths = {
  desk: "/desk",
  invitation: "/desk/invitation/",
  booking: "/desk/b/",
  owed: "/desk/owed",
  closed: "/desk/closed",
  closing: "/desk/closing",
  month: "/desk/month",
  monthCsv: "/desk/month.csv",
  monthXlsx: "/desk/month.xlsx",
  book: "/desk/book",
  now: "/desk/now",
  people: "/desk/people",
  till: "/desk/till",
  vouchers: "/desk/vouchers",
  waiting: "/desk/waiting",
  signIn: "/desk/sign-in",
  signOut: "/desk/sign-out"
} as const

/** The site that passkeys belong to: its origin, and its id for authenticators. */
export const deskSite = (baseUrl: string): { readonly origin: string; readonly id: string } => {
  const url = new URL(baseUrl)
  // A passkey can't belong to an IP address (WebAuthn, 5.1.2), and this machine has a name.
  if (isLoopback(url.hostname)) url.hostname = "localhost"
  return { origin: url.origin, id: url.hostname }
}

/** `desk`: the day's work. `manager`: also what needs more trust. */
export const StaffRole = Schema.Literals(["desk", "manager"])
export type StaffRole = typeof StaffRole.Type

/** A name as it stands in the history of what the person did. */
export const StaffName = PersonName(80)

/** A person at the desk of one operator. */
export const StaffMember = Schema.Struct({
  staff_id: StaffId,
  operator_id: OperatorId,
  operator_name: Schema.String,
  name: Schema.String,
  role: StaffRole
})
export type StaffMember = typeof StaffMember.Type

/** A person in the list of an operator's staff. */
export const ListedStaff = Schema.Struct({
  staff_id: StaffId,
  name: Schema.String,
  role: StaffRole,
  created_at: InstantFromDate,
  passkeys: Schema.Int,
  /** When a passkey last signed in; whoever makes one is signed in with it. */
  used_at: Schema.NullOr(InstantFromDate),
  /** When the open invitation ends. */
  invited_until: Schema.NullOr(InstantFromDate)
})
export type ListedStaff = typeof ListedStaff.Type

// Who at a desk may do what: the one table that pages and handlers ask.

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
