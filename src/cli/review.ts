/**
 * `playroom review`: creates a test account for reviewers of a directory of assistants: a key, with bookings in several
 * states. `docs/review` explains its use.
 */
import { Clock, Effect, Option, Redacted, Schedule } from "effect"
import { Command, Flag } from "effect/cli"
import { FetchHttpClient, HttpBody, HttpClient } from "effect/http"
import type { Principal } from "../access/ApiKey.ts"
import { ApiKeys } from "../access/ApiKeys.ts"
import { AppConfig } from "../config/AppConfig.ts"
import type { BookingRow, BookingStatus } from "../booking/Booking.ts"
import { BookingOptions } from "../availability/BookingOptions.ts"
import { Bookings } from "../booking/Bookings.ts"
import { addDays, dayMs, type Instant, localDateOf } from "../kernel/LocalTime.ts"
import { display } from "../kernel/Money.ts"
import { attemptInTurn, doneOf } from "../kernel/Outcomes.ts"
import { BookingChanges } from "../payment/changes/BookingChanges.ts"
import { cancel } from "../payment/changes/Cancellations.ts"
import { Checkout } from "../payment/checkout/Checkout.ts"
import { PlayroomSearch } from "../search/PlayroomSearch.ts"
import { describe } from "../telemetry/FailureText.ts"
import { CommandFailed, failed } from "./Failure.ts"
import { fields, instant, json, table, localTime } from "./Output.ts"
import { report } from "./Report.ts"
import { writeArchive } from "./review/Archive.ts"

/** A booking that the account demonstrates. */
interface Example {
  readonly name: "free" | "held" | "paid" | "deposit" | "cancelled"
  readonly about: string
  readonly children: number
  /** What is due when booking. */
  readonly due: "nothing" | "all" | "part"
  readonly paid: boolean
  readonly cancelled: boolean
}

/**
 * Paid examples come first, so that little is booked if the provider is unavailable. The hold is last: it ends soonest.
 */
const examples: ReadonlyArray<Example> = [
  { name: "paid", about: "paid in full", children: 2, due: "all", paid: true, cancelled: false },
  { name: "deposit", about: "deposit paid, balance still due", children: 8, due: "part", paid: true, cancelled: false },
  {
    name: "cancelled",
    about: "paid, then cancelled: refunded by its terms",
    children: 2,
    due: "all",
    paid: true,
    cancelled: true
  },
  {
    name: "free",
    about: "nothing to pay: confirmed at once",
    children: 2,
    due: "nothing",
    paid: false,
    cancelled: false
  },
  { name: "held", about: "held, not paid yet", children: 2, due: "all", paid: false, cancelled: false }
]

/** The key's lifetime. Directories require test accounts that work for at least 30 days. */
const keyDays = 90
/** Days from today until the visits: far enough that a review ends before them. */
const visits = { first: 28, last: 41 }

const dueOf = ({ due_now, total }: { readonly due_now: number; readonly total: number }): Example["due"] =>
  due_now === 0 ? "nothing" : due_now === total ? "all" : "part"

/** An option for the example, from the first playroom that has one. */
const findOption = Effect.fnUntraced(function* ({ children, due }: Example, now: Instant) {
  const options = yield* BookingOptions
  const { playrooms } = yield* PlayroomSearch.use((search) => search.search({ limit: 50 }))
  for (const { playroom_id, time_zone } of playrooms) {
    const today = localDateOf(time_zone, now)
    const found = yield* options
      .list({
        playroom_id,
        date: addDays(today, visits.first),
        date_to: addDays(today, visits.last),
        children,
        limit: 100
      })
      .pipe(
        Effect.map((page) => page.options),
        Effect.catchTags({
          OperatorUnavailable: () => Effect.succeed([]),
          PlayroomNotFound: () => Effect.succeed([])
        })
      )
    const option = found.find(({ price }) => dueOf(price) === due)
    if (option !== undefined) return option
  }
  return undefined
})

/** Presses the button of the sandbox's payment page. */
const pay = (url: string) =>
  HttpClient.post(url, { body: HttpBody.urlParams({ outcome: "pay" }) }).pipe(
    // The answer redirects the payer to this service; don't follow it.
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.provide(FetchHttpClient.layer)
  )

/** Waits for this status: the running service applies the payment's event. */
const awaitStatus = Effect.fnUntraced(function* (booking_id: string, status: BookingStatus) {
  const bookings = yield* Bookings
  return yield* bookings.get(booking_id).pipe(
    Effect.flatMap((row) => (row.status === status ? Effect.succeed(row) : Effect.fail("waiting" as const))),
    Effect.retry({ while: (error) => error === "waiting", schedule: Schedule.spaced("200 millis"), times: 75 }),
    Effect.catchIf(
      (error) => error === "waiting",
      () => failed(`The payment of ${booking_id} has not arrived.`)
    )
  )
})

/** The booking of an example, and what a person must still do, such as paying with a test card. */
interface Made {
  readonly example: Example
  readonly booking: BookingRow
  readonly left: string | undefined
}

