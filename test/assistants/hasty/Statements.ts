/** What the answers of one conversation say, compared with what is true at that moment. */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Venue } from "../../../src/domain/catalogue/Playroom.ts"
import { at } from "../../support/Assistant.ts"
import { bookingStatements, changeStatements } from "./BookingStatements.ts"
import type { Input } from "./Habits.ts"
import { optionStatements } from "./OptionStatements.ts"
import { meantBy, textAt } from "./Reading.ts"
import { searchStatements } from "./SearchStatements.ts"
import { bookingSentences, plainSentences, together } from "./Sentences.ts"
import { bookingsOf } from "./Truth.ts"
import type { Verdicts } from "./Verdicts.ts"
import type { Answer } from "./World.ts"

export interface Statements {
  readonly check: (tool: string, input: Input, answer: Answer) => Effect.Effect<void, never, SqlClient.SqlClient>
}

/** The checks of a conversation about one family's bookings, by the names in which they book. */
export const statementsOf = (
  names: ReadonlyArray<string>,
  venues: ReadonlyArray<Venue>,
  verdicts: Verdicts
): Statements => {
  const { compare, say, told } = verdicts
  const venueOf = (id: unknown) => venues.find(({ playroom }) => playroom.playroom_id === id)
  const rows = Effect.orDie(bookingsOf(...names))
  const rowOf = (booking_id: unknown) => Effect.map(rows, (all) => all.find((row) => row.booking_id === booking_id))

  const ofBooking = Effect.fnUntraced(function* (tool: string, answer: Input, now: number) {
    const all = yield* rows
    const id = at(answer, "booking", "booking_id") ?? at(answer, "payment_session", "booking_id")
    const about = all.find(({ booking_id }) => booking_id === id)
    const venue = venueOf(about?.playroom_id)
    if (about !== undefined) bookingSentences(verdicts, answer, about, all, now)
    if (about !== undefined && venue !== undefined)
      yield* changeStatements(verdicts, textAt(answer, "next_step") ?? "", about, venue, now)
    if (answer.booking === undefined) return
    const row = yield* rowOf(at(answer, "booking", "booking_id"))
    say("booking: exists", row !== undefined, String(at(answer, "booking", "booking_id")))
    if (row !== undefined) bookingStatements(verdicts, answer.booking, row, now)
    told(`${tool}: next step`, textAt(answer, "next_step") !== undefined)
  })

  const ofSession = Effect.fnUntraced(function* (input: Input, answer: Answer) {
    const row = yield* rowOf(input.booking_id)
    if (row === undefined) return
    if (answer.kind === "result") {
      const group = input.purpose === "order" ? together(row, yield* rows) : [row]
      const due = group.reduce((sum, one) => sum + one.due_now, 0)
      const amount = input.purpose === "balance" ? row.total - row.due_now : due
      compare("payment page: amount", at(answer.result, "payment_session", "amount", "amount"), amount)
    }
    if (answer.kind === "fault" && answer.fault.code === "nothing_due" && row.total === row.due_now)
      say("no balance to pay: why", !/first|once/.test(answer.fault.message), answer.fault.message)
  })

  const check = Effect.fnUntraced(function* (tool: string, sent: Input, answer: Answer) {
    const input = meantBy(sent)
    const now = yield* Clock.currentTimeMillis
    if (tool === "create_payment_session") yield* ofSession(input, answer)
    if (answer.kind === "protocol" && tool === "cancel_booking")
      told("cancelling: who can", /page_url|operator|get_booking/.test(answer.message))
    if (answer.kind !== "result") return
    plainSentences(verdicts, answer.result)
    if (tool === "search_playrooms") yield* searchStatements(verdicts, venues, input, answer.result, now)
    const venue = venueOf(at(answer.result, "playroom_id"))
    if (tool === "get_booking_options" && venue !== undefined)
      yield* optionStatements(verdicts, venue, input, answer.result, now)
    yield* ofBooking(tool, answer.result, now)
  })
  return { check }
}
