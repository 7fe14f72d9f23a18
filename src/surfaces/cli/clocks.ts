/** `playroom clocks`: what a changed clock has taken from its hour, booked or closed, and giving it back to them. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import {
  type DisplacedClosure,
  type Followed,
  makeWallClock,
  otherRules,
  shortLocal
} from "../../domain/booking/WallClock.ts"
import { rulesInWords } from "../../ops/attention/ActionItems.ts"
import { doneOf } from "../../platform/concurrency/Outcomes.ts"
import { counted } from "../../platform/text/Text.ts"
import { shortDateTime, zoneRules } from "../../platform/time/LocalTime.ts"
import { switchFlag } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { instant, json, print, report, table } from "./Output.ts"

const state = { closed: "the room is closed then", overbooked: "others have its places then" } as const

const followedTable = (followed: ReadonlyArray<Followed>): string =>
  table(
    ["AGREED", "REFERENCE", "PLAYROOM", "ZONE", "SHOWN AT", "FROM", "TO", "THERE"],
    followed.map(({ blocked, local_start, playroom_name, reference, starts_at, time_zone, to }) => [
      shortLocal(local_start),
      reference,
      playroom_name,
      time_zone,
      shortDateTime(time_zone, starts_at),
      instant(starts_at),
      instant(to),
      blocked === null ? "free" : state[blocked]
    ])
  )

const closedTable = (closures: ReadonlyArray<DisplacedClosure>): string =>
  table(
    ["CLOSED", "PLAYROOM", "ZONE", "FROM", "TO"],
    closures.map(({ end, local_times, playroom_name, start, time_zone, to }) => [
      [local_times.start, local_times.end].map(shortLocal).join(" to "),
      playroom_name,
      time_zone,
      [start, end].map(instant).join(" to "),
      [to.start, to.end].map(instant).join(" to ")
    ])
  )

const rangeOf = ({ end, start }: { readonly start: number; readonly end: number }) => ({
  start: new Date(start).toISOString(),
  end: new Date(end).toISOString()
})

const blockedText = (followed: ReadonlyArray<Followed>): ReadonlyArray<string> => {
  const blocked = followed.filter((one) => one.blocked !== null).length
  return blocked === 0
    ? []
    : [`${counted(blocked, "booking")} can't take place then as things stand: playroom booking closed decides on them.`]
}

/** `playroom clocks`. */
export const clocks = Command.make(
  "clocks",
  {
    apply: switchFlag("apply", "Give them their hour back: places, deadlines, letters and calendars follow"),
    json
  },
  Effect.fn(function* ({ apply, json }) {
    const others = yield* otherRules
    const differ = `Running nodes have other rules of time zones (tz ${others.join(", ")}) than this command (${rulesInWords()})`
    if (apply && others.length > 0)
      return yield* failed(`${differ}. Nothing was moved: give all the same rules, and restart them.`)
    const { follow } = yield* makeWallClock
    const outcomes = yield* follow({ preview: !apply })
    const done = doneOf(outcomes)
    const followed = done.flatMap(({ value }) => value.bookings)
    const closures = done.flatMap(({ value }) => value.closures)
    const all = [
      ...(followed.length === 0 && closures.length > 0 ? [] : [counted(followed.length, "booking")]),
      ...(closures.length === 0 ? [] : [counted(closures.length, "closed time")])
    ].join(" and ")
    const told = others.length === 0 ? [] : [`${differ}.`]
    const value = {
      release: zoneRules().release,
      other_releases: others,
      applied: apply,
      bookings: followed.map(({ starts_at, to, ...one }) => ({
        ...one,
        from: new Date(starts_at).toISOString(),
        to: new Date(to).toISOString()
      })),
      closures: closures.map(({ end, start, to, ...one }) => ({
        ...one,
        from: rangeOf({ start, end }),
        to: rangeOf(to)
      }))
    }
    const none = [`Every booking to come and every closed time is at its hour, by ${rulesInWords()}.`, ...told]
    if (outcomes.length === 0) return yield* print(json, value, none.join("\n"))
    return yield* report(json, outcomes, {
      noun: "room",
      verb: apply ? "done" : "looked at",
      name: ({ playroom_name }) => playroom_name,
      data: ({ playroom_id, playroom_name }) => ({ playroom_id, playroom_name }),
      lines: [
        ...(followed.length === 0 ? [] : [followedTable(followed), ""]),
        ...(closures.length === 0 ? [] : [closedTable(closures), ""]),
        ...blockedText(followed),
        ...told
      ],
      rest: apply
        ? `: ${all} at ${followed.length + closures.length === 1 ? "its" : "their"} hour again, by ${rulesInWords()}.`
        : `: ${all} to move, by ${rulesInWords()}. Nothing is changed yet: playroom clocks --apply does it.`,
      value
    })
  })
).pipe(
  Command.withDescription(
    "List the bookings and closed times whose hour a new law has changed, and whether they have room at the hour agreed; --apply moves them there. It refuses while running nodes have other rules"
  )
)
