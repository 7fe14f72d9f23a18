/**
 * `/desk/book`: staff book for a family on the telephone or at the counter: what, when, for whom, and what will happen
 * with the money. What is chosen stands in the address, and what is entered in the form, so that nothing is stored
 * before it is booked.
 */
import { Clock, Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { AdultCount, ChildCount } from "../../../domain/availability/Availability.ts"
import type { PricedOption } from "../../../domain/availability/BookingOption.ts"
import { BookingOptions } from "../../../domain/availability/BookingOptions.ts"
import type { VisitRequest } from "../../../domain/availability/Decision.ts"
import { Exception, settingAside } from "../../../domain/availability/Exceptions.ts"
import { window } from "../../../domain/availability/Starts.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import type { BookingRequest } from "../../../domain/booking/BookingRequest.ts"
import type { CreateError } from "../../../domain/booking/Bookings.ts"
import { limitsOf, type PartyLimits } from "../../../domain/booking/ChangePlan.ts"
import { Catalogue } from "../../../domain/catalogue/Catalogue.ts"
import { unpack } from "../../../domain/availability/OptionId.ts"
import { pricesByAge } from "../../../domain/catalogue/ChildPrices.ts"
import { answerTo, askedBefore } from "../../../domain/catalogue/Questions.ts"
import { codeOf } from "../../../domain/catalogue/Codes.ts"
import type { Package } from "../../../domain/catalogue/Package.ts"
import { atCounter, packageOf, type Venue } from "../../../domain/catalogue/Playroom.ts"
import type { Party } from "../../../domain/catalogue/Pricing.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { durationIn, momentIn, moneyIn, partyIn, visitTimeIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { noEmail } from "../../../platform/text/Contact.ts"
import { IdempotencyKey } from "../../../platform/ids/Ids.ts"
import { addDays, isLocalDate, type LocalDate, localDateOf, minuteMs } from "../../../platform/time/LocalTime.ts"
import { type Sold, venueBookings } from "../../../domain/payment/changes/VenueBookings.ts"
import { payAtVenue } from "../../../domain/payment/changes/VenuePayments.ts"
import { sendLink } from "../../../domain/payment/changes/Presses.ts"
import { OfflinePaymentMethod } from "../../../domain/payment/sessions/PaymentSession.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import {
  type PageAnswer,
  actions,
  buttonLink,
  choices,
  emailLink,
  facts,
  hiddenInputs,
  isolated,
  notice,
  paragraphs,
  phoneLink,
  section
} from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import {
  type BookableDays,
  chosenMonth,
  daysOfMonth,
  type StartStep,
  type StartView,
  timesOfDay
} from "../frame/StartChoice.ts"
import { alertOf, balanceHow } from "../family/BookingStep.ts"
import { priceTable } from "../family/MoneyFacts.ts"
import {
  enteredFields,
  inputIn,
  contactFields,
  notesField,
  type PartyFormErrors,
  labelled,
  type PartyInput,
  type PartyOffer,
  sizeFields,
  wishIn
} from "../family/PartyStep.ts"
import {
  answersPart,
  faultsOf as answerFaults,
  field as answerField,
  nameOf,
  type Typed,
  typedIn
} from "../family/QuestionsStep.ts"
import { termsParagraphs, whenOf } from "../family/Visit.ts"
import { whyNotHad } from "./ChangeActions.ts"
import { deskAddress, staffActor, deskPage, type DeskRequest, type DeskScreen } from "./DeskFrame.ts"
import { choice, field } from "./ActForm.ts"

const blank = ({ adults, children }: Party): PartyInput => ({
  children: String(children),
  adults: String(adults),
  ages: "",
  name: "",
  email: "",
  phone: "",
  notes: "",
  extras: new Map()
})

/** What may be booked of a visit's package: sizes and extras. */
const offerOf = (visit: VisitRequest): PartyOffer => ({
  for_staff: true,
  currency: visit.venue.playroom.currency,
  ages: visit.venue.playroom,
  by_age: pricesByAge(visit.pkg),
  party: { ...limitsOf(visit), add_ons: visit.venue.add_ons }
})