const make = Effect.fnUntraced(function* (principal: Principal, example: Example, sandbox: boolean) {
  const option = yield* findOption(example, yield* Clock.currentTimeMillis)
  if (option === undefined) return undefined
  const { row } = yield* Bookings.use((bookings) =>
    bookings.create(principal, {
      option_id: option.option_id,
      // One e-mail address each, because of the limit on holds per person and the detection of repeated bookings.
      contact: { name: "Robin Reviewer", email: `${example.name}@review.example` }
    })
  )
  const { booking_id, reference } = row
  if (!example.paid) return { example, booking: row, left: undefined } satisfies Made
  const { provider_url: url } = yield* Checkout.use((payments) => payments.createSession(principal, { booking_id }))
  if (!sandbox) {
    const then = example.cancelled ? `, then: playroom booking cancel ${reference}` : ""
    return { example, booking: row, left: `pay with a test card: ${url}${then}` } satisfies Made
  }
  yield* pay(url)
  const paid = yield* awaitStatus(booking_id, "confirmed")
  if (!example.cancelled) return { example, booking: paid, left: undefined } satisfies Made
  const { booking } = yield* BookingChanges.use(({ run }) =>
    run(cancel, booking_id, { refund: "terms", reason: "" }, { preview: false, who: { as: "operator" } })
  )
  return { example, booking, left: undefined } satisfies Made
})

export const review = Command.make(
  "review",
  {
    json,
    archive: Flag.String("archive").pipe(
      Flag.withDescription("A folder for the files of a submission: cases with this service's answers, forms, notes"),
      Flag.optional
    )
  },
  Effect.fn(function* ({ archive, json }) {
    const { provider } = yield* AppConfig
    if (provider.kind === "stripe" && provider.livemode) {
      return yield* failed(
        "Payments are live here, and reviewers must not pay. Run a second service, with the provider's test keys or the sandbox, and make the account there."
      )
    }
    const sandbox = provider.kind === "sandbox"
    const keys = yield* ApiKeys
    const now = yield* Clock.currentTimeMillis
    const expires_at = now + keyDays * dayMs
    const { key_id, secret } = yield* keys.create({
      label: "review",
      scopes: ["bookings:read", "bookings:write", "payments:write"],
      expires_at
    })
    const shown = Redacted.value(secret)
    const principal = yield* keys.authenticate(shown)
    const outcomes = yield* attemptInTurn(examples, (example) =>
      make(principal, example, sandbox).pipe(
        Effect.mapError((error) =>
          error._tag === "ProviderUnavailable"
            ? new CommandFailed({
                message: `${describe(error)}${sandbox ? " The sandbox runs in the service: start it, then try again." : ""}`
              })
            : error
        )
      )
    )
    const made = doneOf(outcomes).map(({ value }) => value)
    const complete = made.length === examples.length
    // The key was not shown yet. Bookings made before the failure stay; holds lapse.
    if (!complete) yield* keys.revoke(key_id)
    const bookings = made.filter((one) => one !== undefined)
    // Cases need every example, as it is to be.
    const open = bookings.length < examples.length || bookings.some(({ left }) => left !== undefined)
    const written =
      Option.isNone(archive) || !complete || open
        ? []
        : yield* writeArchive(archive.value, {
            key: shown,
            until: instant(expires_at),
            bookings: bookings.map(({ booking: { booking_id, reference }, example: { name } }) => ({
              name,
              booking_id,
              reference
            }))
          }).pipe(Effect.tapError(() => keys.revoke(key_id)))
    const missing = doneOf(outcomes).flatMap(({ item, value }) => (value === undefined ? [item] : []))
    return yield* report(json, outcomes, {
      noun: "example",
      verb: "looked for",
      name: ({ about }) => about,
      data: ({ name }) => ({ example: name }),
      value: {
        key_id,
        ...(complete ? { secret: shown, expires_at: instant(expires_at) } : {}),
        bookings: bookings.map(({ booking, example, left }) => ({
          example: example.name,
          about: example.about,
          booking_id: booking.booking_id,
          reference: booking.reference,
          status: booking.status,
          payment_status: booking.payment_status,
          ...(left === undefined ? {} : { left })
        })),
        missing: missing.map(({ name }) => name),
        ...(Option.isNone(archive) ? {} : { written })
      },
      lines: [
        complete
          ? fields([
              ["X-API-Key", shown],
              ["key", `${key_id}, until ${instant(expires_at)}`]
            ])
          : `The key was revoked, and nobody has seen it: run this again. These bookings were made; what is only held lapses.`,
        table(
          ["REFERENCE", "STATUS", "PAYMENT", "TOTAL", "START", "SHOWS"],
          bookings.map(({ booking, example }) => [
            booking.reference,
            booking.status,
            booking.payment_status,
            display(booking.total, booking.currency),
            localTime(booking.terms.time_zone, booking.starts_at),
            example.about
          ])
        ),
        ...bookings.flatMap(({ booking, left }) => (left === undefined ? [] : [`${booking.reference}: ${left}`])),
        ...(missing.length === 0
          ? []
          : [`Nothing in the catalogue fits: ${missing.map(({ about }) => about).join("; ")}.`]),
        ...(Option.isSome(archive) && open
          ? ["No files were written: the cases need every example, paid by the sandbox."]
          : written),
        ...(complete
          ? [
              "Keep the key now: it is not stored and can't be shown again. docs/review says what reviewers can try with it."
            ]
          : [])
      ].flatMap((line) => [line, ""]),
      rest: `, ${bookings.length} made.`
    })
  })
).pipe(
  Command.withDescription(
    "Make a test account for reviewers: a key, and bookings in several states (never with live payments)"
  )
)
