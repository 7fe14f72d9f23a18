import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ownEmbedded } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { commandWorld, parsed, playroom } from "../../support/CommandLine.ts"
import { deleteBookings, paidBooking } from "../../support/PaymentWorld.ts"

/** `playroom database …`, which opens databases of its own. */
const database = (...args: ReadonlyArray<string>) =>
  Effect.provideService(playroom("database", ...args), Clock.Clock, Clock.Clock.defaultValue())

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-copy-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const Report = Schema.decodeUnknownSync(
  Schema.Struct({
    target: Schema.String,
    moved: Schema.Boolean,
    tables: Schema.Array(Schema.Struct({ table: Schema.String, rows: Schema.Int }))
  })
)

layer(commandWorld)("playroom database", (it) => {
  it.effect("copies into a new folder, and leaves the source as it is", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      const { booking } = yield* paidBooking()
      const folder = join(yield* temporaryFolder, "laptop")
      const report = Report(parsed((yield* database("copy", folder, "--json")).out))
      assert.deepInclude(report, { target: folder, moved: false })
      assert.deepInclude(report.tables, { table: "booking", rows: 1 })
      const copied = yield* Effect.scoped(
        Effect.flatMap(ownEmbedded(folder, "command"), (to) => to`select reference from booking`)
      ).pipe(Effect.provide(Reactivity.layer), Effect.provideService(Clock.Clock, Clock.Clock.defaultValue()))
      assert.deepStrictEqual(copied, [{ reference: booking.reference }])
      assert.include((yield* database("copy", folder)).failure ?? "", "is there already: name a new folder.")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update booking set notes = 'still in use'`
      assert.include((yield* database("reopen")).out, "This database is in use.")
    }).pipe(Effect.scoped)
  )

  it.effect("moves once: nothing is taken any more, and going back is said twice", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      yield* paidBooking()
      const sql = yield* SqlClient.SqlClient
      const folder = join(yield* temporaryFolder, "new")
      const { failure, out } = yield* database("copy", folder, "--move")
      assert.isUndefined(failure)
      assert.include(out, `are at ${folder}, and equal on both sides.`)
      assert.include(out, `DATA_DIR=${folder}`)
      assert.include(String((yield* Effect.flip(sql`delete from booking`)).reason.cause), `move to ${folder}`)
      assert.include(
        (yield* database("copy", `${folder}-2`, "--move")).failure ?? "",
        `This database moved to ${folder} at `
      )
      assert.include((yield* database("reopen")).failure ?? "", "What was booked there since is not here.")
      assert.include((yield* database("reopen", "--yes")).out, "This database is in use again.")
      yield* sql`update booking set notes = 'in use again'`
    }).pipe(Effect.scoped)
  )

  it.effect("takes bookings again where a move fails, and leaves nothing at the target", () =>
    Effect.gen(function* () {
      yield* deleteBookings
      yield* paidBooking()
      const sql = yield* SqlClient.SqlClient
      // The target's own table does not take it.
      yield* sql`alter table rate_limit alter column granted drop not null`
      yield* sql`insert into rate_limit (key, tokens, granted, refilled_at) values ('wrong', 0, null, 0)`
      const parent = yield* temporaryFolder
      const { failure } = yield* database("copy", join(parent, "new"), "--move")
      assert.include(failure ?? "", "database")
      assert.deepStrictEqual(readdirSync(parent), [])
      assert.deepStrictEqual(yield* sql`select from database_move`, [])
      yield* sql`delete from rate_limit where granted is null`
      yield* sql`alter table rate_limit alter column granted set not null`
    }).pipe(Effect.scoped)
  )

  it.effect("says what a target is, and shows no password", () =>
    Effect.gen(function* () {
      for (const to of ["mysql://ann:secret@127.0.0.1/playroom", "postgres://ann:sec/ret@:x/playroom"]) {
        const { failure } = yield* database("copy", to)
        assert.include(failure ?? "", "The target must be a PostgreSQL address")
        assert.notInclude(failure ?? "", "ret")
      }
      // Nobody listens on this port.
      const { failure } = yield* database("copy", "postgres://ann:secret@127.0.0.1:1/playroom", "--move")
      assert.include(failure ?? "", "could not be reached")
      assert.notInclude(failure ?? "", "secret")
      assert.isFalse(existsSync("mysql:"))
      assert.deepStrictEqual(yield* (yield* SqlClient.SqlClient)`select from database_move`, [])
    })
  )
})
