import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Result, Schema, Tracer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { shortAnswer } from "../../../src/domain/catalogue/Views.ts"
import { maxResultLength, resultLength } from "../../../src/platform/text/ResponseBudget.ts"
import { Catalogue, keepRows } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { PlayroomView } from "../../../src/domain/catalogue/Playroom.ts"
import { importOnly } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, operatorJson, packageJson, playroomJson } from "../../support/catalogues.ts"
import { recordingTracer } from "../../support/recordedSpans.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const services = Layer.mergeAll(importOnly, Catalogue.layer).pipe(Layer.provideMerge(TestDatabase.layer))

/** Text of just so many characters. */
const long = (length: number) => "Soft play. ".repeat(Math.ceil(length / 11)).slice(0, length - 1) + "!"

layer(services)("the catalogue", (it) => {
  it.effect("answers a venue with its operator and what is on sale, in the file's order", () =>
    Effect.gen(function* () {
      const file = yield* CatalogueFile
      yield* file.importFile(
        catalogueJson(
          [
            playroomJson(1, { packages: [packageJson(12), packageJson(11, { name: "First made, shown second" })] }),
            playroomJson(2, { operator_id: idOf("operator", 2) }),
            playroomJson(3, { listed: false })
          ],
          [
            operatorJson(1),
            { operator_id: idOf("operator", 2), name: "Without an account", application_fee_percent: 2.5 }
          ]
        )
      )
      const catalogue = yield* Catalogue
      const venue = yield* catalogue.venue(idOf("playroom", 1))
      assert.deepStrictEqual(
        venue.packages.map(({ package_id }) => String(package_id)),
        [idOf("package", 12), idOf("package", 11)]
      )
      const { venue: other } = yield* catalogue.venueOfPackage(idOf("package", 2))
      assert.deepStrictEqual(
        { ...other.operator, operator_id: String(other.operator.operator_id) },
        {
          operator_id: idOf("operator", 2),
          name: "Without an account",
          application_fee_percent: 2.5
        }
      )
      const several = yield* catalogue.venues([1, 2, 3, 4].map((n) => idOf("playroom", n)))
      assert.sameMembers([...several.keys()], [idOf("playroom", 1), idOf("playroom", 2)])
      assert.deepStrictEqual(several.get(idOf("playroom", 1)), venue)
      const missing = yield* Effect.flip(catalogue.venue("playroom_nonsense"))
      assert(missing._tag === "PlayroomNotFound")
      assert.strictEqual(missing.playroom_id, "playroom_nonsense")
    })
  )

  it.effect("reads with one statement the views that several ask for, and tells each its own", () =>
    Effect.gen(function* () {
      yield* CatalogueFile.use((file) => file.importFile(catalogueJson([playroomJson(8), playroomJson(9)])))
      const { spans, statements, tracer } = recordingTracer()
      const ids = [8, 9, 99, 8].map((n) => idOf("playroom", n))
      const catalogue = yield* Catalogue
      const together = yield* Effect.forEach(ids, (id) => Effect.result(catalogue.view(id)), {
        concurrency: "unbounded"
      }).pipe(Effect.provideService(Tracer.Tracer, tracer))
      assert.lengthOf(statements(), 1)
      assert.lengthOf(
        spans.filter(({ name }) => name === "Catalogue.view"),
        4
      )
      const alone = yield* Effect.forEach(ids, (id) => Effect.result(catalogue.view(id)))
      assert.deepStrictEqual(together, alone)
      assert.deepStrictEqual(
        together.map((one) => (Result.isSuccess(one) ? one.success.playroom_id : one.failure._tag)),
        [ids[0], ids[1], "PlayroomNotFound", ids[0]]
      )
    })
  )

  it.effect("shows closures from now on, in the playroom's own time", () =>
    Effect.gen(function* () {
      const closure = (n: number, from: string, to: string) => ({
        closure_id: idOf("closure", n),
        from,
        to,
        reason: `Closure ${n}`
      })
      yield* CatalogueFile.use((file) =>
        file.importFile(
          catalogueJson([
            playroomJson(5, {
              time_zone: "Australia/Sydney",
              closures: [
                closure(1, "2026-11-01", "2026-11-02"),
                closure(2, "2026-12-25", "2026-12-25"),
                closure(3, "2026-11-20", "2026-11-21")
              ]
            })
          ])
        )
      )
      yield* TestClock.setTime(Date.parse("2026-11-20T09:00:00Z"))
      const view = yield* Catalogue.use((catalogue) => catalogue.view(idOf("playroom", 5)))
      assert.deepStrictEqual(view.upcoming_closures, [
        { from: "2026-11-20T00:00:00+11:00", to: "2026-11-22T00:00:00+11:00", reason: "Closure 3" },
        { from: "2026-12-25T00:00:00+11:00", to: "2026-12-26T00:00:00+11:00", reason: "Closure 2" }
      ])
    })
  )

  it.effect(
    "shows prices from the smallest party, with tax that comes on top, and the lowest of all in the summary",
    () =>
      Effect.gen(function* () {
        const pricing = (extra_child: number, rules: ReadonlyArray<object> = []) => ({
          base: 1000,
          included_children: 0,
          extra_child,
          adult: 0,
          min_billed_children: 4,
          rules
        })
        const halfPrice = { label: "Mornings", until: "12:00", change: { percent: -50 } }
        yield* CatalogueFile.use((file) =>
          file.importFile(
            catalogueJson([
              playroomJson(6, {
                currency: "JPY",
                tax: { rate_percent: 10, included: false },
                packages: [
                  packageJson(61, { pricing: { ...pricing(100), rules: [halfPrice] } }),
                  packageJson(62, { pricing: { ...pricing(50), rules: [] }, mode: "exclusive" })
                ]
              })
            ])
          )
        )
        const view = yield* Catalogue.use((catalogue) => catalogue.view(idOf("playroom", 6)))
        assert.deepStrictEqual(
          view.packages.map(({ price_from }) => price_from),
          [
            { amount: 770, currency: "JPY", display: "JP¥770" },
            { amount: 1320, currency: "JPY", display: "JP¥1,320" }
          ]
        )
        assert.strictEqual(view.from_price?.amount, 770)
      })
  )

  it.effect("fits its largest playroom into an answer that carries it twice", () =>
    Effect.gen(function* () {
      const text = (n: number, max: number) => `${n} ${long(max)}`.slice(0, max - 1) + "."
      const packages = Array.from({ length: 12 }, (_, n) =>
        packageJson(700 + n, {
          name: text(n, 80),
          description: text(n, 220),
          cancellation: Array.from({ length: 5 }, (_, i) => ({ hours_before: 87_600 - i, refund_percent: 99.125 - i })),
          max_adults: 10_000,
          payment: {
            kind: "deposit" as const,
            deposit: { amount: 99_999_999 },
            balance_due_hours_before: 1,
            refundable: false
          },
          final_headcount_hours_before: 8759,
          party_may_shrink: false,
          free_reschedule_hours_before: 8759,
          pricing: { base: 0, included_children: 0, extra_child: 9_999_999, adult: 0, rules: [] }
        })
      )
      yield* CatalogueFile.use((file) =>
        file.importFile(
          catalogueJson([
            playroomJson(7, {
              name: text(0, 80),
              summary: text(0, 240),
              description: text(0, 1800),
              address: text(0, 160),
              city: text(0, 60),
              house_rules: text(0, 900),
              accessibility: text(0, 800),
              packages,
              amenities: Array.from({ length: 20 }, (_, n) => text(n, 32)),
              photos: Array.from({ length: 8 }, (_, n) => ({
                url: `https://x.example/${"y".repeat(180)}${n}`,
                alt: text(n, 120)
              })),
              opening_hours: (
                ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const
              ).flatMap((weekday) =>
                [
                  ["08:00", "10:00"],
                  ["11:00", "13:00"],
                  ["14:00", "24:00"]
                ].map(([opens = "", closes = ""]) => ({ weekday, opens, closes }))
              ),
              add_ons: Array.from({ length: 12 }, (_, n) => ({
                add_on_id: idOf("addon", 700 + n),
                name: text(n, 80),
                unit: "per_booking" as const,
                unit_amount: 99_999_999,
                max_quantity: 1000
              })),
              closures: Array.from({ length: 40 }, (_, n) => ({
                closure_id: idOf("closure", 700 + n),
                from: `2027-0${1 + (n % 9)}-${10 + Math.floor(n / 9)}`,
                to: `2027-0${1 + (n % 9)}-${10 + Math.floor(n / 9)}`,
                reason: text(n, 80)
              }))
            })
          ])
        )
      )
      const view = yield* Catalogue.use((catalogue) => catalogue.view(idOf("playroom", 7)))
      yield* Schema.encodeEffect(PlayroomView)(view)
      assert.strictEqual(view.upcoming_closures.length, 10)
      // Once as structured content, once as text within JSON, where every quote takes an escape.
      const whole = JSON.stringify({ playroom: view })
      assert.isAbove(resultLength(whole), maxResultLength)
      const json = JSON.stringify(shortAnswer(view))
      assert.isBelow(resultLength(json), maxResultLength)
      const told: { readonly playroom: PlayroomView } = JSON.parse(json)
      const {
        accessibility,
        description,
        house_rules,
        packages: sold,
        photos,
        upcoming_closures,
        ...rest
      } = told.playroom
      assert.deepInclude(view, rest)
      const begins = (short: string, whole: string) =>
        assert.isTrue(short.endsWith("…") && whole.startsWith(short.slice(0, -1)), short)
      begins(description, view.description)
      begins(house_rules, view.house_rules)
      begins(accessibility, view.accessibility)
      for (const [i, { description: short, ...pkg }] of sold.entries()) {
        assert.deepInclude(view.packages[i], pkg)
        begins(short, view.packages[i]?.description ?? "")
      }
      assert.deepStrictEqual([photos, upcoming_closures], [[], view.upcoming_closures.slice(0, 3)])
    })
  )
})

