/**
 * The guests of a visit who say on its invitation that they come: a child's first name, what it must not eat, and what
 * its grown-up answered to the venue. They stand with the booking (column `guests`), so they are exported and erased
 * with it. Anyone who has the invitation can write there, so there is room for few of them, and the family takes out
 * whom it does not know.
 */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { digestOfValue } from "../../platform/ids/Ids.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { boundedText } from "../../platform/errors/InvalidArguments.ts"
import { AnswerList } from "../catalogue/Questions.ts"
import { cleaned, PersonName } from "../../platform/text/Contact.ts"

/** A child that comes; `allergies`: empty if there are none. `answers`: absent if the venue asks guests nothing. */
const InvitedGuest = Schema.Struct({
  guest_id: Schema.String,
  name: Schema.String,
  allergies: Schema.String,
  answers: Schema.optionalKey(AnswerList)
})
export type InvitedGuest = typeof InvitedGuest.Type

/** Those of a booking, in the order in which they said so; null: none yet. */
export const InvitedGuests = Schema.NullOr(Schema.Array(InvitedGuest))

/** The most characters of what a guest writes. */
export const guestBounds = { name: 60, allergies: 200 }
export const readGuestName = Schema.decodeOption(PersonName(guestBounds.name))
/** On one line, as names are. */
export const guestAllergiesIn = cleaned("NFC")
export const isGuestAllergies = Schema.is(boundedText(guestBounds.allergies))

/**
 * So many guests may say so, of a party that may have so many children: some say it twice, some do not come. It is not
 * more for the largest: they are read with the booking, and taken out one by one.
 */
export const mostGuests = (most_children: number): number => Math.min(2 * most_children, 200)

/** A guest as a form has it that was shown then: pressed twice, it is the same. */
export const guestOf = (shown: Instant, said: Omit<InvitedGuest, "guest_id">): InvitedGuest => ({
  ...said,
  guest_id: digestOfValue([shown, said], 8)
})

/** Adds a guest, if the visit is confirmed and has not begun. False: there are as many already as may be. */
export const addGuest = Effect.fn("addGuest")(function* (
  booking_id: string,
  guest: InvitedGuest,
  most: number,
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  const known = sql`coalesce(guests, '[]') @> ${JSON.stringify([{ guest_id: guest.guest_id }])}::jsonb`
  const added = yield* sql`update booking set guests = case when ${known} then guests
      else coalesce(guests, '[]') || ${JSON.stringify([guest])}::jsonb end
    where booking_id = ${booking_id} and status = 'confirmed' and starts_at > ${new Date(now)}::timestamptz
      and (${known} or jsonb_array_length(coalesce(guests, '[]')) < ${most}::int) returning 1`
  return added.length > 0
})

/** Takes a guest out. */
export const removeGuest = Effect.fn("removeGuest")(function* (booking_id: string, guest_id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update booking b set guests = (
      select coalesce(jsonb_agg(g.guest order by g.n), '[]')
      from jsonb_array_elements(b.guests) with ordinality g(guest, n) where g.guest ->> 'guest_id' <> ${guest_id}::text)
    where booking_id = ${booking_id} and guests is not null`
})
