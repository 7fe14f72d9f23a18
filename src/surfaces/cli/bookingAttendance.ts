/** `playroom booking arrived` and `playroom booking no-show`: whether the family came. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import type { Attendance } from "../../domain/booking/Booking.ts"
import { markAttendance } from "../../domain/payment/changes/Presses.ts"
import { pressing } from "./actCommand.ts"
import { booking_id, by, switchFlag } from "./Arguments.ts"
import { json, print } from "./Output.ts"

/** Each mark in words. */
const words: Record<Attendance, string> = { arrived: "the family arrived", no_show: "the family did not come" }

const marking = (name: string, mark: Attendance, description: string) =>
  Command.make(
    name,
    {
      booking_id,
      undo: switchFlag("undo", "Take the mark back; only the history keeps it"),
      by,
      json
    },
    Effect.fn(function* ({ booking_id, by, json, undo }) {
      const { booking, changed } = yield* pressing(markAttendance, booking_id, { mark, undo }, by)
      const says = undo ? `it is not marked that ${words[mark]}` : words[mark]
      yield* print(json, { booking, changed }, `${booking.reference}: ${says}${changed ? "." : ", as before."}`)
    })
  ).pipe(Command.withDescription(description))

export const arrived = marking("arrived", "arrived", "Mark that the family arrived; --undo takes it back")
export const noShow = marking(
  "no-show",
  "no_show",
  "Mark that the family did not come; changes no money; --undo takes it back"
)
