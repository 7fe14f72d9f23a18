import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import { clockTimeOf, weekdays } from "../../../src/platform/time/LocalTime.ts"
import { importOnly, setClock } from "../../support/BookingWorld.ts"
import {
  catalogueJson,
  idOf,
  importJson,
  operatorJson,
  type PlayroomJson,
  playroomJson
} from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A stretch on one day, within the hours of `playroomJson`. */
const Quiet = Schema.Struct({ day: between(0, 6), from: between(9, 16), hours: between(1, 8) })
const Told = Schema.Struct({
  phone: Schema.optionalKey(Schema.Literals(["+44 20 7946 0018", "(415) 555-0132", "030/23125 042 (Mo–Fr)"])),
  bring: Schema.optionalKey(Schema.Literals(["Socks.", "Grip socks, and a signed waiver for every child."])),
  quiet: Schema.optionalKey(Schema.Array(Quiet).check(Schema.isMaxLength(7)))
})

/** One stretch a day. */
const quietHours = (quiet: ReadonlyArray<typeof Quiet.Type>) =>
  [...new Map(quiet.map((its) => [its.day, its])).values()].map(({ day, from, hours }) => ({
    weekday: weekdays[day] ?? "monday",
    opens: clockTimeOf(from * 60),
    closes: clockTimeOf(Math.min(from + hours, 17) * 60)
  }))

const fileOf = ({ phone, ...room }: { readonly phone?: string } & Partial<PlayroomJson>) =>
  catalogueJson(
    [playroomJson(1, { ...room, accessibility_features: room.quiet_hours === undefined ? ["lift"] : ["quiet_hours"] })],
    [operatorJson(1, phone === undefined ? {} : { phone })]
  )

layer(Layer.provideMerge(importOnly, TestDatabase.layer))("telephone, what to bring and quiet hours", (it) => {
  it.effect.prop(
    "come back as they were imported, change nothing again, and go with the file that has them no more",
    [Told],
    ([{ quiet, ...texts }]) =>
      Effect.gen(function* () {
        const fields = { ...texts, ...(quiet === undefined ? {} : { quiet_hours: quietHours(quiet) }) }
        yield* setClock("2026-11-20T09:00:00Z")
        const file = yield* CatalogueFile
        yield* importJson(fileOf(fields))
        const exported = yield* file.exportFile
        const [operator] = exported.operators
        const [room] = exported.playrooms
        assert.deepStrictEqual(
          [operator?.phone, room?.bring, room?.quiet_hours],
          [fields.phone, fields.bring, fields.quiet_hours]
        )
        const again = yield* file.importFile(JSON.parse(JSON.stringify(exported)))
        assert.deepInclude(again, {
          operators: { added: 0, changed: 0, unchanged: 1 },
          playrooms: { added: 0, changed: 0, unchanged: 1 }
        })
        yield* importJson(fileOf({}))
        const bare = yield* file.exportFile
        for (const part of [bare.operators[0], bare.playrooms[0]])
          assert.doesNotHaveAnyKeys(part, ["phone", "bring", "quiet_hours"])
      }),
    { arbitrary: { runs: runs(20) } }
  )

  it.effect("are told as changes with what they were, quiet hours as one readable text", () =>
    Effect.gen(function* () {
      yield* importJson(fileOf({ phone: "020 7946 0018", bring: "Socks." }))
      const { changes } = yield* importJson(
        fileOf({
          phone: "020 7946 0019",
          quiet_hours: weekdays.slice(0, 2).map((weekday) => ({ weekday, opens: "09:00", closes: "10:00" }))
        }),
        { dryRun: true }
      )
      const fields = changes.flatMap((change) => change.fields)
      assert.deepInclude(fields, { field: "phone", was: "020 7946 0018", becomes: "020 7946 0019" })
      assert.deepInclude(fields, { field: "bring", was: "Socks." })
      assert.deepInclude(fields, { field: "quiet_hours", becomes: "mon-tue 09:00-10:00" })
    })
  )

  it.effect("outlast an import by a node of the release before, which knows no telephone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* importJson(fileOf({ phone: "020 7946 0018" }))
      yield* sql`insert into operator (operator_id, name, support_email, application_fee_percent, created_at, updated_at)
        values (${idOf("operator", 1)}, 'Renamed', null, 5, now(), now())
        on conflict (operator_id) do update set name = excluded.name, support_email = excluded.support_email`
      const [operator] = (yield* CatalogueFile.use((file) => file.exportFile)).operators
      assert.deepInclude(operator, { name: "Renamed", phone: "020 7946 0018" })
    })
  )
})
