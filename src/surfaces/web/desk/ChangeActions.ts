/**
 * A booking moves, or its party changes, at the desk: how it is asked for, why it is refused, and what it does with
 * the money.
 */
import { Clock, Effect, Option } from "effect"
import type { Exception } from "../../../domain/availability/Exceptions.ts"
import { window } from "../../../domain/availability/Starts.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { isErased } from "../../../domain/booking/BookingRecords.ts"
import {
  extrasText,
  isOtherRoom,
  areDetailsOpen,
  type ChangedBooking,
  changeRefusal,
  type ChangeRefused,
  type RoomPackage
} from "../../../domain/booking/ChangePlan.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn, moneyIn, visitTimeIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import {
  addDays,
  format,
  type Instant,
  isClockTime,
  isLocalDate,
  localDateOf
} from "../../../platform/time/LocalTime.ts"
import { reasonIn } from "../../../domain/payment/changes/Act.ts"
import {
  BookingChanges,
  type How,
  type PreparedChange,
  type Told
} from "../../../domain/payment/changes/BookingChanges.ts"
import { changeParty, moveVisit, type VisitRefusal, VisitOffers } from "../../../domain/payment/changes/VisitChanges.ts"
import { balanceOf, goodwillOf, priceOf } from "../family/BookingStep.ts"
import { inputIn, inputOf, partyFields, partyName, type PartyOffer, wishIn, changesOf } from "../family/PartyStep.ts"
import { actions, type Fact, hiddenInputs, isolated } from "../frame/Layout.ts"
import { chosenMonth, daysOfMonth, type StartStep, timesOfDay } from "../frame/StartChoice.ts"
import { reasonField, field, formedAction } from "./ActForm.ts"
import { type DeskOpened, NotDone } from "./DeskBookingPage.ts"
import { deskAddress, staffActor } from "./DeskFrame.ts"

/** Why a change is refused, in words for the desk. */
const whyRefused = ({ limits = {}, reason }: ChangeRefused, language: Language): string => {
  const { desk, party } = messages[language]
  const { least_children = 1, left = 0, most_children = 0 } = limits
  const { change } = desk
  switch (reason) {
    case "same_visit":
      return change.same
    case "not_confirmed":
      return change.notConfirmed
    case "begun":
      return change.begun
    case "payment_open":
    case "payment_processing":
      return change.payment
    case "refund_pending":
      return change.refund
    case "reason_needed":
      return change.reasonNeeded
    case "party_size":
      return desk.partyErrors.children(least_children, most_children)
    case "no_room":
      return limits.add_on_id === undefined ? party.errors.room(left) : party.errors.extra(left)
    case "closed":
      return change.closed
    case "other_playroom":
    case "other_currency":
    case "not_free":
    case "headcount_final":
    case "only_grows":
    case "other_party":
    case "too_many_unpaid":
      return change.notSold
  }
}

/** Why a visit can't be had, whether it is booked anew or changed to. */
export const whyNotHad = (
  error: Extract<
    VisitRefusal,
    {
      readonly _tag:
        | "InvalidArguments"
        | "KeepsChanging"
        | "OperatorUnavailable"
        | "OptionInvalid"
        | "PriceChanged"
        | "SlotUnavailable"
    }
  >,
  language: Language,
  zone: string
): string => {
  const { change } = messages[language].desk
  switch (error._tag) {
    case "InvalidArguments":
      return messages[language].party.errors.lead
    case "SlotUnavailable": {
      const starts = error.alternatives.map(({ start }) => dateTimeIn(language, zone, Date.parse(start)))
      const taken = error.reason === "add_ons_taken" ? messages[language].card.reasons.add_ons_taken : change.taken
      return starts.length === 0 ? taken : `${taken} ${change.nearest(starts.join("; "))}`
    }
    case "OperatorUnavailable":
    case "OptionInvalid":
      return change.notSold
    case "KeepsChanging":
    case "PriceChanged":
      return messages[language].desk.changed
  }
}

/** Why a booking is not changed. */
export const whyNotChanged = (error: VisitRefusal, language: Language, zone: string): string => {
  switch (error._tag) {
    case "BookingCancelled":
    case "HoldExpired":
      return messages[language].desk.cancel.ended
    case "ChangeRefused":
      return whyRefused(error, language)
    case "InvalidArguments":
    case "KeepsChanging":
    case "OperatorUnavailable":
    case "OptionInvalid":
    case "PriceChanged":
    case "SlotUnavailable":
      return whyNotHad(error, language, zone)
  }
}

