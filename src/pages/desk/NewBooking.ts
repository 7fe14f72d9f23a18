/**
 * `/desk/book`: staff book for a family on the telephone or at the counter. What is chosen stands in the address, and what
 * is entered in the form, so that nothing is stored before it is booked.
 */
import type { PageAnswer } from "../Layout.ts"
import { Clock, Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlError } from "effect/sql"
import { AdultCount, ChildCount } from "../../availability/Availability.ts"
import { BookingOptions } from "../../availability/BookingOptions.ts"
import type { VisitRequest } from "../../availability/Decision.ts"
import { window } from "../../availability/Starts.ts"
import type { CreateError } from "../../booking/Bookings.ts"
import { limitsOf } from "../../booking/VisitChange.ts"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { IdempotencyKey } from "../../kernel/Ids.ts"
import { addDays, localDateOf, isLocalDate } from "../../kernel/LocalTime.ts"
import { VenueBookings } from "../../payment/changes/VenueBookings.ts"
import { VenueWay } from "../../payment/sessions/PaymentSession.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import { chosenMonth } from "../StartChoice.ts"
import { whyNotHad } from "./ChangeActions.ts"
import { deskAddress, staffActor } from "./DeskAction.ts"
import type { DeskRequest } from "./DeskFrame.ts"
import { familyLinkName } from "./FamilyLinkAction.ts"
import { bookingInputIn, bookingWishIn } from "./NewBookingForm.ts"
import {
  checkPage,
  type ChosenVisit,
  daysPage,
  type EnteredBooking,
  timesPage,
  whatPage,
  whoPage
} from "./NewBookingPages.ts"
import { payAtVenue } from "../../payment/changes/VenuePayments.ts"
import { leadTo } from "../Forms.ts"

/** What the address says was chosen. */
interface Chosen {
  readonly package?: string
  readonly children?: string
  readonly adults?: string
  readonly month?: string
  readonly date?: string
  readonly option?: string
}

const numberIn = <A extends number>(
  schema: Schema.Codec<A, number>,
  text: string | undefined,
  otherwise: number
): number =>
  Option.getOrElse(
    Schema.decodeUnknownOption(schema)(text === undefined || !/^\d{1,4}$/.test(text) ? undefined : Number(text)),
    () => otherwise
  )

const Submitted = Schema.Struct({
  do: Schema.Literals(["check", "edit", "book"]),
  option: Schema.String,
  /** The option with the party and the extras that the page showed. */
  agreed: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(IdempotencyKey),
  pay: Schema.optionalKey(Schema.Literals(["link", ...VenueWay.literals])),
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

export const newBooking = Effect.gen(function* () {
  const bookings = yield* VenueBookings
  const catalogue = yield* Catalogue
  const options = yield* BookingOptions
  const random = yield* SecureRandom.SecureRandom

  const nothing = ({ language }: DeskRequest) => linkProblemPage("nothing", language)

  const days = Effect.fnUntraced(function* (desk: DeskRequest, chosen: ChosenVisit, month: string, alert?: string) {
    const now = yield* Clock.currentTimeMillis
    const { time_zone } = chosen.venue.playroom
    const bounds = { earliest: localDateOf(time_zone, now), last: window(chosen.venue, now).lastDate }
    const { first, next } = chosenMonth(month, bounds, bounds.earliest)
    const found = yield* options.starts(chosen, { from: first, to: addDays(next, -1) })
    const limits = limitsOf({ ...chosen, start: now })
    const alerted = alert ?? (Option.isNone(found) ? messages[desk.language].desk.book.nothing : undefined)
    return daysPage(desk, chosen, limits, { first, bounds, options: Option.getOrElse(found, () => []) }, alerted)
  })

  const choosing = Effect.fnUntraced(function* (desk: DeskRequest, asked: Chosen) {
    const found = yield* bookings.sold(desk.member.operator_id, asked.package ?? "")
    if (Option.isNone(found)) return nothing(desk)
    const { pkg } = found.value
    const children = numberIn(ChildCount, asked.children, Math.max(1, pkg.min_children))
    const chosen = { ...found.value, party: { children, adults: numberIn(AdultCount, asked.adults, 0), add_ons: [] } }
    if (!isLocalDate(asked.date)) return yield* days(desk, chosen, asked.month ?? "")
    const starts = yield* options.starts(chosen, { from: asked.date, to: asked.date })
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
      const input = bookingInputIn(new URLSearchParams(), visit.value)
      return whoPage(desk, { visit: visit.value, option_id: asked.option, input })
    }
    return asked.package === undefined
      ? whatPage(desk, yield* catalogue.venuesOfOperator(desk.member.operator_id))
      : yield* choosing(desk, asked)
  })

  /** What was entered, for a visit of this operator. */
  const entering = Effect.fnUntraced(function* (desk: DeskRequest, option_id: string, form: URLSearchParams) {
    const visit = yield* bookings.visit(desk.member.operator_id, option_id)
    return Option.map(visit, (found): EnteredBooking => ({
      visit: found,
      option_id,
      input: bookingInputIn(form, found)
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
      const { faults, request } = bookingWishIn(entered.input, visit, desk.language)
      if (Object.keys(faults).length > 0) return whoPage(desk, entered, faults, messages[desk.language].desk.book.wrong)
      const booking = yield* bookings.preview({ ...wanted(desk), request: { ...request, option_id: agreed } })
      const key = Buffer.from(yield* random.randomBytes(16)).toString("base64url")
      const now = yield* Clock.currentTimeMillis
      return checkPage(desk, entered, booking, { agreed, key, now, ...(alert === undefined ? {} : { alert }) })
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
      const { agreed = "", amount = "due_now", key, pay } = form
      const { faults, request } = bookingWishIn(entered.input, entered.visit, desk.language)
      const shown = yield* bookings.visit(desk.member.operator_id, agreed)
      if (key === undefined || Option.isNone(shown) || Object.keys(faults).length > 0)
        return linkProblemPage("unreadable", desk.language)
      const call = { ...wanted(desk), request: { ...request, option_id: agreed, idempotency_key: key } }
      const { price } = yield* bookings.option(shown.value)
      if (price.due_now > 0 && pay === undefined)
        return yield* check(desk, entered, entered.visit, agreed, messages[desk.language].desk.book.which)
      const paid = pay === undefined || pay === "link" ? undefined : { way: pay, amount }
      const { booking, unpaid } = yield* bookings.make({ ...call, paid })
      const by_link = booking.status === "held" && paid === undefined
      return leadTo(deskAddress(booking.booking_id, by_link ? familyLinkName : unpaid ? payAtVenue.step : undefined))
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
      const { party } = bookingWishIn(entered.input, entered.visit, desk.language)
      const { option_id } = yield* bookings.option({ ...entered.visit, party })
      return yield* check(desk, entered, entered.visit, option_id)
    }).pipe(Effect.catchTag("SchemaError", () => Effect.succeed(linkProblemPage("unreadable", desk.language))))

  return { show, act }
})
