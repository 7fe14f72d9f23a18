/** Mail servers that say nothing or stall, and a process that stops meanwhile: by SMTP, from the outbox. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Socket } from "node:net"
import { letterWorker, sendNext } from "../../../src/surfaces/letters/LetterDelivery.ts"
import { bySmtp, lettersOf, transportTo } from "../../support/LetterWorld.ts"
import { bareServer, mailServer } from "../../support/MailServer.ts"
import { paidBooking, paymentWorld, startAnew } from "../../support/PaymentWorld.ts"

/** Far shorter than those of the service. */
const short = { connect: 100, silence: 200, send: 450 }

/** Sends the next letter by the server at this port, until the scope ends. */
const sendingTo = (port: number, times?: typeof short) =>
  Effect.map(Layer.build(transportTo({ port }, times)), (context) => Effect.provideContext(sendNext, context))

/** Greets, takes all commands, and after `DATA` does what the test says. */
const takesAllBut = (afterData: (socket: Socket) => void) =>
  bareServer((socket) => {
    socket.write("220 ready\r\n")
    let inData = false
    socket.on("data", (data) => {
      if (inData) return
      inData = data.toString().startsWith("DATA")
      if (inData) afterData(socket)
      else socket.write("250 ok\r\n")
    })
  })

layer(paymentWorld({ letters: bySmtp() }))("letters to a slow mail server", (it) => {
  it.effect("are given up for now after a time, whenever it falls silent, and are taken when it is well again", () =>
    Effect.gen(function* () {
      const silent = {
        "says nothing": yield* bareServer(() => undefined),
        "stalls at DATA": yield* takesAllBut(() => undefined),
        "stalls after the letter": yield* takesAllBut((socket) => socket.write("354 go on\r\n")),
        // Never silent for long, and never done.
        "goes on without end": yield* takesAllBut((socket) => {
          const more = () => socket.write("354-wait\r\n")
          const timer = setInterval(more, short.silence / 4)
          socket.on("close", () => clearInterval(timer))
        })
      }
      const well = yield* mailServer()
      for (const [how, { port, sockets }] of Object.entries(silent)) {
        yield* startAnew
        const { booking } = yield* paidBooking()
        const sendSlowly = yield* sendingTo(port, short)
        assert.strictEqual(yield* sendSlowly, "failed", how)
        // Nothing is left of it: neither a connection nor a letter that is sent at once again.
        while ([...sockets].some((socket) => !socket.destroyed)) yield* Effect.promise(() => new Promise(setImmediate))
        assert.isUndefined(yield* sendSlowly, how)
        yield* TestClock.adjust("2 minutes")
        const send = yield* sendingTo(well.port)
        assert.strictEqual(yield* send, "sent", how)
        assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed sent"], how)
      }
      assert.lengthOf(well.taken, Object.keys(silent).length)
    }).pipe(Effect.scoped)
  )

  it.effect("hold up no others: what one server stalls for one letter, the next sender takes", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { booking: first } = yield* paidBooking()
      const stalls = new Set([first.contact_email])
      const stalled: Array<() => void> = []
      const { port, taken } = yield* mailServer({
        onRcptTo: ({ address }, _session, callback) => {
          if (stalls.has(address)) stalled.push(callback)
          else callback()
        }
      })
      const send = yield* sendingTo(port)
      const stuck = yield* Effect.forkChild(send)
      while (stalled.length === 0) yield* Effect.promise(() => new Promise(setImmediate))
      const { booking: other } = yield* paidBooking()
      assert.strictEqual(yield* send, "sent")
      assert.deepStrictEqual(yield* lettersOf(other), ["confirmed sent"])
      assert.deepStrictEqual(yield* lettersOf(first), ["confirmed pending"])
      for (const goOn of stalled) goOn()
      assert.strictEqual(yield* Fiber.join(stuck), "sent")
      assert.sameMembers(
        taken.map(({ to }) => to.join()),
        [first.contact_email, other.contact_email]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("are finished by a process that stops meanwhile, and sent once", () =>
    Effect.gen(function* () {
      yield* startAnew
      const { booking } = yield* paidBooking()
      const waiting: Array<() => void> = []
      const { port, taken } = yield* mailServer({
        onRcptTo: (_address, _session, callback) => {
          waiting.push(callback)
        }
      })
      const scope = yield* Scope.make()
      yield* Layer.buildWithScope(letterWorker.pipe(Layer.provide(transportTo({ port }))), scope)
      while (waiting.length === 0) yield* Effect.promise(() => new Promise(setImmediate))
      const stopped = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
      for (const take of waiting) take()
      yield* Fiber.join(stopped)
      assert.deepStrictEqual(yield* lettersOf(booking), ["confirmed sent"])
      assert.lengthOf(taken, 1)
      // Nobody sends it again, neither now nor when the lease of the process that stopped is over.
      yield* TestClock.adjust("5 minutes")
      const send = yield* sendingTo(port)
      assert.isUndefined(yield* send)
    }).pipe(Effect.scoped)
  )
})
