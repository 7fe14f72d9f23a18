/** Dates and times in the playroom's own zone, in the person's language. */

/**
 * The clock time of an RFC 3339 instant with an offset, or of a date, as if it were UTC: formatted as UTC it is what
 * clocks at the playroom show, whatever the zone of the person.
 *
 * @param {string} at
 * @returns {Date}
 */
const wallClock = (at) => new Date(`${at.slice(0, 10)}T${at.slice(11, 16) || "12:00"}:00Z`)

/**
 * @param {string} locale
 * @param {string} at
 * @param {Intl.DateTimeFormatOptions} options
 * @returns {string}
 */
const format = (locale, at, options) => {
  const date = wallClock(at)
  return Number.isNaN(date.getTime())
    ? at
    : new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" }).format(date)
}

/**
 * @param {string} locale
 * @param {string} at RFC 3339, or a date
 * @returns {string} like "Sat 5 Dec"
 */
export const shortDay = (locale, at) => format(locale, at, { weekday: "short", day: "numeric", month: "short" })

/** @type {Intl.DateTimeFormatOptions} */
const moment = { weekday: "short", day: "numeric", month: "short", hour: "numeric", minute: "2-digit" }

/**
 * @param {string} locale
 * @param {string} at RFC 3339
 * @returns {string} like "Sat 5 Dec, 14:00"
 */
export const momentText = (locale, at) => format(locale, at, moment)

/**
 * @param {string} locale
 * @param {string} timeZone IANA
 * @param {number} instant milliseconds
 * @returns {string} like "Sat 5 Dec, 14:00"; "" if the browser does not know the zone
 */
export const instantText = (locale, timeZone, instant) => {
  try {
    return timeZone === "" ? "" : new Intl.DateTimeFormat(locale, { ...moment, timeZone }).format(instant)
  } catch {
    return ""
  }
}

/**
 * @param {string} locale
 * @param {string} at RFC 3339, or a date
 * @returns {string} like "Saturday 5 December 2026"
 */
export const longDay = (locale, at) =>
  format(locale, at, { weekday: "long", day: "numeric", month: "long", year: "numeric" })

/**
 * @param {string} locale
 * @param {string} start RFC 3339
 * @param {string} end RFC 3339
 * @returns {string} like "14:00–16:00"
 */
export const clockRange = (locale, start, end) => {
  const [from, to] = [wallClock(start), wallClock(end)]
  if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) return start
  const clock = new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit", timeZone: "UTC" })
  // Past midnight, a formatter of ranges would add the days.
  return start.slice(0, 10) === end.slice(0, 10)
    ? clock.formatRange(from, to)
    : `${clock.format(from)} – ${clock.format(to)}`
}

/**
 * @param {string} locale
 * @param {string} timeZone IANA
 * @param {string} at RFC 3339
 * @returns {string} the zone's short name then, like "GMT"; "" if the browser does not know the zone
 */
export const zoneName = (locale, timeZone, at) => {
  try {
    const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: "short" }).formatToParts(new Date(at))
    return timeZone === "" ? "" : (parts.find(({ type }) => type === "timeZoneName")?.value ?? "")
  } catch {
    return ""
  }
}

/**
 * @param {number} milliseconds
 * @returns {string} like "14:59" or "1:14:59"
 */
export const countdown = (milliseconds) => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000))
  const two = (/** @type {number} */ value) => String(value).padStart(2, "0")
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours === 0 ? minutes : `${hours}:${two(minutes)}`}:${two(seconds % 60)}`
}
