/** What the pages show: a service each, beside its page's HTML, and the links by which families reach theirs. */
import { Layer } from "effect"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { LostLinks } from "../booking/LostLinks.ts"
import { CheckoutReturn } from "./checkout/CheckoutReturn.ts"
import { ShownBookings } from "./family/ShownBookings.ts"
import { OperatorDays } from "./operator/OperatorDays.ts"

export const pageViews = Layer.mergeAll(
  BookingLinks.layer,
  CheckoutReturn.layer,
  LostLinks.layer,
  OperatorDays.layer,
  ShownBookings.layer
)