/** The answers as a call has them. */
const answerLines = (answers: Typed, { pkg }: VisitRequest): Pick<BookingRequest, "answers"> => {
  const lines = askedBefore(pkg).flatMap(({ slug }) => {
    const answer = answerTo(slug, answers) ?? ""
    return answer === "" ? [] : [`${slug}: ${answer}`]
  })
  return lines.length === 0 ? {} : { answers: lines }
}

/** What was entered; the visit's own party for what the form did not have. */
const bookingInputIn = (form: URLSearchParams, visit: VisitRequest): PartyInput =>
  inputIn(form, blank(visit.party), offerOf(visit))

/** What the form asks to book, and what is wrong with it. */
const bookingWishIn = (
  { answers, input: entered }: Pick<EnteredBooking, "answers" | "input">,
  visit: VisitRequest,
  language: Language
): {
  readonly party: Party
  readonly request: Omit<BookingRequest, "idempotency_key" | "option_id">
  readonly faults: PartyFormErrors
} => {
  // Who gives no address is told nothing by letter, and pays at the till.
  const known = { ...visit.party, contact_email: noEmail }
  const { faults, wish } = wishIn(entered, known, offerOf(visit), language)
  const { add_ons = [], adults = 0, child_ages = [], children = 1, contact_phone, notes } = wish
  return {
    party: { children, adults, ...(child_ages.length === 0 ? {} : { child_ages }), add_ons },
    request: {
      contact: {
        name: wish.contact_name ?? entered.name,
        email: wish.contact_email ?? entered.email,
        ...(contact_phone == null ? {} : { phone: contact_phone })
      },
      ...(child_ages.length === 0 ? {} : { child_ages }),
      ...(notes == null ? {} : { notes }),
      ...answerLines(answers, visit)
    },
    faults: { ...faults, ...answerFaults(askedBefore(visit.pkg), answers, {}, language) }
  }
}

/** The form's fields. */
const bookingFields = (
  { answers, input, visit }: EnteredBooking,
  faults: PartyFormErrors,
  language: Language
): Html => {
  const offer = offerOf(visit)
  return html`${contactFields(input, offer, faults, language, messages[language].desk.book.emailHint)}
${sizeFields(input, offer, faults, language)}
${askedBefore(visit.pkg).map((question) =>
  labelled(nameOf(question), isolated(question.text), faults, answerField(question, answers, {}, language))
)}
${notesField(input, offer, faults, language)}`
}

type Response = HttpServerResponse.HttpServerResponse

/** The address of a step: what was chosen before, and what is chosen by it. */
export const bookAddress = (chosen: Readonly<Record<string, string>>): string =>
  `${deskPaths.book}?${new URLSearchParams(chosen).toString()}`

/** A package and a party, for which a start is chosen. */
interface ChosenVisit extends Sold {
  readonly party: Party
}

const chosenFields = ({ party, pkg }: ChosenVisit) => ({
  package: pkg.package_id,
  children: String(party.children),
  adults: String(party.adults)
})

/** What is sold, by playroom. */
const whatPage = (desk: DeskRequest, venues: ReadonlyArray<Venue>): Response => {
  const { language } = desk
  const { book } = messages[language].desk
  const remark = ({ duration_minutes, mode }: Package) =>
    `${book.modes[mode]}${messages[language].words.comma}${durationIn(language, duration_minutes * minuteMs)}`
  const rooms = venues.filter(({ packages }) => packages.length > 0)
  return deskPage(desk, {
    title: book.title,
    head: html`<h1>${book.title}</h1>
<p class="lead">${rooms.length === 0 ? book.nothing : book.choose}</p>`,
    body: html`${rooms.map(({ packages, playroom }) =>
      section(playroom.name, [
        choices(
          packages.map((pkg) => ({
            href: bookAddress({ package: pkg.package_id }),
            label: pkg.name,
            remark: remark(pkg)
          }))
        )
      ])
    )}
${actions(buttonLink(deskPaths.desk, messages[language].desk.toDay, true))}`
  })
}

const namesOf = ({ pkg, venue }: Sold): Html => html`${isolated(pkg.name)} · ${isolated(venue.playroom.name)}`