layer(services)("what this process has read of a playroom", (it) => {
  /** Everything that a view or a venue is made from, changed one after the other as other processes do. */
  const changes = [
    ["the playroom", `update playroom set summary = 'Another summary'`],
    ["its details", `update playroom set details = details || '{"house_rules": "Whisper."}'`],
    ["its operator", `update operator set support_email = 'new@example.com'`],
    ["the right to sell", `update operator set suspended_at = '2026-01-01'`],
    [
      "a package",
      `update package set terms = terms || '{"name": "Renamed"}' where package_id = '${idOf("package", 1)}'`
    ],
    [
      "a package that is not sold any more",
      `update package set on_sale = false where package_id = '${idOf("package", 2)}'`
    ],
    [
      "a package that is gone",
      `with visits as (delete from search_visit where package_id = '${idOf("package", 3)}') delete from package where package_id = '${idOf("package", 3)}'`
    ],
    ["an add-on", `update add_on set name = 'More bubbles'`],
    ["an add-on that is gone", `delete from add_on`],
    ["a closure's reason", `update closure set reason = 'Painting'`],
    ["a closure's time", `update closure set during = tstzrange(lower(during) + interval '1 hour', upper(during))`],
    [
      "a closure that is gone",
      `with places as (delete from occupancy where closure_id is not null) delete from closure`
    ],
    [
      "the lowest price",
      `update playroom set from_price = 1, from_price_until = '9999-01-01', told_until = derived_until`
    ],
    ["prices that don't hold any more", `update playroom set from_price_until = '-infinity'`]
  ] as const

  it.effect("is read anew after any change, by anyone, and only then", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* Catalogue
      yield* CatalogueFile.use((file) =>
        file.importFile(
          catalogueJson([
            playroomJson(1, {
              packages: [1, 2, 3].map((n) => packageJson(n)),
              add_ons: [
                {
                  add_on_id: idOf("addon", 1),
                  name: "Bubbles",
                  unit: "per_booking" as const,
                  unit_amount: 100,
                  max_quantity: 1
                }
              ],
              closures: [{ closure_id: idOf("closure", 1), from: "1970-02-01", to: "1970-02-01", reason: "Cleaning" }]
            })
          ])
        )
      )
      const id = idOf("playroom", 1)
      const read = Effect.all([catalogue.view(id), catalogue.venue(id)])
      let [view, venue] = yield* read
      for (const [what, statement] of changes) {
        assert.deepStrictEqual(
          (yield* read).map((one, i) => one === [view, venue][i]),
          [true, true],
          `before ${what}`
        )
        yield* sql.unsafe(statement)
        const [after, venueAfter] = yield* read
        if (what === "the right to sell") assert.notDeepEqual(venueAfter, venue)
        else assert.notDeepEqual(after, view, what)
        const fresh = yield* Effect.provide(
          Catalogue.use((other) => Effect.all([other.view(id), other.venue(id)])),
          Layer.fresh(Catalogue.layer)
        )
        assert.deepStrictEqual([after, venueAfter], fresh, what)
        ;[view, venue] = [after, venueAfter]
      }
      yield* sql`update playroom set listed = false`
      assert.strictEqual((yield* Effect.flip(catalogue.view(id)))._tag, "PlayroomNotFound")
      assert.strictEqual((yield* Effect.flip(catalogue.venue(id)))._tag, "PlayroomNotFound")
    })
  )

  it.effect("is read anew as time passes: closures end, and come within the horizon", () =>
    Effect.gen(function* () {
      const catalogue = yield* Catalogue
      const id = idOf("playroom", 9)
      yield* TestClock.setTime(Date.parse("2027-01-01T12:00:00Z"))
      yield* CatalogueFile.use((file) =>
        file.importFile(
          catalogueJson([
            playroomJson(9, {
              max_advance_days: 30,
              closures: [
                { closure_id: idOf("closure", 91), from: "2027-01-05", to: "2027-01-05", reason: "Soon" },
                { closure_id: idOf("closure", 92), from: "2027-02-20", to: "2027-02-20", reason: "Later" }
              ]
            })
          ])
        )
      )
      const reasons = Effect.map(catalogue.view(id), (view) => view.upcoming_closures.map(({ reason }) => reason))
      assert.deepStrictEqual(yield* reasons, ["Soon"])
      yield* TestClock.setTime(Date.parse("2027-01-07T12:00:00Z"))
      assert.deepStrictEqual(yield* reasons, [])
      yield* TestClock.setTime(Date.parse("2027-01-25T12:00:00Z"))
      assert.deepStrictEqual(yield* reasons, ["Later"])
    })
  )

  it.effect("costs a version if it is known, and its row if it is not, at the same time", () =>
    Effect.gen(function* () {
      const rows = keepRows(Effect.succeed<string>)
      const asked: Array<string> = []
      const read = (ids: ReadonlyArray<string>) =>
        rows.read(
          ids,
          (before) =>
            Effect.sync(() => {
              const some = [...before.keys()]
              asked.push(`versions ${some.join()}`)
              return some.map((playroom_id) => ({ playroom_id, version: "1" }))
            }),
          (some) =>
            Effect.sync(
              () => (
                asked.push(`rows ${some.join()}`),
                some.map((playroom_id) => ({ playroom_id, version: "1", text: playroom_id }))
              )
            )
        )
      yield* read([])
      yield* read(["a", "b"])
      yield* read(["a", "b"])
      assert.deepStrictEqual([...(yield* read(["b", "c"]))].toSorted(), [
        ["b", "b"],
        ["c", "c"]
      ])
      assert.deepStrictEqual(asked, ["rows a,b", "versions a,b", "versions b", "rows c"])
    })
  )
})

