import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { shortAnswer } from "../../src/catalogue/Views.ts"
import { maxResultLength, resultLength } from "../../src/kernel/AnswerLength.ts"
import { cacheByPlayroom, Catalogue } from "../../src/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../src/import/CatalogueFile.ts"
import { PlayroomView } from "../../src/catalogue/Playroom.ts"
import { importOnly } from "../support/BookingWorld.ts"
import { catalogueJson, idOf, operatorJson, packageJson, playroomJson } from "../support/catalogues.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

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

describe("what was made of a row", () => {
  it.effect("is given again while the row is the same, and made anew when anything in it changes", () =>
    Effect.gen(function* () {
      let made = 0
      const from = cacheByPlayroom((text) => Effect.sync(() => ({ text, serial: ++made })))
      const row = (price: number, playroom_id = "a") => ({ playroom_id, text: JSON.stringify({ price }) })
      const first = yield* from(row(1))
      assert.strictEqual(yield* from(row(1)), first)
      assert.strictEqual((yield* from(row(1, "b"))).serial, 2)
      assert.strictEqual((yield* from(row(2))).serial, 3)
      assert.deepStrictEqual(yield* from(row(1)), { ...first, serial: 4 })
    })
  )

  it.effect("is forgotten for the playroom that was made longest ago, beyond the most that are kept", () =>
    Effect.gen(function* () {
      const made: Array<string> = []
      const from = cacheByPlayroom((text) => Effect.sync(() => made.push(text)), 2)
      for (const id of ["a", "b", "a", "c", "b", "c", "a"]) yield* from({ playroom_id: id, text: `of ${id}` })
      assert.deepStrictEqual(made, ["of a", "of b", "of c", "of a"])
    })
  )

  it.effect("is not kept if making it failed", () =>
    Effect.gen(function* () {
      let tries = 0
      const from = cacheByPlayroom(() => (++tries === 1 ? Effect.fail("no" as const) : Effect.succeed(tries)))
      const row = { playroom_id: "a", text: "" }
      assert.strictEqual(yield* Effect.flip(from(row)), "no")
      assert.strictEqual(yield* from(row), 2)
    })
  )
})
