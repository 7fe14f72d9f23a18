/** The port to whatever takes letters: a mail server (`SmtpTransport.ts`), or the sandbox's page. */
import { Context, type Effect, Schema } from "effect"
import type { BookingId } from "../../platform/ids/Ids.ts"

/** A letter to one address. Its texts may contain any characters. */
export interface Letter {
  /** Stays the same when the letter is sent again, so that whoever gets it twice can tell. */
  readonly letter_id: string
  readonly booking_id: BookingId
  readonly to: string
  /** Who gets the answers; absent: whom it is from. */
  readonly reply_to?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** BCP 47 tag. */
  readonly language: string
  /** A calendar entry (RFC 5545). */
  readonly entry?: { readonly name: string; readonly text: string }
  /** Where reminders are stopped by a POST (RFC 8058). */
  readonly stop_url?: string
}

/** Letters can't be sent now, whatever is in them. Try again. `reason` has no address and none of the server's words. */
export class MailUnavailable extends Schema.TaggedError<MailUnavailable>()("MailUnavailable", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The mail server takes no letters now: ${this.reason}`
  }
}

/** This letter was refused for good, usually since its address does not exist. */
export class LetterRefused extends Schema.TaggedError<LetterRefused>()("LetterRefused", {
  reason: Schema.String
}) {
  override get message(): string {
    return `The letter was refused: ${this.reason}`
  }
}

export class MailTransport extends Context.Service<
  MailTransport,
  {
    /** Hands a letter over. After a failure in the middle, nobody knows whether it was taken. */
    readonly send: (letter: Letter) => Effect.Effect<void, MailUnavailable | LetterRefused>
  }
>()("playroom/letters/MailTransport") {}
