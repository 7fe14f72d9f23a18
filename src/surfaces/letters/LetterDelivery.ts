/**
 * Sends the letters of the outbox. A letter that no longer applies when its turn comes is dropped. One that the mail
 * server does not take is tried again for two days, and then waits for a person. If the server refuses whoever sends,
 * all letters wait for that, for a month.
 *
 * SMTP has no way to ask whether a letter was taken. If this process dies after the server took a letter and before
 * that is stored, it is sent again, with the same Message-ID, by which mailboxes may know it.
 */

import { Clock, Duration, Effect, Exit, Layer, Option, Context, Schema } from "effect"
import { BookingLinks, linkLifetimeMs } from "../../domain/booking/BookingLinks.ts"
import { isErased } from "../../domain/booking/BookingRecords.ts"
import { LetterOutbox, type TakenLetter, remindersStopped, writeReminders } from "../../domain/booking/LetterOutbox.ts"
import { isOver, standingOf } from "../../domain/booking/Standing.ts"
import { failedAmounts } from "../../domain/payment/refunds/Refund.ts"
import { RefundRecords } from "../../domain/payment/refunds/RefundRecords.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import { VoucherSales } from "../../domain/payment/settlement/VoucherSales.ts"
import { failpoint } from "../../platform/concurrency/Failpoint.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { isSameAddress, noEmail } from "../../platform/text/Contact.ts"
import type { BookingId, VoucherId } from "../../platform/ids/Ids.ts"
import type { SentCalendar } from "../../platform/time/CalendarFile.ts"
import { dayMs, forkRecurring, hourMs, minuteMs } from "../../platform/time/LocalTime.ts"
import { type ShownBooking, ShownBookings } from "../web/family/ShownBookings.ts"
import { languageOfTag } from "../../words/Languages.ts"
import { isReminder, letterContent, letterLanguage, voucherLetter } from "./LetterContent.ts"

// The port to whatever takes letters: a mail server (`SmtpTransport.ts`), or the sandbox's page.

/** A letter to one address. Its texts may contain any characters. */
export interface Letter {
  /** Stays the same when the letter is sent again, so that whoever gets it twice can tell. */
  readonly letter_id: string
  /** What it is about. */
  readonly booking_id: BookingId | VoucherId
  readonly to: string
  /** Who gets the answers; absent: whom it is from. */
  readonly reply_to?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag. */
  readonly language: string
  /** A calendar entry (RFC 5545), with the METHOD that stands in it. */
  readonly entry?: { readonly name: string; readonly text: string; readonly method: SentCalendar["method"] }
  /** Where reminders are stopped by a POST (RFC 8058). */
  readonly stop_url?: string
}

/**
 * Letters can't be sent now, whatever is in them. Try again. `reason` has no address and none of the server's words.
 * `refusesSender`: the server answers, and refuses us for good until somebody changes that.
 */
export class MailUnavailable extends Schema.TaggedError<MailUnavailable>()("MailUnavailable", {
  reason: Schema.String,
  refusesSender: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return `The mail server takes no letters now: ${this.reason}`
  }
}

/**
 * This letter was refused for good, usually since its address does not exist. `maybeSender`: the answer may as well mean
 * whoever sends (exim: "550 relay not permitted").
 */
export class LetterRefused extends Schema.TaggedError<LetterRefused>()("LetterRefused", {
  reason: Schema.String,
  maybeSender: Schema.optionalKey(Schema.Literal(true))
}) {
  override get message(): string {
    return `The letter was refused: ${this.reason}`
  }
}

export class MailTransport extends Context.Service<
  MailTransport,
  {
    /** The address that letters are from. */
    readonly from: string
    /** Hands a letter over. After a failure in the middle, nobody knows whether it was taken. */
    readonly send: (letter: Letter) => Effect.Effect<void, MailUnavailable | LetterRefused>
  }
>()("playroom/letters/MailTransport") {}

/** A letter that is being sent is left to this node for so long. */
const leaseMs = 3 * minuteMs
/** For so long a letter that could not be sent is tried again. */
const triesEndMs = 48 * hourMs
/** And so long if it is the sender that is refused: one person mends that for all letters. */
const senderTriesEndMs = 30 * dayMs
/** A mail server takes a few tenths of a second for a letter. */
const fibersBySmtp = 4
/** Between two tries: doubled each time, from a minute to an hour. */
const retryMs = (attempts: number): number => Math.min(hourMs, minuteMs * 2 ** Math.min(attempts - 1, 10))

