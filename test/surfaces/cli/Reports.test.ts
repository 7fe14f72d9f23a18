/**
 * Commands that do several things, each with one thing that fails: the rest is done, all of it is told, and the exit
 * code is 1.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { exitCodeOf } from "../../../src/surfaces/cli/Failure.ts"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { DatabaseIsShared } from "../../../src/platform/database/Database.ts"
import { PlatformGateway } from "../../../src/domain/payment/provider/PlatformGateway.ts"
import { Faults } from "../../../src/extras/sandbox/Faults.ts"
import type { BookingRow } from "../../../src/domain/booking/Booking.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { manyPlayrooms } from "../../support/catalogues.ts"
import { commandsOverSandbox, playroom } from "../../support/CommandLine.ts"
import { bookingState, confirmed, createBooking, held, now, openSession } from "../../support/PaymentWorld.ts"
import { account, otherVenue, packages, venue } from "../../support/paymentVenues.ts"
import { callSandbox } from "../../support/SandboxWorld.ts"
import { testSettings } from "../../support/testSettings.ts"

const { operator_id } = venue.operator

const Reported = Schema.Struct({
  done: Schema.Int,
  failed: Schema.Int,
  not_tried: Schema.Int,
  outcomes: Schema.Array(
    Schema.Struct({
      outcome: Schema.Literals(["done", "failed", "not_tried"]),
      reason: Schema.optionalKey(Schema.String)
    })
  )
})
const readReport = Schema.decodeUnknownSync(Schema.fromJsonString(Reported))

/** What a command with `--json` said of its items, like `done failed not_tried`, and the exit code of its process. */
const reportOf = ({ cause, failure, out }: Effect.Success<ReturnType<typeof playroom>>) => {
  const said = readReport(out)
  const which = said.outcomes.map(({ outcome }) => outcome)
  for (const name of ["done", "failed", "not_tried"] as const)
    assert.strictEqual(said[name], which.filter((one) => one === name).length)
  for (const { outcome, reason } of said.outcomes) assert.strictEqual(reason !== undefined, outcome === "failed")
  const code = failure === undefined ? 0 : exitCodeOf(Exit.failCause(cause), false).code
  return {
    outcomes: which.join(" "),
    reasons: said.outcomes.flatMap(({ reason }) => reason ?? []),
    code,
    said: failure
  }
}
const lastLine = (text = ""): string => text.split("\n").at(-1) ?? ""

