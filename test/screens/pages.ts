/**
 * Pages of families, each as it is in one state: served from bookings that are written down. What needs a database:
 * `livedScreens.ts`.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { Language } from "../../src/words/Languages.ts"
import { dayMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import type { PaidNotice } from "../../src/surfaces/web/family/BookingPage.ts"
import type { ReturnedPayment, ShownBooking } from "../../src/surfaces/web/family/ShownBookings.ts"
import { start } from "../support/HttpSurface.ts"
import { from } from "../support/LetterWorld.ts"
import { bookingRow, misfitOf, playroom, shownAt, shownBookings } from "../support/shownBookings.ts"
import { SqlClient } from "effect/sql"
import { VoucherSales } from "../../src/domain/payment/settlement/VoucherSales.ts"
import { BookingOptions } from "../../src/domain/availability/BookingOptions.ts"
import { unguarded } from "../../src/platform/access/ApiKeys.ts"
import { buyPath, LinkTokens } from "../../src/platform/access/LinkTokens.ts"
import { bookingLink } from "../../src/domain/booking/BookingLinks.ts"
import { makeVenueClosures } from "../../src/domain/booking/VenueClosures.ts"
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import demo from "../../src/domain/import/demo.json" with { type: "json" }
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { deskPaths, type StaffMember } from "../../src/domain/people/staff/StaffMember.ts"
import { Staff } from "../../src/domain/people/staff/Staff.ts"
import { makeStaffSessions } from "../../src/domain/people/staff/StaffSessions.ts"
import { importVenue } from "../support/BookingWorld.ts"
import type { openBrowser } from "../support/Browser.ts"
import { FamilyPages, familyWorld, pageOf } from "../support/FamilyPages.ts"
import { confirmedOn, hall as moveHall, movable, optionOn } from "../support/moveWorld.ts"
import { bookAt, hall, loft, payAt } from "../support/operatorVenues.ts"
import { bookingWithSession, cancelBooking, createBooking, paidBooking } from "../support/PaymentWorld.ts"
import { packages } from "../support/paymentVenues.ts"
import { recordPayment, sellVoucher } from "../support/Acts.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import { payByVoucher } from "../../src/domain/payment/changes/VenuePayments.ts"
import { inGroups, voucherPath, Vouchers } from "../../src/domain/payment/sessions/Vouchers.ts"
import { answerQuestions } from "../../src/domain/payment/changes/AnsweredQuestions.ts"
import { BookingChanges } from "../../src/domain/payment/changes/BookingChanges.ts"
import type { LetterKind } from "../../src/domain/booking/LetterOutbox.ts"
import { letterContent } from "../../src/surfaces/letters/LetterContent.ts"

const { balance_due, cancelled_going_back, paid } = shownBookings

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

const questions: NonNullable<ShownBooking["summary"]["questions"]> = [
  { slug: "allergies", text: "Hat jemand eine Allergie oder Lebensmittelunverträglichkeit?", required: true },
  { slug: "child", text: "Wie heißt das Geburtstagskind?" },
  { slug: "cake", text: "Welche Torte?", options: ["Schwarzwälderkirschtorte ohne Alkohol", "Karotte", "keine"] }
]

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
  ["asked", { ...balance_due, summary: { ...balance_due.summary, questions } }],
  [
    "answered",
    {
      ...paid,
      booking: {
        ...paid.booking,
        guests: [
          { guest_id: "1", name: "Maximilian-Alexander", allergies: "Erdnüsse, Haselnüsse und alles mit Sesam" },
          { guest_id: "2", name: "Ida", allergies: "" }
        ],
        answers: [
          {
            slug: "allergies",
            text: "Hat jemand eine Allergie oder Lebensmittelunverträglichkeit?",
            answer: "Erdnüsse (Tom),\nMilcheiweiß (Ida): bitte keinen Käse"
          },
          { slug: "cake", text: "Welche Torte?", answer: "Schwarzwälderkirschtorte ohne Alkohol" }
        ]
      },
      summary: { ...paid.summary, questions }
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
const goingBack = { amount: 4000, by_hand: 2000, disputed: 0, blocked: 0, failed: 0, sent: false }

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
                ? Option.some({
                    booking: bookingRow(),
                    bring: "Grip socks",
                    changed_at: shownAt,
                    changes: 1,
                    playroom,
                    questions: [
                      {
                        slug: "waiver",
                        text: "I have read the house rules on your site, and agree to them: my name",
                        required: true,
                        guests: true
                      },
                      { slug: "socks", text: "Which size of socks?", options: ["small", "large"], guests: true }
                    ],
                    most_guests: 24
                  })
                : Option.none()
            ),
          receipt: () =>
            Effect.succeed({
              seller: { name: "Play", legal_name: "Play & Party Ltd", tax_number: "GB 123 4567 89" },
              ledger: {
                lines: [
                  { at: shownAt, what: "payment", amount: 20_000, currency: "GBP" },
                  { at: shownAt + dayMs, what: "refund", cause: "cancellation", amount: 15_000, currency: "GBP" }
                ],
                kept: 5000
              }
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

// Pages of families, owners and staff that need a booking in the database: its steps, the owner's page, and the desk.

// Letters to families as they are read: the HTML of each kind, in the reader's language.

/** Of £150 that goes back, £50 was paid at the venue. */
const twoWays = {
  ...cancelled_going_back,
  summary: { ...cancelled_going_back.summary, refund_by_hand: 5000 }
}