/** Why a letter no longer applies; undefined if it does. */
const untrue = (letter: TakenLetter, { booking, summary }: ShownBooking, refundFailed: boolean): string | undefined => {
  const { kind, recipient, reminds_of, superseded } = letter
  if (superseded) return "a newer letter says it"
  const standing = standingOf(booking, summary)
  const reminded = reminds_of === null ? undefined : Number(reminds_of.split(" ")[0])
  switch (kind) {
    case "confirmed":
    case "changed":
    case "from_venue":
      return booking.status === "confirmed" && !isOver(standing) ? undefined : `the booking is ${standing.kind}`
    case "places_back":
      return booking.status === "held" ? undefined : `the booking is ${standing.kind}`
    case "ended":
      return booking.status === "confirmed" ? "the booking is confirmed again" : undefined
    case "balance_due":
      return standing.kind === "balance_due" && standing.balance.due_at === reminded ? undefined : "nothing is due then"
    case "visit":
      return booking.status === "confirmed" && booking.starts_at === reminded && summary.now < booking.starts_at
        ? undefined
        : "there is no such visit to come"
    case "refund_failed":
      return refundFailed ? undefined : "no refund is owed"
    case "sent_back":
      return summary.sent_back === undefined ? "nothing was sent back" : undefined
    case "booked":
    case "link":
      return summary.now < booking.ends_at + linkLifetimeMs ? undefined : "its links have expired"
    case "readdressed":
      return recipient === null || isSameAddress(recipient, booking.contact_email)
        ? "the booking has this address again"
        : undefined
  }
}

const drop = (letter: TakenLetter, why: string) =>
  Effect.as(
    LetterOutbox.use((outbox) => outbox.drop(letter, why)),
    "dropped" as const
  )
// A former address was likely misspelt: nobody has to be told in another way that it is one no longer.
const giveUp = (letter: TakenLetter, why: string) =>
  letter.kind === "readdressed" ? drop(letter, why) : die(letter, why)
const die = (letter: TakenLetter, why: string) =>
  Effect.logError("A letter to a family was given up", {
    letter_id: letter.letter_id,
    kind: letter.kind,
    why
  }).pipe(Effect.andThen(LetterOutbox.use((outbox) => outbox.giveUp(letter, why))), Effect.as("dead" as const))

const tryLater = Effect.fnUntraced(function* (letter: TakenLetter, why: string, endMs = triesEndMs) {
  const outbox = yield* LetterOutbox
  const now = yield* Clock.currentTimeMillis
  return now > letter.decided_at + endMs
    ? yield* giveUp(letter, why)
    : yield* Effect.as(outbox.postpone(letter, now + retryMs(letter.attempts), why), "failed" as const)
})

const deliver = Effect.fn("LetterDelivery.deliver")(function* (letter: TakenLetter) {
  const { booking_id, kind, letter_id } = letter
  const outbox = yield* LetterOutbox
  const bookings = yield* ShownBookings
  const refunds = yield* RefundRecords
  const sessions = yield* PaymentSessions
  const transport = yield* MailTransport
  const links = yield* BookingLinks
  yield* Effect.annotateCurrentSpan({ letter_id, kind })
  const found = yield* bookings.read(booking_id)
  if (Option.isNone(found)) return yield* drop(letter, "there is no such booking")
  const { entry, shown } = found.value
  const { booking, playroom, summary } = shown
  if (isErased(booking)) return yield* drop(letter, "the person was erased")
  const to = letter.recipient ?? booking.contact_email
  if (to === noEmail) return yield* drop(letter, "no address was given")
  const owed = yield* refunds.decided(booking_id)
  const refund_failed = failedAmounts(yield* sessions.ofBooking(booking_id), yield* refunds.ofBooking(booking), owed)
  const why = untrue(letter, shown, refund_failed.length > 0)
  if (why !== undefined) return yield* drop(letter, why)
  if (isReminder(kind) && (yield* remindersStopped(booking.contact_email)))
    return yield* drop(letter, "the address wants no reminders")
  if (!(yield* outbox.admit(letter, to))) {
    const reason = "the address had five letters within a day"
    return isReminder(kind) || kind === "link" || kind === "booked" || kind === "places_back"
      ? yield* drop(letter, reason)
      : yield* Effect.as(outbox.postpone(letter, summary.now + hourMs, reason), "postponed" as const)
  }
  const language = letterLanguage(letter.language, playroom.country)
  const stop_url = yield* links.reminders(booking)
  const content = letterContent({
    kind,
    before: letter.before,
    extras: letter.extras ?? [],
    words: letter.words,
    shown,
    entry,
    language,
    from: transport.from,
    refund_failed,
    stop_url
  })
  const { email } = summary.operator
  yield* failpoint("letter taken, not sent")
  const sending = transport.send({
    letter_id,
    booking_id,
    to,
    ...(email === undefined ? {} : { reply_to: email }),
    ...content,
    ...(isReminder(kind) ? { stop_url } : {})
  })
  return yield* Effect.matchEffect(sending, {
    onSuccess: () =>
      Effect.andThen(failpoint("letter sent, not marked"), Effect.as(outbox.markSent(letter), "sent" as const)),
    onFailure: Effect.fnUntraced(function* (error) {
      const { reason } = error
      const refusesSender =
        error._tag === "MailUnavailable"
          ? error.refusesSender === true
          : error.maybeSender === true && (yield* outbox.refusedAlike(letter, reason))
      if (error._tag === "LetterRefused" && !refusesSender) return yield* giveUp(letter, reason)
      yield* Effect.logWarning("The mail server takes no letters now", { reason })
      return yield* tryLater(letter, reason, refusesSender ? senderTriesEndMs : triesEndMs)
    })
  })
})

