/** What the pages show: a service each, beside its page's HTML, and the links by which families reach theirs. */
import { Layer } from "effect"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { Operators } from "../catalogue/Operators.ts"
import { VenueClosures } from "../booking/VenueClosures.ts"
import { LostLinks } from "../booking/LostLinks.ts"
import { CheckoutReturn } from "./checkout/CheckoutReturn.ts"
import { DeskBookings } from "./desk/DeskBookings.ts"
import { ClosedVisits } from "./desk/ClosedVisits.ts"
import { MonthFigures } from "./desk/MonthFigures.ts"
import { OwedBookings } from "./desk/OwedBookings.ts"
import { ShownBookings } from "./family/ShownBookings.ts"
import { OperatorDays } from "./operator/OperatorDays.ts"
import { SignIn } from "../staff/SignIn.ts"
import { Staff } from "../staff/Staff.ts"
import { StaffSessions } from "../staff/StaffSessions.ts"

export const pageViews = Layer.mergeAll(
  BookingLinks.layer,
  CheckoutReturn.layer,
  LostLinks.layer,
  DeskBookings.layer,
  ClosedVisits.layer,
  MonthFigures.layer,
  OwedBookings.layer,
  OperatorDays.layer,
  Operators.layer,
  ShownBookings.layer,
  SignIn.layer,
  Staff.layer,
  StaffSessions.layer,
  VenueClosures.layer
)
