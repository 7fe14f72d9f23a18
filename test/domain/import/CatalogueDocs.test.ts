import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { readCatalogueText } from "../../../src/domain/import/CatalogueText.ts"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import { catalogueTables, withTables } from "../../support/catalogueTables.ts"

const file = new URL("../../../docs/catalogue.md", import.meta.url)
const text = readFileSync(file, "utf8")

describe("docs/catalogue.md", () => {
  it("has every field of the file in its tables (UPDATE_DOCS=1 writes them)", () => {
    for (const name of Object.keys(catalogueTables())) assert.include(text, `<!-- table: ${name} -->`)
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, withTables(text))
    else assert.strictEqual(text, withTables(text))
  })

  it.effect("has an example that is a valid catalogue", () =>
    Effect.gen(function* () {
      const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(text) ?? []
      const { content } = yield* readCatalogueText("example.yaml", example)
      const { playrooms } = yield* parseCatalogue(content)
      assert.deepStrictEqual(
        playrooms.map(({ name }) => name),
        ["The Attic"]
      )
    })
  )
})
