import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { fittingPage, maxResultLength, resultLength } from "../../../src/mcp/tools/ResultSize.ts"
import { runs } from "../../support/runs.ts"

/** A list that pages by position. */
const listOf = (entries: ReadonlyArray<string>) => (from: number, limit: number) =>
  Effect.succeed({
    entries: entries.slice(from, from + limit),
    ...(from + limit < entries.length ? { next: from + limit } : {})
  })

it.effect("every page fits, and the pages together hold each entry once, in order", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("a", '"', "\\", "\n", "é", "🎈"), fc.integer({ min: 0, max: 8000 })), {
          maxLength: 120
        }),
        fc.integer({ min: 1, max: 100 }),
        async (shapes, asked) => {
          const entries = shapes.map(([text, times], i) => `${i} ${text.repeat(text === "a" ? times : times / 4)}`)
          const list = listOf(entries)
          const seen: Array<string> = []
          for (let from: number | undefined = 0; from !== undefined;) {
            const start: number = from
            const json: string = await Effect.runPromise(
              fittingPage(
                (limit) => list(start, limit ?? asked),
                (page) => page.entries.length
              )
            )
            const page: { entries: ReadonlyArray<string>; next?: number } = JSON.parse(json)
            assert.isTrue(resultLength(json) <= maxResultLength || page.entries.length === 1)
            assert.isAtMost(page.entries.length, asked)
            seen.push(...page.entries)
            from = page.next
          }
          assert.deepStrictEqual(seen, entries)
        }
      ),
      { numRuns: runs(30) }
    )
  )
)

it.effect("a page that fits is asked for once, and entries of ordinary size are not cut", () =>
  Effect.gen(function* () {
    let asked = 0
    const json = yield* fittingPage(
      (limit) =>
        Effect.sync(() => {
          asked++
          return { entries: Array.from({ length: limit ?? 30 }, () => "x".repeat(700)) }
        }),
      (page) => page.entries.length
    )
    assert.strictEqual(asked, 1)
    assert.strictEqual(JSON.parse(json).entries.length, 30)
  })
)
