/** The payment services with letters on, and the letters that were handed over: to a test, or to a mail server. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { Settings } from "../../src/platform/config/AppConfig.ts"
import type { MailServer } from "../../src/platform/config/Variables.ts"
import type { BookingRow } from "../../src/domain/booking/Booking.ts"
import {
  sendDue,
  type Letter,
  LetterRefused,
  MailTransport,
  MailUnavailable
} from "../../src/surfaces/letters/LetterDelivery.ts"
import { smtpTransport } from "../../src/surfaces/letters/SmtpTransport.ts"
import { paymentWorld } from "./PaymentWorld.ts"

export const from = { name: 'Playrooms, "Leeds"', address: "bookings@example.org" }

const server: MailServer = { host: "127.0.0.1", port: 1, tls: "none", user: "", password: "" }

/** Letters by SMTP. */
export const bySmtp = (given: Partial<MailServer> = {}): Settings["letters"] => ({
  kind: "smtp",
  server: Redacted.make({ ...server, ...given }),
  from
})

/** The letters that were handed over, and what the next ones meet. */
export class Mailbox extends Context.Service<
  Mailbox,
  { readonly letters: Array<Letter>; fails: "unavailable" | "refused" | "relay refused" | undefined }
>()("test/Mailbox") {
  static readonly layer = Layer.sync(Mailbox, () => Mailbox.of({ letters: [], fails: undefined }))
}

export const toMailbox = Layer.effect(
  MailTransport,
  Effect.map(Mailbox, (mailbox) =>
    MailTransport.of({
      from: from.address,
      send: (letter) =>
        Effect.suspend((): Effect.Effect<void, LetterRefused | MailUnavailable> => {
          if (mailbox.fails === "unavailable") return Effect.fail(new MailUnavailable({ reason: "ECONNREFUSED" }))
          if (mailbox.fails === "refused") return Effect.fail(new LetterRefused({ reason: "550 5.1.1" }))
          if (mailbox.fails === "relay refused")
            return Effect.fail(new LetterRefused({ reason: "550", maybeSender: true }))
          mailbox.letters.push(letter)
          return Effect.void
        })
    })
  )
)

/** Letters go into the mailbox. */
export const letterWorld = (settings: Partial<Settings> = {}) =>
  toMailbox.pipe(
    Layer.provideMerge(Mailbox.layer),
    Layer.provideMerge(paymentWorld({ letters: bySmtp(), ...settings }))
  )

/** A transport to a mail server. */
export const transportTo = (given: Partial<MailServer>, times?: Parameters<typeof smtpTransport>[2]) =>
  smtpTransport(Redacted.make({ ...server, ...given }), from, times)

/** Sends what is due; answers the letters that were handed over since the last call. */
export const sendLetters = Effect.gen(function* () {
  const mailbox = yield* Mailbox
  yield* sendDue
  return mailbox.letters.splice(0)
})

/** The letter among those that are sent now; a defect if there are none or several. */
export const sendOneLetter = Effect.map(sendLetters, (letters): Letter => {
  assert.lengthOf(letters, 1, letters.map(({ subject }) => subject).join("; "))
  return letters[0] ?? assert.fail("no letter")
})

/** What became of the letters about a booking, oldest first: kind and status. */
export const lettersOf = Effect.fnUntraced(function* ({ booking_id }: Pick<BookingRow, "booking_id">) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ kind: string; status: string }>`select kind, status from letter
    where booking_id = ${booking_id} order by seq`
  return rows.map(({ kind, status }) => `${kind} ${status}`)
})

/** A part of a message: its headers in lower case, unfolded, and its decoded content. */
interface MailPart {
  readonly headers: ReadonlyMap<string, string>
  readonly content: string
  readonly parts: ReadonlyArray<MailPart>
}

const decodedContent = (encoding: string, body: string): string => {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8")
  if (encoding !== "quoted-printable") return body
  const bytes = body
    .replace(/=\r?\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, "latin1").toString("utf8")
}

const decodedWords = (value: string): string =>
  value
    .replace(/(\?=)\s+(=\?)/g, "$1$2")
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, text: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(text, "base64").toString("utf8")
        : decodedContent("quoted-printable", text.replaceAll("_", " "))
    )

/** A message as a mailbox reads it (RFC 5322, RFC 2045). */
export const readMail = (raw: string): MailPart => {
  const end = raw.indexOf("\r\n\r\n")
  const head = raw.slice(0, end).replace(/\r\n[ \t]+/g, " ")
  const headers = new Map(
    head.split("\r\n").map((line) => {
      const [name = "", ...value] = line.split(": ")
      return [name.toLowerCase(), decodedWords(value.join(": "))] as const
    })
  )
  const body = raw.slice(end + 4)
  const boundary = /boundary="?([^";]+)"?/.exec(headers.get("content-type") ?? "")?.[1]
  if (boundary === undefined) {
    const content = Result.getOrThrow(
      Result.try(() => decodedContent(headers.get("content-transfer-encoding") ?? "", body))
    )
    return { headers, content, parts: [] }
  }
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => readMail(part.replace(/^\r\n/, "")))
  return { headers, content: "", parts }
}

/** All parts that hold content, in order. */
export const leavesOf = (part: MailPart): ReadonlyArray<MailPart> =>
  part.parts.length === 0 ? [part] : part.parts.flatMap(leavesOf)
