import { assert, describe, it } from "@effect/vitest"
import type { CatalogueChange } from "../../../src/domain/import/CatalogueChanges.ts"
import type { Imported } from "../../../src/domain/import/Imported.ts"
import { importedText, planText, withoutAccountText } from "../../../src/surfaces/cli/catalogue.ts"
import { testId } from "../../support/venues.ts"

const none = { added: 0, changed: 0, unchanged: 0 }
const imported = (parts: Partial<Imported>): Imported => ({
  operators: none,
  playrooms: none,
  packages: none,
  add_ons: none,
  closures: { added: 0, changed: 0, removed: 0 },
  changes: [],
  off_sale: [],
  living_on: 0,
  playrooms_not_in_file: [],
  slugs: [],
  demo: { removed: 0, unlisted: 0 },
  overridden: [],
  in_the_way: [],
  ending: [],
  ...parts
})
const change = (n: number, fields: CatalogueChange["fields"] = []): CatalogueChange => ({
  change: "changed",
  kind: "package",
  id: `package_${n}`,
  name: "Open play",
  playroom: `Playroom ${n}`,
  fields
})

describe("the text of an import", () => {
  it("names a few operators that can't take payments yet, and the command for it; nobody else", () => {
    const operators = Array.from({ length: 9 }, (_, i) => ({ operator_id: testId.operator(i), name: `Operator ${i}` }))
    const ready = { ...operators[0], operator_id: testId.operator(20), name: "Ready", connected_account_id: "acct_1" }
    const lines = withoutAccountText([ready, ...operators])
      .trim()
      .split("\n")
    assert.lengthOf(lines, 1 + 5 + 1)
    assert.strictEqual(lines[1], `- Operator 0: playroom operator onboard ${testId.operator(0)}`)
    assert.strictEqual(lines.at(-1), "- and 4 more: playroom operator list")
    assert.strictEqual(withoutAccountText([ready]), "")
  })

  it("V1: says how many bookings have what leaves, and that they keep it", () => {
    assert.include(importedText(imported({ living_on: 2 }), true), "2 bookings to come have what leaves, and keep it")
    assert.notInclude(importedText(imported({}), true), "what leaves")
  })

  it("is short for ten thousand playrooms, and says how many more there are", () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `playroom_${i}`)
    const many = imported({
      changes: names.map((_, i) => change(i, [{ field: "pricing.base", was: "£1.00", becomes: "£2.00" }])),
      off_sale: names,
      playrooms_not_in_file: names
    })
    const plan = planText(many).trimEnd().split("\n")
    assert.strictEqual(plan.at(-1), "… and 9950 more (--json has all of them)")
    assert.strictEqual(plan.length, 1 + 50 + 1)
    const text = importedText(many, true)
    assert.include(text, "playroom_19 and 9980 more (--json names them)")
    assert.isBelow(text.length, 2000)
  })

  it("shows each field on a line, cuts long texts, and lets nothing in them move the cursor", () => {
    const plan = planText(
      imported({
        changes: [
          change(1, [
            { field: "description", was: `a${"b".repeat(500)}`, becomes: "\u001b[2Jc" },
            { field: "max_adults", becomes: "4" },
            { field: "schedule.from", was: "10:00" }
          ])
        ]
      })
    )
    const [, first = "", second = "", third = ""] = plan.split("\n")
    assert.match(first, /^changed {2}package {2}Playroom 1: Open play {2}description: ab{58}… → {2}\[2Jc$/)
    assert.match(second, /^ +max_adults: \(none\) → 4$/)
    assert.match(third, /^ +schedule\.from: 10:00 → \(none\)$/)
  })

  it("shows a single change of very many fields as far as a person reads", () => {
    const fields = Array.from({ length: 3000 }, (_, i) => ({ field: `overrides[${i}].date`, becomes: "2026-12-05" }))
    assert.isBelow(planText(imported({ changes: [change(1, fields), change(2)] })).split("\n").length, 60)
  })

  it("says what became of the demo, and what would", () => {
    const gone = imported({ demo: { removed: 15, unlisted: 0 } })
    assert.include(
      importedText(gone, false),
      "The demo (15 playrooms) was removed. `playroom catalogue demo` brings it back."
    )
    assert.include(importedText(gone, true), "The demo (15 playrooms) would be removed. --keep-demo would keep it.")
    assert.include(
      importedText(imported({ demo: { removed: 14, unlisted: 1 } }), false),
      "The demo (14 playrooms) was removed. 1 playroom of the demo with bookings: no longer listed, nothing more is sold there, the bookings stay."
    )
  })
})
