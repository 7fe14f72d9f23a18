/** `/o/{token}.ics`: the visits of an operator, for calendars that follow them. */
import { isErased } from "../../booking/ErasedPerson.ts"
import type { CalendarVisit } from "../../booking/OperatorVisits.ts"
import { type CalendarEvent, longCalendarFile } from "../../kernel/CalendarFile.ts"
import type { Language } from "../../kernel/Language.ts"
import type { OperatorCalendar } from "../../payment/OperatorDays.ts"
import { messages, type Messages } from "./OperatorMessages.ts"

const statuses = { held: "tentative", confirmed: "confirmed", cancelled: "cancelled", expired: "cancelled" } as const

/** Many calendars show what is tentative, or cancelled, like anything else. */
const summaryOf = (text: Messages, visit: CalendarVisit): string => {
  const { contact_name, package_name, status } = visit
  const name = isErased(visit) ? text.erased : contact_name
  return `${status === "confirmed" ? "" : `${status === "held" ? text.unsure : text.cancelled}: `}${name}, ${package_name}`
}

const descriptionOf = (text: Messages, visit: CalendarVisit): string => {
  const ages = visit.child_ages.length === 0 ? "" : ` (${text.ages(visit.child_ages.join(", "))})`
  const extras = visit.extras.map(({ name, quantity }) => `${quantity} × ${name}`).join(", ")
  return [
    text.party(visit.children, visit.adults) + ages,
    ...(extras === "" ? [] : [`${text.extras}: ${extras}`]),
    ...(visit.notes === null ? [] : [`${text.notes}: ${visit.notes}`]),
    ...(visit.contact_phone === null ? [] : [`${text.phone}: ${visit.contact_phone}`]),
    ...(isErased(visit) ? [] : [`${text.email}: ${visit.contact_email}`]),
    `${text.reference}: ${visit.reference}`
  ].join("\n")
}

const eventOf = (text: Messages, visit: CalendarVisit): CalendarEvent => ({
  uid: visit.booking_id,
  sequence: visit.changes,
  changed_at: visit.updated_at,
  status: statuses[visit.status],
  start: visit.starts_at,
  end: visit.ends_at,
  time_zone: visit.time_zone,
  summary: summaryOf(text, visit),
  description: descriptionOf(text, visit),
  location: `${visit.playroom_name}, ${visit.address}`
})

/** How often a calendar should ask. */
const refreshMinutes = 60

export const operatorFeed = ({ operator, visits }: OperatorCalendar, language: Language) => {
  const text = messages[language]
  return longCalendarFile({
    name: text.calendarName(operator.name),
    refresh_minutes: refreshMinutes,
    language,
    time_zone: operator.time_zone ?? "UTC",
    events: visits.map((visit) => eventOf(text, visit))
  })
}
