/** What is booked, in English words, for assistants to repeat and for the page where it is paid. */
import type { BookingRow } from "./Booking.ts"

/** So many people: `1 child`, `3 children`. */
export const people = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

/** The room or the places, and the party: `the whole room, 12 children and 2 adults`. */
export const placesInWords = ({
  adults,
  children,
  terms: { mode }
}: Pick<BookingRow, "adults" | "children" | "terms">): string => {
  const room = mode === "exclusive" ? "the whole room" : "places in open play, beside other families"
  const party = [
    people(children, "child", "children"),
    ...(adults === 0 ? [] : [people(adults, "adult", "adults")])
  ].join(" and ")
  return `${room}, ${party}`
}
