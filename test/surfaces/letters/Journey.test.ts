/** All letters of one booking, from the hold to the day after the visit, as a mail server takes them. */
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { writeReminders } from "../../../src/domain/booking/LetterOutbox.ts"
import { dayMs, hourMs, minuteMs } from "../../../src/platform/time/LocalTime.ts"
import { sendDue } from "../../../src/surfaces/letters/LetterDelivery.ts"
import { bySmtp, leavesOf, readMail, transportTo } from "../../support/LetterWorld.ts"
import { mailServer } from "../../support/MailServer.ts"
import { createBooking, payBooking, paymentWorld, startAnew } from "../../support/PaymentWorld.ts"
import { packages } from "../../support/paymentVenues.ts"

layer(paymentWorld({ letters: bySmtp() }))("the letters of a booking", (it) => {
  it.effect("are those that it needs, each at its time and once, from the hold to the day after the visit", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { port, taken } = yield* mailServer()
      const transport = yield* Layer.build(transportTo({ port }))
      /** When letters came, what they are called and whether they bring a calendar entry and stop reminders. */
      const came: Array<readonly [at: number, heading: string, entry: boolean, stops: boolean]> = []
      const told: Array<string> = []
      const tick = Effect.gen(function* () {
        yield* writeReminders
        yield* Effect.provideContext(sendDue, transport)
        const at = yield* Clock.currentTimeMillis
        for (const { raw, to } of taken.splice(0)) {
          assert.deepStrictEqual(to, [booking.contact_email])
          const mail = readMail(raw)
          const leaves = leavesOf(mail)
          const entry = leaves.some(({ headers }) => headers.get("content-type")?.startsWith("text/calendar"))
          const subject = mail.headers.get("subject") ?? ""
          came.push([at, subject.split(": ")[0] ?? "", entry, mail.headers.has("list-unsubscribe")])
          told.push(leaves[0]?.content.replace(/\s+/g, " ") ?? "")
        }
      })
      /** Looks twice a day up to then. */
      const until = Effect.fnUntraced(function* (moment: number) {
        for (let at = yield* Clock.currentTimeMillis; at < moment; at += 12 * hourMs) {
          yield* TestClock.setTime(Math.min(at + 12 * hourMs, moment))
          yield* tick
        }
      })
      yield* writeReminders
      const booking = yield* createBooking(packages.depositParty, { date: "2026-12-22" })
      const due_at = Date.parse(booking.terms.price.balance_due_at ?? assert.fail("no balance"))
      yield* tick
      yield* TestClock.adjust(5 * minuteMs)
      yield* tick
      const paid_at = yield* Clock.currentTimeMillis
      yield* payBooking(booking)
      yield* tick
      yield* until(due_at - hourMs)
      yield* payBooking(booking, "balance")
      yield* tick
      yield* until(booking.ends_at + 2 * dayMs)
      assert.deepStrictEqual(
        came.map(([, ...letter]) => letter),
        [
          ["Your booking is confirmed", true, false],
          ["A payment is due soon", false, true],
          ["A payment is due soon", false, true],
          ["Your visit is coming up", false, true]
        ]
      )
      const moments = [paid_at, due_at - 7 * dayMs, due_at - dayMs, booking.starts_at - dayMs]
      for (const [i, moment] of moments.entries()) {
        const late = (came[i]?.[0] ?? 0) - moment
        assert.isTrue(late >= 0 && late < 12 * hourMs, `${came[i]?.[1]}: ${late}`)
      }
      for (const text of told) {
        assert.include(text, booking.reference)
        assert.match(text, /http:\/\/localhost:3000\/b\/[\w-]{48}/)
      }
      assert.include(told[1] ?? "", "£150.00 is still to be paid")
      assert.include(told[2] ?? "", "£150.00 is still to be paid")
      assert.notInclude(told[3] ?? "", "still to be paid")
    }).pipe(Effect.scoped)
  )
})