/** The form in which the party's size is said, before the free starts for it. */
const sizeForm = (desk: DeskRequest, chosen: ChosenVisit, limits: PartyLimits): Html => {
  const { booking, desk: text } = messages[desk.language]
  const { adults, children, package: pkg } = chosenFields(chosen)
  const number = (name: string, value: string, least: number, most = 9999) =>
    html`<input id="${name}" name="${name}" type="number" inputmode="numeric" min="${least}" max="${most}" required value="${value}">`
  return html`<form class="card noprint" method="get" action="${deskPaths.book}">
${hiddenInputs({ package: pkg })}
${field("children", booking.lines.children, number("children", children, limits.least_children ?? 1, limits.most_children))}
${field("adults", booking.lines.adults, number("adults", adults, 0, limits.most_adults))}
${actions(html`<button class="second">${text.book.times}</button>`)}
</form>`
}

const startView = (desk: DeskRequest, chosen: ChosenVisit): Omit<StartView, "none"> => ({
  language: desk.language,
  time_zone: chosen.venue.playroom.time_zone,
  href: (step: StartStep) => bookAddress({ ...chosenFields(chosen), ...step })
})

/**
 * The party's size, and the days of a month on which something is free for it. `alert`: why another is to be chosen.
 */
export const daysPage = (
  desk: DeskRequest,
  chosen: ChosenVisit,
  limits: PartyLimits,
  starts: { readonly first: LocalDate; readonly bounds: BookableDays; readonly options: ReadonlyArray<PricedOption> },
  alert?: string
): Response => {
  const {
    desk: { book },
    waiting
  } = messages[desk.language]
  return deskPage(desk, {
    title: book.chooseDay,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${book.chooseDay}</h1>
${alertOf(alert)}<p class="lead">${namesOf(chosen)}</p>`,
    body: html`${sizeForm(desk, chosen, limits)}
${daysOfMonth({ ...startView(desk, chosen), none: book.noneIn }, starts.first, starts.bounds, starts.options)}
${actions(buttonLink(deskPaths.book, book.another, true), buttonLink(deskPaths.waiting, waiting.title, true))}`
  })
}

/** The free times of a day, with what they cost. */
export const timesPage = (
  desk: DeskRequest,
  chosen: ChosenVisit,
  date: LocalDate,
  options: ReadonlyArray<PricedOption>
): Response => {
  const { language } = desk
  const { desk: text, move } = messages[language]
  const { href, ...view } = startView(desk, chosen)
  return deskPage(desk, {
    title: move.chooseTime,
    head: html`<h1>${move.chooseTime}</h1>
<p class="lead">${namesOf(chosen)}<br>${partyIn(language, chosen.party)}</p>`,
    body: html`${timesOfDay({ ...view, href, none: text.book.noneOn }, date, options, ({ price }) =>
      moneyIn(language, price.total, price.currency)
    )}
${actions(
  buttonLink(href({ month: date.slice(0, 7) }), move.anotherDay, true),
  buttonLink(deskPaths.book, text.book.another, true)
)}`
  })
}

/** A visit with what is entered for it. */
interface EnteredBooking {
  readonly visit: VisitRequest
  readonly option_id: string
  readonly input: PartyInput
  /** A code for a lower price, as it was typed. */
  readonly code: string
  /** Answers to what is asked before it is booked. */
  readonly answers: Typed
}

const otherTime = ({ language }: DeskRequest, { visit }: EnteredBooking): Html => {
  const { start, venue } = visit
  const date = localDateOf(venue.playroom.time_zone, start)
  return buttonLink(bookAddress({ ...chosenFields(visit), date }), messages[language].move.anotherTime, true)
}

const hasCodes = ({ pkg }: Sold): boolean => (pkg.pricing.codes ?? []).length > 0

/** For whom it is. */
const whoPage = (
  desk: DeskRequest,
  entered: EnteredBooking,
  faults: PartyFormErrors = {},
  alert?: string
): Response => {
  const { language } = desk
  const { desk: text, words } = messages[language]
  const { code, option_id, visit } = entered
  const { pkg, start, venue } = visit
  return deskPage(desk, {
    title: text.book.who,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${text.book.who}</h1>
${alertOf(alert)}`,
    body: html`${facts([
      { term: words.visit, is: namesOf(visit) },
      {
        term: words.when,
        is: visitTimeIn(language, venue.playroom.time_zone, start, start + pkg.duration_minutes * minuteMs)
      }
    ])}
<form class="card" method="post" action="${deskPaths.book}" novalidate>
${hiddenInputs({ form: desk.form, option: option_id })}
${bookingFields(entered, faults, language)}
${hasCodes(visit) || code !== "" ? field("code", text.book.code, html`<input id="code" name="code" autocomplete="off" maxlength="100" value="${code}">`) : ""}
${actions(html`<button name="do" value="check">${text.goOn}</button>`, otherTime(desk, entered))}
</form>`
  })
}

