/** The review kit: the test account and the files that `playroom review` makes, and whether what they say comes true. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { mainCases, outOfScope, refusedCases } from "../../src/cli/review/ReviewCases.ts"
import { casesInMarkdown } from "../support/reviewCases.ts"
import { ReviewAccount } from "../support/ReviewAccount.ts"
import { startService } from "../support/Service.ts"

const kit = readFileSync(new URL("../../docs/review/README.md", import.meta.url), "utf8")

const Keys = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ label: Schema.String, revoked_at: Schema.NullOr(Schema.Unknown) }))
)
const Answer = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    content: Schema.Tuple([Schema.Struct({ text: Schema.String })])
  })
})

/** What ChatGPT's form imports: our own schema, after its published one; a member that it does not know is a fault. */
const filledIn = Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(4000))
const TestCase = Schema.Struct({
  description: filledIn,
  user_prompt: filledIn,
  file_attachment_urls: Schema.Null,
  tools_triggered: Schema.NullOr(filledIn),
  expected_output: filledIn,
  expected_output_url: Schema.Null
})
const Imported = Schema.fromJsonString(
  Schema.Struct({
    $schema: Schema.Literal("https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json"),
    schema_version: Schema.Literal(1),
    app_info: Schema.Struct({
      display_name: filledIn,
      subtitle: Schema.String.check(Schema.isPattern(/\S/), Schema.isMaxLength(30)),
      description: filledIn,
      category: Schema.Literals(["LIFESTYLE", "ENTERTAINMENT", "TRAVEL"])
    }),
    tools: Schema.Record(
      Schema.String,
      Schema.Struct({
        annotations: Schema.Struct({
          readOnlyHint: Schema.Boolean,
          openWorldHint: Schema.Boolean,
          destructiveHint: Schema.Boolean
        }),
        justifications: Schema.Struct({
          read_only_justification: filledIn,
          open_world_justification: filledIn,
          destructive_justification: filledIn
        })
      })
    ),
    test_cases: Schema.Array(TestCase).check(Schema.isMinLength(5), Schema.isMaxLength(5)),
    negative_test_cases: Schema.Array(TestCase).check(Schema.isMinLength(3), Schema.isMaxLength(3))
  })
)
const Listed = Schema.Struct({
  result: Schema.Struct({
    tools: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String, annotations: Schema.Unknown }))
  })
})
const Played = Schema.fromJsonString(
  Schema.Array(
    Schema.Struct({
      title: Schema.String,
      prompt: Schema.String,
      expected: Schema.String,
      calls: Schema.Array(
        Schema.Struct({
          tool: Schema.String,
          arguments: Schema.Record(Schema.String, Schema.Unknown),
          answer: Schema.Record(Schema.String, Schema.Unknown)
        })
      )
    })
  )
)

it("docs/review tells the cases as the command plays them", () => {
  assert.include(kit, casesInMarkdown)
})

