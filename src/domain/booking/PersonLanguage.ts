/**
 * The language in which a family is written to (`booking.language`, BCP 47). What it chose on its own page counts before
 * what an assistant's host says or a payer's browser asks for: those are guesses, and only fill in what nobody knows.
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { locking } from "../../platform/database/Transactions.ts"
import type { BookingId } from "../../platform/ids/Ids.ts"

/** The language of the person for whom a tool is called, as the assistant's host says it; undefined if it does not. */
export const HostLanguage = Context.Reference<string | undefined>("playroom/booking/HostLanguage", {
  defaultValue: () => undefined
})

/** Notes in which language a family is written to. `known`: the family chose it; else it is a guess. */
export const learnLanguage = Effect.fn("learnLanguage")(function* (
  booking_id: BookingId,
  language: string | undefined,
  known: boolean
) {
  if (language === undefined) return
  const sql = yield* SqlClient.SqlClient
  yield* locking(
    sql,
    sql`update booking set language = ${language} where booking_id = ${booking_id}
      and (language is null or (${known}::boolean and language <> ${language}))`
  )
})
