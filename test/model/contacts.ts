/**
 * A mistyped name or e-mail address is corrected, by the family or by staff: a repeated call finds its booking by what
 * it was and by what it is, and the former address finds nothing more.
 */
import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import * as fc from "fast-check"
import { BookingLinks } from "../../src/domain/booking/BookingLinks.ts"
import { BookingRecords } from "../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { contact } from "../support/BookingWorld.ts"
import { whoIs } from "./booking.ts"
import { asked, type By } from "./moving.ts"
import type { Booked, Contact, Ledger } from "./Ledger.ts"
import type { Snapshot } from "./snapshot.ts"

/** A correction; undefined: stays as it is. */
export interface CorrectContact {
  readonly do: "correct"
  readonly booking: number
  readonly name: string | undefined
  readonly email: string | undefined
  readonly by: By
}

export const correction = (booking: fc.Arbitrary<number>): fc.Arbitrary<CorrectContact> =>
  fc.record({
    do: fc.constant("correct" as const),
    booking,
    name: fc.constantFrom("Ana Lima", "Ben Lima", "Ana L.", undefined, undefined),
    // One of those with which others book, or a new one.
    email: fc.constantFrom("payer0", "payer1", "right", "right", undefined),
    by: fc.constantFrom<By>("family", "desk", "command")
  })

/** The contact of a booking now. */
const contactOf = ({ contacts }: Booked): Contact => contacts.at(-1) ?? assert.fail("no contact")

/** An address finds its booking by the reference, or nothing; or it was tried too often. */
export const checkFound = Effect.fnUntraced(function* (booked: Booked) {
  const { contacts, reference, request } = booked
  const now = contactOf(booked)
  for (const email of new Set(contacts.map((one) => one.email))) {
    const found = yield* Effect.result(
      Bookings.use((bookings) => bookings.lookUp(whoIs(request.key), { reference, contact_email: email }))
    )
    const told = Result.isSuccess(found) ? found.success.row.booking_id : found.failure._tag
    assert.include([email === now.email ? booked.booking_id : "BookingNotFound", "TooManyLookups"], told, email)
  }
})

export const correct = Effect.fnUntraced(function* (booked: Booked, of: CorrectContact, alone: boolean) {
  const { booking_id } = booked
  const links = yield* BookingLinks
  const before = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const was = contactOf(booked)
  const to: Contact = {
    name: of.name ?? was.name,
    email: of.email === undefined ? was.email : contact(of.email).email
  }
  const party = {
    ...(of.name === undefined ? {} : { contact_name: to.name }),
    ...(of.email === undefined ? {} : { contact_email: to.email })
  }
  const token = yield* links.token(before)
  const isSame = to.name === was.name && to.email === was.email
  const done = yield* Effect.result(asked(booking_id, of.by, { party }))
  if (Result.isFailure(done)) {
    const { _tag } = done.failure
    assert.include(["ChangeRefused", "ChangedSinceShown", "ChangeUnderWay"], _tag)
    if (alone) assert.isTrue(isSame && _tag === "ChangeRefused", `not corrected: ${_tag}`)
    return
  }
  booked.contacts = [...booked.contacts, to]
  if (!alone) return
  assert.isFalse(isSame, "nothing was corrected")
  const lines = yield* BookingRecords.use((records) => records.venueHistory(before))
  const line = lines.findLast(({ event }) => event === "changed")
  assert.strictEqual(line?.done_by ?? undefined, of.by === "desk" ? "Ann" : undefined, "who corrected it")
  if (to.name !== was.name) assert.include(line?.detail ?? "", `name ${was.name} → ${to.name}`)
  if (to.email !== was.email) assert.include(line?.detail ?? "", `e-mail address ${was.email} → ${to.email}`)
  yield* checkFound(booked)
  const isProven = before.status === "confirmed" || before.paid > 0 || before.payment_status === "not_required"
  if (to.email !== was.email && isProven)
    assert.isTrue(Option.isNone(yield* links.opened("booking", token)), "the link that the former address has")
})

/** Each booking is for whom it was corrected to be. Of concurrent corrections, the last may not be answered last. */
export const checkContacts = (ledger: Ledger, snapshot: Snapshot, alone: boolean): void => {
  for (const booked of ledger.bookings) {
    const row = snapshot.bookings.find(({ booking_id }) => booking_id === booked.booking_id) ?? assert.fail("no row")
    const now = { name: row.contact_name, email: row.contact_email }
    if (alone) assert.deepStrictEqual(now, contactOf(booked), "whom it is for")
    else if (JSON.stringify(now) !== JSON.stringify(contactOf(booked))) {
      assert.deepInclude(booked.contacts, now)
      booked.contacts = [...booked.contacts, now]
    }
  }
}
