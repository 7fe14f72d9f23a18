/** `docs/review`: what is submitted to directories of assistants says of the tools what the service lists. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { listedTools } from "../../../../src/surfaces/mcp/tools/ToolList.ts"

const read = (name: string) => readFileSync(new URL(`../../../../docs/review/${name}`, import.meta.url), "utf8")
const guide = read("README.md")
const toolErrors = readFileSync(new URL("../../../../src/surfaces/mcp/tools/ToolErrors.ts", import.meta.url), "utf8")
const codes = new Set([...toolErrors.matchAll(/code: "(\w+)"/g)].map(([, code]) => code))

/** What a directory's form takes as a text. */
const filledIn = Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(4000))
const Tools = Schema.fromJsonString(
  Schema.Record(
    Schema.String,
    Schema.Struct({
      readOnlyHint: Schema.Boolean,
      openWorldHint: Schema.Boolean,
      destructiveHint: Schema.Boolean,
      reasons: Schema.Struct({ read_only: filledIn, open_world: filledIn, destructive: filledIn })
    })
  )
)

/** The cases below a heading: a title in bold, the tools and codes that it leads to, and the prompt. */
const casesBelow = (heading: string) => {
  const [, text = ""] = guide.split(`${heading}\n`)
  return [
    ...text
      .split(/^##/m, 1)
      .join("")
      .matchAll(/^- \*\*(.+)\.\*\* Leads to (.+)\.\n {2}> (.+)$/gm)
  ].map(([, title = "", leads = "", prompt = ""]) => ({
    title,
    prompt,
    tools: [...leads.matchAll(/`(\w+)`(?: \(`(\w+)`\))?/g)].map(([, tool = "", code]) => ({ tool, code }))
  }))
}

describe("the documents of a submission", () => {
  it("give each tool's hints as the service lists them, with a reason for each", () => {
    const told = Schema.decodeUnknownSync(Tools)(read("tools.json"), { onExcessProperty: "error" })
    assert.sameMembers(
      Object.keys(told),
      listedTools.map(({ name }) => name)
    )
    for (const { annotations, name } of listedTools) {
      const { reasons: _, ...hints } = told[name] ?? assert.fail(name)
      assert.deepInclude(annotations, hints, name)
      // The guide tells how to leave this out.
      assert.match(listedTools.find((tool) => tool.name === name)?.description ?? "", /Next: [^.]+\./)
    }
  })

  it("have five prompts that lead to tools, in the order of a booking, and three that lead to none", () => {
    const cases = casesBelow("## Prompts to try, and what they lead to")
    assert.lengthOf(cases, 5)
    const used = cases.flatMap(({ tools }) => tools.map(({ tool }) => tool))
    assert.deepStrictEqual([...new Set(used)].toSorted(), listedTools.map(({ name }) => name).toSorted())
    const [, none = ""] = guide.split("### No call at all\n")
    assert.lengthOf([...none.matchAll(/^- > .+$/gm)], 3)
  })

  it("name what is refused by codes that there are", () => {
    const cases = casesBelow("### What is refused")
    assert.isAtLeast(cases.length, 4)
    for (const { title, tools } of cases)
      for (const { code = "", tool } of tools) {
        assert.include([...codes], code, title)
        assert.include(
          listedTools.map(({ name }) => name),
          tool,
          title
        )
      }
  })

  it("keep the lengths that a directory's form takes", () => {
    for (const [, name = ""] of guide.matchAll(/^\| [^|]+ \(at most 30 characters\) \| ([^|]+) \|$/gm))
      assert.isAtMost(name.trim().length, 30, name)
    assert.lengthOf([...guide.matchAll(/at most 30 characters/g)], 2)
  })
})