/** Makes a change, or says what it would do. */
const runChange = <Wish, Decided>(
  run: BookingChanges["Service"]["run"],
  act: PreparedChange<Wish, Decided, ChangedBooking, VisitRefusal>,
  { booking, desk: { language, member } }: DeskOpened,
  wish: Wish,
  how: Pick<How, "preview" | "shown">
) => {
  const { booking_id, terms } = booking.row
  return run(act, booking_id, wish, { ...how, who: staffActor(member) }).pipe(
    Effect.catchIf(
      (error) =>
        error._tag !== "SqlError" &&
        error._tag !== "BookingNotFound" &&
        error._tag !== "NotAllowed" &&
        error._tag !== "ChangedSinceShown" &&
        error._tag !== "ChangeUnderWay",
      (error) => Effect.fail(new NotDone({ why: whyNotChanged(error, language, terms.time_zone) }))
    )
  )
}

/** What a change does with the money. */
export const moneyTold = (change: ChangedBooking, language: Language): ReadonlyArray<Fact> => {
  const { desk, words } = messages[language]
  const { back_before, booking, by_hand, refund, waived } = change
  const shown = (amount: number) => moneyIn(language, amount, booking.currency)
  const balance = balanceOf(change, language)
  return [
    {
      term: words.price,
      is: html`${priceOf(change, language)}${back_before.amount === 0 ? "" : html`<br><span class="soft">${desk.back.before(shown(back_before.amount))}</span>`}${goodwillOf(change, language)}`
    },
    ...(waived.amount === 0 ? [] : [{ term: messages[language].booking.lines.waived, is: shown(waived.amount) }]),
    ...(refund.amount === 0
      ? []
      : [
          {
            term: words.comesBack,
            is: html`<strong>${shown(refund.amount)}</strong>${by_hand.amount === 0 ? "" : html`<br><span class="soft">${desk.back.byHand(shown(by_hand.amount))}</span>`}`
          }
        ]),
    ...(balance === undefined ? [] : [{ term: words.balance, is: balance }])
  ]
}

/** What is unusual, before it is done. */
const unusualIn = (exceptions: ReadonlyArray<Exception>, language: Language): ReadonlyArray<string> => {
  const { desk } = messages[language]
  return exceptions.length === 0 ? [] : [desk.unusual, ...exceptions.map((one) => desk.exceptions[one])]
}

/** The action's name in addresses and forms. */
export const moveName = "move"

const timeOf = (zone: string, start: Instant): string => format(zone, start).slice(11, 16)

/** What is chosen first: the booking's own package; if that is no longer sold, one like it. */
const ownOf = ({ package_id }: BookingRow, rooms: ReadonlyArray<RoomPackage>): RoomPackage | undefined =>
  rooms.find((one) => one.package_id === package_id) ?? rooms.find(({ alike }) => alike)

/** The rooms and packages to choose from, and the free starts of the one that is chosen. */
interface MoveOffer {
  readonly rooms: ReadonlyArray<RoomPackage>
  readonly free: Html | undefined
}

/** What the form is about: what was sent, or what the address chooses. */
const chosenOf = (
  { asked, booking: { row: booking } }: DeskOpened,
  { rooms }: Pick<MoveOffer, "rooms">,
  sent?: string | null
) => rooms.find(({ package_id }) => package_id === (sent ?? asked?.package)) ?? ownOf(booking, rooms)

/**
 * The choice of a room and its package, whose free starts are shown then; nothing if there is none but the booking's
 * own.
 */
const roomForm = (
  { booking: { row: booking }, desk: { language } }: DeskOpened,
  rooms: ReadonlyArray<RoomPackage>,
  chosen: RoomPackage | undefined
): Html | undefined => {
  const { booking_id, package_id: own } = booking
  if (rooms.every(({ package_id }) => package_id === own)) return undefined
  const { book, move } = messages[language].desk
  const options = rooms.map(
    ({ package_id, package_name, playroom }) =>
      html`<option value="${package_id}"${package_id === chosen?.package_id ? html` selected` : ""}>${playroom.name} · ${package_name}</option>`
  )
  return html`<form class="card" method="get" action="${deskAddress(booking_id)}">
${hiddenInputs({ step: moveName })}
${field("package", move.room, html`<select id="package" name="package" required>${options}</select>`)}
${actions(html`<button class="second">${book.times}</button>`)}
</form>`
}