/**
 * What is due now and how it may be paid: by link only if the operator's account takes payments, the family has an
 * address, and there is time enough.
 */
const payingParts = (
  { language }: DeskRequest,
  { operator: { account_closed }, ...venue }: VisitRequest["venue"],
  { contact_email, currency, due_now, hold_expires_at, starts_at, terms, total }: BookingRow,
  now: number
) => {
  const { desk, receipt } = messages[language]
  const { book } = desk
  const money = (amount: number) => moneyIn(language, amount, currency)
  if (hold_expires_at === null) return notice(html`<p>${book.free}</p>`)
  const ways = OfflinePaymentMethod.literals.map((value) => ({ value, label: receipt.paidBy[value] }))
  const linked = account_closed === undefined && contact_email !== noEmail && starts_at >= window(venue, now).earliest
  const byLink = linked ? [{ value: "link", label: book.link }] : []
  return html`${choice("pay", book.how, [...byLink, ...ways], undefined)}
${linked ? html`<p>${book.held(momentIn(language, terms.time_zone, hold_expires_at))}</p>` : ""}
${
  due_now === total
    ? ""
    : choice(
        "amount",
        book.howMuch,
        [
          { value: "due_now", label: book.due(money(due_now)) },
          { value: "total", label: book.all(money(total)) }
        ],
        "due_now"
      )
}`
}

/** The buttons by which it is booked. A walk-in pays the whole price with one of them. */
const bookButtons = ({ language }: DeskRequest, { contact_email, total }: BookingRow) => {
  const { desk, receipt } = messages[language]
  return contact_email === noEmail && total > 0
    ? OfflinePaymentMethod.literals.map((way) => html`<button name="do" value="${way}">${receipt.paidBy[way]}</button>`)
    : [html`<button name="do" value="book">${desk.book.confirm}</button>`]
}

/** The answers as the form has them. */
const answersEntered = ({ answers, visit }: EnteredBooking) =>
  Object.fromEntries(
    askedBefore(visit.pkg).map((question) => [nameOf(question), answerTo(question.slug, answers) ?? ""])
  )