const letters: Readonly<Record<LetterKind, ShownBooking>> = {
  confirmed: balance_due,
  changed: paid,
  ended: twoWays,
  balance_due,
  visit: { ...paid, summary: { ...paid.summary, questions } },
  refund_failed: cancelled_going_back,
  sent_back: {
    ...shownBookings.to_pay,
    summary: {
      ...shownBookings.to_pay.summary,
      sent_back: [{ amount: 4999, currency: "GBP", state: "going_back" }]
    }
  },
  link: paid,
  booked: shownBookings.to_pay,
  readdressed: paid,
  from_venue: paid,
  places_back: shownBookings.to_pay
}

const isKind = (name: string): name is LetterKind => name in letters

const letterOf = (kind: LetterKind, language: Language): string => {
  const shown = letters[kind]
  const { booking, summary } = shown
  const { html } = letterContent({
    kind,
    language,
    shown,
    extras: [],
    words: kind === "from_venue" ? "The bouncy castle is broken.\n\nWe have a tower instead." : null,
    from: "bookings@example.org",
    before:
      kind === "changed"
        ? {
            starts_at: booking.starts_at - dayMs,
            ends_at: booking.ends_at - dayMs,
            children: 6,
            adults: booking.adults,
            total: booking.total
          }
        : null,
    entry: { booking, changes: 1, changed_at: shownAt, operator: summary.operator },
    refund_failed: [{ amount: 5000, currency: "GBP" }],
    stop_url: "https://book.example.com/r/token"
  })
  // Whoever shows the letter has the landmark.
  const within = html
    .replace('<div class="letter">', '<main class="letter">')
    .replace("</footer>\n</div>", "</footer>\n</main>")
  return `data:text/html;base64,${Buffer.from(within).toString("base64")}`
}

export const letterScreens: ReadonlyArray<Screen> = Object.keys(letters)
  .filter(isKind)
  .map((kind) => ({ name: `letter, ${kind}`, url: (language) => letterOf(kind, language) }))

type Browser = Effect.Success<ReturnType<typeof openBrowser>>

/** Where these pages are served: over real services, a scripted provider, and the tests' clock. */
export const livedWorld = familyWorld({ letters: { kind: "sandbox", from } })