/** Has the database refuse statements on rows of a table, while `work` runs. */
const refusing = <A, E, R>(
  { on, table, when }: { readonly table: string; readonly on: "insert" | "update"; readonly when: string },
  work: Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create or replace function refuse_row() returns trigger language plpgsql as $$
      begin raise exception 'this row can not be written'; end $$`
    yield* sql.unsafe(
      `create trigger refuse_row before ${on} on ${table} for each row when (${when}) execute function refuse_row()`
    )
    return yield* Effect.ensuring(work, Effect.orDie(sql.unsafe(`drop trigger refuse_row on ${table}`)))
  })

const base = "https://book.example.com"
const settings = testSettings({ baseUrl: base, platformSecrets: [], connectedSecrets: [] })
const setup = (...args: ReadonlyArray<string>) =>
  playroom("provider", "setup", ...args).pipe(Effect.provideService(AppConfig, settings))

/** The commands that do several things. A test below has one of them fail in each. */
const several = [
  "accounts",
  "booking closed",
  "catalogue import",
  "catalogue new",
  "clocks",
  "closure lift",
  "doctor",
  "operator onboard",
  "payment reconcile",
  "person erase",
  "provider setup"
]
/** The others read, or do one thing, in one transaction or one call. */
const singles: Readonly<Record<string, ReadonlyArray<string>>> = {
  backup: [""],
  registry: [""],
  serve: [""],
  connect: ["rotate-keys"],
  database: ["copy", "reopen"],
  grant: ["list", "revoke"],
  person: ["export"],
  booking: ["list", "make", "show", "change", "move", "cancel", "refund", "arrived", "no-show", "link"],
  calendar: ["list", "try"],
  catalogue: ["export", "demo", "check", "from-csv", "schema"],
  closure: ["list", "make"],
  key: ["create", "list", "revoke"],
  payment: ["assign", "decide", "record", "refund", "returned", "undo", "voucher"],
  operator: ["list", "show", "link", "suspend", "resume", "paid-through"],
  voucher: ["list", "show", "undo"],
  staff: ["invite", "list", "remove", "withdraw"],
  webhook: ["list", "show", "retry"]
}
const single = Object.entries(singles).flatMap(([command, under]) => under.map((one) => `${command} ${one}`.trim()))

/** Endpoints at other addresses, until the provider's limit leaves so many. */
const leaveRoomFor = Effect.fnUntraced(function* (number: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from sandbox.endpoint where url like 'https://elsewhere.example.com/%'`
  const [{ there = 0 } = {}] = yield* sql<{ there: number }>`select count(*)::int as there from sandbox.endpoint`
  for (let i = there; i < 16 - number; i++)
    yield* PlatformGateway.use((gateway) =>
      gateway.createEndpoint({
        receiver: "platform",
        payload: "snapshot",
        url: `https://elsewhere.example.com/${i}`,
        enabled_events: ["invoice.paid"]
      })
    )
})

