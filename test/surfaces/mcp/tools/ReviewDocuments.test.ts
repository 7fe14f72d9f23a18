/** `docs/review`: what is submitted to directories of assistants says of the tools what the service lists. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import packageJson from "../../../../package.json" with { type: "json" }
import { toolsPath } from "../../../../src/domain/oauth/OAuthExchange.ts"
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

/**
 * `plugin.json`: the fields of a portable plugin's manifest, and those that OpenAI adds, as far as we fill them in. A
 * field that is misspelt fails here.
 */
const Plugin = Schema.fromJsonString(
  Schema.Struct({
    $schema: Schema.Literal("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json"),
    name: Schema.String,
    version: Schema.String,
    description: filledIn,
    author: Schema.Struct({ name: filledIn }),
    homepage: Schema.String,
    license: Schema.String,
    extensions: Schema.Struct({
      "com.openai": Schema.Struct({
        interface: Schema.Struct({
          displayName: filledIn,
          shortDescription: filledIn,
          longDescription: filledIn,
          developerName: filledIn,
          category: Schema.Literals(["Entertainment", "Travel", "Other"]),
          capabilities: Schema.Array(filledIn),
          websiteURL: Schema.String,
          supportURL: Schema.String,
          privacyPolicyURL: Schema.String,
          termsOfServiceURL: Schema.String,
          defaultPrompt: Schema.Array(filledIn),
          composerIcon: Schema.String,
          logo: Schema.String
        }),
        review: Schema.Struct({
          test_cases: Schema.Struct({
            positive: Schema.Array(
              Schema.Struct({
                description: filledIn,
                prompt: filledIn,
                tools_triggered: filledIn,
                expected_behavior: filledIn
              })
            ),
            negative: Schema.Array(Schema.Struct({ description: filledIn, prompt: filledIn }))
          }),
          demo_recording_url: Schema.String,
          commerce: Schema.Boolean
        }),
        publication: Schema.Struct({ countries: Schema.Array(Schema.String), release_notes: filledIn })
      })
    })
  })
)
const McpServers = Schema.fromJsonString(
  Schema.Struct({
    $schema: Schema.Literal("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json"),
    mcpServers: Schema.Record(Schema.String, Schema.Struct({ type: Schema.String, url: Schema.String }))
  })
)

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

  it("have a title and all four hints on every tool: a tool that writes and does not say what it destroys is rejected", () => {
    for (const { annotations, name, title } of listedTools) {
      assert.isNotEmpty(title, name)
      const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]
      assert.hasAllKeys(annotations, hints, name)
      for (const hint of Object.values(annotations)) assert.isBoolean(hint, name)
    }
  })
})

describe("the archive for ChatGPT's directory", () => {
  const plugin = Schema.decodeUnknownSync(Plugin)(read("chatgpt/plugin.json"), { onExcessProperty: "error" })
  const { interface: shown, publication, review } = plugin.extensions["com.openai"]
  const { negative, positive } = review.test_cases

  it("keeps the lengths of names, descriptions and addresses", () => {
    assert.match(plugin.name, /^[A-Za-z0-9][\w-]{0,63}$/)
    assert.strictEqual(plugin.version, packageJson.version)
    const most: ReadonlyArray<readonly [string, number]> = [
      [plugin.description, 1024],
      [shown.displayName, 30],
      [shown.shortDescription, 30],
      [shown.developerName, 80],
      ...shown.capabilities.map((capability) => [capability, 120] as const),
      [shown.websiteURL, 1024]
    ]
    for (const [text, length] of most) assert.match(text, new RegExp(`^\\S.{0,${length - 1}}$`))
    assert.isAtMost(shown.capabilities.length, 20)
    assert.isAtMost(shown.longDescription.length, 4000)
  })

  it("has at most three starter prompts, of one short line each, all different", () => {
    const prompts = shown.defaultPrompt.map((prompt) => prompt.normalize("NFKC").trim().toLowerCase())
    assert.isAtMost(prompts.length, 3)
    assert.lengthOf(new Set(prompts), prompts.length)
    for (const prompt of shown.defaultPrompt) assert.match(prompt, /^[^@\n]{1,128}$/)
  })

  it("has exactly five positive cases, those of the guide, and exactly three negative ones", () => {
    assert.deepStrictEqual(
      positive.map(({ description, prompt, tools_triggered }) => ({
        title: description.replace(/\.$/, ""),
        prompt,
        tools: tools_triggered.split(", ")
      })),
      casesBelow("## Prompts to try, and what they lead to").map((one) => ({
        ...one,
        tools: one.tools.map(({ tool }) => tool)
      }))
    )
    assert.lengthOf(positive, 5)
    const [, none = ""] = guide.split("### No call at all\n")
    assert.deepStrictEqual(
      negative.map(({ prompt }) => prompt),
      [...none.matchAll(/^- > (.+)$/gm)].map(([, prompt]) => prompt)
    )
    assert.lengthOf(negative, 3)
  })

  it("has one server, where people sign in, and no credentials", () => {
    const { mcpServers } = Schema.decodeUnknownSync(McpServers)(read("chatgpt/mcp.json"), { onExcessProperty: "error" })
    assert.deepStrictEqual(Object.values(mcpServers), [{ type: "streamable-http", url: `BASE_URL${toolsPath}` }])
  })

  it("has all that a submission is refused without: icons, four addresses, a video, release notes", () => {
    for (const icon of [shown.composerIcon, shown.logo]) assert.match(icon, /^\.\/assets\/\w+\.png$/)
    const addresses = [shown.websiteURL, shown.supportURL, shown.privacyPolicyURL, shown.termsOfServiceURL]
    assert.deepStrictEqual(addresses, ["BASE_URL/", "SUPPORT_URL", "PRIVACY_URL", "TERMS_URL"])
    assert.strictEqual(review.demo_recording_url, "VIDEO_URL")
    assert.isNotEmpty(publication.release_notes)
  })
})
