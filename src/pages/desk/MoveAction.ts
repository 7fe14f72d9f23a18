/** The booking moves to another start, package or room of its operator. */
import { Clock, Effect, Option, Schema } from "effect"
import { window } from "../../availability/Starts.ts"
import { extrasText, isOtherRoom } from "../../booking/ChangePlan.ts"
import { type ChangedBooking, changeRefusal, type RoomPackage } from "../../booking/VisitChange.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { messages } from "../../i18n/Languages.ts"
import { moneyIn, visitTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { addDays, ClockTime, format, LocalDate, localDateOf } from "../../kernel/LocalTime.ts"
import { VisitChanges } from "../../payment/changes/VisitChanges.ts"
import { isolated } from "../Parts.ts"
import { chosenMonth, daysOfMonth, type StartStep, timesOfDay } from "../StartChoice.ts"
import { reasonField, reasonIn } from "./AmountField.ts"
import { moneyTold, runChange } from "./ChangeRun.ts"
import { deskAddress, type DeskOpened } from "./DeskAction.ts"
import { field, formedAction, NotDone } from "./FormedAction.ts"

/** The action's name in addresses and forms. */
export const moveName = "move"

const isDate = Schema.is(LocalDate)
const isTime = Schema.is(ClockTime)

const timeOf = ({ starts_at, terms }: BookingRow): string => format(terms.time_zone, starts_at).slice(11, 16)

/** The package that is chosen first: the booking's own; where that is sold no more, one like it. */
const ownOf = ({ package_id }: BookingRow, rooms: ReadonlyArray<RoomPackage>): RoomPackage | undefined =>
  rooms.find((one) => one.package_id === package_id) ?? rooms.find(({ alike }) => alike)

/** A choice of rooms and their packages; nothing if there is none but the booking's own. */
const roomField = (
  label: string,
  rooms: ReadonlyArray<RoomPackage>,
  { package_id: own }: BookingRow,
  chosen: string | undefined
): Html | undefined => {
  if (rooms.every(({ package_id }) => package_id === own)) return undefined
  const byRoom = Map.groupBy(rooms, ({ playroom_id }) => playroom_id)
  const groups = Array.from(byRoom.values(), (sold) => {
    const options = sold.map(
      ({ package_id, package_name }) =>
        html`<option value="${package_id}"${package_id === chosen ? html` selected` : ""}>${package_name}</option>`
    )
    return html`<optgroup label="${sold[0]?.playroom_name ?? ""}">${options}</optgroup>`
  })
  return field("package", label, html`<select id="package" name="package" required>${groups}</select>`)
}

/** The rooms and packages, and the free starts of the booking's own, to choose from. */
interface MoveOffer {
  readonly rooms: ReadonlyArray<RoomPackage>
  readonly free: Html | undefined
}

export const moveAction = Effect.gen(function* () {
  const changes = yield* VisitChanges

  /** The days of a month, or the times of a day, that are free for the booking in its own room. */
  const freeStarts = Effect.fnUntraced(function* ({ asked, booking: { shown }, desk: { language } }: DeskOpened) {
    const { booking, playroom } = shown
    if (asked === undefined || playroom === undefined) return undefined
    const { book } = messages[language].desk
    const { time_zone } = playroom
    const own = localDateOf(time_zone, booking.starts_at)
    const now = yield* Clock.currentTimeMillis
    const bounds = { earliest: localDateOf(time_zone, now), last: window({ playroom }, now).lastDate }
    const { first, next } = chosenMonth(asked.month ?? "", bounds, own)
    const day = asked.month === undefined && isDate(asked.date) ? asked.date : undefined
    const dates = day === undefined ? { from: first, to: addDays(next, -1) } : { from: day, to: day }
    const options = Option.getOrElse(yield* changes.starts(booking, dates, "operator"), () => [])
    const href = (step: StartStep) => {
      const start = "option" in step ? options.find(({ option_id }) => option_id === step.option)?.start : undefined
      const chosen = start === undefined ? step : { date: start.slice(0, 10), time: start.slice(11, 16) }
      return `${deskAddress(booking.booking_id, moveName)}&${new URLSearchParams(Object.entries(chosen)).toString()}`
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
    isOffered: ({ booking: { shown } }, now) => changeRefusal(shown.booking, "move", "operator", now) === undefined,
    title: (language) => messages[language].desk.move.title,
    confirm: (language) => messages[language].desk.move.confirm,
    offer: Effect.fnUntraced(function* (opened) {
      const {
        booking: { shown },
        desk: { language }
      } = opened
      const problem = changeRefusal(shown.booking, "move", "operator", yield* Clock.currentTimeMillis)
      if (problem === undefined)
        return { rooms: yield* changes.packages(shown.booking), free: yield* freeStarts(opened) } satisfies MoveOffer
      const { begun, notConfirmed } = messages[language].desk.change
      return yield* new NotDone({ why: problem === "begun" ? begun : notConfirmed })
    }),
    fields: ({ asked = {}, booking, desk: { language } }, { free, rooms }: MoveOffer, typed) => {
      const row = booking.shown.booking
      const { move } = messages[language].desk
      const date = typed.get("date") ?? asked.date ?? localDateOf(row.terms.time_zone, row.starts_at)
      const time = typed.get("time") ?? asked.time ?? timeOf(row)
      const chosen = typed.get("package") ?? ownOf(row, rooms)?.package_id
      return html`${free}
${roomField(move.room, rooms, row, chosen)}
${field("date", move.date, html`<input id="date" name="date" type="date" required value="${date}">`)}
${field("time", move.time, html`<input id="time" name="time" type="time" required value="${time}">`)}
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: ({ booking, desk: { language } }, { rooms }, typed) => {
      const [date, time] = [typed.get("date") ?? "", typed.get("time") ?? ""]
      const { none, when } = messages[language].desk.move
      if (!isDate(date) || !isTime(time)) return { wrong: when }
      const row = booking.shown.booking
      const package_id = typed.get("package") ?? ownOf(row, rooms)?.package_id ?? row.package_id
      const isSold = package_id === row.package_id || rooms.some((one) => one.package_id === package_id)
      return isSold ? { wish: { date, time, package_id, reason: reasonIn(typed) } } : { wrong: none }
    },
    run: (opened, { date, package_id, reason, time }, how) =>
      changes.optionAt(opened.booking.shown.booking, date, time, package_id).pipe(
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
