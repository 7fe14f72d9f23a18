/**
 * `playroom booking closed`: the bookings that can't take place as things stand, and what happens with them: all at
 * once, or one by one.
 */
import { reachedBy } from "../../platform/text/Contact.ts"
import { Console, Effect, Option, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { Bookings } from "../../domain/booking/Bookings.ts"
import { BookingList, type AffectedBooking, whyAffected } from "../../domain/booking/BookingList.ts"
import { changeText, extrasText } from "../../domain/booking/ChangePlan.ts"
import { planToken, readPlanToken } from "../../domain/booking/VersionToken.ts"
import { LetterOutbox } from "../../domain/booking/LetterOutbox.ts"
import { Catalogue } from "../../domain/catalogue/Catalogue.ts"
import { cleanText } from "../../domain/catalogue/Operator.ts"
import { maxWords } from "../../domain/payment/changes/Presses.ts"
import { shortDateTime } from "../../platform/time/LocalTime.ts"
import { display, type Money, money, sumsByCurrency } from "../../platform/money/Money.ts"
import { doneOf } from "../../platform/concurrency/Outcomes.ts"
import type { Actor } from "../../domain/payment/changes/BookingChanges.ts"
import {
  affectedBookings,
  lacksExtras,
  type AffectedEffect,
  type AffectedWish,
  type PlannedBooking
} from "../../domain/payment/changes/AffectedBookings.ts"
import { bookingMissing, by, venueFlag, switchFlag, commandActor, venueNamed, examples } from "./Arguments.ts"
import { AddOnId } from "../../platform/ids/Ids.ts"
import { optionOf } from "./bookingChange.ts"
import { failed } from "./Failure.ts"
import { json, print, table, report } from "./Output.ts"
import { counted } from "../../platform/text/Text.ts"

/** Of one plan. */
const maxBookings = 10_000
const maxClosures = 10_000
const ever = { from: 0, to: Date.parse("9999-12-31T00:00:00Z") }

const isAddOn = Schema.is(AddOnId)

/** Its start by the clock of its playroom. */
const startOf = ({ starts_at, time_zone }: AffectedBooking): string => shortDateTime(time_zone, starts_at)

const goesBack = ({ refund }: AffectedEffect): string =>
  refund.amount === 0 ? "nothing goes back" : `${refund.display} goes back`

/** What a wish does with a booking, or did. */
const doneText = ({ change, written, ...rest }: AffectedEffect): string => {
  if (written !== undefined) return "kept, and written to"
  if (change === undefined) return `cancelled, ${goesBack(rest)}`
  const { balance, booking, from, refund, without } = change
  const back = refund.amount === 0 ? [] : [goesBack(rest)]
  const owed = balance.amount === 0 ? [] : [`${balance.display} is still to be paid`]
  const lost = without.length === 0 ? [] : [`without ${extrasText(without)}`]
  const what = from.package_id === booking.package_id && from.starts_at === booking.starts_at ? "changed" : "moved"
  return [`${what}: ${changeText(from, booking)}`, ...lost, ...back, ...owed].join(", ")
}

const happens = ({ refused, wish, would }: PlannedBooking): string => {
  if (refused !== undefined) return `can't be done: ${refused.message}`
  return would === undefined ? wish.action : doneText(would)
}

const planTable = (plan: ReadonlyArray<PlannedBooking>): string =>
  table(
    ["START", "REFERENCE", "STATUS", "PLAYROOM", "CHILDREN+ADULTS", "CONTACT", "CALL", "PAID", "WHY", "THEN"],
    plan.map((one) => {
      const { booking } = one
      return [
        startOf(booking),
        booking.reference,
        booking.status,
        booking.playroom_name,
        `${booking.children}+${booking.adults}`,
        booking.contact_name,
        reachedBy(booking),
        display(booking.paid - booking.refunded, booking.currency),
        whyAffected(booking),
        happens(one)
      ]
    })
  )

/** What goes back in all, in each currency. */
const backInAll = (effects: ReadonlyArray<AffectedEffect>): ReadonlyArray<Money> =>
  sumsByCurrency(effects.map(({ refund }) => refund))
    .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
    .map(({ amount, currency }) => money(amount, currency))

const inAll = (refunds: ReadonlyArray<Money>): string =>
  refunds.length === 0 ? "nothing" : refunds.map((one) => one.display).join(" and ")

/** What the flags wish: for single bookings, and for all others. */
const wishesOf = Effect.fnUntraced(function* (flags: {
  readonly cancel: ReadonlyArray<string>
  readonly giveBack: ReadonlyArray<string>
  readonly keep: ReadonlyArray<string>
  readonly move: ReadonlyArray<string>
  readonly swap: ReadonlyArray<string>
  readonly write: ReadonlyArray<string>
  readonly words: string
}) {
  const named = new Map<string, { readonly as: string; readonly wish: AffectedWish }>()
  const name = Effect.fnUntraced(function* (id: string, wish: AffectedWish | undefined, where = "") {
    const { booking_id } = yield* Bookings.use((bookings) => bookings.get(id))
    if (named.has(booking_id)) return yield* failed(`${id} is named twice: say one thing of it.`)
    const [to = "", playroom] = where.split("@")
    const wanted = { ...(to === "" ? {} : { to }), ...(playroom === undefined ? {} : { playroom }) }
    named.set(booking_id, { as: id, wish: wish ?? { action: "move", option_id: yield* optionOf(wanted, booking_id) } })
    return undefined
  })
  const each = (id: string, wish?: AffectedWish, to?: string) =>
    name(id, wish, to).pipe(
      Effect.catchTags({
        ...bookingMissing(id),
        OptionInvalid: ({ message }) => failed(`--move ${id}=${to ?? ""}: ${message}`)
      })
    )
  const all = flags.cancel.includes("all")
  const giveBackAll = flags.giveBack.includes("all")
  const writeAll = flags.write.includes("all")
  if ([all, giveBackAll, writeAll].filter((said) => said).length > 1)
    return yield* failed("Say one thing of all: --cancel all, --give-back all, or --write all.")
  const write: AffectedWish = { action: "write", words: cleanText(flags.words) }
  if (flags.write.length > 0 && (write.words === "" || write.words.length > maxWords))
    return yield* failed(`--write needs --words, what is written to them: up to ${maxWords} characters.`)
  if (flags.write.length > 0 && !(yield* LetterOutbox).on)
    return yield* failed("No letters are sent here: set MAIL_URL, or tell the families in another way.")
  for (const id of flags.write) if (id !== "all") yield* each(id, write)
  for (const id of flags.cancel) if (id !== "all") yield* each(id, { action: "cancel" })
  for (const id of flags.giveBack) if (id !== "all") yield* each(id, { action: "give_back" })
  for (const text of flags.swap) {
    const [id = "", add_on_id, how] = text.split("=")
    if (id === "" || !isAddOn(add_on_id) || (how !== undefined && how !== "pays"))
      return yield* failed(
        "--swap takes BOOKING=ADDON, or BOOKING=ADDON=pays, like K7M2-9QXD=addon_…: catalogue export has the ids."
      )
    yield* each(id, { action: "swap", add_on_id, pays: how === "pays" })
  }
  for (const id of flags.keep) yield* each(id, { action: "keep" })
  for (const text of flags.move) {
    const [id = "", to = ""] = text.split("=")
    if (id === "" || to === "") return yield* failed(`--move takes BOOKING=START, like K7M2-9QXD=2027-09-04T14:00.`)
    yield* each(id, undefined, to)
  }
  const others: AffectedWish = writeAll ? write : { action: all ? "cancel" : giveBackAll ? "give_back" : "keep" }
  const keep: AffectedWish = { action: "keep" }
  return {
    named,
    others,
    of: (booking: AffectedBooking) =>
      named.get(booking.booking_id)?.wish ??
      ((giveBackAll && !lacksExtras(booking)) || (writeAll && booking.status !== "confirmed") ? keep : others)
  }
})

type Wishes = Effect.Success<ReturnType<typeof wishesOf>>

/** The bookings that the flags name and that are not in closed time. */
const outside = ({ named }: Wishes, inside: ReadonlySet<string>): ReadonlyArray<string> =>
  [...named].flatMap(([booking_id, { as }]) => (inside.has(booking_id) ? [] : [as]))

interface Scope {
  readonly operator_id?: string
  readonly playroom_id?: string
}

/**
 * The closures and the units of a playroom, or of all of an operator's: by these it is decided which bookings are in
 * the plan.
 */
const standingOf = Effect.fnUntraced(function* (scope: Scope) {
  const { from, to } = ever
  const catalogue = yield* Catalogue
  const closures = yield* catalogue.closuresOf(scope, from, to, maxClosures)
  const units = yield* catalogue.unitsOf(scope, maxClosures)
  if (closures.length === maxClosures || units.length === maxClosures)
    return yield* failed("There are too many closures or resources for one plan: name a --playroom.")
  return {
    closures: closures.map(({ closure_id, end, start }) => ({ closure_id, end, start })),
    units
  }
})

const planOf = Effect.fnUntraced(function* (scope: Scope, wishOf: (booking: AffectedBooking) => AffectedWish) {
  const { of, plan } = yield* affectedBookings
  const planned = yield* plan(of(scope), wishOf, { as: "operator" }).pipe(
    Stream.take(maxBookings + 1),
    Stream.runCollect
  )
  if (planned.length > maxBookings)
    return yield* failed(`More than ${maxBookings} bookings are to be decided on there: name a --playroom.`)
  return planned
})

const byHand = "Of that, what was paid at the venue goes back by hand: playroom doctor names it."

/** Prints the plan, and its code unless something of it can't be done. */
const show = Effect.fnUntraced(function* (
  asJson: boolean,
  plan: ReadonlyArray<PlannedBooking>,
  {
    missing,
    shown,
    wished
  }: { readonly missing: ReadonlyArray<string>; readonly shown: string; readonly wished: boolean }
) {
  const refused = plan.filter((one) => one.refused !== undefined)
  const refunds = backInAll(plan.flatMap(({ would }) => would ?? []))
  const ready = refused.length + missing.length === 0
  const number = (which: AffectedWish["action"]) => plan.filter(({ wish }) => wish.action === which).length
  const others = number("give_back") + number("swap")
  const more = [
    ...(others === 0 ? [] : [`, ${others} with other extras`]),
    ...(number("write") === 0 ? [] : [`, ${number("write")} to write to`])
  ].join("")
  const lines = wished
    ? [
        `${counted(plan.length, "booking")} to decide on: ${number("cancel")} to cancel, ${number("move")} to ` +
          `move, ${number("keep")} to keep${more}. ${inAll(refunds)} would go back. Nothing was changed.`,
        ...(refunds.length === 0 ? [] : [byHand]),
        ...(ready
          ? [
              `Without --preview and with --as-shown ${shown}, exactly this is done; one that changes meanwhile ` +
                "is left."
            ]
          : [])
      ]
    : [
        "They keep their places, and take place. With --preview: --cancel all, --cancel BOOKING, --keep BOOKING, " +
          "--give-back all, --give-back BOOKING, --swap BOOKING=ADDON, --write all, --write BOOKING, or --move BOOKING=START says what else would " +
          "happen with them."
      ]
  yield* print(
    asJson,
    {
      preview: true,
      bookings: plan.map(({ refused, ...one }) => (refused === undefined ? one : { ...one, refused: refused.message })),
      refunds,
      ...(ready ? { shown } : {})
    },
    [planTable(plan), "", ...lines].join("\n")
  )
  if (ready) return undefined
  return yield* failed(
    [
      ...missing.map((name) => `There is nothing to decide on ${name} there.`),
      ...(refused.length === 0 ? [] : [`${refused.length} of these can't be done: name another time, or another way.`])
    ].join("\n")
  )
})

/** Carries the plan out. */
const carryOut = Effect.fnUntraced(function* (
  asJson: boolean,
  scope: Scope,
  wishes: Wishes,
  how: { readonly through: number; readonly who: Actor }
) {
  const inside = new Set<string>()
  const { of, resolve } = yield* affectedBookings
  const bookings = Stream.tap(of(scope), ({ booking_id }) => Effect.sync(() => inside.add(booking_id)))
  const outcomes = yield* resolve(bookings, wishes.of, how).pipe(
    Stream.zipWithIndex,
    Stream.tap(([, i]) => ((i + 1) % 100 === 0 ? Console.error(`${i + 1} so far`) : Effect.void)),
    Stream.map(([one]) => one),
    Stream.runCollect
  )
  const name = (booking: AffectedBooking) =>
    `${booking.reference} (${startOf(booking)}, ${booking.contact_name}, ${reachedBy(booking)})`
  const done = doneOf(outcomes).map(({ item, value }) => ({ booking: item, did: value }))
  const refunds = backInAll(done.flatMap(({ did }) => did ?? []))
  return yield* report(asJson, outcomes, {
    noun: "booking",
    verb: "dealt with",
    name,
    data: ({ booking_id, reference }) => ({ booking_id, reference }),
    lines: [
      ...done.map(({ booking, did }) =>
        did === undefined
          ? `${name(booking)}: cancelled, moved or released meanwhile; nothing was done`
          : `${name(booking)}: ${doneText(did)}`
      ),
      ...outside(wishes, inside).map((as) => `there is nothing to decide on ${as} any more; nothing was done`),
      `${inAll(refunds)} goes back in all. A running node sends refunds to the provider, and letters.`,
      ...(refunds.length === 0 ? [] : [byHand])
    ],
    value: { bookings: done.map(({ booking, did }) => ({ booking_id: booking.booking_id, ...did })), refunds }
  })
})

const many = (name: string, says: string) =>
  Flag.String(name).pipe(Flag.withDescription(says), Flag.atLeast(0), Flag.withDefault([]))

export const closed = Command.make(
  "closed",
  {
    operator: venueFlag("operator"),
    playroom: venueFlag("playroom"),
    cancel: many("cancel", "A booking to cancel, or all: everything that was paid goes back; may be repeated"),
    giveBack: many(
      "give-back",
      "A booking, or all, whose extras are too few or out of order: they are taken out, and their price goes back; may be repeated"
    ),
    swap: many(
      "swap",
      "BOOKING=ADDON: another extra in their place, or BOOKING=ADDON=pays if it may cost the family more; may be repeated"
    ),
    write: many("write", "A booking, or all, to keep and to write to, in the words of --words; may be repeated"),
    words: Flag.String("words").pipe(
      Flag.withDescription("What --write writes: it comes by e-mail, with the link of the booking"),
      Flag.withDefault("")
    ),
    keep: many("keep", "A booking to keep, though all others are cancelled; may be repeated"),
    move: many("move", "BOOKING=START, =START@PLAYROOM, =@PLAYROOM (the same time) or =option_…; may be repeated"),
    preview: switchFlag("preview", "Say what would happen with which booking, and change nothing"),
    asShown: Flag.String("as-shown").pipe(
      Flag.withDescription("The code that --preview printed: do what it said. Cut off, the same command goes on"),
      Flag.optional
    ),
    by,
    json
  },
  Effect.fn(function* ({
    asShown,
    by,
    cancel,
    giveBack,
    json,
    keep,
    move,
    operator,
    playroom,
    preview,
    swap,
    words,
    write
  }) {
    const scope = yield* venueNamed({ operator, playroom })
    if (Object.keys(scope).length === 0) return yield* failed("Name the --operator or the --playroom.")
    const wishes = yield* wishesOf({ cancel, giveBack, keep, move, swap, words, write })
    const wished = [cancel, giveBack, keep, move, swap, write].some((named) => named.length > 0)
    const asked = {
      ...scope,
      others: wishes.others,
      named: [...wishes.named]
        .map(([booking_id, { wish }]) => [booking_id, wish] as const)
        .sort(([a], [b]) => (a < b ? -1 : 1)),
      ...(yield* standingOf(scope))
    }
    if (wished && !preview && Option.isNone(asShown))
      return yield* failed("See --preview first: it prints the code for --as-shown.")
    if (preview || Option.isNone(asShown)) {
      const through = yield* BookingList.use((list) => list.committedThrough)
      const plan = yield* planOf(scope, wishes.of)
      if (plan.length === 0)
        return yield* print(
          json,
          { preview: true, bookings: [] },
          "No booking is in closed time there, or has more than there is."
        )
      const inside = new Set<string>(plan.map(({ booking }) => booking.booking_id))
      return yield* show(json, plan, {
        shown: planToken(through, asked),
        missing: outside(wishes, inside),
        wished
      })
    }
    const shown = readPlanToken(asShown.value)
    if (shown === undefined)
      return yield* failed("--as-shown takes the code that --preview printed, like 4711-1a2b3c4d.")
    if (planToken(shown.through, asked) !== asShown.value)
      return yield* failed(
        "Nothing was done: what you ask, the price of a move, the closures or what there is of rooms and stock " +
          "are not those of that preview. --preview says what it would do now."
      )
    return yield* carryOut(json, scope, wishes, { through: shown.through, who: yield* commandActor(by) })
  })
).pipe(
  Command.withDescription(
    "List the bookings in closed time, and those with more than there is, and cancel or move them: all at once, " +
      "or one by one"
  ),
  examples({
    "Who is booked in closed time": "booking closed --playroom main-hall",
    "What cancelling all but one would give back":
      "booking closed --playroom main-hall --cancel all --keep K7M2-9QXD --preview"
  })
)
