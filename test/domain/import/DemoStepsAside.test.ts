import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../src/domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../../src/domain/booking/BookingRecords.ts"
import { Bookings } from "../../../src/domain/booking/Bookings.ts"
import { Catalogue } from "../../../src/domain/catalogue/Catalogue.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { bookingServices, contact, importOnly, principal, setClock } from "../../support/BookingWorld.ts"
import { catalogueJson, idOf, importJson, importRooms, operatorJson, playroomJson } from "../../support/catalogues.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const all = demo.playrooms.length
const first = demo.playrooms[0]
const second = demo.playrooms[1]

const counts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ operators: number; playrooms: number; listed: number }>`select
    (select count(*)::int from operator) as operators, count(*)::int as playrooms, (count(*) filter (where listed))::int as listed from playroom`
  return row
})

const emptied = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`truncate operator, playroom, booking, demo_removal cascade`
})

layer(bookingServices().pipe(Layer.provideMerge(TestDatabase.layer)))("the demo", (it) => {
  it.effect(
    "steps aside for the first catalogue of one's own, but for playrooms with bookings, which are unlisted",
    () =>
      Effect.gen(function* () {
        yield* setClock("2026-11-20T09:00:00Z")
        const file = yield* CatalogueFile
        assert.isTrue(yield* file.loadDemo)
        // The demo again is no catalogue of one's own.
        assert.deepStrictEqual((yield* importJson(demo)).demo, { removed: 0, unlisted: 0 })
        const { options } = yield* BookingOptions.use((it) =>
          it.list({
            playroom_id: PlayroomId.make(first?.playroom_id ?? ""),
            date: "2026-12-01",
            date_to: "2026-12-20",
            children: 4
          })
        )
        const { row } = yield* Bookings.use((it) =>
          it.create(principal(), { option_id: options[0]?.option_id ?? "", contact: contact() })
        )

        const own = catalogueJson([playroomJson(1)])
        const planned = yield* importJson(own, { dryRun: true })
        assert.deepStrictEqual(planned.demo, { removed: all - 1, unlisted: 1 })
        assert.deepStrictEqual(yield* counts, { operators: demo.operators.length, playrooms: all, listed: all })
        const done = yield* importJson(own)
        assert.deepStrictEqual([done.demo, done.playrooms_not_in_file], [planned.demo, []])
        assert.deepStrictEqual(yield* counts, { operators: 2, playrooms: 2, listed: 1 })

        const kept = Option.getOrThrow(yield* BookingRecords.use((it) => it.byId(row.booking_id)))
        assert.deepStrictEqual(kept, row)
        assert.strictEqual(
          (yield* Effect.flip(Catalogue.use((it) => it.venue(row.playroom_id))))._tag,
          "PlayroomNotFound"
        )
        const exported = yield* file.exportFile
        assert.deepStrictEqual((yield* importJson(exported)).changes, [])

        // What comes later no longer touches it, and neither does a start.
        assert.isFalse(yield* file.loadDemo)
        const again = yield* file.restoreDemo
        assert.deepStrictEqual(again.playrooms, { added: all - 1, changed: 1, unchanged: 0 })
        assert.deepStrictEqual((yield* importRooms(playroomJson(2))).demo, { removed: 0, unlisted: 0 })
        assert.deepStrictEqual(yield* file.removeDemo, { removed: all - 1, unlisted: 1 })
        assert.deepStrictEqual(yield* file.removeDemo, { removed: 0, unlisted: 0 })
      })
  )
})

