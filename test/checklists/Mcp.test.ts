import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { checklist } from "./mcp.ts"

const root = new URL("../../", import.meta.url)
const read = (file: string) => readFileSync(new URL(file, root), "utf8")

describe("the checklist of /mcp", () => {
  it("has its 22 cases and the clients, each with a test", () => {
    const numbers = checklist.flatMap(({ case: name }) => /^(\d+)\. /.exec(name)?.[1] ?? [])
    assert.deepStrictEqual(
      numbers,
      Array.from({ length: 22 }, (_, i) => String(i + 1))
    )
    assert.strictEqual(checklist.length, 23)
    for (const { case: name, tests } of checklist) assert.isNotEmpty(tests, name)
  })

  it("names tests that exist and are not skipped", () => {
    for (const { tests } of checklist) {
      for (const test of tests) {
        const [, file = "", title = ""] = /^(\S+\.test\.ts): (.+)$/.exec(test) ?? []
        const text = read(file)
        assert.include(text, title, file)
        assert.notMatch(text, /\b(it|describe|test)\.(skip|only|todo)\b(?!If)/, file)
      }
    }
  })
})