/** The booking moves to another start, package or room of its operator. */
export const moveAction = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const offers = yield* VisitOffers

  /** The days of a month, or the times of a day, that are free for the booking in a package. */
  const freeStarts = Effect.fnUntraced(function* (
    { asked, booking: { row: booking }, desk: { language } }: DeskOpened,
    chosen: RoomPackage | undefined
  ) {
    if (asked === undefined || chosen === undefined) return undefined
    const { package_id, playroom } = chosen
    const { book } = messages[language].desk
    const { time_zone } = playroom
    const own = localDateOf(time_zone, booking.starts_at)
    const now = yield* Clock.currentTimeMillis
    const bounds = { earliest: localDateOf(time_zone, now), last: window({ playroom }, now).lastDate }
    const { first, next } = chosenMonth(asked.month ?? "", bounds, own)
    const day = asked.month === undefined && isLocalDate(asked.date) ? asked.date : undefined
    const dates = day === undefined ? { from: first, to: addDays(next, -1) } : { from: day, to: day }
    const found = yield* offers.starts(booking, dates, { by: "operator", package_id })
    const options = Option.getOrElse(found, () => [])
    const href = (step: StartStep) => {
      const start = "option" in step ? options.find(({ option_id }) => option_id === step.option)?.start : undefined
      const at = start === undefined ? step : { date: start.slice(0, 10), time: start.slice(11, 16) }
      const query = { ...(package_id === booking.package_id ? {} : { package: package_id }), ...at }
      return `${deskAddress(booking.booking_id, moveName)}&${new URLSearchParams(Object.entries(query)).toString()}`
    }
    const view = { language, time_zone, href }
    if (day === undefined) return daysOfMonth({ ...view, none: book.noneIn }, first, bounds, options)
    return html`${timesOfDay({ ...view, none: book.noneOn }, day, options, ({ price }) =>
      price.total === booking.total ? "" : moneyIn(language, price.total, price.currency)
    )}
<p><a href="${href({ month: day.slice(0, 7) })}">${messages[language].move.anotherDay}</a></p>`
  })

  return formedAction({
    name: moveName,
    right: moveVisit.right,
    isOffered: ({ booking: { row: booking } }, now) => changeRefusal(booking, "move", "operator", now) === undefined,
    title: (language) => messages[language].desk.move.title,
    confirm: (language) => messages[language].desk.move.confirm,
    offer: Effect.fnUntraced(function* (opened) {
      const {
        booking: { row: booking },
        desk: { language }
      } = opened
      const problem = changeRefusal(booking, "move", "operator", yield* Clock.currentTimeMillis)
      if (problem === undefined) {
        const rooms = yield* offers.packages(booking)
        return { rooms, free: yield* freeStarts(opened, chosenOf(opened, { rooms })) } satisfies MoveOffer
      }
      const { begun, notConfirmed } = messages[language].desk.change
      return yield* new NotDone({ why: problem === "begun" ? begun : notConfirmed })
    }),
    above: (opened, { free, rooms }: MoveOffer, typed) =>
      html`${roomForm(opened, rooms, chosenOf(opened, { rooms }, typed.get("package")))}
${free}`,
    fields: (opened, { rooms }: MoveOffer, typed) => {
      const {
        asked = {},
        booking,
        desk: { language }
      } = opened
      const row = booking.row
      const { move } = messages[language].desk
      const chosen = chosenOf(opened, { rooms }, typed.get("package"))
      const zone = chosen?.playroom.time_zone ?? row.terms.time_zone
      const date = typed.get("date") ?? asked.date ?? localDateOf(zone, row.starts_at)
      const time = typed.get("time") ?? asked.time ?? timeOf(zone, row.starts_at)
      const there =
        chosen === undefined || chosen.package_id === row.package_id
          ? ""
          : html`${hiddenInputs({ package: chosen.package_id })}
<p>${move.room}: <strong>${isolated(chosen.playroom.name)} · ${isolated(chosen.package_name)}</strong></p>`
      return html`${there}
${field("date", move.date, html`<input id="date" name="date" type="date" required value="${date}">`)}
${field("time", move.time, html`<input id="time" name="time" type="time" required value="${time}">`)}
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: ({ booking, desk: { language } }, { rooms }: MoveOffer, typed) => {
      const [date, time] = [typed.get("date") ?? "", typed.get("time") ?? ""]
      const { none, when } = messages[language].desk.move
      if (!isLocalDate(date) || !isClockTime(time)) return { wrong: when }
      const row = booking.row
      const package_id = typed.get("package") ?? ownOf(row, rooms)?.package_id ?? row.package_id
      const isSold = package_id === row.package_id || rooms.some((one) => one.package_id === package_id)
      return isSold
        ? { wish: { date, time, package_id, reason: reasonIn(typed.get("reason") ?? "") } }
        : { wrong: none }
    },
    run: (opened, { date, package_id, reason, time }, how) =>
      offers.optionAt(opened.booking.row, date, time, package_id).pipe(
        Effect.catchTag("OptionInvalid", () =>
          Effect.fail(new NotDone({ why: messages[opened.desk.language].desk.change.taken }))
        ),
        Effect.flatMap((option_id) => runChange(run, moveVisit, opened, { option_id, reason, exception: true }, how))
      ),
    told: ({ desk: { language } }, _, change: ChangedBooking & Told) => {
      const { desk, move } = messages[language]
      const { booking, from, without } = change
      const roomOf = ({ terms }: BookingRow) =>
        html`${isolated(terms.playroom_name)}<br>${isolated(terms.package_name)}`
      const isElsewhere = isOtherRoom(from, booking) || from.package_id !== booking.package_id
      const when = ({ ends_at, starts_at, terms }: BookingRow) =>
        visitTimeIn(language, terms.time_zone, starts_at, ends_at)
      return {
        facts: [
          { term: move.from, is: when(from) },
          { term: move.to, is: html`<strong>${when(booking)}</strong>` },
          ...(isElsewhere ? [{ term: desk.move.room, is: html`<strong>${roomOf(booking)}</strong>` }] : []),
          ...moneyTold(change, language)
        ],
        sentences: [
          ...unusualIn(change.exceptions, language),
          ...(without.length === 0 ? [] : [desk.move.without(extrasText(without))])
        ]
      }
    }
  })
})

/** Another party at the booking's own start, its extras, ages and wishes; whom it is for. */
export const partyAction = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const offers = yield* VisitOffers

  return formedAction({
    name: partyName,
    right: changeParty.right,
    // Afterwards a link beside the contact leads to what can still be corrected.
    isOffered: ({ booking }, now) => areDetailsOpen(booking.row, now),
    title: (language, offer?: PartyOffer) =>
      offer?.over === true ? messages[language].party.correct : messages[language].desk.change.title,
    confirm: (language) => messages[language].desk.change.confirm,
    offer: Effect.fnUntraced(function* ({ booking: { row: booking }, desk: { language } }) {
      const now = yield* Clock.currentTimeMillis
      if (isErased(booking)) return yield* new NotDone({ why: messages[language].desk.change.begun })
      const { add_ons, ages, by_age, limits, refusal } = yield* offers.partyOffer(booking, "staff")
      const over = !areDetailsOpen(booking, now)
      const shared = { for_staff: true as const, over, currency: booking.currency, ages, by_age }
      // The family's deadline does not bind the venue.
      const whole = refusal === undefined || refusal === "headcount_final"
      const open = whole && changeRefusal(booking, "party", "operator", now) === undefined
      return (open ? { ...shared, party: { ...limits, add_ons } } : shared) satisfies PartyOffer
    }),
    fields: ({ booking, desk: { language } }, offer: PartyOffer, typed) => {
      const row = booking.row
      const input = typed.size === 0 ? inputOf(row) : inputIn(typed, inputOf(row), offer)
      const faults = typed.size === 0 ? {} : wishIn(input, row, offer, language).faults
      return html`${partyFields(input, offer, faults, language)}
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: ({ booking, desk: { language } }, offer, typed) => {
      const row = booking.row
      const { faults, wish } = wishIn(inputIn(typed, inputOf(row), offer), row, offer, language)
      return Object.keys(faults).length > 0
        ? { wrong: messages[language].party.errors.lead }
        : { wish: { party: wish, exception: true, reason: reasonIn(typed.get("reason") ?? "") } }
    },
    run: (opened, wish, how) => runChange(run, changeParty, opened, wish, how),
    told: ({ desk: { language } }, offer, change: ChangedBooking & Told) => ({
      facts: [
        ...changesOf(change, offer, language),
        ...(change.kind === "details"
          ? [{ term: messages[language].words.price, is: messages[language].party.costsNothing }]
          : moneyTold(change, language))
      ],
      sentences: unusualIn(change.exceptions, language)
    })
  })
})
