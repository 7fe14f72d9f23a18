/** `playroom closure …`: what a venue closes itself, as at its desk: a time or days, and reopening them. */
import { reachedBy } from "../../platform/text/Contact.ts"
import { Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { AffectedBooking } from "../../domain/booking/BookingList.ts"
import { ClosedTimes, ClosingReason } from "../../domain/booking/ClosedTime.ts"
import { type ClosedRoom, type ClosingWish, makeVenueClosures } from "../../domain/booking/VenueClosures.ts"
import type { PlayroomClosure } from "../../domain/catalogue/Catalogue.ts"
import { shortDateTime } from "../../platform/time/LocalTime.ts"
import { attempt } from "../../platform/concurrency/Outcomes.ts"
import {
  asShown,
  by,
  doAsShown,
  refusedOptions,
  whoDoes,
  venueFlag,
  switchFlag,
  given,
  venueNamed,
  examples
} from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print, table, report } from "./Output.ts"
import { counted } from "../../platform/text/Text.ts"

/** Closures of one reading. */
const pageSize = 1000

const timeOptions = { from: "--from", starts: "--from", to: "--to", ends: "--to" }
const decodeTimes = Schema.decodeUnknownEffect(ClosedTimes)

/** The flags `--from` and `--to`: two days, or two local times. */
const timesOf = Effect.fnUntraced(function* (from: string, to: string) {
  const [[first = "", starts], [last = "", ends]] = [from.split("T"), to.split("T")]
  return yield* decodeTimes({
    from: first,
    to: last,
    ...(starts === undefined ? {} : { starts }),
    ...(ends === undefined ? {} : { ends })
  }).pipe(
    Effect.catchTag("SchemaError", (error) =>
      failed(
        "--from and --to take two days, both included, like 2027-08-01, or two local times, like " +
          `2027-08-05T14:00. ${refusedOptions(timeOptions, error)}`
      )
    )
  )
})

const timeText = ({ end, start, time_zone }: Pick<ClosedRoom, "end" | "start" | "time_zone">): string =>
  `${shortDateTime(time_zone, start)} to ${shortDateTime(time_zone, end)}`
const roomText = (room: ClosedRoom): string => `${room.playroom_name}: ${timeText(room)}`

const insideText = (inside: ReadonlyArray<AffectedBooking>, all: number): ReadonlyArray<string> =>
  all === 0
    ? ["Nothing is booked then."]
    : [
        `${counted(all, "booking")} then, which ${all === 1 ? "keeps its" : "keep their"} places:`,
        ...inside.map(
          (one) =>
            `  ${shortDateTime(one.time_zone, one.starts_at)}  ${one.reference}  ${one.contact_name}, ${reachedBy(one)}`
        ),
        ...(all > inside.length ? [`  and ${all - inside.length} more`] : []),
        "playroom booking closed moves or cancels them, or gives extras back, one by one or all at once."
      ]

