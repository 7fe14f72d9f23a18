import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readXlsx } from "hucre/xlsx"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { importVenue } from "../../support/BookingWorld.ts"
import { commandWorld, csvRows, parsed, playroom } from "../../support/CommandLine.ts"
import { bookAt, hall, sydney } from "../../support/operatorVenues.ts"

const scene = Effect.gen(function* () {
  yield* importVenue(hall, sydney)
  yield* bookAt(hall, "2026-12-05", "10:00", "trusted", {
    name: '=HYPERLINK("http://x", "Ana")',
    notes: 'Two\nlines, "quoted"',
    phone: "+44 20 7946 0123",
    child_ages: [5, 6, 5, 5, 4, 6, 5, 5],
    bubbles: 2,
    cake: true
  })
  yield* bookAt(sydney, "2026-12-05", "10:00", "paid", { name: "Dan Under" })
  yield* bookAt(sydney, "2026-12-06", "10:00", "trusted", { name: "Next Day" })
})

layer(commandWorld)("the list of bookings", (it) => {
  it.effect("has those of a day by each playroom's own clock", () =>
    Effect.gen(function* () {
      yield* scene
      const { complaints, out } = yield* playroom("booking", "list", "--day", "2026-12-05")
      assert.strictEqual(complaints, "")
      assert.match(out, /2026-12-05 10:00 .*Dan Under[^]*2026-12-05 10:00 .*HYPERLINK/)
      assert.notInclude(out, "Next Day")
      assert.include((yield* playroom("booking", "list", "--day", "2026-12-06")).out, "Next Day")
      assert.include((yield* playroom("booking", "list", "--day", "2026-12-04")).out, "No such bookings.")
      const { operator_id } = hall.operator
      const ofHall = [
        "--day",
        "2026-12-05",
        "--playroom",
        hall.playroom.playroom_id,
        "--operator",
        operator_id
      ] as const
      const { out: json } = yield* playroom("booking", "list", ...ofHall, "--json")
      assert.lengthOf(Schema.decodeUnknownSync(Schema.Array(Schema.Unknown))(parsed(json)), 1)
    })
  )

  it.effect("is told as CSV with decimal amounts and local times, and with no formula in it", () =>
    Effect.gen(function* () {
      const { out } = yield* playroom("booking", "list", "--day", "2026-12-05", "--csv")
      const rows = csvRows(out)
      assert.lengthOf(rows, 2)
      const [dan, ana] = rows
      assert.deepInclude(dan, {
        status: "held",
        starts_at: "2026-12-05 10:00",
        ends_at: "2026-12-05 12:00",
        time_zone: "Australia/Sydney",
        child_ages: "",
        extras: "",
        total: "120.00",
        paid: "0.00",
        outstanding: "120.00",
        due_at: "2026-11-20 20:15",
        currency: "GBP"
      })
      assert.deepInclude(ana, {
        contact_name: `'=HYPERLINK("http://x", "Ana")`,
        contact_phone: "'+44 20 7946 0123",
        notes: 'Two\nlines, "quoted"',
        child_ages: "5; 6; 5; 5; 4; 6; 5; 5",
        extras: "2 × Bubble machine; 8 × Cake",
        outstanding: "254.00",
        due_at: "2026-12-04 10:00"
      })
      const { out: json } = yield* playroom("booking", "list", "--day", "2026-12-05", "--json")
      const [first] = Schema.decodeUnknownSync(Schema.Array(Schema.Record(Schema.String, Schema.Unknown)))(parsed(json))
      for (const name of Object.keys(dan ?? {})) assert.property(first, name)
      const empty = yield* playroom("booking", "list", "--day", "2027-12-05", "--csv")
      assert.lengthOf(csvRows(empty.out), 0)
      assert.match(empty.out, /^\uFEFF"reference","status",/)
    })
  )

  it.effect("S3: is written as XLSX: amounts are numbers, times are times, and a formula stays text", () =>
    Effect.gen(function* () {
      const folder = mkdtempSync(join(tmpdir(), "booking-list-"))
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
      const path = join(folder, "bookings.xlsx")
      const list = playroom("booking", "list", "--day", "2026-12-05", "--xlsx", path)
      const { complaints, out } = yield* list
      assert.strictEqual(out, "")
      assert.strictEqual(complaints, `Wrote ${path}: 2 rows.`)
      const { sheets } = yield* Effect.promise(() => readXlsx(readFileSync(path)))
      const [headings = [], , ana = []] = sheets[0]?.rows ?? []
      assert.deepInclude(Object.fromEntries(headings.map((name, i) => [String(name), ana[i]])), {
        starts_at: new Date("2026-12-05T10:00Z"),
        children: 8,
        contact_name: '=HYPERLINK("http://x", "Ana")',
        contact_phone: "+44 20 7946 0123",
        notes: 'Two\nlines, "quoted"',
        total: 254,
        outstanding: 254,
        last_paid_at: null,
        due_at: new Date("2026-12-04T10:00Z")
      })
      assert.include((yield* list).failure, `${path} is there already`)
    })
  )

  it.effect("says that there may be more where the limit is reached, beside what it prints", () =>
    Effect.gen(function* () {
      const { complaints, out } = yield* playroom("booking", "list", "--day", "2026-12-05", "--csv", "--limit", "1")
      assert.lengthOf(csvRows(out), 1)
      assert.include(complaints, "These are the first 1; there may be more")
    })
  )

  it.effect("refuses what can't be meant", () =>
    Effect.gen(function* () {
      const list = (...args: ReadonlyArray<string>) => playroom("booking", "list", ...args)
      assert.include((yield* list("--csv", "--json")).failure, "not both")
      assert.include((yield* list("--day", "2026-12-05", "--from", "2026-12-05")).failure, "not both")
      assert.include((yield* list("--day", "2026-02-30")).complaints, "a date that the calendar has")
    })
  )
})
