/** What the pages need that others do not: the views that several read, the links by which families reach theirs, and who is at the desk. */
import { Layer } from "effect"
import { BookingList } from "../../../domain/booking/BookingList.ts"
import { BookingLinks } from "../../../domain/booking/BookingLinks.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { VenueClosures } from "../../../domain/booking/VenueClosures.ts"
import { LostLinks } from "../../../domain/booking/LostLinks.ts"
import { ShownBookings } from "../family/ShownBookings.ts"
import { OperatorDays } from "../operator/OperatorDays.ts"
import { SignIn } from "../../../domain/people/staff/SignIn.ts"
import { Staff } from "../../../domain/people/staff/Staff.ts"
import { StaffSessions } from "../../../domain/people/staff/StaffSessions.ts"

export const pageViews = Layer.mergeAll(
  BookingLinks.layer,
  BookingList.layer,
  LostLinks.layer,
  OperatorDays.layer,
  Operators.layer,
  ShownBookings.layer,
  SignIn.layer,
  Staff.layer,
  StaffSessions.layer,
  VenueClosures.layer
)