const make = Command.make(
  "make",
  {
    operator: venueFlag("operator"),
    playroom: venueFlag("playroom"),
    addOn: Flag.String("add-on").pipe(
      Flag.withDescription("Instead of a room: the add-on whose stock is out of order then, addon_…"),
      Flag.optional
    ),
    units: Flag.Int("units").pipe(Flag.withDescription("How many of it are out of order (all)"), Flag.optional),
    from: Flag.String("from").pipe(Flag.withDescription("A day, or a local time like 2027-08-05T14:00")),
    to: Flag.String("to").pipe(
      Flag.withDescription("The last day, which is closed too, or the local time at which it opens again")
    ),
    reason: Flag.String("reason").pipe(
      Flag.withDescription("Why, in words that families may read"),
      Flag.withSchema(ClosingReason)
    ),
    by,
    preview: switchFlag("preview", "Say what would be closed and who is booked then, and close nothing"),
    asShown,
    json
  },
  Effect.fn(function* ({ addOn, asShown, by, from, json, operator, playroom, preview, reason, to, units }) {
    const named = {
      ...(yield* venueNamed({ operator, playroom })),
      ...given("add_on_id", addOn),
      ...given("units", units)
    }
    if (Object.keys(named).length === 0)
      return yield* failed("Name the --playroom, the --operator for all its playrooms, or the --add-on.")
    const wish: ClosingWish = { ...named, times: yield* timesOf(from, to), reason }
    const closures = yield* makeVenueClosures
    if (preview) {
      const plan = yield* closures.plan(wish).pipe(Effect.catchTag("ClosingRefused", failed))
      return yield* print(
        json,
        { preview: true, ...plan },
        [
          "These times would be closed:",
          ...plan.rooms.map((room) => `  ${roomText(room)}`),
          ...insideText(plan.inside, plan.inside_in_all),
          doAsShown(plan)
        ].join("\n")
      )
    }
    const { inside, inside_in_all, made, rooms } = yield* closures
      .close(wish, { who: yield* whoDoes(by), ...given("shown", asShown) })
      .pipe(
        Effect.catchTags({
          ClosingRefused: failed,
          ClosingChanged: ({ message }) => failed(`${message} --preview shows it.`)
        })
      )
    return yield* print(
      json,
      { preview: false, made, rooms, inside, inside_in_all },
      [
        made.length === 0 ? "That is closed already:" : "Closed, and nothing more is sold then:",
        ...rooms.map((room) => `  ${roomText(room)}`),
        ...insideText(inside, inside_in_all),
        ...(made.length === 0 ? [] : [`To reopen: playroom closure lift ${made.join(" ")}`])
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Close a playroom, or all of an operator's, for a time or for whole days (both included), or put an add-on out of order. What is booked stays and is named; imports leave it alone"
  ),
  examples({
    "An afternoon":
      'closure make --playroom main-hall --from 2027-08-05T14:00 --to 2027-08-05T17:00 --reason "The plumber comes"',
    "A month, in all rooms":
      'closure make --operator castle-play --from 2027-08-01 --to 2027-08-31 --reason "Summer holidays"'
  })
)

const list = Command.make(
  "list",
  { operator: venueFlag("operator"), playroom: venueFlag("playroom"), json },
  Effect.fn(function* ({ json, operator, playroom }) {
    const venue = yield* venueNamed({ operator, playroom })
    if (Object.keys(venue).length === 0) return yield* failed("Name the --operator or the --playroom.")
    const closures = yield* makeVenueClosures
    const found: Array<PlayroomClosure> = []
    let page: ReadonlyArray<PlayroomClosure>
    do {
      const last = found.at(-1)
      page = yield* closures.upcoming({ ...venue, ...(last && { after: last }) }, pageSize)
      found.push(...page)
    } while (page.length === pageSize)
    return yield* print(
      json,
      found,
      found.length === 0
        ? "Nothing is closed there from now on, but by opening hours."
        : table(
            ["PLAYROOM", "CLOSED", "WHY", "BY", "ID"],
            found.map((one) => [
              one.playroom_name,
              timeText(one),
              one.reason,
              one.made_by ?? "the catalogue file",
              one.closure_id
            ])
          )
    )
  })
).pipe(Command.withDescription("List what is closed from now on, and by whom"))

const lift = Command.make(
  "lift",
  {
    closures: Argument.String("closure").pipe(
      Argument.withDescription("closure_…, as `closure list` shows it"),
      Argument.atLeast(1)
    ),
    by,
    json
  },
  Effect.fn(function* ({ by, closures, json }) {
    const who = yield* whoDoes(by)
    const outcomes = yield* Effect.forEach(closures, (closure_id) =>
      attempt(
        closure_id,
        Effect.flatMap(makeVenueClosures, (service) => service.lift({ closure_id }, who))
      )
    )
    const lifted = outcomes.flatMap((one) => (one.outcome === "done" ? [one.value] : []))
    return yield* report(json, outcomes, {
      noun: "closure",
      verb: "lifted",
      name: (closure_id) => closure_id,
      data: (closure_id) => ({ closure_id }),
      lines: lifted.map((room) => `${roomText(room)} can be booked again, if nothing else closes it.`),
      value: { lifted }
    })
  })
).pipe(Command.withDescription("Reopen what the venue closed itself"))

export const closure = Command.make("closure").pipe(
  Command.withDescription("Close a time or days at a venue, list what is closed, and reopen it"),
  Command.withSubcommands([make, list, lift])
)
