import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { checklists, isNamed, named } from "./checklists.ts"
import { checklist as mcp } from "./mcp.ts"

const root = new URL("../../", import.meta.url)
// A title may have its quotes escaped in the source.
const source = (file: string) => {
  const found = new URL(file, root)
  return existsSync(found) ? readFileSync(found, "utf8").replaceAll('\\"', '"') : ""
}

describe("a test", () => {
  it("decides before it runs whether it is skipped: from inside an effect, that would be an error in the log", () => {
    const skipping = readdirSync(new URL("test", root), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".test.ts") && file !== "Checklists.test.ts")
      .filter((file) => /\(\{[^}]*\bskip\b[^}]*\}\)|\b(return|=>) skip\(/.test(source(`test/${file}`)))
    assert.deepStrictEqual(skipping, [])
  })
})

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

  it("know a test by its title, whatever it was filled in with", () => {
    const title = "comes from ${code} (${what}) to a booking (600 runs)"
    assert.isTrue(isNamed(title, "it comes from price_changed (a dearer price) to a booking (20 runs)"))
    assert.isFalse(isNamed(title, "it comes from price_changed to a booking (20 runs)"))
    assert.isFalse(isNamed("is refused.", "is refused"))
  })

  it("name each case once, with a test at least", () => {
    for (const cases of Object.values(checklists)) {
      assert.strictEqual(new Set(cases.map((one) => one.case)).size, cases.length)
      for (const { case: name, tests } of cases) assert.isNotEmpty(tests, name)
    }
  })
})

describe("the checklist of /mcp", () => {
  it("has its 22 cases and the clients", () => {
    const numbers = mcp.flatMap(({ case: name }) => /^(\d+)\. /.exec(name)?.[1] ?? [])
    assert.deepStrictEqual(
      numbers,
      Array.from({ length: 22 }, (_, i) => String(i + 1))
    )
    assert.strictEqual(mcp.length, 23)
  })

  it("names tests that are not skipped", () => {
    for (const file of new Set(mcp.flatMap(({ tests }) => tests.map((test) => named(test).file))))
      assert.notMatch(source(file), /\b(it|describe|test)\.(skip|only|todo)\b(?!If)/, file)
  })
})
