/** The venues whose bookings are paid in the tests: one of every way to pay, and a second operator's. */
import type { Package } from "../../src/domain/catalogue/Package.ts"
import type { Venue } from "../../src/domain/catalogue/Playroom.ts"
import { packageWith, testId, venueWith } from "./venues.ts"

/** Two hours of the whole room for £120, all due at once; 100 % back until two days before, half until a day before. */
const party: Package = packageWith({
  package_id: testId.package(901),
  name: "Party",
  mode: "exclusive",
  duration_minutes: 120,
  pricing: { base: 12_000, included_children: 10, extra_child: 0, adult: 0, rules: [] },
  schedule: { times: ["10:00"] },
  cancellation: [
    { hours_before: 48, refund_percent: 100 },
    { hours_before: 24, refund_percent: 50 }
  ]
})

/** The same for £200, with a deposit of £50 that is not refundable. */
const depositParty: Package = {
  ...party,
  package_id: testId.package(902),
  pricing: { ...party.pricing, base: 20_000 },
  payment: { kind: "deposit", deposit: { amount: 5000 }, balance_due_hours_before: 24, refundable: false }
}

/** The same, with nothing due when booking. */
const trustedParty: Package = {
  ...depositParty,
  package_id: testId.package(903),
  payment: { kind: "deposit", deposit: { amount: 0 }, balance_due_hours_before: 24, refundable: true }
}

/** The same with a deposit that is refundable. */
const refundableParty: Package = {
  ...depositParty,
  package_id: testId.package(904),
  payment: { kind: "deposit", deposit: { amount: 5000 }, balance_due_hours_before: 24, refundable: true }
}

/** The same as the first one with a deposit, and the rest is paid at the venue. */
const venueParty: Package = {
  ...depositParty,
  package_id: testId.package(985),
  payment: {
    kind: "deposit",
    deposit: { amount: 5000 },
    balance_due_hours_before: 0,
    balance: "at_venue",
    refundable: false
  }
}

export const packages = { party, depositParty, trustedParty, refundableParty, venueParty }
export const account = "acct_1"

export const venue: Venue = venueWith({ playroom_id: testId.playroom(90) }, Object.values(packages))
/** A second operator, with another account. */
export const otherVenue: Venue = {
  ...venueWith({ playroom_id: testId.playroom(91), operator_id: testId.operator(2) }, [
    { ...party, package_id: testId.package(911) }
  ]),
  operator: {
    operator_id: testId.operator(2),
    name: "Other Ltd",
    connected_account_id: "acct_2",
    billing_customer_id: "cus_2",
    application_fee_percent: 0
  }
}
