/** Pages of families, each as it is in one state: served from bookings that are written down. What needs a database: `livedScreens.ts`. */
import { Effect, Layer, Option, Context } from "effect"
import type { Language } from "../../src/i18n/Languages.ts"
import { Reference } from "../../src/kernel/Ids.ts"
import { dayMs, minuteMs } from "../../src/kernel/LocalTime.ts"
import type { PayerStatus, PayerView } from "../../src/pages/checkout/CheckoutReturn.ts"
import type { ShownBooking } from "../../src/pages/family/ShownBookings.ts"
import { start } from "./HttpSurface.ts"
import { from } from "./LetterWorld.ts"
import { bookingRow, playroom, shownAt, shownBookings } from "./shownBookings.ts"

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

const statuses: Readonly<Record<PayerStatus, true>> = {
  confirmed: true,
  on_its_way: true,
  open: true,
  failed: true,
  closed: true,
  ended: true,
  going_back: true,
  paid_back: true,
  cancelled: true,
  not_needed_going_back: true,
  not_needed_paid_back: true,
  nothing_due: true,
  asks_venue: true,
  under_review: true,
  sent_back: true
}
const isStatus = (text: string): text is PayerStatus => text in statuses

const { ends_at, starts_at, terms } = bookingRow()
const payerView = (status: PayerStatus): PayerView => ({
  status,
  reference: Reference.make("K7M2-9QXD"),
  package_name: terms.package_name,
  playroom_name: terms.playroom_name,
  operator: balance_due.summary.operator,
  now: shownAt,
  time_zone: terms.time_zone,
  address: terms.address,
  starts_at,
  ends_at,
  photos: playroom.photos,
  amount: 5000,
  currency: "GBP",
  balance: false,
  outstanding: 15_000,
  outstanding_by: starts_at - dayMs,
  payable: true,
  refund: { amount: 4000, by_hand: 2000 },
  held_until: shownAt + 14 * minuteMs,
  page_url: "https://book.example.com/b/token",
  ...(status === "open" ? { url: "https://pay.example/1" } : {})
})

/** Paths by what they show: each standing of a booking first. */
const paths: ReadonlyArray<readonly [name: string, path: string]> = [
  ...[...shownBy.keys()].map((name) => [name, `/b/${name}`] as const),
  ...["to_pay", "balance_due", "paid", "not_payable"].map((name) => [`pay page, ${name}`, `/p/${name}`] as const),
  ...Object.keys(statuses).map(
    (name) => [`after paying, ${name}`, `/checkout/return?outcome=cancel&token=${name}`] as const
  ),
  ["after paying, waiting", "/checkout/return?outcome=success&look=9&token=open"],
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
        show: (token) => Effect.succeed(Option.fromUndefinedOr(shownBy.get(token))),
        look: ({ booking }) => Effect.succeed(isStatus(booking) ? Option.some(payerView(booking)) : Option.none()),
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
