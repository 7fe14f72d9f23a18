/** The booking moves to another start, package or room of its operator. */
import { Clock, Effect, Schema } from "effect"
import { extrasText, isOtherRoom } from "../../booking/ChangePlan.ts"
import { type ChangedBooking, changeRefusal, type RoomPackage } from "../../booking/VisitChange.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { messages } from "../../i18n/Languages.ts"
import { visitTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { ClockTime, format, LocalDate, localDateOf } from "../../kernel/LocalTime.ts"
import { VisitChanges } from "../../payment/changes/VisitChanges.ts"
import { isolated } from "../Parts.ts"
import { reasonField, reasonIn } from "./AmountField.ts"
import { moneyTold, runChange } from "./ChangeRun.ts"
import { field, formedAction, NotDone } from "./FormedAction.ts"

/** The action's name in addresses and forms. */
export const moveName = "move"

const isDate = Schema.is(LocalDate)
const isTime = Schema.is(ClockTime)

const timeOf = ({ starts_at, terms }: BookingRow): string => format(terms.time_zone, starts_at).slice(11, 16)

/** The package that is chosen first: the booking's own; where that is sold no more, one like it. */
const ownOf = ({ package_id }: BookingRow, rooms: ReadonlyArray<RoomPackage>): RoomPackage | undefined =>
  rooms.find((one) => one.package_id === package_id) ?? rooms.find(({ alike }) => alike)

/** A choice of rooms and their packages; nothing if there is but one. */
const roomField = (label: string, rooms: ReadonlyArray<RoomPackage>, chosen: string | undefined): Html | undefined => {
  if (rooms.length < 2) return undefined
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

export const moveAction = Effect.gen(function* () {
  const changes = yield* VisitChanges

  return formedAction({
    name: moveName,
    right: "move",
    isOffered: ({ booking: { shown } }, now) => changeRefusal(shown.booking, "move", "operator", now) === undefined,
    title: (language) => messages[language].desk.move.title,
    confirm: (language) => messages[language].desk.move.confirm,
    offer: Effect.fnUntraced(function* ({ booking: { shown }, desk: { language } }) {
      const problem = changeRefusal(shown.booking, "move", "operator", yield* Clock.currentTimeMillis)
      if (problem === undefined) return yield* changes.packages(shown.booking)
      const { begun, notConfirmed } = messages[language].desk.change
      return yield* new NotDone({ why: problem === "begun" ? begun : notConfirmed })
    }),
    fields: ({ booking, desk: { language } }, rooms: ReadonlyArray<RoomPackage>, typed) => {
      const row = booking.shown.booking
      const { move } = messages[language].desk
      const date = typed.get("date") ?? localDateOf(row.terms.time_zone, row.starts_at)
      const time = typed.get("time") ?? timeOf(row)
      const chosen = typed.get("package") ?? ownOf(row, rooms)?.package_id
      return html`${roomField(move.room, rooms, chosen)}
${field("date", move.date, html`<input id="date" name="date" type="date" required value="${date}">`)}
${field("time", move.time, html`<input id="time" name="time" type="time" required value="${time}">`)}
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: ({ booking, desk: { language } }, rooms, typed) => {
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