layer(commandsOverSandbox())("a command that does several things", (it) => {
  it.effect("clocks: gives the bookings of other rooms their hour back, and names the room where that failed", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      const date = "2027-01-16"
      yield* playroom("operator", "paid-through", otherVenue.operator.operator_id, "2027-12-31", "--reason", "Test")
      const bad = yield* createBooking(packages.trustedParty, { date })
      const good = yield* createBooking(otherVenue.packages[0], { at: otherVenue, date })
      // Agreed for 10:00, when the clock of the place was an hour ahead.
      yield* sql`update booking set terms = terms || ${`{"local_start": "${date}T11:00:00+01:00"}`}::jsonb
        where booking_id in (${bad.booking_id}, ${good.booking_id})`
      const startsOf = ({ booking_id }: BookingRow) =>
        Effect.map(sql<{ starts_at: Date }>`select starts_at from booking where booking_id = ${booking_id}`, ([row]) =>
          row?.starts_at.toISOString()
        )
      const failing = (...args: ReadonlyArray<string>) =>
        refusing(
          { table: "booking", on: "update", when: `new.booking_id = '${bad.booking_id}'` },
          playroom("clocks", ...args)
        )
      const shown = reportOf(yield* failing("--json"))
      assert.deepInclude(shown, { code: 1 })
      assert.sameMembers(shown.outcomes.split(" "), ["failed", "done"])
      const { failure, out } = yield* failing("--apply")
      assert.match(failure ?? "", new RegExp(`^Failed: ${venue.playroom.name}: `, "m"))
      assert.match(lastLine(failure), /^1 of 2 rooms done, 1 failed: 1 booking at its hour again, by tz /)
      assert.include(out, good.reference)
      assert.deepStrictEqual(yield* startsOf(good), `${date}T11:00:00.000Z`)
      assert.deepStrictEqual(yield* startsOf(bad), `${date}T10:00:00.000Z`)
      assert.deepInclude(reportOf(yield* playroom("clocks", "--apply", "--json")), { outcomes: "done", code: 0 })
      assert.deepStrictEqual(yield* startsOf(bad), `${date}T11:00:00.000Z`)
    })
  )

  it.effect("provider setup: makes the other endpoint, tells its secret, and does not say that all is well", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* setup()
      yield* leaveRoomFor(1)
      const text = yield* setup("--rotate", "both")
      assert.match(text.out, /^PAYMENT_WEBHOOK_SECRETS=whsec_\w+$/m)
      assert.match(text.failure ?? "", /^Failed: connected accounts: make an endpoint: .*maximum of 16/m)
      assert.notInclude(text.out, "All is well")
      assert.strictEqual(lastLine(text.failure), "2 of 3 steps done, 1 failed.")
      yield* leaveRoomFor(1)
      const data = reportOf(yield* setup("--rotate", "both", "--json"))
      assert.deepInclude(data, { outcomes: "done failed done", code: 1 })
      yield* leaveRoomFor(3)
      assert.deepInclude(reportOf(yield* setup("--rotate", "both", "--json")), {
        outcomes: "done done done done",
        code: 0
      })
    })
  )

  it.effect("provider setup: says if the fingerprint of a new secret could not be kept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from sandbox.endpoint`
      const { failure, out } = yield* refusing(
        { table: "sandbox.endpoint", on: "update", when: "new.connect" },
        setup()
      )
      assert.match(out, /^PAYMENT_CONNECT_WEBHOOK_SECRETS=whsec_\w+$/m)
      assert.match(failure ?? "", /^Failed: connected accounts: keep the fingerprint/m)
      assert.strictEqual(lastLine(failure), "3 of 4 steps done, 1 failed.")
    })
  )

  it.effect(
    "payment reconcile: compares the other accounts, and says that one was not; if none was, never that all is there",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update operator set connected_account_id = ${account} where operator_id = ${operator_id}`
        const reconcile = (...args: ReadonlyArray<string>) =>
          playroom("payment", "reconcile", "--since", "2026-11-19", ...args)
        const well = yield* reconcile()
        assert.isUndefined(well.failure)
        assert.match(lastLine(well.out), /^(\d) of \1 accounts compared since \S+: nothing is missing\.$/)
        yield* (yield* Faults).set({ api: { fault: "account_closed", times: 1 } })
        const one = yield* reconcile("--json")
        assert.deepInclude(reportOf(one), { outcomes: "failed done", code: 1 })
        yield* (yield* Faults).set({ api: { fault: "account_closed", times: 100 } })
        const none = yield* reconcile()
        assert.match(lastLine(none.failure), /^0 of 2 accounts compared, 2 failed since \S+: nothing was found/)
        assert.notInclude(`${none.out}${none.failure}`, "nothing is missing")
        yield* (yield* Faults).reset
      })
  )

  it.effect("payment reconcile: settles the other payments of an account, and names the one that it could not", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      yield* TestClock.adjust("1 minute")
      const sql = yield* SqlClient.SqlClient
      const pay = Effect.gen(function* () {
        const booking = yield* createBooking(packages.party)
        const session = yield* openSession(booking)
        const form = { outcome: "pay" }
        assert.strictEqual((yield* callSandbox("POST", new URL(session.url ?? "").pathname, { form })).status, 303)
        return { booking, session }
      })
      const [bad, good] = [yield* pay, yield* pay]
      const reconcile = playroom("payment", "reconcile", "--since", "2026-11-19", "--account", account, "--apply")
      const { failure, out } = yield* refusing(
        { table: "booking", on: "update", when: `new.booking_id = '${bad.booking.booking_id}'` },
        reconcile
      )
      assert.match(
        lastLine(failure),
        /^0 of 1 account compared, 1 failed since \S+: 1 done, 0 for a person\. Run this again\.$/
      )
      assert.include(
        failure ?? "",
        `1 payment could not be compared, the others were: ${bad.session.provider_session_id}`
      )
      assert.include(out, `payment settled  ${good.session.provider_session_id}`)
      assert.deepStrictEqual(yield* bookingState(good.booking), confirmed)
      assert.deepStrictEqual(yield* bookingState(bad.booking), held)
      assert.isUndefined((yield* reconcile).failure)
      assert.deepStrictEqual(yield* bookingState(bad.booking), confirmed)
      yield* sql`delete from sandbox.session`
    })
  )

  it.effect("operator onboard: says that the account was made, though its link was not, or it could not be noted", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update operator set connected_account_id = null where operator_id = ${operator_id}`
      const onboard = (...args: ReadonlyArray<string>) => playroom("operator", "onboard", operator_id, ...args)
      const noLink = refusing(
        { table: "sandbox.account", on: "update", when: "new.link_expires_at is not null" },
        onboard()
      )
      const first = yield* noLink
      assert.match(first.out, /^acct_\w+ was made for .* It is off sale until it can take payments\.$/m)
      assert.match(first.failure ?? "", /^Failed: make the link/m)
      assert.strictEqual(lastLine(first.failure), "2 of 3 steps done, 1 failed.")
      assert.isUndefined((yield* onboard()).failure)

      yield* sql`update operator set connected_account_id = null, suspended_at = null where operator_id = ${operator_id}`
      yield* sql`delete from sandbox.idempotency`
      const unnoted = yield* refusing(
        { table: "operator", on: "update", when: "new.connected_account_id is not null" },
        onboard("--json")
      )
      assert.deepInclude(reportOf(unnoted), { outcomes: "done failed not_tried", code: 1 })
      assert.match(unnoted.out, /"id": "acct_\w+"/)
      const again = yield* onboard()
      assert.isUndefined(again.failure)
      assert.strictEqual((yield* sql`select 1 from sandbox.account`).length, 2)
      yield* sql`update operator set connected_account_id = ${account}, suspended_at = null where operator_id = ${operator_id}`
    })
  )

  it.effect("person erase: erases from the other bookings, and never says that nothing was erased", () =>
    Effect.gen(function* () {
      yield* setClock(now)
      const sql = yield* SqlClient.SqlClient
      const email = "several@family.example"
      const [bad, good] = [yield* createBooking(packages.party), yield* createBooking(packages.party)]
      yield* sql`update booking set contact_email = ${email} where booking_id in (${bad.booking_id}, ${good.booking_id})`
      for (const { reference } of [bad, good]) yield* playroom("booking", "cancel", reference)
      const erase = (...args: ReadonlyArray<string>) => playroom("person", "erase", "--email", email, ...args)
      const { failure, out } = yield* refusing(
        { table: "booking", on: "update", when: `new.booking_id = '${bad.booking_id}'` },
        erase()
      )
      assert.include(out, `is erased from the booking ${good.reference}, `)
      assert.match(failure ?? "", new RegExp(`^Failed: the booking ${bad.reference}: `, "m"))
      assert.strictEqual(lastLine(failure), "6 of 7 parts erased, 1 failed.")
      const again = yield* erase("--json")
      assert.deepInclude(reportOf(again), { outcomes: "done done done done done done", code: 0 })
    })
  )

  it.effect("catalogue import: in steps says what was written, which step failed, and what was not tried", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "reports-"))
      const file = join(folder, "catalogue.json")
      const many = manyPlayrooms(210)
      // The venues of the world have the accounts.
      const operators = many.operators.map((one) => Struct.omit(one, ["connected_account_id"]))
      writeFileSync(file, JSON.stringify({ ...many, operators }))
      const load = (...args: ReadonlyArray<string>) =>
        Effect.provideService(playroom("catalogue", "import", file, ...args), DatabaseIsShared, true)
      const failing = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        refusing({ table: "playroom", on: "insert", when: "new.name like '% 105'" }, work)
      const text = yield* failing(load())
      assert.match(text.out, /^playrooms +98 /m)
      assert.match(text.failure ?? "", /^Failed: playrooms 99 to 148: /m)
      assert.match(text.failure ?? "", /^Not tried: playrooms 149 to 210$/m)
      assert.strictEqual(lastLine(text.failure), "3 of 5 steps done, 1 failed, 1 not tried.")
      const data = reportOf(yield* failing(load("--json")))
      assert.deepInclude(data, { outcomes: "failed not_tried", code: 1 })
      const done = yield* load()
      assert.isUndefined(done.failure)
      assert.match(done.out, /^playrooms +112 +0 +98 /m)
      rmSync(folder, { recursive: true })
    })
  )

  it.effect("catalogue new: says that the file was written, though the schema beside it was not", () =>
    Effect.gen(function* () {
      // The longest path is 4,095 bytes: it has room for the one name, and not for the other.
      const root = mkdtempSync(join(tmpdir(), "reports-"))
      let folder = root
      while (folder.length < 4080) folder = join(folder, "x".repeat(Math.min(200, 4080 - folder.length - 1)))
      mkdirSync(folder, { recursive: true })
      const { failure, out } = yield* playroom("catalogue", "new", join(folder, "a.yaml"))
      assert.include(out, `Wrote ${join(folder, "a.yaml")}. Change it`)
      assert.match(failure ?? "", /^Failed: .*catalogue\.schema\.json: /m)
      assert.strictEqual(lastLine(failure), "1 of 2 files there, 1 failed.")
      const again = yield* playroom("catalogue", "new", join(root, "one.yaml"))
      assert.isUndefined(again.failure)
      const kept = yield* playroom("catalogue", "new", join(root, "two.yaml"))
      assert.include(kept.out, "was there already, and is as it was")
      rmSync(root, { recursive: true })
    })
  )

  it.effect("closure lift: reopens the others, and names the one that is not there", () =>
    Effect.gen(function* () {
      const day = ["--from", "2027-02-01", "--to", "2027-02-01", "--reason", "New floor"]
      const closed = yield* playroom("closure", "make", "--playroom", venue.playroom.playroom_id, ...day, "--json")
      const made = /closure_0\w+/.exec(closed.out)?.[0] ?? assert.fail(closed.failure)
      const gone = made.replace(/.$/, (last) => (last === "0" ? "1" : "0"))
      const text = yield* playroom("closure", "lift", gone, made)
      assert.match(text.failure ?? "", new RegExp(`^Failed: ${gone}: `, "m"))
      assert.include(text.out, "can be booked again")
      const data = reportOf(yield* playroom("closure", "lift", gone, made, "--json"))
      assert.deepInclude(data, { outcomes: "failed failed", code: 1 })
    })
  )

  it.effect("doctor: lists what it finds though some of it can't be looked for, and names that", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into webhook_event (event_id, receiver, type, livemode, payload, status, next_attempt_at, received_at)
        values ('evt_reports', 'platform', 'invoice.paid', false, '{}', 'dead', now(), now())`
      yield* sql`alter table dispute rename to dispute_away`
      const found = yield* Effect.ensuring(
        playroom("doctor"),
        Effect.orDie(sql`alter table dispute_away rename to dispute`)
      )
      assert.include(found.out, "event given up  evt_reports")
      assert.match(found.out, /^not checked {2}.*\bpayment disputed\b/m)
      assert.strictEqual(found.failure, "2 things need a person.")
      yield* sql`delete from webhook_event where event_id = 'evt_reports'`
    })
  )

  it.effect("is known as one: every other command does one thing, whole or not at all", () =>
    Effect.gen(function* () {
      const subcommands = (help: string) =>
        (help.split(/^SUBCOMMANDS$/m)[1] ?? "")
          .split("\n")
          .flatMap((line) => line.match(/^ {2}([a-z][a-z-]*)/)?.[1] ?? [])
      const commands: Array<string> = []
      for (const command of subcommands((yield* playroom("--help")).out)) {
        const under = subcommands((yield* playroom(command, "--help")).out)
        commands.push(...(under.length === 0 ? [command] : under.map((name) => `${command} ${name}`)))
      }
      assert.sameMembers(commands, [...several, ...single], "Say whether a new command does several things")
    })
  )
})
