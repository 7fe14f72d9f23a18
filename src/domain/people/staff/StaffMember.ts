/** Who works at the desk of an operator. */
import { Schema } from "effect"
import { OperatorId, StaffId } from "../../../platform/ids/Ids.ts"
import { InstantFromDate } from "../../../platform/time/LocalTime.ts"

/** `desk`: the day's work. `manager`: also what needs more trust. */
export const StaffRole = Schema.Literals(["desk", "manager"])
export type StaffRole = typeof StaffRole.Type

/** A name as it stands in the history of what the person did. */
export const StaffName = Schema.String.check(
  Schema.isTrimmed(),
  Schema.isPattern(/^[^\p{Cc}\p{Cf}]+$/u, { message: "Expected a name" }),
  Schema.isMaxLength(80)
)

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
