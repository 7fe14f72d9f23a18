/** Letters to the mail servers that Debian has, by what these answer (`RealMailServers.ts`). */
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { readFileSync } from "node:fs"
import { LetterOutbox } from "../../../src/domain/booking/LetterOutbox.ts"
import { BookingId } from "../../../src/platform/ids/Ids.ts"
import { type Letter, MailTransport, sendNext } from "../../../src/surfaces/letters/LetterDelivery.ts"
import { bySmtp, leavesOf, readMail, transportTo } from "../../support/LetterWorld.ts"
import { createBooking, paymentWorld, startAnew } from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"
import { realMailServers, runMailServer } from "../../support/RealMailServers.ts"

const letter: Letter = {
  letter_id: "letter_1",
  booking_id: BookingId.make("booking_01h455vb4pex5vsknk084sn02q"),
  to: "family@local.example",
  subject: "Your booking is cancelled: Jolly Jumpers",
  text: "Hello\n",
  html: "<!doctype html><p>Hello</p>",
  language: "en",
  entry: { name: "K7M2-9QXD.ics", text: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", method: "CANCEL" }
}

/** What each was seen to answer, and what is made of it: the letter's fault, or the sender's. */
const answers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // 4.96
  exim: {
    relay: "LetterRefused (maybe the sender): EENVELOPE at RCPT TO 550",
    unknown: "LetterRefused (maybe the sender): EENVELOPE at RCPT TO 550",
    "too big": "LetterRefused (maybe the sender): EMESSAGE at DATA 552"
  },
  // 3.7.11
  Postfix: {
    relay: "MailUnavailable: EENVELOPE at RCPT TO 454 4.7.1",
    unknown: "LetterRefused: EENVELOPE at RCPT TO 550 5.1.1",
    "too big": "LetterRefused: EMESSAGE at DATA 552 5.3.4"
  }
}

const there = realMailServers.filter(({ version }) => version !== undefined)
for (const { name } of realMailServers.filter(({ version }) => version === undefined))
  describe("letters to a real mail server", () => {
    it.skip(`${name} (SKIPPED: it is not on this machine, or its tests are not run as root)`, () => {})
  })

for (const { name, program, version } of there)
  layer(paymentWorld({ letters: bySmtp() }))(`letters to ${name} ${version}`, (it) => {
    it.effect("are delivered, and refused as its table says", () =>
      Effect.gen(function* () {
        const { delivered, mailbox, port } = yield* runMailServer(program)
        const send = (given: Partial<Letter>) =>
          MailTransport.use((transport) => transport.send({ ...letter, ...given })).pipe(
            Effect.provide(transportTo({ port }))
          )
        const refusal = (given: Partial<Letter>) =>
          Effect.map(Effect.flip(send(given)), (error) => {
            const sender =
              "refusesSender" in error ? " (the sender)" : "maybeSender" in error ? " (maybe the sender)" : ""
            return `${error._tag}${sender}: ${error.reason}`
          })
        yield* send({})
        assert.isTrue(yield* delivered)
        const [, ...mail] = readFileSync(mailbox, "utf8").split("\n")
        const types = leavesOf(readMail(mail.join("\r\n"))).map(({ headers }) => headers.get("content-type"))
        assert.deepStrictEqual(types, [
          "text/plain; charset=utf-8",
          "text/html; charset=utf-8",
          "text/calendar; charset=utf-8; method=CANCEL; name=K7M2-9QXD.ics"
        ])
        const seen = {
          relay: yield* refusal({ to: "family@elsewhere.example" }),
          unknown: yield* refusal({ to: "nobody@local.example" }),
          "too big": yield* refusal({ text: "Hello\n".repeat(5_000) })
        }
        assert.deepStrictEqual(seen, answers[name] ?? {})
      }).pipe(Effect.scoped)
    )

    it.effect("wait while it does not relay, are one finding, and go out once it does", () =>
      Effect.gen(function* () {
        yield* startAnew
        const outbox = yield* LetterOutbox
        const sendingTo = (relays: boolean) =>
          Effect.flatMap(runMailServer(program, { relays }), ({ port }) =>
            Effect.map(Layer.build(transportTo({ port })), (context) => Effect.provideContext(sendNext, context))
          )
        yield* Effect.scoped(
          Effect.gen(function* () {
            const send = yield* sendingTo(false)
            for (let families = 0; families < 3; families++) {
              yield* createBooking(packages.trustedParty)
              yield* send
            }
          })
        )
        yield* TestClock.adjust("2 hours")
        const delayed = yield* outbox.delayed(yield* Clock.currentTimeMillis)
        assert.deepStrictEqual([(yield* outbox.dead).length, delayed?.letters], [0, 3])
        const send = yield* sendingTo(true)
        assert.deepStrictEqual([yield* send, yield* send, yield* send], ["sent", "sent", "sent"])
      }).pipe(Effect.scoped)
    )
  })
