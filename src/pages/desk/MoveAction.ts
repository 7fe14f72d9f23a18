/** The booking moves to another start of its playroom. */
import { Clock, Effect, Schema } from "effect"
import { type ChangedBooking, changeRefusal } from "../../booking/VisitChange.ts"
import type { BookingRow } from "../../booking/Booking.ts"
import { messages } from "../../i18n/Languages.ts"
import { visitTimeIn } from "../../i18n/Localized.ts"
import { html } from "../../kernel/Html.ts"
import { ClockTime, format, LocalDate, localDateOf } from "../../kernel/LocalTime.ts"
import { VisitChanges } from "../../payment/changes/VisitChanges.ts"
import { reasonField, reasonIn } from "./AmountField.ts"
import { moneyTold, runChange } from "./ChangeRun.ts"
import { field, formedAction, NotDone } from "./FormedAction.ts"

/** The action's name in addresses and forms. */
export const moveName = "move"

const isDate = Schema.is(LocalDate)
const isTime = Schema.is(ClockTime)

const timeOf = ({ starts_at, terms }: BookingRow): string => format(terms.time_zone, starts_at).slice(11, 16)

export const moveAction = Effect.gen(function* () {
  const changes = yield* VisitChanges

  return formedAction({
    name: moveName,
    right: "move",
    isOffered: ({ booking: { shown } }, now) => changeRefusal(shown.booking, "move", "operator", now) === undefined,
    title: (language) => messages[language].desk.move.title,
    confirm: (language) => messages[language].desk.move.confirm,
    offer: ({ booking: { shown }, desk: { language } }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const problem = changeRefusal(shown.booking, "move", "operator", now)
        if (problem === undefined) return Effect.void
        const { begun, notConfirmed } = messages[language].desk.change
        return Effect.fail(new NotDone({ why: problem === "begun" ? begun : notConfirmed }))
      }),
    fields: ({ booking, desk: { language } }, _, typed) => {
      const row = booking.shown.booking
      const { move } = messages[language].desk
      const date = typed.get("date") ?? localDateOf(row.terms.time_zone, row.starts_at)
      const time = typed.get("time") ?? timeOf(row)
      return html`${field("date", move.date, html`<input id="date" name="date" type="date" required value="${date}">`)}
${field("time", move.time, html`<input id="time" name="time" type="time" required value="${time}">`)}
${reasonField(typed.get("reason") ?? "", language, false)}`
    },
    entered: ({ desk: { language } }, _, typed) => {
      const [date, time] = [typed.get("date") ?? "", typed.get("time") ?? ""]
      return isDate(date) && isTime(time)
        ? { wish: { date, time, reason: reasonIn(typed) } }
        : { wrong: messages[language].desk.move.when }
    },
    run: (opened, { date, reason, time }, how) =>
      changes.optionAt(opened.booking.shown.booking, date, time).pipe(
        Effect.catchTag("OptionInvalid", () =>
          Effect.fail(new NotDone({ why: messages[opened.desk.language].desk.change.taken }))
        ),
        Effect.flatMap((option_id) => runChange(changes, opened, { option_id, reason }, how))
      ),
    told: ({ desk: { language } }, _, change: ChangedBooking) => {
      const { move } = messages[language]
      const when = ({ ends_at, starts_at, terms }: BookingRow) =>
        visitTimeIn(language, terms.time_zone, starts_at, ends_at)
      return {
        facts: [
          { term: move.from, is: when(change.from) },
          { term: move.to, is: html`<strong>${when(change.booking)}</strong>` },
          ...moneyTold(change, language)
        ]
      }
    }
  })
})
