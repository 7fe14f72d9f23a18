/** A closure's times: whole local days, or instants, in a catalogue file; a range of instants everywhere else. */
import { addDays, type LocalDate, startOfDay } from "../kernel/LocalTime.ts"
import type { FileClosure } from "./file/CatalogueSchema.ts"

const isDay = (text: string): boolean => text.length === 10

/** A closure of the file as instants (milliseconds), the end excluded. */
export const closureRange = (zone: string, { from, to }: Pick<FileClosure, "from" | "to">) =>
  isDay(from)
    ? { start: startOfDay(zone, from), end: startOfDay(zone, addDays(to, 1)) }
    : { start: Date.parse(from), end: Date.parse(to) }

/** The inverse: whole days where the range is whole days in the zone, else instants in UTC. */
export const closureTexts = (
  zone: string,
  { start, end }: { readonly start: number; readonly end: number },
  dateOf: (instant: number) => LocalDate
): Pick<FileClosure, "from" | "to"> => {
  const from = dateOf(start)
  const to = dateOf(end - 1)
  const whole = closureRange(zone, { from, to })
  return whole.start === start && whole.end === end
    ? { from, to }
    : { from: new Date(start).toISOString(), to: new Date(end).toISOString() }
}
