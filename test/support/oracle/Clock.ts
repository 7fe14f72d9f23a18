/**
 * An oracle's clock: what a clock on the wall shows, minute by minute, by asking the runtime's own calendar. It shares
 * no code with the service. Minutes are counted since 1970, on the wall (`wall`) and in UTC (`minute`).
 */

const formats = new Map<string, Intl.DateTimeFormat>()
const formatOf = (zone: string): Intl.DateTimeFormat => {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric"
    })
    formats.set(zone, format)
  }
  return format
}

const read = (zone: string, minute: number): number => {
  const shown = new Map(
    formatOf(zone)
      .formatToParts(minute * 60_000)
      .map(({ type, value }) => [type, Number(value)])
  )
  const part = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? Number.NaN
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute")) / 60_000
}

const days = new Map<string, ReadonlyArray<number>>()

/**
 * An hour's minutes on the wall. Where its first and the next hour's are an hour apart, the clock was not put forward
 * or back.
 */
const hourOf = (zone: string, hour: number): ReadonlyArray<number> => {
  const first = read(zone, hour * 60)
  const even = read(zone, (hour + 1) * 60) === first + 60
  return Array.from({ length: 60 }, (_, i) => (even ? first + i : read(zone, hour * 60 + i)))
}

/** What the clock on the wall shows in each minute of a day of UTC. Each is asked once and kept. */
export const wallsOf = (zone: string, day: number): ReadonlyArray<number> => {
  const key = `${zone} ${day}`
  let shown = days.get(key)
  if (shown === undefined) {
    shown = Array.from({ length: 24 }, (_, i) => hourOf(zone, day * 24 + i)).flat()
    days.set(key, shown)
  }
  return shown
}

/** What the clock on the wall shows at a minute. */
export const wallOf = (zone: string, minute: number): number => {
  const day = Math.floor(minute / 1440)
  return wallsOf(zone, day)[minute - day * 1440] ?? Number.NaN
}

/** A date's midnight on the wall. */
export const midnightOf = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 60_000

/** The date that a wall shows, as `2026-12-05`. */
export const dateOf = (wall: number): string => new Date(wall * 60_000).toISOString().slice(0, 10)

const names = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
export const weekdayOf = (date: string): string => names[new Date(`${date}T12:00:00Z`).getUTCDay()] ?? ""

export const dayAfter = (date: string, days: number): string => dateOf(midnightOf(date) + days * 1440)

/** `10:30` as 630. */
export const clockOf = (time: string): number => {
  const [hours = "", minutes = ""] = time.split(":")
  return Number(hours) * 60 + Number(minutes)
}
