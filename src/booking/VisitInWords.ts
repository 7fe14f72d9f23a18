/** What is booked, in English words, for assistants to repeat and for the page where it is paid. */
import type { BookingRow } from "./Booking.ts"
import { childrenText, counted } from "../kernel/Text.ts"

/** The room or the places, and the party: `the whole room, 12 children and 2 adults`. */
export const placesInWords = ({
  adults,
  children,
  terms: { mode }
}: Pick<BookingRow, "adults" | "children" | "terms">): string => {
  const room = mode === "exclusive" ? "the whole room" : "places in open play, beside other families"
  const party = [childrenText(children), ...(adults === 0 ? [] : [counted(adults, "adult")])].join(" and ")
  return `${room}, ${party}`
}