/** What will be booked, and what happens with the money. `key`: of this one call, however often it is sent. */
const checkPage = (
  desk: DeskRequest,
  entered: EnteredBooking,
  booking: BookingRow,
  {
    agreed,
    alert,
    also,
    exceptions,
    key,
    now
  }: {
    readonly agreed: string
    readonly alert?: string
    readonly also: string | undefined
    readonly exceptions: ReadonlyArray<Exception>
    readonly key: string
    readonly now: number
  }
): Response => {
  const { language } = desk
  const { booking: text, desk: words, operator, venueAsks, words: common } = messages[language]
  const { answers, contact_email, contact_name, contact_phone, currency, due_now, notes, terms } = booking
  const { balance_due } = terms.price
  const money = (amount: number) => html`<strong>${moneyIn(language, amount, currency)}</strong>`
  const by = balanceHow(terms, language)
  const walksIn = contact_email === noEmail
  // They are for cancelling, which who is there already does not.
  const termsPart = walksIn
    ? undefined
    : section(
        text.terms,
        termsParagraphs(booking, { now, given_back: 0, left: 0, refund_on_its_way: 0, balance_paid: false }, language)
      )
  return deskPage(desk, {
    title: words.book.check,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${words.book.check}</h1>
${alertOf(alert)}
${also === undefined ? "" : notice(html`<p>${operator.alsoBooked(also)}</p>`)}
${exceptions.length === 0 ? "" : notice(html`<p><strong>${words.unusual}</strong></p><ul>${exceptions.map((one) => html`<li>${words.exceptions[one]}</li>`)}</ul>`)}`,
    body: html`<div class="columns">
<div>
${facts([
  { term: common.visit, is: html`${isolated(terms.package_name)}<br>${isolated(terms.playroom_name)}` },
  { term: common.when, is: whenOf(booking, language) },
  { term: text.who, is: partyIn(language, booking) },
  ...(notes === null ? [] : [{ term: operator.notes, is: paragraphs(notes) }]),
  ...(answers === null ? [] : [{ term: venueAsks.title, is: html`${answersPart(answers)}` }]),
  {
    term: words.contact,
    is: html`${isolated(contact_name)}<br>${contact_phone === null ? "" : html`${phoneLink(contact_phone)}<br>`}${walksIn ? "" : emailLink(contact_email)}`
  },
  { term: common.dueNow, is: money(due_now) },
  ...(balance_due === undefined
    ? []
    : [
        {
          term: common.balance,
          is: html`${money(balance_due)}${by === undefined ? "" : html`<br><span class="soft">${by}</span>`}`
        }
      ])
])}
${priceTable(booking, language)}
</div>
<div>
${termsPart}
<form class="card" method="post" action="${deskPaths.book}" novalidate>
${hiddenInputs({ ...enteredFields(entered.input), ...answersEntered(entered), code: entered.code, form: desk.form, option: entered.option_id, agreed, key, unusual: exceptions.join() })}
${walksIn ? "" : payingParts(desk, entered.visit.venue, booking, now)}
${actions(
  ...bookButtons(desk, booking),
  html`<button class="second" name="do" value="edit">${words.book.edit}</button>`,
  otherTime(desk, entered)
)}
</form>
</div>
</div>`
  })
}

/** What the address says was chosen. */
interface Chosen {
  readonly package?: string
  readonly children?: string
  readonly adults?: string
  readonly month?: string
  readonly date?: string
  readonly option?: string
  /** The option is sold to who stands at the counter. */
  readonly till?: string
}

/** A number in an address; `otherwise` if it is none. */
export const numberIn = <A extends number>(
  schema: Schema.Codec<A, number>,
  text: string | undefined,
  otherwise: number
): number =>
  Option.getOrElse(
    Schema.decodeUnknownOption(schema)(text === undefined || !/^\d{1,4}$/.test(text) ? undefined : Number(text)),
    () => otherwise
  )

const Submitted = Schema.Struct({
  do: Schema.Literals(["check", "edit", "book", ...OfflinePaymentMethod.literals]),
  option: Schema.String,
  code: Schema.optionalKey(Schema.String),
  /** The option with the party and the extras that the page showed. */
  agreed: Schema.optionalKey(Schema.String),
  /** The exceptions that the page told. */
  unusual: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(IdempotencyKey),
  pay: Schema.optionalKey(Schema.Literals(["link", ...OfflinePaymentMethod.literals])),
  amount: Schema.optionalKey(Schema.Literals(["due_now", "total"]))
})
const decode = Schema.decodeUnknownEffect(Submitted)

/** Why nothing was booked, in words for the desk. */
const whyNot = (error: Exclude<CreateError, SqlError.SqlError>, language: Language, zone: string): string => {
  switch (error._tag) {
    case "TooManyHolds":
      return messages[language].desk.book.tooMany
    case "AlreadyBooked":
    case "IdempotencyConflict":
      return messages[language].desk.changed
    case "InvalidArguments":
    case "KeepsChanging":
    case "OperatorUnavailable":
    case "OptionInvalid":
    case "PriceChanged":
    case "SlotUnavailable":
      return whyNotHad(error, language, zone)
  }
}

/** A visit without the rules that the venue may set aside: which these are is told before it is booked. */
const setAside = <Visit extends Sold>(visit: Visit): Visit => {
  const venue = settingAside(visit.venue, Exception.literals)
  return { ...visit, venue, pkg: Option.getOrElse(packageOf(venue, visit.pkg.package_id), () => visit.pkg) }
}

const isWay = Schema.is(OfflinePaymentMethod)

export const newBooking = Effect.gen(function* () {
  const bookings = yield* venueBookings
  const catalogue = yield* Catalogue
  const options = yield* BookingOptions
  const random = yield* SecureRandom.SecureRandom

  const nothing = ({ language }: DeskRequest) => linkProblemPage("nothing", language)

  const days = Effect.fnUntraced(function* (desk: DeskRequest, chosen: ChosenVisit, month: string, alert?: string) {
    const now = yield* Clock.currentTimeMillis
    const { time_zone } = chosen.venue.playroom
    const bounds = { earliest: localDateOf(time_zone, now), last: window(chosen.venue, now).lastDate }
    const { first, next } = chosenMonth(month, bounds, bounds.earliest)
    const found = yield* options.starts(atCounter(chosen), { from: first, to: addDays(next, -1) })
    const limits = limitsOf({ ...chosen, start: now })
    const alerted = alert ?? (Option.isNone(found) ? messages[desk.language].desk.book.nothing : undefined)
    return daysPage(desk, chosen, limits, { first, bounds, options: Option.getOrElse(found, () => []) }, alerted)
  })

  const choosing = Effect.fnUntraced(function* (desk: DeskRequest, asked: Chosen) {
    const found = yield* bookings.sold(desk.member.operator_id, asked.package ?? "")
    if (Option.isNone(found)) return nothing(desk)
    const { pkg } = found.value
    const children = numberIn(ChildCount, asked.children, Math.max(1, pkg.min_children))
    const party = { children, adults: numberIn(AdultCount, asked.adults, 0), add_ons: [] }
    const chosen = setAside({ ...found.value, party })
    if (!isLocalDate(asked.date)) return yield* days(desk, chosen, asked.month ?? "")
    const starts = yield* options.starts(atCounter(chosen), { from: asked.date, to: asked.date })
    return timesPage(
      desk,
      chosen,
      asked.date,
      Option.getOrElse(starts, () => [])
    )
  })

  const show = Effect.fnUntraced(function* (desk: DeskRequest, asked: Chosen) {
    if (asked.option !== undefined) {
      const visit = yield* bookings.visit(desk.member.operator_id, asked.option)
      if (Option.isNone(visit)) return nothing(desk)
      const own = setAside(visit.value)
      const input = bookingInputIn(new URLSearchParams(), own)
      const name = asked.till === undefined ? input.name : messages[desk.language].desk.walkIn.name
      const entered = { visit: own, option_id: asked.option, input: { ...input, name }, code: "", answers: {} }
      // Of who walks in only the ages may matter.
      return asked.till === undefined || pricesByAge(own.pkg)
        ? whoPage(desk, entered)
        : yield* check(desk, entered, own, asked.option)
    }
    return asked.package === undefined
      ? whatPage(desk, yield* catalogue.venuesOfOperator(desk.member.operator_id))
      : yield* choosing(desk, asked)
  })

  /** What was entered, for a visit of this operator. */
  const entering = Effect.fnUntraced(function* (desk: DeskRequest, option_id: string, form: URLSearchParams) {
    const visit = yield* bookings.visit(desk.member.operator_id, option_id)
    return Option.map(Option.map(visit, setAside), (found): EnteredBooking => ({
      visit: found,
      option_id,
      input: bookingInputIn(form, found),
      code: form.get("code") ?? "",
      answers: typedIn(form, askedBefore(found.pkg))
    }))
  })

  const wanted = ({ member }: DeskRequest) => ({ operator_id: member.operator_id, who: staffActor(member) })

  /** Says what will be booked. `agreed`: the option with what was entered. */
  const check = (
    desk: DeskRequest,
    entered: EnteredBooking,
    visit: VisitRequest,
    agreed: string,
    alert?: string
  ): PageAnswer =>
    Effect.gen(function* () {
      const { faults, request } = bookingWishIn(entered, visit, desk.language)
      if (Object.keys(faults).length > 0) return whoPage(desk, entered, faults, messages[desk.language].desk.book.wrong)
      const call = { ...wanted(desk), at_counter: true, request: { ...request, option_id: agreed } }
      const exceptions = yield* bookings.exceptions(call)
      const booking = yield* bookings.preview({ ...call, exceptions })
      const key = Buffer.from(yield* random.randomBytes(16)).toString("base64url")
      const now = yield* Clock.currentTimeMillis
      const also = yield* bookings.alsoOf(booking)
      return checkPage(desk, entered, booking, {
        agreed,
        also,
        exceptions,
        key,
        now,
        ...(alert === undefined ? {} : { alert })
      })
    }).pipe(
      Effect.catchIf(
        (error) => error._tag !== "SqlError",
        (error) => refused(desk, entered, error)
      )
    )

  const refused = (
    desk: DeskRequest,
    entered: EnteredBooking,
    error: Exclude<CreateError, SqlError.SqlError>
  ): PageAnswer =>
    error._tag === "PriceChanged"
      ? check(desk, entered, entered.visit, error.option.option_id, messages[desk.language].desk.changed)
      : Effect.succeed(whoPage(desk, entered, {}, whyNot(error, desk.language, entered.visit.venue.playroom.time_zone)))

  const book = (desk: DeskRequest, entered: EnteredBooking, form: typeof Submitted.Type): PageAnswer =>
    Effect.gen(function* () {
      const { agreed = "", amount = "due_now", key, pay, unusual = "" } = form
      const { faults, party, request } = bookingWishIn(entered, entered.visit, desk.language)
      const shown = yield* bookings.visit(desk.member.operator_id, agreed)
      if (key === undefined || Option.isNone(shown) || Object.keys(faults).length > 0)
        return linkProblemPage("unreadable", desk.language)
      const call = {
        ...wanted(desk),
        at_counter: pay !== "link",
        request: { ...request, option_id: agreed, idempotency_key: key }
      }
      const { price } = yield* bookings.option({ ...shown.value, party: { ...shown.value.party, ...party } })
      if (price.due_now > 0 && pay === undefined)
        return yield* check(desk, entered, entered.visit, agreed, messages[desk.language].desk.book.which)
      const exceptions = yield* bookings.exceptions(call)
      if (exceptions.some((one) => !unusual.split(",").includes(one)))
        return yield* check(desk, entered, entered.visit, agreed, messages[desk.language].desk.changed)
      const paid = pay === undefined || pay === "link" ? undefined : { way: pay, amount }
      const { booking, unpaid } = yield* bookings.make({ ...call, exceptions, paid })
      const by_link = booking.status === "held" && paid === undefined
      if (booking.contact_email === noEmail && !unpaid)
        return redirectAfterPost(`${deskPaths.now}?sold=${booking.booking_id}`)
      return redirectAfterPost(
        deskAddress(booking.booking_id, by_link ? sendLink.step : unpaid ? payAtVenue.step : undefined)
      )
    }).pipe(
      Effect.catchIf(
        (error) => error._tag !== "SqlError",
        (error) => refused(desk, entered, error)
      )
    )

  const act = (desk: DeskRequest, form: URLSearchParams): PageAnswer =>
    Effect.gen(function* () {
      const submitted = yield* decode(Object.fromEntries(form))
      const found = yield* entering(desk, submitted.option, form)
      if (Option.isNone(found)) return nothing(desk)
      const entered = found.value
      if (submitted.do === "edit") return whoPage(desk, entered)
      if (submitted.do === "book") return yield* book(desk, entered, submitted)
      if (isWay(submitted.do)) return yield* book(desk, entered, { ...submitted, pay: submitted.do, amount: "total" })
      const { party } = bookingWishIn(entered, entered.visit, desk.language)
      const code = codeOf(entered.code)
      const { option_id } = yield* bookings.option({
        ...entered.visit,
        party: code === "" ? party : { ...party, code }
      })
      return code !== "" && unpack(option_id)?.code_check === undefined
        ? whoPage(desk, entered, {}, messages[desk.language].desk.book.noCode)
        : yield* check(desk, entered, entered.visit, option_id)
    }).pipe(Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", desk.language))))

  return { path: deskPaths.book, right: "book", show, act } satisfies DeskScreen
})
