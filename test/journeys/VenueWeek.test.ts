/**
 * A venue's first day, its Saturday and its month, by the commands that `docs/venue.md` names: each of them, with all
 * its options.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { readXlsx } from "hucre/xlsx"
import { venuePrincipal } from "../../src/platform/access/ApiKeys.ts"
import { PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { Bookings } from "../../src/domain/booking/Bookings.ts"
import { BookingId } from "../../src/platform/ids/Ids.ts"
import { Checkout } from "../../src/domain/payment/checkout/Checkout.ts"
import { RefundRecords } from "../../src/domain/payment/refunds/RefundRecords.ts"
import { PaymentInquiry } from "../../src/domain/payment/settlement/PaymentInquiry.ts"
import { setClock } from "../support/BookingWorld.ts"
import { calendar, CalendarHost, event, served } from "../support/CalendarWorld.ts"
import { commandsOverSandbox, csvRows, member, parsed, playroom } from "../support/CommandLine.ts"
import { ask } from "../support/FamilyPages.ts"
import { runProviderTasks, sessionRow } from "../support/PaymentWorld.ts"
import { otherVenue } from "../support/paymentVenues.ts"
import { callSandbox, resetSandbox } from "../support/SandboxWorld.ts"
import { twoRooms } from "../support/venues.ts"

/** A command with its options, without their values. */
interface Command {
  readonly name: string
  readonly options: ReadonlyArray<string>
}

const commandOf = (words: ReadonlyArray<string>): Command => ({
  name: words.slice(0, words[0] === "accounts" || words[0] === "doctor" ? 1 : 2).join(" "),
  options: words.filter((word) => word.startsWith("--"))
})

