/** The links to a booking's pages for the family. */

import { Clock, Context, Effect, Layer, Option, FiberSet, Semaphore, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import {
  type BookingPage,
  bookingIn,
  linkPaths,
  type LinkTarget,
  LinkTokens
} from "../../platform/access/LinkTokens.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { type BookingId, KeyId } from "../../platform/ids/Ids.ts"
import { dayMs, type Instant, InstantFromDate } from "../../platform/time/LocalTime.ts"
import type { BookingRow, TooManyLookups } from "./Booking.ts"
import { BookingRecords, type Change } from "./BookingRecords.ts"
import { learnLanguage } from "./BookingRequest.ts"
import { addGuest, type InvitedGuest, removeGuest } from "./InvitedGuests.ts"
import { LetterOutbox, remindersStopped, stopReminders } from "./LetterOutbox.ts"
import { countLookup } from "./OtherBookings.ts"

// Guests who reach a booking that another guest made (table `booking_guest`). Each sign-in makes a new guest, so a
// person who signs in again is another guest than the one who booked.

/**
 * Lets the guest with this key reach a booking from now on. `may_change`: with all rights of the guest who made it,
 * because the person had the link of the booking's page; otherwise to read it and to pay. A further call takes no right
 * away; `endReach` does.
 */
export const letReach = Effect.fn("letReach")(function* (
  guest: { readonly key_id: string; readonly booking_id: string; readonly may_change: boolean },
  now: Instant
) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into booking_guest as g (key_id, booking_id, may_change, created_at)
    values (${guest.key_id}, ${guest.booking_id}, ${guest.may_change}::boolean, ${new Date(now)})
    on conflict (key_id, booking_id) do update set may_change = g.may_change or excluded.may_change`
})

const isIssuedKey = Schema.is(KeyId)

/**
 * Lets guests find a booking that is made anew after a restored backup, if its key is gone: it is that of a guest who
 * signed in since the backup, as a rule. (It may be an API key that was issued since. Nobody reaches the booking by it
 * any longer.)
 */
export const letGuestsFind = Effect.fn("letGuestsFind")(function* ({
  booking_id,
  key_id
}: Pick<BookingRow, "booking_id" | "key_id">) {
  const sql = yield* SqlClient.SqlClient
  // The key of the settings and those of a desk are in no table.
  if (!isIssuedKey(key_id)) return
  yield* sql`update booking set by_guest = true where booking_id = ${booking_id}
    and not exists (select from api_key where key_id = ${key_id})`
})

/** The most guests of one booking that are listed. */
const maxListed = 20

/** A guest who reaches a booking, and since when. */
export const BookingGuest = Schema.Struct({
  key_id: Schema.String,
  may_change: Schema.Boolean,
  created_at: InstantFromDate
})
export type BookingGuest = typeof BookingGuest.Type

const guests = decodeRows(Schema.Array(BookingGuest))

/** The guests who reach a booking now beside the one who made it: those who may change it first, then the latest. */
export const guestsOf = Effect.fn("guestsOf")(function* (booking_id: string, now: Instant) {
  const sql = yield* SqlClient.SqlClient
  return yield* guests(sql`select g.key_id, g.may_change, g.created_at
    from booking_guest g join api_key k on k.key_id = g.key_id
    where g.booking_id = ${booking_id} and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${new Date(now)})
    order by g.may_change desc, g.created_at desc, g.key_id limit ${maxListed}`)
})

/** Ends a guest's reach of a booking. The guest's own bookings stay. */
export const endReach = Effect.fn("endReach")(function* (booking_id: string, key_id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from booking_guest where booking_id = ${booking_id} and key_id = ${key_id}`
})

/**
 * Whether a guest who may only read and pay has found the booking. Such a guest may have the address of its payment
 * page, and from there the one that payers return to.
 */
export const wasFound = Effect.fn("wasFound")(function* (booking_id: string) {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql`select from booking_guest where booking_id = ${booking_id} and not may_change limit 1`
  return found.length > 0
})

/** Links expire this long after the visit's end. */
export const linkLifetimeMs = 90 * dayMs

/** A token, alone or after the path of the family's page, with whatever stands before and behind an address. */
const pastedToken = new RegExp(`(?:^|${linkPaths.booking})([A-Za-z0-9_-]{48})(?![A-Za-z0-9_-])`)

/** The target of the booking's current link to a page. */
export const bookingLink = <const Page extends BookingPage>(
  page: Page,
  { booking_id, link_counter }: Pick<BookingRow, "booking_id" | "link_counter">
): LinkTarget & { readonly page: Page } => ({ page, booking_id, counter: link_counter ?? 0 })

// Who lost the link of a booking's page asks for it by reference and e-mail address, and it is sent to that address.
// The answer tells nobody whether there is such a booking, nor does the time that it takes: all that is done before it
// is the same, and the booking is looked for afterwards.

/** Bookings that one process looks for at the same time; further requests wait. */
const atOnce = 2
/** Requests that wait. Beyond them none are taken until some are done. */
export const mostWaiting = 200