const stepsOfFamilies = Effect.gen(function* () {
  yield* importVenue({
    ...moveHall,
    playroom: { ...moveHall.playroom, waiting_list_minutes: 720 },
    packages: moveHall.packages.map((pkg) => (pkg.package_id === movable.play.package_id ? { ...pkg, questions } : pkg))
  })
  const provider = yield* ScriptedGateway
  const held = yield* bookingWithSession()
  const paid = yield* paidBooking()
  const deposit = yield* paidBooking(packages.depositParty)
  const disputed = yield* paidBooking()
  provider.refundInDashboard(disputed.session, 5000)
  provider.openDispute(disputed.session, 7000)
  const cancelled = yield* paidBooking()
  yield* cancelBooking(cancelled.booking)
  const party = yield* confirmedOn("2026-12-12")
  const weekday = yield* confirmedOn("2026-12-15")
  const fixed = yield* confirmedOn("2026-12-10", "10:00", movable.fixedParty)
  const play = yield* confirmedOn("2026-12-12", "15:00", movable.play)
  const { key_id } = yield* Grants.use((grants) =>
    grants.agree(
      {
        consent: "consent",
        scopes: ["bookings:read", "bookings:write"],
        client_id: "https://chat.example/client.json",
        client_name: "An assistant",
        host: "chat.example",
        proven: false,
        address: "203.0.113.9",
        key: undefined
      },
      unguarded
    )
  )
  const byGuest = yield* createBooking(packages.party, { key: key_id })
  const page = yield* pageOf(party)
  const stepOf = (booking: Parameters<typeof pageOf>[0], step: string) =>
    Effect.map(pageOf(booking), (url) => `${url}?step=${step}`)
  const reminders = yield* LinkTokens.use((links) => links.address(bookingLink("reminders", party)))
  /** Fills in the form of the party, and presses its first button. */
  const check = (children: number) =>
    `document.querySelector("#children").value = "${children}"; [...document.querySelectorAll("button")].find((one) => one.value === "check").focus()`
  return [
    { name: "booking, confirmed", url: page },
    { name: "cancelling, nothing paid", url: yield* stepOf(held.booking, "cancel") },
    { name: "cancelling, all back", url: yield* stepOf(paid.booking, "cancel") },
    { name: "cancelling, deposit", url: yield* stepOf(deposit.booking, "cancel") },
    { name: "cancelling, disputed", url: yield* stepOf(disputed.booking, "cancel") },
    { name: "booking, going back", url: yield* pageOf(cancelled.booking) },
    { name: "moving, days", url: `${page}?step=move` },
    { name: "moving, times", url: `${page}?step=move&date=2026-12-14` },
    { name: "moving, none free", url: `${page}?step=move&month=2026-11&date=2026-11-01` },
    { name: "moving, cheaper", url: `${page}?step=move&option=${yield* optionOn("2026-12-14", "15:00")}` },
    { name: "moving, dearer", url: `${yield* pageOf(weekday)}?step=move&option=${yield* optionOn("2026-12-19")}` },
    { name: "moving, gone", url: `${page}?step=move&option=option_AAAA` },
    { name: "moving, not free", url: yield* stepOf(fixed, "move") },
    { name: "party", url: yield* stepOf(play, "party") },
    { name: "party, larger", url: yield* stepOf(play, "party"), press: check(10) },
    { name: "party, smaller", url: yield* stepOf(play, "party"), press: check(5) },
    { name: "party, too large", url: yield* stepOf(play, "party"), press: check(13) },
    { name: "questions", url: yield* stepOf(play, "questions") },
    {
      name: "questions, too long",
      url: yield* stepOf(play, "questions"),
      press: `const field = document.querySelector("textarea"); field.removeAttribute("maxlength"); field.value = "Nüsse! ".repeat(80); document.querySelector("form button").focus()`
    },
    { name: "party of a package", url: yield* stepOf(party, "party") },
    { name: "access of an assistant", url: yield* stepOf(byGuest, "access") },
    { name: "receipt, paid", url: yield* stepOf(paid.booking, "receipt"), printed: true },
    { name: "receipt, deposit", url: yield* stepOf(deposit.booking, "receipt"), printed: true },
    {
      name: "finding a booking, sent",
      url: `${yield* FamilyPages}/b`,
      press: `document.querySelector("#reference").value = "K7M2-9QXD"; document.querySelector("#email").value = "ana@example.com"; document.querySelector("main form button").focus()`
    },
    { name: "waiting list", url: `${yield* FamilyPages}/wait/${fixed.option_id}` },
    {
      name: "waiting list, nobody named",
      url: `${yield* FamilyPages}/wait/${fixed.option_id}`,
      press: `document.querySelector("main form button").focus()`
    },
    {
      name: "waiting list, joined",
      url: `${yield* FamilyPages}/wait/${fixed.option_id}`,
      press: `document.querySelector("#name").value = "Ana Lima"; document.querySelector("#email").value = "ana@example.com"; document.querySelector("main form button").focus()`
    },
    { name: "reminders", url: (yield* FamilyPages) + new URL(reminders).pathname }
  ] satisfies ReadonlyArray<Screen>
})

