/** What the pages show: a service each, beside its page's HTML. */
import { Layer } from "effect"
import { CheckoutReturn } from "./checkout/CheckoutReturn.ts"
import { ShownBookings } from "./family/ShownBookings.ts"
import { OperatorDays } from "./operator/OperatorDays.ts"

export const pageViews = Layer.mergeAll(CheckoutReturn.layer, OperatorDays.layer, ShownBookings.layer)