export interface LostLink {
  /** As `normalizeReference` writes it. */
  readonly reference: string
  readonly email: string
  /** The network address of who asks, as `bucketOf` names it. */
  readonly sender: string
}

/**
 * Letters go only to an address that once confirmed or paid something: others may have been named by a stranger. A
 * booking for which nothing was due (`not_required`) was confirmed when it was made, and stays proven after its end.
 */
const isProven = ({ paid, payment_status, status }: BookingRow): boolean =>
  status === "confirmed" || paid > 0 || payment_status === "not_required"

export class BookingLinks extends Context.Service<
  BookingLinks,
  {
    /**
     * The booking whose page the token opens. None if the token is invalid or for another page, or if the link was
     * renewed or expired. All of these cases take the same time.
     */
    readonly opened: (page: BookingPage, token: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /**
     * The booking whose family's page this text names: its address, or the token in it, as a person pastes it. None as
     * for `opened`.
     */
    readonly pasted: (text: string) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /** Whoever has a booking's link acts on its page in this language; on its pay page it may be somebody else's. */
    readonly actsIn: (
      page: "booking" | "pay",
      booking_id: BookingId,
      language: string | undefined
    ) => Effect.Effect<void, SqlError.SqlError>
    /** Lets a guest, who had the link of a booking's page, reach it with all rights of whoever made it. */
    readonly join: (booking_id: BookingId, guest_key_id: string) => Effect.Effect<void, SqlError.SqlError>
    /** The guests who reach a booking that another made, at most twenty; and the end of one's reach. */
    readonly guestsOf: (booking_id: BookingId) => Effect.Effect<ReadonlyArray<BookingGuest>, SqlError.SqlError>
    readonly endReach: (booking_id: BookingId, guest_key_id: string) => Effect.Effect<void, SqlError.SqlError>
    /** Whether a guest who may only read and pay has found the booking. */
    readonly wasFound: (booking_id: BookingId) => Effect.Effect<boolean, SqlError.SqlError>
    /** The token of the family's page. */
    readonly token: (booking: BookingRow) => Effect.Effect<string, SqlError.SqlError>
    /** The address of the page for the booking's guests. */
    readonly invitation: (booking: BookingRow) => Effect.Effect<string, SqlError.SqlError>
    /**
     * A guest says on the invitation that opens by this token that it comes. False: it opens nothing by now, the visit
     * has begun, or `most` have said so.
     */
    readonly addGuest: (token: string, guest: InvitedGuest, most: number) => Effect.Effect<boolean, SqlError.SqlError>
    /** Takes a guest out again. */
    readonly removeGuest: (booking_id: BookingId, guest_id: string) => Effect.Effect<void, SqlError.SqlError>
    /** The address where reminders to the booking's e-mail address are stopped. It opens nothing of the booking. */
    readonly reminders: (booking: BookingRow) => Effect.Effect<string, SqlError.SqlError>
    /**
     * Whether the address of the booking that this token of a reminder names wants no more of them; none if it opens
     * nothing. `stop`: from now on, or no longer.
     */
    readonly reminding: (token: string, stop?: boolean) => Effect.Effect<Option.Option<boolean>, SqlError.SqlError>
    /** Invalidates the existing links to the booking's pages; `done_by` is for the history. Returns the updated row. */
    readonly renew: (booking: BookingRow, by?: Pick<Change, "done_by">) => Effect.Effect<BookingRow, SqlError.SqlError>
    /**
     * After a booking's e-mail address was corrected, in the caller's transaction: who reached the booking by the former
     * address, or by a link in a letter to it, no longer does, and that address is told that letters go elsewhere. Not
     * where to: it may be a stranger's. It is told at all because a link that came into wrong hands could otherwise turn
     * a family's letters away unseen.
     */
    readonly readdress: (
      booking: BookingRow,
      former: string,
      by?: Pick<Change, "done_by">
    ) => Effect.Effect<BookingRow, SqlError.SqlError>
    /** The booking, unless its links have expired. */
    readonly stillShown: (booking_id: BookingId) => Effect.Effect<Option.Option<BookingRow>, SqlError.SqlError>
    /** Whether `sendLost` sends anything: letters are on. */
    readonly sendsLost: boolean
    /**
     * Sends the link of the booking with this reference and e-mail address to that address, if there is one, after it
     * has answered. False if too many requests wait: then nothing is done. Fails after ten tries of a sender with one
     * reference within an hour, right and wrong ones.
     */
    readonly sendLost: (request: LostLink) => Effect.Effect<boolean, TooManyLookups | SqlError.SqlError>
  }
>()("playroom/booking/BookingLinks") {
  static readonly layerNoDeps = Layer.effect(
    BookingLinks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const links = yield* LinkTokens
      const records = yield* BookingRecords
      const outbox = yield* LetterOutbox
      const requests = yield* FiberSet.make<void>()
      const turns = Semaphore.makeUnsafe(atOnce)

      const isShown = Effect.map(
        Clock.currentTimeMillis,
        (now) =>
          ({ ends_at }: BookingRow) =>
            now < ends_at + linkLifetimeMs
      )

      const opened = Effect.fn("BookingLinks.opened")(function* (page: BookingPage, token: string) {
        const named = bookingIn(token)
        if (Option.isNone(named)) return Option.none<BookingRow>()
        const booking_id = named.value
        const found = yield* records.byId(booking_id)
        const target = Option.match(found, {
          onNone: () => ({ page, booking_id, counter: 0 }),
          onSome: (row) => bookingLink(page, row)
        })
        const right = yield* links.opens(token, target)
        const shown = yield* isShown
        return Option.filter(found, (booking) => right && shown(booking))
      })

      const pasted = (text: string) => {
        const token = pastedToken.exec(text.trim())?.[1]
        return token === undefined ? Effect.succeed(Option.none<BookingRow>()) : opened("booking", token)
      }

      const onSql = Effect.provideService(SqlClient.SqlClient, sql)
      const join = Effect.fn("BookingLinks.join")(function* (booking_id: BookingId, guest_key_id: string) {
        const now = yield* Clock.currentTimeMillis
        yield* onSql(letReach({ key_id: guest_key_id, booking_id, may_change: true }, now))
      })

      const stillShown = Effect.fn("BookingLinks.stillShown")(function* (booking_id: BookingId) {
        return Option.filter(yield* records.byId(booking_id), yield* isShown)
      })

      const reminding = Effect.fn("BookingLinks.reminding")(function* (token: string, stop?: boolean) {
        const found = yield* opened("reminders", token)
        if (Option.isNone(found)) return Option.none<boolean>()
        const { contact_email } = found.value
        if (stop !== undefined) yield* onSql(stopReminders(contact_email, stop))
        return Option.some(yield* onSql(remindersStopped(contact_email)))
      })

      const renew = Effect.fn("BookingLinks.renew")(function* (booking: BookingRow, by?: Pick<Change, "done_by">) {
        const { booking_id } = booking
        yield* sql`update booking set link_counter = coalesce(link_counter, 0) + 1 where booking_id = ${booking_id}`
        // Guests who reached the booking by an earlier link lose it: that link no longer opens anything.
        yield* sql`delete from booking_guest where booking_id = ${booking_id} and may_change`
        const renewed = Option.getOrElse(yield* records.byId(booking_id), () => booking)
        return yield* records.change(renewed, { event: "link_renewed", note: true, ...by })
      }, sql.withTransaction)

      const readdress = Effect.fn("BookingLinks.readdress")(function* (
        booking: BookingRow,
        former: string,
        by?: Pick<Change, "done_by">
      ) {
        yield* sql`delete from booking_guest where booking_id = ${booking.booking_id}`
        return (yield* outbox.readdress(booking, former, isProven(booking))) ? yield* renew(booking, by) : booking
      })

      const lookForLost = Effect.fn("BookingLinks.lookForLost")(function* ({ email, reference }: LostLink) {
        const found = yield* records.seen({ reference, contact_email: email }, { guest: false })
        if (Option.isNone(found) || !isProven(found.value.row)) return
        const shown = yield* stillShown(found.value.row.booking_id)
        if (Option.isSome(shown)) yield* outbox.write({ booking: shown.value, kind: "link" })
      })

      const sendLost = Effect.fn("BookingLinks.sendLost")(function* (request: LostLink) {
        if (!outbox.on || (yield* FiberSet.size(requests)) >= mostWaiting) return false
        yield* onSql(countLookup(request.sender, request.reference, yield* Clock.currentTimeMillis))
        const later = lookForLost(request).pipe(
          Effect.catchCause((cause) => Effect.logWarning("The link of a booking could not be sent", cause)),
          turns.withPermit,
          // Once taken, a request is done also if this process stops now.
          Effect.uninterruptible
        )
        yield* FiberSet.run(requests, later)
        return true
      })

      return BookingLinks.of({
        renew,
        readdress,
        reminding,
        actsIn: (page, booking_id, language) => onSql(learnLanguage(booking_id, language, page === "booking")),
        opened,
        pasted,
        join,
        guestsOf: (booking_id) => Effect.flatMap(Clock.currentTimeMillis, (now) => onSql(guestsOf(booking_id, now))),
        endReach: (booking_id, guest_key_id) => onSql(endReach(booking_id, guest_key_id)),
        wasFound: (booking_id) => onSql(wasFound(booking_id)),
        token: (booking) => links.make(bookingLink("booking", booking)),
        invitation: (booking) => links.address(bookingLink("invitation", booking)),
        addGuest: Effect.fn("BookingLinks.addGuest")(function* (token, guest, most) {
          const found = yield* opened("invitation", token)
          if (Option.isNone(found)) return false
          return yield* onSql(addGuest(found.value.booking_id, guest, most, yield* Clock.currentTimeMillis))
        }),
        removeGuest: (booking_id, guest_id) => onSql(removeGuest(booking_id, guest_id)),
        reminders: (booking) => links.address(bookingLink("reminders", booking)),
        stillShown,
        sendsLost: outbox.on,
        sendLost
      })
    })
  )

  static readonly layer = BookingLinks.layerNoDeps.pipe(
    Layer.provide([BookingRecords.layer, LetterOutbox.layer, LinkTokens.layer])
  )
}
