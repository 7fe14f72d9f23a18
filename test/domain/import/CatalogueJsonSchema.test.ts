import { assert, describe, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { readFileSync } from "node:fs"
import { catalogueJsonSchema, fieldNames, parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { readCatalogueText, starterFile } from "../../../src/domain/import/CatalogueText.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { catalogueJson, idOf, packageJson, playroomJson } from "../../support/catalogues.ts"
import { runs } from "../../support/runs.ts"

const published = readFileSync(new URL("../../../docs/catalogue.schema.json", import.meta.url), "utf8")
const schema = catalogueJsonSchema()
const accepts = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false }).compile(
  schema
)

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null

/** Every field of the schema, by its path. */
const fieldsIn = (node: unknown, path = ""): ReadonlyArray<readonly [path: string, field: Record<string, unknown>]> => {
  if (!isObject(node)) return []
  const properties = isObject(node["properties"]) ? Object.entries(node["properties"]) : []
  return [
    ...properties.flatMap(([name, field]) =>
      isObject(field) ? [[`${path}.${name}`, field] as const, ...fieldsIn(field, `${path}.${name}`)] : []
    ),
    ...fieldsIn(node["items"], `${path}[]`),
    ...(Array.isArray(node["anyOf"]) ? node["anyOf"].flatMap((part) => fieldsIn(part, path)) : [])
  ]
}

describe("the JSON Schema of the catalogue file", () => {
  it("is published in docs as `playroom catalogue schema` prints it", () => {
    assert.deepStrictEqual(JSON.parse(published), JSON.parse(JSON.stringify(schema)))
  })

  it("says of every field what it means", () => {
    const fields = fieldsIn(schema)
    assert.isAbove(fields.length, 80)
    assert.deepStrictEqual(
      fields.filter(([, { description }]) => typeof description !== "string").map(([path]) => path),
      []
    )
    assert.include(fieldNames(["playrooms", 0, "packages", 1, "payment", "deposit"]), "percent")
    assert.include(fieldNames([]), "playrooms")
    assert.deepStrictEqual(fieldNames(["playrooms", 0, "nothing", "here"]), [])
  })

  it.effect("accepts the demo and the starter file", () =>
    Effect.gen(function* () {
      const starter = yield* readCatalogueText("starter.yaml", readFileSync(starterFile, "utf8"))
      for (const content of [demo, starter.content, { $schema: "./catalogue.schema.json", ...demo }]) {
        assert.isTrue(accepts(content), JSON.stringify(accepts.errors))
        assert.isTrue(Exit.isSuccess(yield* Effect.exit(parseCatalogue(content))))
      }
    })
  )

  it("refuses what an editor should mark", () => {
    const [pkg, room] = [packageJson(1), playroomJson(1)]
    for (const wrong of [
      { ...room, colour: "red" },
      { ...room, country: "United Kingdom" },
      { ...room, opening_hours: [{ weekday: "monday", opens: "9:00", closes: "18:00" }] },
      { ...room, closures: [{ from: "25.12.2026", to: "2026-12-25", reason: "Christmas" }] },
      { ...room, slug: "The Hall" },
      { ...room, packages: [{ ...pkg, mode: "private" }] },
      { ...room, packages: [{ ...pkg, package_id: idOf("addon", 1) }] },
      { ...room, packages: [{ ...pkg, payment: { kind: "deposit" } }] },
      { ...room, packages: [{ ...pkg, pricing: { ...pkg.pricing, base: 12.5 } }] },
      { ...room, packages: [Object.fromEntries(Object.entries(pkg).filter(([name]) => name !== "package_id"))] }
    ])
      assert.isFalse(accepts({ ...catalogueJson([]), playrooms: [wrong] }), JSON.stringify(wrong).slice(0, 200))
  })

  it.effect("refuses nothing that the import takes", () =>
    Effect.gen(function* () {
      const whole = catalogueJson([
        playroomJson(1, {
          slug: "one",
          photos: [{ url: "https://example.com/a.jpg", alt: "A slide" }],
          closures: [{ from: "2026-12-24", to: "2026-12-26", reason: "Holidays" }],
          add_ons: [{ slug: "cake", name: "Cake", unit: "per_item", unit_amount: 100, max_quantity: 2, stock: 3 }],
          packages: [
            packageJson(1, {
              payment: { kind: "deposit", deposit: { percent: 20 }, balance_due_hours_before: 24, refundable: true },
              schedule: { weekdays: ["monday"], times: ["10:00"] }
            })
          ]
        })
      ])
      const values = fc.oneof(
        fc.constantFrom<unknown>(null, "", 0, -1, 1.5, 5, 99, 1e9, true, false, [], {}, "a", "A b", "10:00", "24:00"),
        fc.constantFrom<unknown>("GB", "GBP", "2026-12-31", "2026-12-31T10:00:00Z", "2026-13-41", "<b>Bold</b>", [
          "monday"
        ])
      )
      let refused = 0
      for (const [steps, value, gone] of fc.sample(
        fc.tuple(fc.array(fc.nat(40), { maxLength: 6 }), values, fc.boolean()),
        {
          numRuns: runs(150),
          seed: 13
        }
      )) {
        const content: unknown = structuredClone(whole)
        let at: unknown = content
        for (const [i, step] of steps.entries()) {
          if (!isObject(at)) break
          const names = Object.keys(at)
          const name = names[step % Math.max(names.length, 1)]
          if (name === undefined) break
          if (i < steps.length - 1 && isObject(at[name])) at = at[name]
          else {
            if (gone && !Array.isArray(at)) delete at[name]
            else at[name] = value
            break
          }
        }
        if (accepts(content)) continue
        refused += 1
        assert.isTrue(Exit.isFailure(yield* Effect.exit(parseCatalogue(content))), JSON.stringify(accepts.errors))
      }
      assert.isAbove(refused, runs(30))
    })
  )
})
