/**
 * `playroom booking closed`: what can't take place is cancelled, kept or moved by one command, by the code of its
 * preview.
 */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { playroom } from "../support/CommandLine.ts"
import type { VisitRequest } from "./actions.ts"
import { listOptions } from "./booking.ts"
import { blocked, checkDone, linesOf, noteCancelled } from "./closing.ts"
import { operator_id, unitsOf } from "./hall.ts"
import { type Ledger, nth, termsOf } from "./Ledger.ts"
import { forBooking, keepsStart, noteMoved } from "./moving.ts"
import { takeSnapshot } from "./snapshot.ts"
import { returnedInRows } from "./views.ts"
import { Outside } from "./world.ts"

const closed = (...args: ReadonlyArray<string>) =>
  playroom("booking", "closed", "--operator", operator_id, "--json", ...args)

const Amount = Schema.Struct({ amount: Schema.Int })
const Change = Schema.Struct({
  booking: Schema.Struct({ total: Schema.Int }),
  from: Schema.Struct({ paid: Schema.Int })
})
const Planned = Schema.fromJsonString(
  Schema.Struct({
    bookings: Schema.Array(
      Schema.Struct({
        booking: Schema.Struct({ booking_id: Schema.String }),
        wish: Schema.Struct({ action: Schema.Literals(["keep", "cancel", "move"]) }),
        would: Schema.optionalKey(Schema.Struct({ refund: Amount })),
        refused: Schema.optionalKey(Schema.String)
      })
    ),
    shown: Schema.optionalKey(Schema.String)
  })
)
const Done = Schema.fromJsonString(
  Schema.Struct({
    bookings: Schema.Array(
      Schema.Struct({
        booking_id: Schema.String,
        refund: Schema.optionalKey(Amount),
        change: Schema.optionalKey(Change)
      })
    )
  })
)
const planIn = (out: string) => Effect.orDie(Schema.decodeEffect(Planned)(out))
const doneIn = (out: string) => Effect.orDie(Schema.decodeEffect(Done)(out))

/** What the code of a preview is for: the closures, and what there is. */
const standing = ({ closed, closures, sizes }: Ledger): string =>
  JSON.stringify([[...closed].sort(), closures.map(({ closure_id }) => closure_id).sort(), [...unitsOf(sizes)]])

/** Previews cancelling all that can't take place, but for one that is kept, and one that moves. */
export const planByCommand = Effect.fnUntraced(function* (
  ledger: Ledger,
  { keep, move }: { readonly keep: number | undefined; readonly move: VisitRequest | undefined },
  alone: boolean
) {
  const { now } = yield* Outside
  const before = ledger.last
  const there = [...blocked(ledger, before, now)]
  const kept = keep === undefined ? undefined : nth(there, keep)
  // Of several bookings marked as another one, a repeated call may find any.
  const movable = ledger.bookings.filter(
    ({ booking_id, request }) => booking_id !== kept && there.includes(booking_id) && request.as !== "another"
  )
  const moved = move === undefined ? undefined : nth(movable, move.slot)
  const seen =
    move === undefined || moved === undefined
      ? []
      : yield* listOptions(ledger, { ...move, ...moved.request.seen.visit, day: move.day }, alone)
  const listed = nth(
    seen.filter(({ visit }) => moved !== undefined && !keepsStart(moved.request.seen.visit, visit)),
    move?.slot ?? 0
  )
  const to = moved === undefined || listed === undefined ? undefined : yield* forBooking(ledger, moved, listed)
  const args = [
    "--cancel",
    "all",
    ...(kept === undefined ? [] : ["--keep", kept]),
    ...(moved === undefined || to === undefined ? [] : ["--move", `${moved.booking_id}=${to.option.option_id}`])
  ]
  ledger.command = undefined
  const { failure, out } = yield* closed(...args, "--preview")
  if (out === "") return assert.fail(`no preview: ${failure}`)
  const { bookings, shown } = yield* planIn(out)
  if (alone)
    assert.sameMembers(
      bookings.map(({ booking }) => booking.booking_id),
      there,
      "what can't take place"
    )
  const refused = bookings.some((one) => one.refused !== undefined)
  if (alone && there.length > 0) assert.strictEqual(shown === undefined, refused, failure)
  if (shown === undefined) return
  const planned = bookings.flatMap(({ booking: { booking_id }, wish, would }) => {
    if (wish.action === "keep") return []
    const refund = would?.refund.amount
    const row = before.bookings.find((one) => one.booking_id === booking_id)
    if (alone && wish.action === "cancel")
      assert.strictEqual(refund, (row?.paid ?? 0) - returnedInRows(before, booking_id), "all that was paid goes back")
    return [[booking_id, { refund, lines: alone ? linesOf(before, booking_id) : undefined }] as const]
  })
  ledger.command = { args, shown, standing: standing(ledger), planned: new Map(planned), to }
})

/** The command runs twice at once, by the last preview, maybe long after it. */
export const carryOutByCommand = Effect.fnUntraced(function* (ledger: Ledger, alone: boolean) {
  const { now } = yield* Outside
  const before = ledger.last
  const { command } = ledger
  if (command === undefined) return
  const inside = blocked(ledger, before, now)
  const isStale = command.standing !== standing(ledger)
  const terms = new Map(ledger.bookings.map((booked) => [booked.booking_id, termsOf(booked)]))
  const run = closed(...command.args, "--as-shown", command.shown)
  const runs = yield* Effect.all([run, run], { concurrency: "unbounded" })
  const done = new Set<string>()
  for (const { failure, out } of runs) {
    if (out === "") {
      assert.include(failure ?? "", "Nothing was done")
      if (alone) assert.isTrue(isStale, "nothing was done, though it is as it was shown")
      continue
    }
    if (alone) assert.isFalse(isStale, "it is not as it was shown")
    for (const { booking_id, change, refund } of (yield* doneIn(out)).bookings) {
      // It was cancelled, moved or released meanwhile.
      if (refund === undefined) continue
      const planned = command.planned.get(booking_id) ?? assert.fail("this was not in the preview")
      assert.strictEqual(refund.amount, planned.refund, "what was shown is what goes back")
      assert.isFalse(done.has(booking_id), "done twice")
      done.add(booking_id)
      if (change === undefined) {
        yield* noteCancelled(ledger, booking_id)
        continue
      }
      const booked = ledger.bookings.find((one) => one.booking_id === booking_id) ?? assert.fail("no booking")
      const { to } = command
      if (to === undefined) return assert.fail("moved, though nobody asked for it")
      const { visit } = to
      const from = booked.request.seen.visit
      const moved = { paid: change.from.paid, total: change.booking.total, refund: refund.amount }
      yield* noteMoved(ledger, booked, moved, {
        from,
        visit,
        terms: terms.get(booking_id) ?? from,
        by: "command",
        dueBefore: undefined
      })
    }
  }
  if (alone && !isStale) checkDone(ledger, command.planned, done, { before, inside }, yield* takeSnapshot, now)
})
