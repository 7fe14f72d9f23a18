/**
 * What staff do with one press: the family came, or did not; what was paid at the venue was given back there; the
 * family gets its link by letter. It changes no money that is not changed already, and a repeat does no harm, so
 * nothing is shown before. For the rest it is a change as any other: the same locks, the same rights, a line of the
 * history with who did it.
 */
import { noEmail } from "../../../platform/text/Contact.ts"
import { Effect, Result, Schema } from "effect"
import { attendanceProblem, type AttendanceRefused, attendanceRefusal } from "../../booking/Lifecycle.ts"
import type { Attendance, BookingRow } from "../../booking/Booking.ts"
import { linkLifetimeMs } from "../../booking/BookingLinks.ts"
import { isErased } from "../../booking/BookingRecords.ts"
import { BookingId, RefundId } from "../../../platform/ids/Ids.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { type Money, money } from "../../../platform/money/Money.ts"
import type { DeskRight } from "../../people/staff/StaffMember.ts"
import { isOwed, type RefundRow } from "../refunds/Refund.ts"
import type { OfflinePaymentMethod } from "../sessions/PaymentSession.ts"
import { reasonIn, type Words } from "./Act.ts"
import type { BookingChange } from "./BookingChanges.ts"

/** A change that one press makes. */
export interface Press<Wish, Decided, Done extends object, E> extends BookingChange<Wish, Decided, Done, E> {
  /** Its name in forms. */
  readonly step: string
  readonly right: DeskRight
  /** Why it is not done, at the desk. Commands say the error's message. */
  readonly refused: (error: E, words: Words) => string
}

interface Mark {
  readonly mark: Attendance
  readonly undo: boolean
}

/** `changed`: false if it was so already. */
interface Marked {
  readonly changed: boolean
}

/**
 * Marks whether a family came, or takes that back. To replace a mark, it is undone first, so that of two people at a
 * desk nobody overrules the other unnoticed.
 */
export const markAttendance: Press<Mark, Marked, Marked, AttendanceRefused> = {
  span: "Attendance.mark",
  step: "mark",
  right: "mark",
  asks: false,
  closesPages: false,
  decide: ({ booking, now }, { mark, undo }) => {
    if (booking.attendance === (undo ? null : mark)) return Result.succeed({ changed: false })
    const problem = attendanceProblem(booking, mark, now)
    return problem === undefined
      ? Result.succeed({ changed: true })
      : Result.fail(attendanceRefusal(booking, mark, problem))
  },
  outcome: (_, { mark, undo }) => ({ mark: undo ? "" : mark }),
  answer: (_, marked) => marked,
  apply: Effect.fnUntraced(function* ({ booking }, { changed }, { mark, undo }, write) {
    if (!changed) return { booking }
    const marked = yield* write.mark(booking, undo ? null : mark)
    return { booking: yield* write.change(marked, { note: true, event: undo ? `${mark}_undone` : mark }) }
  }),
  refused: (_, { m }) => m.desk.notMarked
}

/** It is not to be given back by hand: it went back already, or is none of this booking's. */
export class NotOwedByHand extends Schema.TaggedError<NotOwedByHand>()("NotOwedByHand", { refund_id: RefundId }) {
  override get message(): string {
    return `${this.refund_id} is not to be given back by hand: see playroom doctor, or booking show.`
  }
}

interface ByHand {
  readonly refund: RefundId
  readonly way: OfflinePaymentMethod
}

/** What was given back: what is still owed by then. */
interface GivenByHand {
  readonly amount: Money
}

/** Records that a refund was given back by hand, and how. */
export const giveBackByHand: Press<ByHand, RefundRow, GivenByHand, NotOwedByHand> = {
  span: "Refunds.givenBackByHand",
  step: "returned",
  right: "take_payment",
  asks: false,
  closesPages: false,
  decide: ({ refunds }, { refund: refund_id }) => {
    const found = refunds.find((refund) => refund.refund_id === refund_id)
    return found !== undefined && isOwed(found) ? Result.succeed(found) : Result.fail(new NotOwedByHand({ refund_id }))
  },
  outcome: ({ amount, refund_id }, { way }) => ({ refund_id, amount, way }),
  answer: (_, { amount, currency }) => ({ amount: money(amount, currency) }),
  apply: (_, { refund_id }, { way }, write) => write.giveBack(refund_id, way),
  refused: (_, { m }) => m.desk.changed
}

/** Whether the link of the family's page opens it, and there is a family to give it to. */
export const hasLink = (booking: BookingRow, now: Instant): boolean =>
  now < booking.ends_at + linkLifetimeMs && !isErased(booking)

/** Whether letters can be written to the family. */
export const hasAddress = (booking: BookingRow): boolean => booking.contact_email !== noEmail && !isErased(booking)

/** The link is not sent: it opens nothing any more, its family was erased, or gave no address. */
class NoLink extends Schema.TaggedError<NoLink>()("NoLink", { booking_id: BookingId }) {
  override get message(): string {
    return `The link of ${this.booking_id} opens nothing any more, or there is no address to which it could be sent.`
  }
}

/** Sends the link of the family's page by letter. Asked for again, it is sent again. */
export const sendLink: Press<undefined, undefined, object, NoLink> = {
  span: "FamilyLink.send",
  step: "link",
  right: "give_link",
  asks: false,
  closesPages: false,
  decide: ({ booking, now }) =>
    hasLink(booking, now) && hasAddress(booking)
      ? Result.succeed(undefined)
      : Result.fail(new NoLink({ booking_id: booking.booking_id })),
  outcome: () => ({}),
  answer: () => ({}),
  apply: Effect.fnUntraced(function* ({ booking }, _, __, write) {
    yield* write.letter({ booking, kind: "link" })
    return { booking: yield* write.change(booking, { note: true, event: "link_sent" }) }
  }),
  refused: (_, { m }) => m.desk.changed
}

/** The most characters that a venue writes to a family at once. */
export const maxWords = 2000

/** It is not written to: only to families of confirmed bookings who gave an address, and whose visit is to come. */
export class NotWrittenTo extends Schema.TaggedError<NotWrittenTo>()("NotWrittenTo", { booking_id: BookingId }) {
  override get message(): string {
    return `Nothing is written to ${this.booking_id}: it is not confirmed, its visit is over, there is no address, or no letters are sent.`
  }
}

/** Writes a letter in the venue's own words; the booking stays as it is. */
export const writeToFamily: BookingChange<{ readonly words: string }, undefined, object, NotWrittenTo> = {
  span: "FamilyLetter.write",
  right: "give_link",
  asks: false,
  closesPages: false,
  decide: ({ booking, now }) =>
    booking.status === "confirmed" && now < booking.ends_at && hasAddress(booking)
      ? Result.succeed(undefined)
      : Result.fail(new NotWrittenTo({ booking_id: booking.booking_id })),
  outcome: () => ({}),
  answer: () => ({}),
  apply: Effect.fnUntraced(function* ({ booking }, _, { words }, write) {
    yield* write.letter({ booking, kind: "from_venue", words })
    return { booking: yield* write.change(booking, { note: true, event: "written_to", detail: reasonIn(words) }) }
  })
}

/** Ends the links that were given out, for whoever should no longer have one. Asked for again, it ends them again. */
export const renewLink: BookingChange<undefined, undefined, object, never> = {
  span: "FamilyLink.renew",
  right: "give_link",
  asks: false,
  closesPages: false,
  decide: () => Result.succeed(undefined),
  outcome: () => ({}),
  answer: () => ({}),
  apply: ({ booking }, _, __, write) => Effect.map(write.renewLinks(booking), (booking) => ({ booking }))
}
