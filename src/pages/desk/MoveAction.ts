/** The booking moves to another start, package or room of its operator. */
import { Clock, Effect, Option } from "effect"
import { window } from "../../availability/Starts.ts"
import { extrasText, isOtherRoom } from "../../booking/ChangePlan.ts"
import { type ChangedBooking, changeRefusal, type RoomPackage } from "../../booking/VisitChange.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn, visitTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { addDays, format, type Instant, localDateOf, isLocalDate, isClockTime } from "../../kernel/LocalTime.ts"
import { VisitChanges } from "../../payment/changes/VisitChanges.ts"
import { actions, isolated, hiddenInputs } from "../Parts.ts"
import { chosenMonth, daysOfMonth, type StartStep, timesOfDay } from "../StartChoice.ts"
import { reasonIn } from "../../payment/changes/Act.ts"
import { reasonField } from "./AmountField.ts"
import { moneyTold, runChange } from "./ChangeRun.ts"
import { deskAddress, type DeskOpened, NotDone } from "./DeskAction.ts"
import { field, formedAction } from "./FormedAction.ts"

/** The action's name in addresses and forms. */
export const moveName = "move"

const timeOf = (zone: string, start: Instant): string => format(zone, start).slice(11, 16)

/** What is chosen first: the booking's own package; where that is sold no more, one like it. */
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

/** The choice of a room and its package, whose free starts are shown then; nothing if there is none but the booking's own. */
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

export const moveAction = Effect.gen(function* () {
  const changes = yield* VisitChanges

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
    const found = yield* changes.starts(booking, dates, { by: "operator", package_id })
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
    right: "move",
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
        const rooms = yield* changes.packages(booking)
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
      changes.optionAt(opened.booking.row, date, time, package_id).pipe(
        Effect.catchTag("OptionInvalid", () =>
          Effect.fail(new NotDone({ why: messages[opened.desk.language].desk.change.taken }))
        ),
        Effect.flatMap((option_id) => runChange(changes, opened, { option_id, reason }, how))
      ),
    told: ({ desk: { language } }, _, change: ChangedBooking) => {
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
        sentences: without.length === 0 ? [] : [desk.move.without(extrasText(without))]
      }
    }
  })
})