it.live(
  "one command makes a test account and the files of a submission, and what they say comes true",
  () =>
    Effect.gen(function* () {
      const folder = join(mkdtempSync(join(tmpdir(), "review-")), "submission")
      yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
      const service = yield* startService({
        CONNECT: "key,guest",
        PAYMENT_LINK: "own",
        PRIVACY_URL: "https://example.com/privacy"
      })
      const made = yield* service.playroom("review", "--json", "--archive", folder)
      assert.strictEqual(made.code, 0, made.stderr)
      const account = Schema.decodeUnknownSync(ReviewAccount)(made.stdout)
      assert.deepStrictEqual(account.missing, [])
      const states = account.bookings.map(({ example, left, payment_status, status }) => [
        example,
        status,
        payment_status,
        left
      ])
      assert.deepInclude(states, ["free", "confirmed", "not_required", undefined])
      assert.deepInclude(states, ["paid", "confirmed", "paid", undefined])
      assert.deepInclude(states, ["deposit", "confirmed", "deposit_paid", undefined])
      assert.deepInclude(states, ["held", "held", "unpaid", undefined])
      assert.isTrue(states.some(([example, status]) => example === "cancelled" && status === "cancelled"))

      const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => statSync(join(folder, path)).isFile())
        .toSorted()
      assert.deepStrictEqual(paths, [
        "cases.json",
        "chatgpt/chatgpt-app-submission.json",
        "chatgpt/review-notes.md",
        "chatgpt/video-script.md",
        "claude/form.md",
        "claude/tool-descriptions.json"
      ])
      const read = (path: string) => readFileSync(join(folder, path), "utf8")
      for (const path of paths) {
        const text = read(path)
        assert.notInclude(text, account.secret, path)
        assert.notMatch(text, /undefined|\[object|trace_id|[A-Z]+_ID\b(?!\w)/, path)
        assert.isTrue(made.stdout.includes(path), path)
      }

      const post = (method: string, params: object, key: string | undefined) =>
        Effect.promise(() =>
          fetch(`${service.baseUrl}/mcp`, {
            method: "POST",
            headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
          }).then((answer): Promise<unknown> => answer.json())
        )
      const call = Effect.fnUntraced(function* (
        name: string,
        input: unknown,
        key: string | undefined = account.secret,
        meta: object = {}
      ) {
        const response = yield* post("tools/call", { name, arguments: input, _meta: meta }, key)
        const { content, isError = false } = Schema.decodeUnknownSync(Answer)(response).result
        const answer: unknown = JSON.parse(content[0].text)
        return { isError, answer, text: content[0].text }
      })

      // The import says of the tools what the service lists, and names no other.
      const { tools } = Schema.decodeUnknownSync(Listed)(yield* post("tools/list", {}, undefined)).result
      const submission = Schema.decodeUnknownSync(Imported)(read("chatgpt/chatgpt-app-submission.json"), {
        onExcessProperty: "error"
      })
      assert.sameMembers(
        Object.keys(submission.tools),
        tools.map(({ name }) => name)
      )
      for (const { annotations, name } of tools)
        assert.deepInclude(annotations, submission.tools[name]?.annotations ?? assert.fail(name))
      for (const { tools_triggered } of submission.test_cases)
        for (const name of (tools_triggered ?? "").split(", ")) assert.property(submission.tools, name)
      assert.deepStrictEqual(
        submission.negative_test_cases.map(({ tools_triggered, user_prompt }) => [user_prompt, tools_triggered]),
        outOfScope.map(({ prompt }) => [prompt, null])
      )

      // Each case as it was written down comes true when its calls are made again.
      const cases = Schema.decodeUnknownSync(Played)(read("cases.json"))
      assert.deepStrictEqual(
        cases.map(({ title }) => title),
        [...mainCases, ...refusedCases].map(({ title }) => title)
      )
      assert.deepStrictEqual(
        submission.test_cases.map(({ expected_output }) => expected_output),
        cases.slice(0, 5).map(({ expected }) => expected)
      )
      const without = new Set(refusedCases.filter((one) => one.calls[0]?.keyless).map(({ title }) => title))
      for (const { calls, title } of cases)
        for (const { answer, arguments: input, tool } of calls) {
          const again = yield* call(tool, input, without.has(title) ? "" : account.secret)
          assert.strictEqual(again.isError, "error" in answer, `${title}: ${again.text}`)
          // Later there may be more to tell: a hold of this key, another booking of this person.
          assert.includeMembers(Object.keys(Object(again.answer)), Object.keys(answer), title)
          if (tool === "get_playroom") assert.deepStrictEqual(again.answer, answer)
        }
      const [found, , booked, paying, standing] = cases
      const firstOf = JSON.stringify(found?.calls[0]?.answer)
      const name = /here (.+) in (.+) comes first/.exec(found?.expected ?? "") ?? assert.fail("no playroom is named")
      assert.include(firstOf, JSON.stringify(name[1]))
      assert.include(found?.prompt, name[2])
      assert.match(booked?.expected ?? "", /holds the places at .+; .*link to pay \S*\d/)
      assert.match(standing?.expected ?? "", /that \S*\d.* is still to be paid/)

      // With PAYMENT_LINK=own the link of the archive is a page of this service, which leads on to the provider's.
      const link = /"url":"([^"]+)"/.exec(JSON.stringify(paying?.calls[0]?.answer))?.[1] ?? assert.fail("no link")
      assert.match(new URL(link).pathname, /^\/p\/[\w-]{48}$/)
      const own = `${service.baseUrl}${new URL(link).pathname}`
      const page = yield* Effect.promise(() => fetch(own).then((answer) => answer.text()))
      const shown = /name="shown" value="([^"]*)"/.exec(page)?.[1] ?? assert.fail(page)
      const pressed = yield* Effect.promise(() =>
        fetch(own, { method: "POST", redirect: "manual", body: new URLSearchParams({ step: "pay", shown }) })
      )
      assert.strictEqual(pressed.status, 303)
      const provider = pressed.headers.get("location") ?? ""
      assert.notInclude(provider, "/p/")
      assert.include(yield* Effect.promise(() => fetch(provider).then((answer) => answer.text())), "outcome")

      // What the notes and the form promise.
      const notes = read("chatgpt/review-notes.md")
      const form = read("claude/form.md")
      for (const text of [notes, form])
        for (const said of ["https://example.com/privacy", "not set (SUPPORT_URL)", "/mcp/connect", "second factor"])
          assert.include(text, said)
      assert.include(form, "Ask the directory's team first")
      for (const { name } of tools) assert.include(form, `\`${name}\``)
      const plain = JSON.parse(read("claude/tool-descriptions.json"))
      for (const { description, name } of tools) {
        assert.include(description, "Next: ")
        assert.notInclude(plain[name], "Next: ")
        assert.isAbove(plain[name].length, description.length / 2)
      }
      assert.include(read("chatgpt/video-script.md"), mainCases[3]?.prompt ?? assert.fail())

      // A host's own word on where the person is reaches the search.
      const meta = { "openai/userLocation": { city: "London", country: "GB" } }
      assert.include((yield* call("search_playrooms", {}, "", meta)).text, "place_hint")
      assert.notInclude((yield* call("search_playrooms", {}, "")).text, "place_hint")

      // The account ends with its key.
      assert.strictEqual((yield* service.playroom("key", "revoke", account.key_id)).code, 0)
      yield* Effect.sleep("2500 millis")
      assert.include(
        (yield* call("get_booking", { booking_id: account.bookings[0]?.booking_id })).text,
        "api_key_invalid"
      )

      // Without the sandbox there is no account, no key that nobody knows, and no file.
      yield* service.stop()
      const other = `${folder}-2`
      const refused = yield* service.playroom("review", "--archive", other)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.stderr, "start it, then try again")
      assert.isFalse(existsSync(other))
      const { stdout } = yield* service.playroom("key", "list", "--json")
      const keys = Schema.decodeUnknownSync(Keys)(stdout)
      assert.deepStrictEqual(
        keys.filter(({ label, revoked_at }) => label === "review" && revoked_at === null),
        []
      )
    }).pipe(Effect.scoped),
  120_000
)