/** The commands that the page shows. */
const documented = (): ReadonlyArray<Command> => {
  const page = readFileSync(new URL("../../docs/venue.md", import.meta.url), "utf8")
  return Array.from(page.matchAll(/(?:`|^ *)playroom ([^`\n#]+)/gm), ([, line = ""]) =>
    commandOf(line.trim().split(" "))
  )
}

const typed: Array<Command> = []

/** Types a command, which must succeed: what it printed. */
const run = (...words: ReadonlyArray<string>) =>
  Effect.map(playroom(...words), ({ complaints, failure, out }) => {
    assert.isUndefined(failure, `${words.join(" ")}: ${failure ?? ""}`)
    typed.push(commandOf(words))
    return `${out}\n${complaints}`
  })

const part = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(`${pattern}: ${text}`)

/** Types it with `--preview`, and then as the preview showed it. */
const previewAndRun = (...words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const preview = yield* run(...words, "--preview")
    const done = yield* run(...words, "--as-shown", part(preview, /--as-shown (\S+?),? /))
    yield* runProviderTasks
    return { preview, done }
  })

const stateOf = (reference: string) =>
  Effect.map(run("booking", "show", reference, "--json"), (text) => {
    const booking = member(parsed(text), "booking")
    return `${String(member(booking, "status"))} ${String(member(booking, "payment_status"))}`
  })

/** What payments and refunds in the accounts came to, in minor units. */
const amountsIn = (csv: string): ReadonlyArray<number> =>
  csvRows(csv)
    .filter(({ kind = "" }) => ["payment", "refund"].includes(kind))
    .map(({ amount }) => Math.round(Number(amount) * 100))

/** The family pays on the provider's page what is due by link. */
const payByLink = Effect.fnUntraced(function* (booking_id: string) {
  const { operator_id } = yield* Bookings.use((bookings) => bookings.get(booking_id))
  const principal = venuePrincipal(operator_id, undefined)
  const { payment_session_id } = yield* Checkout.use((checkout) =>
    checkout.createSession(principal, { booking_id: BookingId.make(booking_id) })
  )
  const session = yield* sessionRow(payment_session_id)
  yield* callSandbox("POST", `/pay/${session.provider_session_id}`, { form: { outcome: "pay" } })
  yield* PaymentInquiry.use((inquiry) => inquiry.ask(session))
})

/** The commands with the network of a host of calendars. */
const world = Layer.unwrap(Effect.map(CalendarHost, ({ network }) => PublicDocuments.layerOn(network))).pipe(
  Layer.provideMerge(CalendarHost.layer),
  (documents) => Layer.merge(commandsOverSandbox(), documents)
)

layer(world, { timeout: "120 seconds" })("a venue's week by commands", (it) => {
  it.effect("goes as docs/venue.md says, and its books agree with the provider's at the end", () =>
    Effect.gen(function* () {
      yield* resetSandbox
      const files = yield* FileSystem.FileSystem
      const file = join(yield* files.makeTempDirectoryScoped(), "venue.yaml")

      // The first day.
      yield* run("catalogue", "new", file)
      yield* files.writeFileString(file, twoRooms(yield* files.readFileString(file)))
      yield* run("catalogue", "check", file)
      yield* run("catalogue", "import", file, "--dry-run")
      const party = part(yield* run("catalogue", "import", file), /(package_0\w+)/)
      const onboarding = part(yield* run("operator", "onboard", "castle-play"), /(http\S+)/)
      yield* ask(onboarding, { method: "POST" })
      assert.include(yield* run("operator", "onboard", "castle-play"), "It is on sale now.")
      assert.match(yield* run("operator", "link", "castle-play"), /http\S+/)
      assert.match(yield* run("staff", "invite", "castle-play", "Sam Door"), /http\S+/)
      yield* run("staff", "invite", "castle-play", "Kim Floor", "--role", "manager")
      assert.match(yield* run("staff", "invite", "castle-play", "Kim Floor", "--lost"), /have ended\.\s[^]*http\S+/)
      assert.include(
        yield* run("staff", "withdraw", "castle-play", "Kim Floor"),
        "The invitation of Kim Floor has ended."
      )
      assert.match(yield* run("staff", "list", "castle-play"), /Kim Floor +manager +0 +- +- /)
      yield* run("staff", "remove", "castle-play", "Sam Door")
      assert.notInclude(yield* run("staff", "list", "castle-play"), "Sam Door")
      assert.match(yield* run("operator", "show", "castle-play"), /staff_removed +Sam Door .*\(command line\)/)

      // Families call. Days are as in the templates: parties are on Saturdays, two hours, £50 of £200 when booking.
      const book = Effect.fnUntraced(function* (at: string, name: string) {
        const what = ["booking", "make", party, "--at", at, "--children", "8"]
        const who = ["--name", name, "--email", `${name}@example.com`, "--by", "Kim"]
        assert.include(yield* run(...what, ...who, "--preview"), "Nothing was booked.")
        const booking = member(parsed(yield* run(...what, ...who, "--json")), "booking")
        return { reference: String(member(booking, "reference")), booking_id: String(member(booking, "booking_id")) }
      })
      const { reference: ada, ...online } = yield* book("2026-12-19T10:15", "Ada")
      yield* payByLink(online.booking_id)
      const { reference: ben } = yield* book("2026-12-05T13:00", "Ben")
      const { reference: cem, ...paidToo } = yield* book("2026-12-19T15:45", "Cem")
      yield* payByLink(paidToo.booking_id)
      const { reference: dan } = yield* book("2027-01-02T10:15", "Dan")
      yield* run("payment", "record", dan, "200.00", "--way", "cash", "--by", "Kim")

      // Somebody stands in the door, gives no address, and pays for all of it.
      const walkIn = ["booking", "make", party, "--at", "2027-01-16T10:15", "--children", "8", "--paid", "cash"]
      assert.include(yield* run(...walkIn, "--by", "Sam"), "confirmed")

      // What was recorded for Ben was Eve's. For this Saturday all is due at once.
      yield* run("payment", "record", ben, "200.00", "--way", "card", "--by", "Kim")
      const payment = part(yield* run("booking", "show", ben), /(payment_0\w+)/)
      yield* run("payment", "undo", payment, "--by", "Kim")
      const { reference: eve } = yield* book("2026-12-05T15:45", "Eve")
      yield* run("payment", "record", eve, "200.00", "--way", "card", "--by", "Kim")

      // More children, another day, another room.
      assert.include((yield* previewAndRun("booking", "change", ada, "--children", "12")).preview, "£30.00")
      yield* previewAndRun("booking", "move", ada, "--to", "2027-01-09T13:00")
      yield* previewAndRun("booking", "move", ada, "--playroom", "garden-room")
      assert.include(yield* run("booking", "show", ada), "Garden Room")
      assert.match(yield* run("booking", "link", ada), /http\S+\/b\//)
      const right = ["--email", "ada.right@example.com", "--name", "Ada Right"]
      assert.include(yield* run("booking", "change", ada, ...right), "→ ada.right@example.com")

      // Cem's family is ill, and Dan's has another plan.
      yield* run("booking", "cancel", cem, "--refund", "full", "--reason", "ill")
      yield* run("booking", "cancel", dan, "--preview")
      yield* run("booking", "cancel", dan)
      yield* runProviderTasks
      const byHand = Effect.map(
        RefundRecords.use((refunds) => refunds.atVenue),
        ([refund]) => refund?.refund_id ?? ""
      )
      yield* run("payment", "returned", yield* byHand, "--way", "cash")

      // Saturday.
      yield* setClock("2026-12-05T12:30:00Z")
      yield* run("booking", "arrived", ben, "--by", "Sam")
      yield* run("payment", "record", ben, "200.00", "--way", "card", "--by", "Sam")
      yield* previewAndRun("booking", "refund", ben, "20.00", "--reason", "The castle was broken")
      yield* run("payment", "returned", yield* byHand, "--way", "card")
      yield* run("payment", "record", ada, "180.00", "--way", "transfer", "--by", "Sam")
      yield* setClock("2026-12-05T15:50:00Z")
      yield* run("booking", "no-show", eve, "--by", "Sam")
      yield* run("booking", "no-show", eve, "--by", "Sam", "--undo")

      // The other calendar.
      const host = yield* CalendarHost
      host.pages.set("/phone.ics", served(calendar(event("a", "DTSTART:20261212T110000Z DTEND:20261212T130000Z"))))
      const tried = yield* run("calendar", "try", host.url("/phone.ics"), "--zone", "Europe/London")
      assert.include(tried, "2026-12-12 11:00 to 13:00")
      yield* run("calendar", "list", "castle-play")

      // The plumber comes.
      const plumber = ["closure", "make", "--playroom", "main-hall", "--reason", "The plumber comes"]
      const hours = ["--from", "2026-12-12T10:00", "--to", "2026-12-12T17:00"]
      assert.include(yield* run(...plumber, ...hours, "--preview"), "Nothing is booked then.")
      const closed = part(yield* run(...plumber, ...hours, "--json"), /(closure_0\w+)/)
      assert.include(yield* run("closure", "list", "--playroom", "main-hall"), closed)
      yield* run("closure", "lift", closed)

      // May is closed, with three parties inside.
      const { reference: fay, ...may } = yield* book("2027-05-08T10:15", "Fay")
      const { reference: gus, ...kept } = yield* book("2027-05-15T10:15", "Gus")
      const { reference: hal, ...moved } = yield* book("2027-05-22T10:15", "Hal")
      for (const { booking_id } of [may, kept, moved]) yield* payByLink(booking_id)
      const closure = "      - { slug: may, from: 2027-05-01, to: 2027-05-31, reason: New floor }\n"
      yield* files.writeFileString(file, (yield* files.readFileString(file)).replace(/ +closures:\n/, `$&${closure}`))
      const { complaints, failure, out } = yield* playroom("catalogue", "import", file)
      assert.isDefined(failure)
      for (const reference of [fay, gus, hal]) assert.include(`${out}${complaints}`, reference)
      yield* run("catalogue", "import", file, "--force")
      assert.include(yield* run("booking", "closed", "--playroom", "main-hall"), gus)
      const dealWith = ["--cancel", "all", "--keep", gus, "--move", `${hal}=@garden-room`]
      yield* previewAndRun("booking", "closed", "--playroom", "main-hall", ...dealWith)
      const states = yield* Effect.forEach([ada, ben, cem, dan, eve, fay, gus, hal], stateOf)
      assert.deepStrictEqual(states, [
        "confirmed paid",
        "confirmed partially_refunded",
        "cancelled refunded",
        "cancelled partially_refunded",
        "confirmed paid",
        "cancelled refunded",
        "confirmed deposit_paid",
        "confirmed deposit_paid"
      ])

      // The month: its lines sum up to what the bookings have.
      assert.include(yield* run("booking", "list", "--operator", "castle-play", "--csv"), hal)
      const accounts = ["accounts", "--month", "2026-12", "--operator", "castle-play"]
      const lines = yield* run(...accounts)
      yield* run("booking", "list", "--operator", "castle-play", "--xlsx", join(dirname(file), "bookings.xlsx"))
      const march = join(dirname(file), "march.xlsx")
      yield* run(...accounts, "--xlsx", march)
      const { sheets } = yield* Effect.flatMap(files.readFile(march), (bytes) => Effect.promise(() => readXlsx(bytes)))
      assert.deepStrictEqual(
        (sheets[0]?.rows ?? [])
          .filter(([, kind]) => kind === "payment" || kind === "refund")
          .map(([, , , , amount]) => Math.round(Number(amount) * 100)),
        amountsIn(lines)
      )
      const sql = yield* SqlClient.SqlClient
      const [{ kept: has } = assert.fail("no sum")] = yield* sql<{ readonly kept: string }>`
        select sum(paid - refunded)::text as kept from booking`
      assert.strictEqual(
        amountsIn(lines).reduce((sum, amount) => sum + amount, 0),
        Number(has)
      )
      // The other operator of this world never paid.
      yield* run("operator", "paid-through", otherVenue.operator.operator_id, "2030-01-01", "--reason", "a test")
      // The week closed times around visits that it keeps.
      const doctor = yield* playroom("doctor")
      typed.push(commandOf(["doctor"]))
      assert.match(doctor.out, /^bookings that can't take place /m)
      assert.strictEqual(doctor.failure, "1 thing needs a person.")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it("typed every command of the page", () => {
    const missing = documented().filter(
      ({ name, options }) =>
        !typed.some((one) => one.name === name && options.every((option) => one.options.includes(option)))
    )
    assert.deepStrictEqual(missing, [])
    assert.isAbove(documented().length, 20)
  })
})
