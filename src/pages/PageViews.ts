/** What the pages need that others do not: the views that several read, the links by which families reach theirs, and who is at the desk. */
import { Layer } from "effect"
import { BookingList } from "../booking/BookingList.ts"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { Operators } from "../catalogue/Operators.ts"
import { VenueClosures } from "../booking/VenueClosures.ts"
import { LostLinks } from "../booking/LostLinks.ts"
import { ShownBookings } from "./family/ShownBookings.ts"
import { OperatorDays } from "./operator/OperatorDays.ts"
import { SignIn } from "../staff/SignIn.ts"
import { Staff } from "../staff/Staff.ts"
import { StaffSessions } from "../staff/StaffSessions.ts"

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
