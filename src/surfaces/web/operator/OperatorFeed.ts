/** `/o/{token}.ics`: an operator's visits for calendar subscriptions. */
import { isErased } from "../../../domain/booking/ErasedPerson.ts"
import type { CalendarVisit } from "../../../domain/booking/OperatorVisits.ts"
import { type CalendarEvent, longCalendarFile } from "../../../platform/time/CalendarFile.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { partyIn } from "../../../words/Localized.ts"
import type { OperatorCalendar } from "./OperatorDays.ts"

const statuses = { held: "tentative", confirmed: "confirmed", cancelled: "cancelled", expired: "cancelled" } as const

/** The status is in the text: many calendars show tentative and cancelled events like any other. */
const summaryOf = (language: Language, visit: CalendarVisit): string => {
  const { operator: text, words } = messages[language]
  const { contact_name, package_name, status } = visit
  const name = isErased(visit) ? text.erased : contact_name
  return `${status === "confirmed" ? "" : `${status === "held" ? text.unsure : words.cancelled}: `}${name}, ${package_name}`
}

const descriptionOf = (language: Language, visit: CalendarVisit): string => {
  const { operator: text, words } = messages[language]
  const extras = visit.extras.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ")
  return [
    partyIn(language, visit),
    ...(extras === "" ? [] : [`${text.extras}: ${extras}`]),
    ...(visit.notes === null ? [] : [`${text.notes}: ${visit.notes}`]),
    ...(visit.contact_phone === null ? [] : [`${text.phone}: ${visit.contact_phone}`]),
    ...(isErased(visit) ? [] : [`${words.email}: ${visit.contact_email}`]),
    `${words.reference}: ${visit.reference}`
  ].join("\n")
}

const eventOf = (language: Language, visit: CalendarVisit): CalendarEvent => ({
  uid: visit.booking_id,
  sequence: visit.changes,
  changed_at: visit.updated_at,
  status: statuses[visit.status],
  start: visit.starts_at,
  end: visit.ends_at,
  time_zone: visit.time_zone,
  summary: summaryOf(language, visit),
  description: descriptionOf(language, visit),
  location: `${visit.playroom_name}, ${visit.address}`
})

/** Refresh interval for calendar clients. */
const refreshMinutes = 60

export const operatorFeed = ({ operator, visits }: OperatorCalendar, language: Language) => {
  const text = messages[language].operator
  return longCalendarFile({
    name: text.calendarName(operator.name),
    refresh_minutes: refreshMinutes,
    language,
    time_zone: operator.time_zone ?? "UTC",
    events: visits.map((visit) => eventOf(language, visit))
  })
}
