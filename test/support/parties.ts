/** Parties, and moments of the venues in London. */
import type { Party } from "../../src/domain/catalogue/Pricing.ts"
import { instantAt, minutesOf } from "../../src/platform/time/LocalTime.ts"

export const at = (date: string, time: string) => instantAt("Europe/London", date, minutesOf(time))
export const party = (children: number, adults = 0, add_ons: Party["add_ons"] = []): Party => ({
  children,
  adults,
  add_ons
})