describe("what was made of a row", () => {
  it.effect("is given again while its version is the same, and made anew when that changes", () =>
    Effect.gen(function* () {
      let made = 0
      const { from } = keepRows((text) => Effect.sync(() => ({ text, serial: ++made })))
      const row = (version: string, playroom_id = "a") => ({ playroom_id, version, text: `of ${version}` })
      const first = yield* from(row("1"))
      assert.strictEqual(yield* from(row("1")), first)
      assert.strictEqual((yield* from(row("1", "b"))).serial, 2)
      assert.strictEqual((yield* from(row("2"))).serial, 3)
      assert.deepStrictEqual(yield* from(row("1")), { ...first, serial: 4 })
    })
  )

  it.effect("is forgotten for the playroom that was made longest ago, beyond the most that are kept", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const { from } = keepRows((text) => Effect.sync(() => made.push(text)), 2)
      for (const id of ["a", "b", "a", "c", "b", "c", "a"])
        yield* from({ playroom_id: id, version: "1", text: `of ${id}` })
      assert.deepStrictEqual(made, ["of a", "of b", "of c", "of a"])
    })
  )

  it.effect("is not kept if making it failed", () =>
    Effect.gen(function* () {
      let tries = 0
      const { from } = keepRows(() => (++tries === 1 ? Effect.fail("no" as const) : Effect.succeed(tries)))
      const row = { playroom_id: "a", version: "1", text: "" }
      assert.strictEqual(yield* Effect.flip(from(row)), "no")
      assert.strictEqual(yield* from(row), 2)
    })
  )
})
