import { assert, describe, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { checklists, named } from "./support/checklists.ts"

const root = new URL("../", import.meta.url)
// A title may have its quotes escaped in the source.
const source = (file: string) => {
  const found = new URL(file, root)
  return existsSync(found) ? readFileSync(found, "utf8").replaceAll('\\"', '"') : ""
}

describe("the checklists", () => {
  it("name a test that exists for every case", () => {
    const missing = Object.values(checklists)
      .flat()
      .flatMap(({ tests }) => tests)
      .filter((test) => {
        const { file, title } = named(test)
        return title === "" || !source(file).includes(title)
      })
    assert.deepStrictEqual(missing, [])
  })

  it("name each case once, with a test at least", () => {
    for (const cases of Object.values(checklists)) {
      assert.strictEqual(new Set(cases.map((one) => one.case)).size, cases.length)
      for (const { case: name, tests } of cases) assert.isNotEmpty(tests, name)
    }
  })
})
