/** `playroom booking list`: the bookings to come, or of a day, as a table, JSON, CSV or XLSX. */
import { withAddress } from "../../platform/text/Contact.ts"
import { Clock, Console, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { BookingStatus } from "../../domain/booking/Booking.ts"
import { BookingList, type ListedBooking } from "../../domain/booking/BookingList.ts"
import { liveStatuses } from "../../domain/booking/Lifecycle.ts"
import { amountsToPay, nextDueAt, termsDueAt } from "../../domain/booking/Standing.ts"
import { dayMs, type Instant, LocalDate } from "../../platform/time/LocalTime.ts"
import { display, decimalText } from "../../platform/money/Money.ts"
import { PaymentSummaries } from "../../domain/payment/PaymentSummaries.ts"
import { failed } from "./Failure.ts"
import { venueFlag, switchFlag, given, venueNamed } from "./Arguments.ts"
import { type Cell, type Columns, csvText } from "../../platform/files/Spreadsheet.ts"
import { json, print, table, localTime, writeXlsx, xlsxFile } from "./Output.ts"

/** The playroom's local time: `2026-12-05 14:00`. */
const local = ({ time_zone }: ListedBooking, at: Instant): string => localTime(time_zone, at)

/**
 * A booking with its outstanding amount in minor units, and when the next part is due (local time; null if nothing is).
 */
interface DueBooking extends ListedBooking {
  readonly outstanding: number
  readonly due_at: string | null
  /** Whether that time has passed. */
  readonly overdue: boolean
}

const bookingsTable = (bookings: ReadonlyArray<DueBooking>) =>
  table(
    ["START", "REFERENCE", "STATUS", "PAYMENT", "PLAYROOM", "PACKAGE", "PARTY", "CONTACT", "TOTAL", "TO PAY", "DUE"],
    bookings.map((booking) => [
      local(booking, booking.starts_at),
      booking.reference,
      booking.status,
      booking.payment_status,
      booking.playroom_name,
      booking.package_name,
      `${booking.children}+${booking.adults}`,
      withAddress(booking),
      display(booking.total, booking.currency),
      booking.outstanding === 0 ? "-" : display(booking.outstanding, booking.currency),
      booking.due_at === null ? "-" : `${booking.due_at}${booking.overdue ? " (overdue)" : ""}`
    ])
  )

const amount = (minor: number, { currency }: ListedBooking): Cell => ({ number: decimalText(minor, currency) })
const time = (booking: ListedBooking, at: Instant): Cell => ({ at: local(booking, at) })

/** The columns, with the names of the JSON fields. The command's description explains those that need it. */
const columns: Columns<DueBooking> = [
  ["reference", ({ reference }) => reference],
  ["status", ({ status }) => status],
  ["payment_status", ({ payment_status }) => payment_status],
  ["starts_at", (booking) => time(booking, booking.starts_at)],
  ["ends_at", (booking) => time(booking, booking.ends_at)],
  ["time_zone", ({ time_zone }) => time_zone],
  ["playroom_name", ({ playroom_name }) => playroom_name],
  ["package_name", ({ package_name }) => package_name],
  ["children", ({ children }) => ({ number: String(children) })],
  ["adults", ({ adults }) => ({ number: String(adults) })],
  ["child_ages", ({ child_ages }) => child_ages.join("; ")],
  ["extras", ({ extras }) => extras.map(({ name, quantity }) => `${quantity} × ${name}`).join("; ")],
  ["contact_name", ({ contact_name }) => contact_name],
  ["contact_email", ({ contact_email }) => contact_email],
  ["contact_phone", ({ contact_phone }) => contact_phone ?? ""],
  ["notes", ({ notes }) => notes ?? ""],
  ["currency", ({ currency }) => currency],
  ["total", (booking) => amount(booking.total, booking)],
  ["paid", (booking) => amount(booking.paid, booking)],
  ["last_paid_at", (booking) => (booking.last_paid_at === null ? "" : time(booking, booking.last_paid_at))],
  ["refunded", (booking) => amount(booking.refunded, booking)],
  ["outstanding", (booking) => amount(booking.outstanding, booking)],
  ["due_at", ({ due_at }) => (due_at === null ? "" : { at: due_at })],
  ["overdue", ({ overdue }) => (overdue ? "yes" : "")],
  ["booking_id", ({ booking_id }) => booking_id],
  ["operator_id", ({ operator_id }) => operator_id],
  ["playroom_id", ({ playroom_id }) => playroom_id]
]

const maxLimit = 10_000
/** The default limits: one screen of upcoming bookings; more for a whole day or a spreadsheet. */
const defaultLimits = { upcoming: 50, whole: 1_000 }

export const list = Command.make(
  "list",
  {
    from: Flag.Date("from").pipe(
      Flag.withDescription("Only visits that start then or later (UTC), like 2026-12-05; default today"),
      Flag.optional
    ),
    day: Flag.String("day").pipe(
      Flag.withDescription("Only visits that start on this date, local to their playroom, like 2026-12-05"),
      Flag.withSchema(LocalDate),
      Flag.optional
    ),
    status: Flag.Literals("status", BookingStatus.literals).pipe(
      Flag.withDescription("Only bookings with this status; default held and confirmed"),
      Flag.optional
    ),
    operator: venueFlag("operator"),
    playroom: venueFlag("playroom"),
    email: Flag.String("email").pipe(Flag.withDescription("Only the bookings of this person"), Flag.optional),
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(
        `How many, soonest first; default ${defaultLimits.upcoming}, with --day, --csv or --xlsx ${defaultLimits.whole}`
      ),
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxLimit }))),
      Flag.optional
    ),
    csv: switchFlag(
      "csv",
      "Print CSV for a spreadsheet: local times, decimal amounts; what would be a formula gets an apostrophe"
    ),
    xlsx: xlsxFile,
    json
  },
  Effect.fn(function* ({ from, day, status, operator, playroom, email, limit: wanted, csv, xlsx, json }) {
    if ([csv, json, Option.isSome(xlsx)].filter(Boolean).length > 1)
      return yield* failed("Give one of --csv, --xlsx and --json, not both.")
    if (Option.isSome(day) && Option.isSome(from)) {
      return yield* failed("Give --day or --from, not both.")
    }
    const venue = yield* venueNamed({ operator, playroom })
    const now = yield* Clock.currentTimeMillis
    const limit = Option.getOrElse(wanted, () =>
      csv || Option.isSome(xlsx) || Option.isSome(day) ? defaultLimits.whole : defaultLimits.upcoming
    )
    const found = yield* BookingList.use((service) =>
      service.find({
        when: Option.match(day, {
          onNone: () => ({
            from: Option.match(from, { onNone: () => now - (now % dayMs), onSome: (date) => date.getTime() })
          }),
          onSome: (date) => ({ day: date })
        }),
        statuses: Option.match(status, { onNone: () => liveStatuses, onSome: (one) => [one] }),
        limit,
        ...venue,
        ...given("email", email)
      })
    )
    const summaries = yield* PaymentSummaries
    const rows = yield* Effect.forEach(
      found,
      (booking) =>
        Effect.map(summaries.balancePaid(booking), (balance_paid): DueBooking => {
          const { outstanding } = amountsToPay(booking, { balance_paid })
          const at = nextDueAt({ ...booking, terms: termsDueAt(booking) }, { balance_paid })
          return {
            ...booking,
            outstanding,
            due_at: at === null ? null : local(booking, at),
            overdue: at !== null && at <= now && !(booking.balance_at_venue && booking.status === "confirmed")
          }
        }),
      { concurrency: 4 }
    )
    if (Option.isSome(xlsx)) yield* writeXlsx(xlsx.value, "bookings", columns, rows)
    else if (csv) yield* Console.log(csvText(columns, rows, "\n").trimEnd())
    else yield* print(json, rows, found.length === 0 ? "No such bookings." : bookingsTable(rows))
    // On standard error: another program may read the output.
    if (found.length === limit) {
      yield* Console.error(`These are the first ${limit}; there may be more: see --limit.`)
    }
    return undefined
  })
).pipe(
  Command.withDescription(
    "List the bookings to come, soonest first, or of a day, in each playroom's own time. A spreadsheet also has ages, extras, last_paid_at, what was refunded, what is outstanding in all, when the next of that is due (due_at) and whether it is overdue"
  )
)