/** Sends the next letter to who bought a voucher, as `sendNext` does. */
const sendVoucher = Effect.gen(function* () {
  const sales = yield* VoucherSales
  const transport = yield* MailTransport
  const now = yield* Clock.currentTimeMillis
  const taken = yield* sales.takeLetter(now, now + leaseMs)
  if (Option.isNone(taken)) return undefined
  const sale = taken.value
  const done = (became: "sent" | "dropped" | "dead" | "failed", failed?: Parameters<typeof sales.letterDone>[1]) =>
    Effect.as(sales.letterDone(sale, failed), became)
  const letter = yield* sales.letter(sale)
  if (Option.isNone(letter)) return yield* done("dropped")
  const { address, language, to, venue, voucher } = letter.value
  yield* failpoint("letter taken, not sent")
  const sending = transport.send({
    letter_id: `letter_${sale.voucher_id}`,
    booking_id: sale.voucher_id,
    to,
    ...(venue.email === undefined ? {} : { reply_to: venue.email }),
    ...voucherLetter(voucher, venue, address, languageOfTag(language) ?? "en")
  })
  return yield* Effect.uninterruptible(
    Effect.matchEffect(sending, {
      onSuccess: () => Effect.andThen(failpoint("letter sent, not marked"), done("sent")),
      onFailure: (error) => {
        const for_good = error._tag === "LetterRefused"
        return Effect.andThen(
          Effect.logWarning("A letter with a voucher was not taken", { reason: error.reason }),
          done(for_good ? "dead" : "failed", { why: error.reason, for_good })
        )
      }
    })
  )
})

/**
 * Sends the next due letter, and says what became of it; undefined if none is due. `failed`: it is tried again later.
 * `postponed`: its address had too many today. `dead`: it waits for a person.
 */
export const sendNext = Effect.gen(function* () {
  const outbox = yield* LetterOutbox
  const now = yield* Clock.currentTimeMillis
  const taken = yield* outbox.take(now, now + leaseMs)
  if (Option.isNone(taken)) return yield* sendVoucher
  const letter = taken.value
  // Once begun it is finished: a stop in between would send it twice. The transport's times bound it, and those of a
  // stop (`surfaces/http/Ending.ts`).
  const exit = yield* Effect.exit(Effect.uninterruptible(deliver(letter)))
  if (Exit.isSuccess(exit)) return exit.value
  yield* Effect.logWarning("A letter could not be made; it is tried again", { letter_id: letter.letter_id }, exit.cause)
  return yield* tryLater(letter, "it could not be made: the log says why")
})

/** Sends due letters until there are none, or the mail server does not answer; returns how many were tried. */
export const sendDue = Effect.gen(function* () {
  for (let tried = 0; ; yield* Effect.yieldNow) {
    const became = yield* sendNext
    if (became === undefined) return tried
    tried++
    // What failed is due later; the others wait with it for the server, or for the database.
    if (became === "failed") return tried
  }
})

/** Sends letters as they are written, and looks every few seconds for those of other nodes and for retries. */
export const letterWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { letters } = yield* AppConfig
    if (letters.kind === "off") return
    const outbox = yield* LetterOutbox
    const pause = Effect.race(outbox.written, Effect.sleep(Duration.seconds(5)))
    const loop = sendDue.pipe(
      Effect.tapCause((cause) => Effect.logWarning("Letters can't be sent now", cause)),
      Effect.ignoreCause,
      Effect.andThen(pause),
      Effect.forever
    )
    yield* forkRecurring(writeReminders, {
      delay: "1 minute",
      every: "1 minute",
      failed: "Reminders can't be written now; tried again in a minute"
    })
    const fibers = letters.kind === "smtp" ? fibersBySmtp : 1
    for (let fiber = 0; fiber < fibers; fiber++) yield* Effect.forkScoped(loop)
  })
).pipe(Layer.provide(ShownBookings.layer))
