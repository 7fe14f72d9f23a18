import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { giveGoodwill } from "../../support/Acts.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { commandWorld, member, parsed, playroom } from "../../support/CommandLine.ts"
import { confirmedOn, hall, movable, rowOf } from "../../support/moveWorld.ts"
import { deleteBookings, now, runProviderTasks, setClockBefore } from "../../support/PaymentWorld.ts"
import { bubbleMachine } from "../../support/venues.ts"

const begin = Effect.all([importVenue(hall), deleteBookings, setClock(now)], { discard: true })
const change = (reference: string, ...args: ReadonlyArray<string>) => playroom("booking", "change", reference, ...args)

layer(commandWorld)("playroom booking change", (it) => {
  it.effect("changes the party at its own start, exactly as the preview said", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12", "10:00", movable.play)
      const wish = ["--children", "10", "--adults", "2", "--add-on", `${bubbleMachine.add_on_id}=2`]
      const { out } = yield* change(booking.reference, ...wish, "--preview")
      const asShown = /--as-shown (\S+),/.exec(out)?.[1] ?? assert.fail(out)
      assert.strictEqual(
        out,
        [
          `${booking.reference}, if it were changed now: 8 children and 0 adults → 10 children and 2 adults, other add-ons, £60.00 → £99.00. Nothing was changed.`,
          "The price is £99.00, £39.00 more: £39.00 is still to be paid by 2026-11-22 09:00.",
          "Its terms let the party change until 2026-12-12 10:00.",
          `Without --preview and with --as-shown ${asShown}, exactly this is done, or nothing.`
        ].join("\n")
      )
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const done = parsed((yield* change(booking.booking_id, ...wish, "--as-shown", asShown, "--json")).out)
      assert.strictEqual(member(member(done, "balance"), "amount"), 3900)
      const again = yield* change(booking.reference, ...wish, "--as-shown", asShown)
      assert.include(again.failure ?? "", "is not changed. It has this visit already.")
      yield* giveGoodwill(booking.booking_id, { amount: 500, reason: "Sorry", preview: false })
      yield* runProviderTasks
      const less = yield* change(booking.reference, "--add-on", `${bubbleMachine.add_on_id}=0`)
      assert.include(less.out, " £5.00 was given back as goodwill: that stays, and is not counted.")
      assert.include(less.out, "The price is £75.00, £24.00 less: £15.00 is still to be paid")
      const { adults, children, terms } = yield* rowOf(booking)
      assert.deepStrictEqual([children, adults, terms.add_ons], [10, 2, []])
      const fewer = yield* change(booking.reference, "--children", "1", "--adults", "1", "--preview")
      assert.include(fewer.out, "10 children and 2 adults → 1 child and 1 adult,")
    })
  )

  it.effect("changes ages, wishes and telephone at no cost, and removes them", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const { out } = yield* change(
        booking.reference,
        "--ages",
        "4, 4,5,5 5 6 7,8",
        "--notes",
        "No nuts",
        "--phone",
        "020 79460000"
      )
      assert.include(out, "is changed: other ages, another telephone number, other wishes.\nThe price stays £240.00.")
      const row = yield* rowOf(booking)
      assert.deepStrictEqual(
        [row.child_ages, row.notes, row.contact_phone],
        [[4, 4, 5, 5, 5, 6, 7, 8], "No nuts", "020 79460000"]
      )
      yield* change(booking.reference, "--ages", "", "--notes", "", "--phone", "")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
    })
  )

  it.effect("X29: takes a note that begins with a dash", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      yield* change(booking.reference, "--notes", "- nuts")
      assert.strictEqual((yield* rowOf(booking)).notes, "- nuts")
    })
  )

  it.effect("C5: corrects name and e-mail address at no cost, also after the visit, and says both in the history", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      const { contact_email, reference } = booking
      const wish = ["--name", "Ana Lima-Sol", "--email", "ana.lima@example.com"]
      const said = `e-mail address ${contact_email} → ana.lima@example.com`
      assert.include((yield* change(reference, ...wish, "--preview")).out, said)
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      yield* setClockBefore(booking, -1)
      const { out } = yield* change(reference, ...wish, "--by", "Sam")
      assert.include(out, said)
      assert.include(out, "The price stays £240.00.")
      const after = yield* rowOf(booking)
      assert.deepStrictEqual([after.contact_name, after.contact_email], ["Ana Lima-Sol", "ana.lima@example.com"])
      const shown = (yield* playroom("booking", "show", reference)).out
      for (const text of [said, "Sam", "Ana Lima-Sol <ana.lima@example.com>"]) assert.include(shown, text)
      for (const [args, says] of [
        [["--email", "ana at home"], "--email: Expected an e-mail address"],
        [["--name", "\u202E"], "--name: Expected a name"]
      ] as const)
        assert.include((yield* change(reference, ...args)).failure ?? "", says)
      const exported = (yield* playroom("person", "export", "--email", "ana.lima@example.com")).out
      assert.include(exported, reference)
      assert.notInclude((yield* playroom("person", "export", "--email", contact_email)).out, reference)
    })
  )

  it.effect("needs a reason once the headcount is final, and says what to do where it can't be done", () =>
    Effect.gen(function* () {
      yield* begin
      const booking = yield* confirmedOn("2026-12-12")
      yield* setClockBefore(booking, 24)
      assert.include((yield* change(booking.reference, "--children", "9")).failure ?? "", "give the reason")
      for (const [args, says] of [
        [["--children", "13"], "It takes 1 to 12 children"],
        [["--children", "0"], "--children: Expected a whole number from 1 to 10000."],
        [["--adults", "-1"], "--adults: Expected a whole number from 0 to 10000."],
        [["--ages", "4,x"], '--ages takes whole numbers, like 4,5,5; not "4,x".'],
        [["--ages", "4,40"], "--ages: Expected a whole number from 0 to 17."],
        [["--ages", "4,5"], "--ages: Expected one age for each of the 8 children"],
        [["--add-on", "cake"], "--add-on takes addon_…=QUANTITY"],
        [["--add-on", `${bubbleMachine.add_on_id}=3`], "--add-on: At most 2"],
        [["--phone", "call me"], "--phone: Expected a telephone number"],
        [[], "It has this visit already."]
      ] as const) {
        assert.include(
          (yield* change(booking.reference, ...args, "--reason", "Asked")).failure ?? "",
          says,
          args.join(" ")
        )
      }
      assert.include((yield* change("ZZZZ-ZZZZ", "--children", "9")).failure ?? "", "There is no booking ZZZZ-ZZZZ.")
      assert.deepStrictEqual(yield* rowOf(booking), booking)
      const { out } = yield* change(booking.reference, "--children", "9", "--reason", "Asked")
      assert.include(out, "Its terms let the party change until 2026-12-10 10:00, which is over")
    })
  )
})
