import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import { bookOption, confirmedOn, hall, movable, optionOn, rowOf } from "../../support/moveWorld.ts"
import { deleteBookings, now, setClockBefore } from "../../support/PaymentWorld.ts"
import { bookedInRed, blue, packageOf, red, strange } from "../../support/roomWorld.ts"
import { testId } from "../../support/venues.ts"

const begin = Effect.andThen(deleteBookings, setClock(now))
const move = (reference: string, to: string, ...args: ReadonlyArray<string>) =>
  playroom("booking", "move", reference, "--to", to, ...args)
/** The code in a preview's last line. */
const shownIn = (out: string): string => /--as-shown (\S+),/.exec(out)?.[1] ?? assert.fail(`no code: ${out}`)

layer(commandWorld)("playroom booking move", (it) => {
  it.effect("moves the same party to a local start, exactly as the preview said", () =>
    Effect.gen(function* () {
      yield* importVenue(hall)
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const preview = (yield* move(booking.reference, "2026-12-14T15:00", "--preview")).out
      const asShown = shownIn(preview)
      assert.strictEqual(
        preview,
        [
          `${booking.reference}, if it were moved now: 2026-12-12 10:00 → 2026-12-14 15:00, £240.00 → £200.00. Nothing was changed.`,
          "The price is £200.00, £40.00 less: £40.00 would go back.",
          "Its terms give a free move until 2026-12-05 10:00.",
          "What a cancellation gives back is counted from the start on 2026-12-12 10:00.",
          `Without --preview and with --as-shown ${asShown}, exactly this is done, or nothing.`
        ].join("\n")
      )
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const asJson = parsed((yield* move(booking.reference, "2026-12-14T15:00", "--preview", "--json")).out)
      assert.deepStrictEqual(member(asJson, "difference"), { amount: -4000, currency: "GBP", display: "-£40.00" })
      assert.strictEqual(member(member(asJson, "refund"), "amount"), 4000)
      const { out } = yield* move(booking.booking_id, "2026-12-14 15:00", "--as-shown", asShown)
      assert.include(out, `${booking.reference} is moved: 2026-12-12 10:00 → 2026-12-14 15:00`)
      assert.include(out, "£40.00 goes back; a running node sends it to the provider")
      assert.match((yield* playroom("booking", "show", booking.reference)).out, /move +requested +£40\.00/)
    })
  )

  it.effect("does what the preview said, or says what has changed since, moves nothing and exits non-zero", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const asShown = shownIn((yield* move(booking.reference, "2026-12-14T15:00", "--preview")).out)
      yield* move(booking.reference, "2026-12-16T15:00")
      const { failure } = yield* move(booking.reference, "2026-12-14T15:00", "--as-shown", asShown)
      assert.include(failure ?? "", "Nothing was done")
      assert.include(failure ?? "", "has changed since it was shown (its visit)")
      assert.strictEqual(new Date((yield* rowOf(booking)).starts_at).toISOString(), "2026-12-16T15:00:00.000Z")
    })
  )

  it.effect("takes an option of another party, and says what is still to be paid", () =>
    Effect.gen(function* () {
      yield* begin
      const option = yield* optionOn("2026-12-12", "10:00", { pkg: movable.depositParty, children: 10, machines: 1 })
      const booking = yield* confirmedOn("2026-12-10", "10:00", movable.depositParty)
      const { out } = yield* move(booking.reference, option)
      assert.include(out, "8 children and 0 adults → 10 children and 0 adults, other add-ons, £200.00 → £252.00")
      assert.include(out, "The price is £252.00, £52.00 more: £202.00 is still to be paid by 2026-12-11 10:00.")
    })
  )

  it.effect("needs a reason once moving is not free, and says so aloud", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      yield* setClockBefore(booking, 48)
      const to = "2026-12-14T10:00"
      assert.include(
        (yield* move(booking.reference, to, "--preview")).out,
        "no free move now (they did until 2026-12-03 10:00)"
      )
      assert.include((yield* move(booking.reference, to)).failure ?? "", "give the reason")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const { out } = yield* move(booking.reference, to, "--reason", "The child is ill")
      assert.include(out, "it is moved at your word")
      assert.include((yield* playroom("booking", "show", booking.reference)).out, "by the operator; The child is ill")
    })
  )

  it.effect("says what to do where it can't be done", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-10")
      const held = yield* bookOption(yield* optionOn("2026-12-11"))
      for (const [reference, to, says] of [
        ["ZZZZ-ZZZZ", "2026-12-14T10:00", "There is no booking ZZZZ-ZZZZ."],
        [booking.reference, "2026-12-11T10:00", "2026-12-11 15:00, £200.00: option_"],
        [booking.reference, "2026-12-14T10:20", "closed"],
        [booking.reference, "2026-12-45T10:00", "--to takes an option_"],
        [booking.reference, "tomorrow", "--to takes an option_"],
        [booking.reference, "2026-12-10T10:00", "It has this visit already."],
        [held.reference, "2026-12-14T10:00", "pay what is due first"]
      ] as const) {
        assert.include((yield* move(reference, to)).failure ?? "", says, `${reference} ${to}`)
      }
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("moves it to another room of its operator: at the same start, in the package of the same name", () =>
    Effect.gen(function* () {
      yield* importVenue(red, blue, strange)
      yield* begin
      const booking = yield* bookedInRed("2026-12-10")
      const room = (...args: ReadonlyArray<string>) => playroom("booking", "move", booking.reference, ...args)
      const to = blue.playroom.playroom_id
      const preview = (yield* room("--playroom", to, "--preview")).out
      assert.include(
        preview,
        `${booking.reference}, if it were moved now: Red Room → Blue Room, £266.00 → £310.00. Nothing was changed.\nNot taken along, because it is not sold there like that: 1 × Host.\nThe price is £310.00, £44.00 more: £44.00 is still to be paid by`
      )
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const play = packageOf(blue, "Play").package_id
      assert.include((yield* room("--playroom", to, "--package", play, "--preview")).out, "Blue Room, Party → Play")
      for (const [args, says] of [
        [[], "Say where to"],
        [["--playroom", "no-such-room"], "no-such-room"],
        [["--playroom", strange.playroom.playroom_id], "No playroom"],
        [["--playroom", testId.playroom(999)], "No playroom"],
        [["--playroom", to, "--package", packageOf(red).package_id], "Name the --package"],
        [["--package", packageOf(strange).package_id], "That is no option that can be booked: unknown"],
        [["--to", booking.option_id, "--playroom", to], "leave out --playroom"],
        [["--playroom", to, "--to", "2026-12-10T11:17", "--preview"], "The nearest that can be booked"]
      ] as const)
        assert.include((yield* room(...args)).failure ?? "", says, args.join(" "))
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const json = parsed((yield* room("--playroom", to, "--preview", "--json")).out)
      assert.deepStrictEqual(member(json, "without"), [{ name: "Host", quantity: 1 }])
      const { out } = yield* room("--playroom", to, "--to", "2026-12-10T15:00", "--reason", "A pipe broke")
      assert.include(out, `${booking.reference} is moved: 2026-12-10 10:00 → 2026-12-10 15:00, Red Room → Blue Room`)
      assert.strictEqual((yield* rowOf(booking)).playroom_id, to)
    })
  )
})
