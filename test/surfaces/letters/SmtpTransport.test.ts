import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { BookingId } from "../../../src/platform/ids/Ids.ts"
import { type Letter, MailTransport } from "../../../src/surfaces/letters/LetterDelivery.ts"
import { leavesOf, readMail, transportTo } from "../../support/LetterWorld.ts"
import { bareServer, mailServer, refusal } from "../../support/MailServer.ts"
import { runs } from "../../support/runs.ts"

const letter: Letter = {
  letter_id: "letter_1",
  booking_id: BookingId.make("booking_01h455vb4pex5vsknk084sn02q"),
  to: "ana@example.com",
  reply_to: "venue@example.net",
  subject: "Your booking is confirmed: Jolly Jumpers",
  text: "Hello\n",
  html: "<!doctype html><p>Hello</p>",
  language: "en",
  entry: { name: "K7M2-9QXD.ics", text: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", method: "CANCEL" }
}

const send = (port: number, given: Partial<Letter> = {}, server: Parameters<typeof transportTo>[0] = {}) =>
  MailTransport.use((transport) => transport.send({ ...letter, ...given })).pipe(
    Effect.provide(transportTo({ port, ...server }))
  )

/** The tag and the reason of what a letter fails with. */
const failure = (effect: ReturnType<typeof send>) =>
  Effect.map(Effect.flip(effect), ({ _tag, reason }) => `${_tag}: ${reason}`)

describe("letters by SMTP", () => {
  it.live("arrive with both forms of the text, the calendar entry, and what tells two copies of one apart", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* mailServer()
      yield* send(port, { stop_url: "https://book.example.org/r/token" })
      const [mail] = taken
      assert.deepInclude(mail, { from: "bookings@example.org", to: ["ana@example.com"] })
      const read = readMail(mail?.raw ?? "")
      const header = (name: string) => read.headers.get(name)
      assert.strictEqual(header("message-id"), "<letter_1@example.org>")
      assert.strictEqual(header("to"), "ana@example.com")
      assert.strictEqual(header("reply-to"), "venue@example.net")
      assert.include(header("from"), "<bookings@example.org>")
      assert.strictEqual(header("auto-submitted"), "auto-generated")
      assert.strictEqual(header("list-unsubscribe"), "<https://book.example.org/r/token>")
      assert.strictEqual(header("list-unsubscribe-post"), "List-Unsubscribe=One-Click")
      const leaves = leavesOf(read).map(({ content, headers }) => [headers.get("content-type"), content.trim()])
      assert.deepStrictEqual(leaves, [
        ["text/plain; charset=utf-8", "Hello"],
        ["text/html; charset=utf-8", "<!doctype html><p>Hello</p>"],
        ["text/calendar; charset=utf-8; method=CANCEL; name=K7M2-9QXD.ics", "BEGIN:VCALENDAR\r\nEND:VCALENDAR"]
      ])
    }).pipe(Effect.scoped)
  )

  it.live("have no stop link if they are no reminders", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* mailServer()
      yield* send(port)
      assert.notMatch(taken[0]?.raw ?? "", /list-unsubscribe/i)
    }).pipe(Effect.scoped)
  )

  it.live("can add no header and no recipient, whatever stands in names and addresses", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* mailServer()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.string({ unit: "binary", maxLength: 300 }),
            fc.constantFrom(
              "\r\nBcc: evil@example.com",
              "\nX-Evil: 1\n\nbody",
              "\r",
              "\u2028",
              "‮",
              "نادي",
              "名前",
              "a".repeat(2000)
            ),
            (noise, attack) =>
              Effect.runPromise(
                Effect.gen(function* () {
                  const subject = `${noise}${attack}${noise}`
                  yield* send(port, { subject, text: subject, html: `<p>${attack}</p>`, language: "en" })
                  const mail = taken.pop()
                  assert.deepStrictEqual(mail?.to, ["ana@example.com"])
                  const { headers } = readMail(mail?.raw ?? "")
                  assert.isFalse(headers.has("bcc") || headers.has("x-evil") || headers.has("cc"))
                  assert.strictEqual(headers.get("to"), "ana@example.com")
                  const longest = Math.max(...(mail?.raw ?? "").split("\r\n").map(({ length }) => length))
                  assert.isAtMost(longest, 998)
                })
              )
          ),
          { numRuns: runs(30) }
        )
      )
      for (const to of [
        "a@example.com, b@example.com",
        "a@example.com\r\nRCPT TO:<b@example.com>",
        "<a@example.com>",
        "a@example.com\u0000",
        "\u202ea@example.com",
        "a b@example.com",
        "none"
      ]) {
        assert.strictEqual(yield* failure(send(port, { to })), "LetterRefused: its address can't be written", to)
      }
      yield* send(port, { reply_to: "a@example.com\r\nBcc: evil@example.com" })
      assert.isFalse(readMail(taken[0]?.raw ?? "").headers.has("reply-to"))
      assert.lengthOf(taken, 1)
    }).pipe(Effect.scoped)
  )

  it.live("reach addresses in other scripts, if the server takes them", () =>
    Effect.gen(function* () {
      const { port, taken } = yield* mailServer()
      yield* send(port, { to: "ana@bücher.example" })
      yield* send(port, { to: "أنا@مثال.example" })
      const written = taken.map(({ raw }) => readMail(raw).headers.get("to"))
      assert.deepStrictEqual(written, ["ana@xn--bcher-kva.example", "أنا@مثال.example"])
    }).pipe(Effect.scoped)
  )

  it.live("C1, X14: that a server refuses for good are told from those that it takes later", () =>
    Effect.gen(function* () {
      const at = (step: "onMailFrom" | "onRcptTo", code: number, text: string) =>
        mailServer({
          [step]: (_address: unknown, _session: unknown, callback: (error?: Error) => void) =>
            callback(refusal(code, text))
        })
      const fails = (server: Effect.Success<ReturnType<typeof mailServer>>) => failure(send(server.port))
      const unknown = yield* fails(yield* at("onRcptTo", 550, "5.1.1 <ana@example.com> is unknown here"))
      assert.strictEqual(unknown, "LetterRefused: EENVELOPE at RCPT TO 550 5.1.1")
      assert.match(
        yield* fails(yield* at("onRcptTo", 451, "4.7.1 greylisted ana@example.com")),
        /^MailUnavailable: EENVELOPE at RCPT TO 451 4\.7\.1$/
      )
      // The server's policy is about this service, and not about one family.
      assert.match(yield* fails(yield* at("onRcptTo", 554, "5.7.1 relaying denied")), /^MailUnavailable/)
      assert.match(yield* fails(yield* at("onMailFrom", 550, "5.7.0 who are you")), /^MailUnavailable/)
      for (const [step, code, text, tag, sender] of [
        // Google, Exchange Online (twice), and what a provider says of a sender that it does not know.
        ["onRcptTo", 550, "5.4.5 Daily user sending limit exceeded", "MailUnavailable", "refusesSender"],
        ["onRcptTo", 554, "5.2.252 SendAsDenied; not allowed to send as", "MailUnavailable", "refusesSender"],
        ["onRcptTo", 554, "5.2.0 STOREDRV.Submission.Exception", "MailUnavailable", "refusesSender"],
        ["onRcptTo", 550, "5.1.8 sender rejected", "MailUnavailable", "refusesSender"],
        ["onMailFrom", 553, "no such sender", "MailUnavailable", "refusesSender"],
        ["onRcptTo", 550, "5.3.0 out of service", "MailUnavailable", "refusesSender"],
        ["onRcptTo", 450, "4.2.1 try later", "MailUnavailable", undefined],
        ["onRcptTo", 550, "5.1.10 null MX", "LetterRefused", undefined],
        ["onRcptTo", 552, "5.2.2 mailbox full", "LetterRefused", undefined],
        ["onRcptTo", 550, "5.4.1 Recipient address rejected", "LetterRefused", undefined],
        // exim 4.96 and OpenSMTPD 6.8 where they do not relay; Outlook.com of a mailbox that is none.
        ["onRcptTo", 550, "relay not permitted", "LetterRefused", "maybeSender"],
        ["onRcptTo", 550, "Invalid recipient", "LetterRefused", "maybeSender"],
        ["onRcptTo", 550, "5.5.0 mailbox unavailable", "LetterRefused", "maybeSender"]
      ] as const) {
        const error = yield* Effect.flip(send((yield* at(step, code, text)).port))
        const { _tag } = error
        const told = "refusesSender" in error ? "refusesSender" : "maybeSender" in error ? "maybeSender" : undefined
        assert.deepStrictEqual([_tag, told], [tag, sender], text)
      }
      const content = yield* mailServer({
        onData: (stream, _session, callback) => {
          stream.resume()
          stream.on("end", () => callback(refusal(552, "5.3.4 too big")))
        }
      })
      assert.match(yield* fails(content), /^LetterRefused: EMESSAGE at DATA 552 5\.3\.4$/)
    }).pipe(Effect.scoped)
  )

  it.live("are not sent to a server that lacks what was agreed: encryption, a certificate, the password", () =>
    Effect.gen(function* () {
      const clear = yield* mailServer({ disabledCommands: ["STARTTLS"] })
      assert.match(yield* failure(send(clear.port, {}, { tls: "starttls" })), /^MailUnavailable: ETLS/)
      assert.lengthOf(clear.taken, 0)
      // The test server's certificate is its own: nobody vouches for it.
      const selfSigned = yield* mailServer()
      assert.match(yield* failure(send(selfSigned.port, {}, { tls: "starttls" })), /^MailUnavailable/)
      assert.lengthOf(selfSigned.taken, 0)
      const keeping = yield* mailServer({
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: ({ password, username }, _session, callback) =>
          password === "p%w" && username === "u"
            ? callback(null, { user: username })
            : callback(refusal(535, `5.7.8 no such user ${username}`))
      })
      assert.match(
        yield* failure(send(keeping.port, {}, { user: "u", password: "wrong" })),
        /^MailUnavailable: EAUTH at AUTH .*535/
      )
      yield* send(keeping.port, {}, { user: "u", password: "p%w" })
      assert.lengthOf(keeping.taken, 1)
    }).pipe(Effect.scoped)
  )

  it.live("fail without harm if the server is gone, is cut off, or talks nonsense without end", () =>
    Effect.gen(function* () {
      assert.match(yield* failure(send(1)), /^MailUnavailable: ESOCKET/)
      const cut = yield* bareServer((socket) => socket.write("220 ready\r\n", () => socket.destroy()))
      assert.match(yield* failure(send(cut.port)), /^MailUnavailable/)
      const inside = yield* bareServer((socket) => {
        socket.write("220 ready\r\n")
        socket.on("data", (data) => {
          const text = data.toString()
          if (text.startsWith("DATA")) socket.write("354 go on\r\n")
          else if (/^(EHLO|MAIL|RCPT)/.test(text)) socket.write("250 ok\r\n")
          else socket.destroy()
        })
      })
      assert.match(yield* failure(send(inside.port)), /^MailUnavailable/)
      const endless = yield* bareServer((socket) => {
        const more = (): void => {
          if (!socket.destroyed) socket.write("220-" + "x".repeat(8_000), () => setImmediate(more))
        }
        more()
      })
      assert.match(yield* failure(send(endless.port)), /^MailUnavailable/)
    }).pipe(Effect.scoped)
  )
})