layer(Layer.provideMerge(Layer.mergeAll(importOnly, Catalogue.layer), TestDatabase.layer))("the demo alone", (it) => {
  it.effect("stays removed at the next start, also where nothing else is there, until it is asked for", () =>
    Effect.gen(function* () {
      yield* setClock("2026-11-20T09:00:00Z")
      const file = yield* CatalogueFile
      assert.isTrue(yield* file.loadDemo)
      assert.deepStrictEqual(yield* file.removeDemo, { removed: all, unlisted: 0 })
      assert.deepStrictEqual(yield* counts, { operators: 0, playrooms: 0, listed: 0 })
      assert.isFalse(yield* file.loadDemo)
      assert.strictEqual((yield* file.restoreDemo).playrooms.added, all)
      yield* emptied
      assert.isTrue(yield* file.loadDemo)
    })
  )

  it.effect("is kept where that is asked for, and what the file itself has of it is kept in any case", () =>
    Effect.gen(function* () {
      yield* emptied
      const file = yield* CatalogueFile
      yield* file.loadDemo
      const own = catalogueJson([playroomJson(1)])
      assert.deepStrictEqual((yield* importJson(own, { keepDemo: true })).demo, { removed: 0, unlisted: 0 })
      assert.strictEqual((yield* counts)?.listed, all + 1)
      yield* emptied
      yield* file.loadDemo
      const mixed = {
        version: 1,
        operators: [
          operatorJson(1),
          ...demo.operators.filter(({ operator_id }) => operator_id === second?.operator_id)
        ],
        playrooms: [playroomJson(1), { ...second, name: "Mine now" }]
      }
      assert.deepStrictEqual((yield* importJson(mixed)).demo, { removed: all - 1, unlisted: 0 })
      const names = (yield* file.exportFile).playrooms.map(({ name }) => name)
      assert.sameMembers(names, ["Playroom 1", "Mine now"])
    })
  )

  it.effect("takes neither an operator whose key is in use nor its slug, nor another's", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* CatalogueFile.use((file) => file.loadDemo)
      const keeper = demo.operators[0]?.operator_id ?? ""
      yield* sql`insert into api_key (key_id, label, hash, scopes, operator_id, created_at)
        values ('key_demo', 'Desk', ${Buffer.alloc(32)}, '{bookings:read}', ${keeper}, now())`
      const slugged = { ...playroomJson(1), slug: "den" }
      yield* importJson(catalogueJson([slugged], [operatorJson(1, { slug: "own" })]))
      assert.deepStrictEqual(yield* counts, { operators: 2, playrooms: 1, listed: 1 })
      const slugs = yield* sql<{ id: string }>`select id from slug order by id`
      assert.sameMembers(
        slugs.map(({ id }) => id),
        [keeper, idOf("operator", 1), idOf("playroom", 1)]
      )
    })
  )

  it.effect("takes no operator that owes on a voucher or sells one, and who waits in its rooms waits no more", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* CatalogueFile.use((file) => file.loadDemo)
      const operator_id = demo.operators[0]?.operator_id ?? ""
      yield* sql`insert into voucher (voucher_id, operator_id, code_digest, amount, currency, way, sold_at, time_zone)
        values ('voucher_demo', ${operator_id}, ${Buffer.alloc(32)}, 500, 'GBP', 'cash', now(), 'Europe/London')`
      const selling = demo.operators[1]?.operator_id ?? ""
      yield* sql`insert into voucher_sale (voucher_id, payment_session_id, operator_id, code_digest, status, account,
          amount, currency, application_fee, time_zone, request, language, expires_at, created_at, updated_at)
        values ('voucher_sale', 'payment_sale', ${selling}, ${Buffer.alloc(32)}, 'open', 'acct_demo', 500, 'GBP', 0,
          'Europe/London', '{}', 'en', now(), now(), now())`
      yield* sql`insert into waiting (waiting_id, operator_id, playroom_id, option_id, starts_at, claimed, contact_name,
          contact_email, language, sender, turn, created_at, look_at)
        values ('waiting_demo', ${first?.operator_id ?? ""}, ${first?.playroom_id ?? ""}, 'option_x', now(), 'empty',
          'Ben', 'ben@example.com', 'en', '192.0.2.1', 1, now(), now())`
      yield* importRooms(playroomJson(1))
      assert.deepStrictEqual(yield* counts, { operators: 3, playrooms: 1, listed: 1 })
      const owed = yield* sql<{ operator_id: string }>`select operator_id from voucher`
      assert.deepStrictEqual(owed, [{ operator_id }])
      assert.lengthOf(yield* sql`select from waiting`, 0)
    })
  )
})
