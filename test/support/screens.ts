/** Pages of families, each as it is in one state: served from bookings that are written down. What needs a database: `livedScreens.ts`. */
import { Effect, Layer, Option, Context } from "effect"
import type { Language } from "../../src/words/Languages.ts"
import { dayMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import type { PaidNotice } from "../../src/surfaces/web/family/BookingPage.ts"
import type { ReturnedPayment, ShownBooking } from "../../src/surfaces/web/family/ShownBookings.ts"
import { start } from "./HttpSurface.ts"
import { from } from "./LetterWorld.ts"
import { bookingRow, misfitOf, playroom, shownAt, shownBookings } from "./shownBookings.ts"

const { balance_due, paid } = shownBookings

/** A page to look at. */
export interface Screen {
  readonly name: string
  /** By the reader's language, if the page does not ask for it. */
  readonly url: string | ((language: Language) => string)
  /** What the browser needs first. */
  readonly before?: Effect.Effect<unknown>
  /** A script that fills in a form and focuses the button that is pressed then: the page after it is seen. */
  readonly press?: string
  /** Whether it is made to be printed. */
  readonly printed?: true
}

/** A booking of each standing, and what differs by more than its standing. */
export const shownBy: ReadonlyMap<string, ShownBooking> = new Map([
  ...Object.entries(shownBookings),
  ["unclear", { ...paid, unclear: true, summary: { ...paid.summary, disputed: true } }],
  [
    "moved",
    {
      ...paid,
      booking: { ...paid.booking, terms: { ...paid.booking.terms, moved_from: shownAt + 8 * dayMs } }
    }
  ],
  ["suspended", { ...balance_due, summary: { ...balance_due.summary, suspended: true, balance_online: false } }],
  [
    "declined",
    { ...balance_due, summary: { ...balance_due.summary, last_attempt: { at: shownAt, outcome: "declined" } } }
  ]
])

const session = (status: ReturnedPayment["session"]["status"], changes: Partial<ReturnedPayment["session"]> = {}) => ({
  session: {
    amount: 5000,
    currency: "GBP",
    expires_at: shownAt + 14 * minuteMs,
    misfit: null,
    purpose: "due_now" as const,
    status,
    url: "https://pay.example/1",
    ...changes
  }
})
const goingBack = { amount: 4000, by_hand: 2000, disputed: 0, failed: 0, sent: false }

/** What a payer reads who comes back, by what is said of the payment. */
const returned: Readonly<Record<PaidNotice, { readonly to: ShownBooking; readonly payment: ReturnedPayment }>> = {
  arrived: { to: balance_due, payment: session("paid") },
  waiting: { to: shownBookings.to_pay, payment: session("open") },
  on_its_way: { to: shownBookings.expired, payment: session("processing") },
  not_paid: { to: shownBookings.to_pay, payment: session("open") },
  closed: { to: shownBookings.to_pay, payment: session("expired") },
  late: { to: shownBookings.expired, payment: session("open") },
  not_needed: { to: paid, payment: { ...session("paid"), not_counted: { ...goingBack, cause: "not_needed" } } },
  under_review: {
    to: paid,
    payment: session("paid", { misfit: misfitOf(4999) })
  },
  sent_back: {
    to: shownBookings.to_pay,
    payment: { ...session("paid"), not_counted: { ...goingBack, cause: "misfit" } }
  }
}
/** The bookings of these pages, by their names. */
const afterPaying = new Map(
  Object.entries(returned).map(([name, { payment, to }]) => [`after-${name}`, { ...to, returned: payment }])
)

/** Paths by what they show: each standing of a booking first. */
const paths: ReadonlyArray<readonly [name: string, path: string]> = [
  ...[...shownBy.keys()].map((name) => [name, `/b/${name}`] as const),
  ...["to_pay", "balance_due", "paid", "not_payable"].map((name) => [`pay page, ${name}`, `/p/${name}`] as const),
  ...[...afterPaying.keys()].map(
    (name) =>
      [
        name.replace("-", " paying, "),
        `/b/${name}?paid=&look=9&outcome=${name === "after-not_paid" ? "cancel" : "success"}`
      ] as const
  ),
  ["pay page, after paying", "/p/after-arrived?paid=&outcome=success"],
  ["after paying, link renewed", "/checkout/return?outcome=cancel&payment=renewed"],
  ["after paying, unknown", "/checkout/return?outcome=cancel&payment=unknown"],
  ["invitation", "/i/visit"],
  ["finding a booking", "/b"],
  ["no such booking", "/b/nothing"],
  ["no such invitation", "/i/nothing"],
  ["start", "/"]
]

/** Where these pages are served. */
class Pages extends Context.Service<Pages, string>()("test/Screens") {
  static readonly layer = Layer.effect(
    Pages,
    Effect.map(
      start({
        settings: { letters: { kind: "sandbox", from } },
        families: {
          show: (token) => Effect.succeed(Option.fromUndefinedOr(shownBy.get(token) ?? afterPaying.get(token))),
          payerReturn: ({ payment }) =>
            Effect.succeed(
              payment === "renewed"
                ? Option.some({
                    shown: { ...shownBookings.to_pay, returned: session("open") },
                    withheld: "renewed" as const
                  })
                : Option.none()
            ),
          invited: (token) =>
            Effect.succeed(
              token === "visit"
                ? Option.some({ booking: bookingRow(), bring: "Grip socks", changed_at: shownAt, changes: 1, playroom })
                : Option.none()
            ),
          receipt: () =>
            Effect.succeed({
              seller: { name: "Play", legal_name: "Play & Party Ltd", tax_number: "GB 123 4567 89" },
              moved: [
                { at: shownAt, what: "payment", amount: 20_000 },
                { at: shownAt + dayMs, what: "refund", amount: 15_000 }
              ]
            })
        }
      }),
      ({ base }) => base
    )
  )
}

export const writtenWorld = Pages.layer
export const writtenScreens: Effect.Effect<ReadonlyArray<Screen>, never, Pages> = Effect.map(Pages, (base) => [
  ...paths.map(([name, path]) => ({ name, url: base + path })),
  { name: "receipt", url: `${base}/b/cancelled_paid_back?step=receipt`, printed: true }
])