/** An owner's page and the desk on a Saturday with visits, after the browser was let in. */
const daysOfOperators = Effect.fnUntraced(function* (browser: Browser) {
  const saturday = "2026-12-05"
  const base = yield* FamilyPages
  const questionsOf = (venue: typeof hall) => ({
    ...venue,
    packages: venue.packages.map((pkg) => ({ ...pkg, questions }))
  })
  yield* importVenue(questionsOf(hall), questionsOf(loft))
  const booked = yield* bookAt(hall, saturday, "12:30", "trusted", {
    name: "Rosalind Featherstonehaugh",
    notes: "Nut allergy!\nWe bring a cake of our own.",
    phone: "+44 20 7946 0123",
    child_ages: [5, 6, 5, 5, 4, 6, 5, 5],
    bubbles: 2,
    cake: true
  })
  yield* BookingChanges.use(({ run }) =>
    run(
      answerQuestions,
      booked.booking_id,
      { questions, given: { allergies: "", child: "Anna-Magdalena", cake: "Karotte" } },
      { preview: false, who: { as: "family" } }
    )
  )
  yield* payAt(yield* bookAt(hall, saturday, "10:00", "deposit"))
  yield* bookAt(loft, saturday, "10:00", "paid")
  const paid = yield* bookAt(loft, saturday, "12:30", "paid", { name: "Sam Door" })
  yield* payAt(paid)
  const { operator_id } = hall.operator
  const [bubbles] = hall.add_ons
  if (bubbles !== undefined) {
    const broken = { from: saturday, to: saturday, starts: "12:00", ends: "15:30" }
    yield* Effect.flatMap(makeVenueClosures, (closures) =>
      closures.close(
        { operator_id, add_on_id: bubbles.add_on_id, times: broken, reason: "Burst seam" },
        { who: "Maria Wilhelmine" }
      )
    )
  }
  const atVenue = yield* bookAt(hall, "2026-12-12", "10:00", "deposit")
  yield* recordPayment(atVenue.booking_id, { amount: atVenue.due_now, way: "cash", done_by: "Ana" }, { preview: false })
  const code = yield* sellVoucher(operator_id, 5000, { sold_by: "Maria Wilhelmine" })
  const [voucher] = yield* Vouchers.use((vouchers) => vouchers.latest(operator_id))
  yield* SqlClient.SqlClient.use(
    (sql) => sql`update operator set vouchers =
        '{"currency": "GBP", "min_amount": 1000, "max_amount": 25000, "valid_months": 36}'
      where operator_id = ${operator_id}`
  )
  const bought = yield* Effect.gen(function* () {
    const sales = yield* VoucherSales
    const provider = yield* ScriptedGateway
    const voucher_id = yield* sales.newId
    const buyer = { name: "Rosalind Featherstonehaugh", email: "rosalind@example.com" }
    const said = { recipient: "Ida and Rosa", greeting: "Happy birthday, and see you on the slide!" }
    yield* sales.buy(
      { voucher_id, operator_id, amount: 5000, buyer, ...said, language: "en", description: "Gift voucher" },
      "192.0.2.1"
    )
    const sale = yield* Effect.flatMap(sales.find(voucher_id), Effect.fromOption)
    const back = base + new URL(sale.request.success_url).pathname
    const paid = yield* sales.newId
    yield* sales.buy(
      { voucher_id: paid, operator_id, amount: 5000, buyer, ...said, language: "en", description: "Gift voucher" },
      "192.0.2.1"
    )
    const other = yield* Effect.flatMap(sales.find(paid), Effect.fromOption)
    yield* sales.settle(other.payment_session_id, provider.act(other, "pay"))
    return { back, code: yield* Vouchers.use((vouchers) => vouchers.code(paid)) }
  })
  const owner = yield* LinkTokens.use((links) => links.address({ page: "operator", operator_id, counter: 0 }))
  const day = base + new URL(owner).pathname
  const { member } = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Ana", role: "desk" }))
  const guest = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Ben", role: "desk" }))
  const manager = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Maria Wilhelmine", role: "manager" }))
  const sessionOf = Effect.fnUntraced(function* ({ staff_id }: StaffMember) {
    const value = yield* Effect.flatMap(makeStaffSessions, (sessions) => sessions.begin(staff_id))
    return browser.command("Network.setCookie", { name: "desk", value, url: base, httpOnly: true })
  })
  const signedIn = yield* sessionOf(member)
  const asManager = yield* sessionOf(manager.member)
  const signedOut = browser.command("Network.clearBrowserCookies", {})
  const desk = base + deskPaths.desk
  const book = base + deskPaths.book
  const sold = hall.packages[1]?.package_id
  const play = `${book}?package=${sold ?? ""}&children=8&adults=2`
  const { options } = yield* BookingOptions.use((service) =>
    service.list({
      playroom_id: hall.playroom.playroom_id,
      ...(sold === undefined ? {} : { package_id: sold }),
      date: saturday,
      date_to: "2026-12-20",
      children: 8,
      adults: 2
    })
  )
  const who = `${book}?option=${options[0]?.option_id ?? ""}`
  const check = `document.querySelector("#name").value = "Ida Green"; document.querySelector("#email").value = "ida@example.com"; document.querySelector("[value=check]").focus()`
  return [
    { name: "desk, what to book", url: book, before: signedIn },
    { name: "desk, free days", url: play, before: signedIn },
    { name: "desk, free times", url: `${play}&date=2026-12-12`, before: signedIn },
    { name: "desk, for whom", url: who, before: signedIn },
    { name: "desk, for nobody", url: who, before: signedIn, press: `document.querySelector("[value=check]").focus()` },
    { name: "desk, book this", url: who, before: signedIn, press: check },
    {
      name: "desk, link for the family",
      url: `${base}${deskPaths.booking}${booked.booking_id}?step=link`,
      before: signedIn
    },
    { name: "owner, a Saturday", url: `${day}?day=${saturday}`, printed: true },
    { name: "owner, a day without visits", url: `${day}?day=2026-12-04` },
    { name: "desk, invitation", url: base + new URL(guest.url).pathname },
    { name: "desk, signing in", url: desk, before: signedOut },
    { name: "desk, a Saturday", url: `${desk}?day=${saturday}`, before: signedIn, printed: true },
    { name: "desk, a day without visits", url: `${desk}?day=2026-12-04`, before: signedIn },
    { name: "desk, found", url: `${desk}?find=rosalind`, before: signedIn },
    { name: "desk, nothing found", url: `${desk}?find=nobody`, before: signedIn },
    { name: "desk, booking", url: `${base}${deskPaths.booking}${booked.booking_id}`, before: signedIn },
    { name: "desk, now", url: base + deskPaths.now, before: signedIn },
    {
      name: "desk, now: how it is paid",
      url: base + deskPaths.now,
      before: signedIn,
      press: `location.href = document.querySelector("a[href*='till=now']").href`
    },
    { name: "desk, till", url: base + deskPaths.till, before: signedIn },
    { name: "desk, vouchers", url: base + deskPaths.vouchers, before: signedIn },
    { name: "desk, voucher", url: `${base}${deskPaths.vouchers}?id=${voucher?.voucher_id ?? ""}`, before: asManager },
    {
      name: "desk, pay by voucher",
      url: `${base}${deskPaths.booking}${booked.booking_id}?step=${payByVoucher.step}`,
      before: signedIn
    },
    { name: "voucher", url: `${base}${voucherPath}${inGroups(code)}`, printed: true },
    { name: "voucher, bought online", url: `${base}${voucherPath}${inGroups(bought.code)}`, printed: true },
    { name: "buying a voucher", url: `${base}${buyPath}${operator_id}` },
    {
      name: "buying a voucher, nothing entered",
      url: `${base}${buyPath}${operator_id}`,
      press: `document.querySelector("form.card button").focus()`
    },
    { name: "buying a voucher, not paid yet", url: bought.back },
    { name: "no vouchers online", url: `${base}${buyPath}nobody` },
    { name: "no such voucher", url: `${base}${voucherPath}nothing` },
    { name: "desk, waiting list", url: base + deskPaths.waiting, before: signedIn },
    {
      name: "desk, an exception",
      url: who,
      before: signedIn,
      press: check.replace("document", `document.querySelector("#ages").value = "1, 15, 5, 5, 5, 5, 5, 5"; document`)
    },
    {
      name: "desk, block an extra",
      url: base + deskPaths.closing,
      before: asManager,
      press: `const room = document.querySelector("#playroom"); room.value = "${bubbles?.add_on_id ?? ""}"; document.querySelector("#from").value = "${saturday}"; document.querySelector("#reason").value = "Torn"; document.querySelector("[value=check]").focus()`
    },
    { name: "desk, who owes what", url: base + deskPaths.owed, before: asManager },
    { name: "desk, to decide on", url: base + deskPaths.closed, before: asManager },
    { name: "desk, block a time", url: base + deskPaths.closing, before: asManager },
    { name: "desk, month", url: `${base}${deskPaths.month}?month=2026-12`, before: asManager },
    { name: "desk, people", url: base + deskPaths.people, before: asManager },
    ...["pay", "party", "move", "cancel"].map((step) => ({
      name: `desk, ${step}`,
      url: `${base}${deskPaths.booking}${booked.booking_id}?step=${step}`,
      before: asManager
    })),
    { name: "desk, give back", url: `${base}${deskPaths.booking}${paid.booking_id}?step=back`, before: asManager }
  ] satisfies ReadonlyArray<Screen>
})

/** What people see of playrooms, without an assistant: those of the demo. */
const roomsToLookAt = Effect.gen(function* () {
  yield* CatalogueFile.use((file) => file.restoreDemo)
  const base = yield* FamilyPages
  const idOf = (name: string) => demo.playrooms.find((playroom) => playroom.name === name)?.playroom_id ?? "nothing"
  return [
    { name: "start, with playrooms", url: base },
    { name: "playrooms", url: `${base}/rooms` },
    { name: "playrooms of a city", url: `${base}/rooms?city=Berlin` },
    { name: "playrooms, none", url: `${base}/rooms?city=Atlantis` },
    { name: "playroom", url: `${base}/rooms/${idOf("Sunny Side Clapham")}` },
    { name: "playroom without photos", url: `${base}/rooms/${hall.playroom.playroom_id}` },
    { name: "playroom, missing", url: `${base}/rooms/nothing` }
  ] satisfies ReadonlyArray<Screen>
})

/** The pages, once what they show has happened. */
export const livedScreens = Effect.fnUntraced(function* (browser: Browser) {
  const families = yield* stepsOfFamilies
  const operators = yield* daysOfOperators(browser)
  return [...families, ...operators, ...(yield* roomsToLookAt)]
})
