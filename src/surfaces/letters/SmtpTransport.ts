/** Sends letters to a mail server by SMTP, one connection each. */
import { Effect, Layer, Redacted, Schema } from "effect"
import type { MailServer, Sender } from "../../platform/config/Variables.ts"
import { EmailAddress } from "../../platform/text/Contact.ts"
import { plainText } from "../../platform/text/Text.ts"
import { calendarMediaType } from "../../platform/time/CalendarFile.ts"
import { type Letter, LetterRefused, MailTransport, MailUnavailable } from "./LetterDelivery.ts"

/** How long a server may take, in milliseconds. A letter that takes longer is tried again. */
const smtpTimes = {
  /** Until it is connected, and until it greets. */
  connect: 10_000,
  /** The longest silence. */
  silence: 20_000,
  /** For a letter in all. */
  send: 45_000
}

/** The largest answer of a server that is read, in bytes. */
const maxResponseSize = 16_384
const maxSubject = 200

/** What the library's errors say, besides the server's own words, which may repeat the address. */
const SmtpFailure = Schema.Struct({
  code: Schema.optionalKey(Schema.String),
  command: Schema.optionalKey(Schema.String),
  responseCode: Schema.optionalKey(Schema.Int),
  response: Schema.optionalKey(Schema.String)
})
const decodeFailure = Schema.decodeUnknownOption(SmtpFailure)

/** RFC 3463 */
const enhancedCode = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/

/** At these commands a refusal with 5xx may be about the letter; at others it is about this service. */
const maybeLetter: ReadonlySet<string> = new Set(["RCPT TO", "DATA"])

/**
 * Refusals of a letter or its address, by their codes (RFC 3463, RFC 7505): an address that does not exist, a mailbox
 * that is closed or full, a domain that nobody serves, a letter that is too big or can't be passed on.
 */
const ofLetter = /^5\.(1\.([0-6]|9|10)|2\.[1-3]|3\.4|4\.[14]|6\.\d+)$/
/**
 * Refusals of whoever sends: of the sender's address, or of its share (5.4.5: Google's daily limit), of the mailbox it
 * sends from (5.2.0, 5.2.252: Exchange), by the server's state (5.3) or policy (5.7).
 */
const ofSender = /^5\.(1\.[78]|2\.\d+|3\.\d+|4\.5|7\.\d+)$/

const failureOf = (cause: unknown): MailUnavailable | LetterRefused => {
  const found = decodeFailure(cause)
  if (found._tag === "None") return new MailUnavailable({ reason: "the connection failed" })
  const { code = "ESOCKET", command = "", response = "", responseCode } = found.value
  const status = enhancedCode.exec(response)?.[1]
  const said = responseCode === undefined ? "" : ` ${responseCode}${status === undefined ? "" : ` ${status}`}`
  const at = /^[A-Z ]{2,20}$/.test(command) ? ` at ${command}` : ""
  const reason = `${plainText(code, 20)}${at}${said}`
  // Without a code of the server: the address can't be written in what the server speaks (RFC 6531).
  if (code === "EENVELOPE" && responseCode === undefined) return new LetterRefused({ reason })
  if (responseCode === undefined || responseCode < 500 || responseCode > 599) return new MailUnavailable({ reason })
  if (status !== undefined && ofLetter.test(status) && maybeLetter.has(command)) return new LetterRefused({ reason })
  return (status !== undefined && ofSender.test(status)) || !maybeLetter.has(command)
    ? new MailUnavailable({ reason, refusesSender: true })
    : new LetterRefused({ reason, maybeSender: true })
}

/** Addresses of before this rule are checked, too: they stand in a header as they are. */
const isWritable = Schema.is(EmailAddress)

/**
 * The letter as the library takes it. The entry is a file with its METHOD (RFC 6047, 2.4), and no alternative to the
 * text: with one that publishes, Exchange 2013 made letters that Outlook on the web did not show.
 */
const messageOf = (letter: Letter, from: Sender) => {
  const domain = from.address.slice(from.address.lastIndexOf("@") + 1)
  const entry = letter.entry && {
    filename: letter.entry.name,
    content: letter.entry.text,
    contentType: `${calendarMediaType}; method=${letter.entry.method}`
  }
  const replyTo = letter.reply_to !== undefined && isWritable(letter.reply_to) ? letter.reply_to : undefined
  return {
    from,
    to: { name: "", address: letter.to },
    ...(replyTo === undefined ? {} : { replyTo: { name: "", address: replyTo } }),
    subject: plainText(letter.subject, maxSubject),
    text: letter.text,
    html: letter.html,
    messageId: `<${letter.letter_id}@${domain}>`,
    headers: {
      "Auto-Submitted": "auto-generated",
      "Content-Language": letter.language,
      ...(letter.stop_url === undefined
        ? {}
        : {
            "List-Unsubscribe": { prepared: true, value: `<${letter.stop_url}>` },
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"
          })
    },
    attachments: entry === undefined ? [] : [entry],
    disableFileAccess: true,
    disableUrlAccess: true
  }
}

/** The library takes a few milliseconds to load, so it is loaded only where letters are sent by SMTP. */
export const smtpTransport = (server: Redacted.Redacted<MailServer>, from: Sender, times = smtpTimes) =>
  Layer.effect(
    MailTransport,
    Effect.gen(function* () {
      const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
      const { host, password, port, tls, user } = Redacted.value(server)
      const transport = createTransport({
        host,
        port,
        secure: tls === "implicit",
        requireTLS: tls === "starttls",
        ignoreTLS: tls === "none",
        ...(user === "" ? {} : { auth: { user, pass: password } }),
        connectionTimeout: times.connect,
        dnsTimeout: times.connect,
        greetingTimeout: times.connect,
        socketTimeout: times.silence,
        socketCloseTimeout: 1_000,
        maxResponseSize,
        disableFileAccess: true,
        disableUrlAccess: true
      })

      const send = (letter: Letter) =>
        isWritable(letter.to)
          ? Effect.tryPromise({
              try: () => transport.sendMail({ ...messageOf(letter, from), signal: AbortSignal.timeout(times.send) }),
              catch: failureOf
            }).pipe(Effect.asVoid)
          : Effect.fail(new LetterRefused({ reason: "its address can't be written" }))

      return MailTransport.of({ from: from.address, send })
    })
  )
