/** The review kit: the test account that `playroom review` makes, and every case of docs/review with it. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync } from "node:fs"
import { addDays, datesFrom, localDateOf, weekdayOf } from "../../src/kernel/LocalTime.ts"
import { ReviewAccount } from "../support/ReviewAccount.ts"
import { startService } from "../support/Service.ts"

const kit = readFileSync(new URL("../../docs/review/README.md", import.meta.url), "utf8")

const Case = Schema.fromJsonString(
  Schema.Struct({
    tool: Schema.String,
    arguments: Schema.Record(Schema.String, Schema.Unknown),
    key: Schema.optionalKey(Schema.Literal(false)),
    answer: Schema.optionalKey(Schema.NonEmptyArray(Schema.String)),
    error: Schema.optionalKey(Schema.String)
  })
)
const cases = kit
  .split(/^### /m)
  .slice(1)
  .flatMap((part) =>
    [...part.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, block = ""]) => ({
      title: part.split("\n")[0] ?? "",
      ...Schema.decodeUnknownSync(Case)(block, { onExcessProperty: "error" })
    }))
  )

const Keys = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ label: Schema.String, revoked_at: Schema.NullOr(Schema.Unknown) }))
)
const Answer = Schema.Struct({
  result: Schema.Struct({
    isError: Schema.optionalKey(Schema.Boolean),
    content: Schema.Tuple([Schema.Struct({ text: Schema.String })])
  })
})

it.live(
  "one command makes a test account, and every case of the review kit goes with it as the kit says",
  () =>
    Effect.gen(function* () {
      const service = yield* startService()
      const made = yield* service.playroom("review", "--json")
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

      const inFourWeeks = addDays(localDateOf("UTC", Date.now()), 28)
      const week = datesFrom(inFourWeeks, addDays(inFourWeeks, 6))
      const saturday = week.find((day) => weekdayOf(day) === "saturday") ?? assert.fail()
      const known = new Map<string, string>([["DATE", saturday]])
      for (const { booking_id, example, reference } of account.bookings) {
        known.set(example.toUpperCase(), reference)
        known.set(`${example.toUpperCase()}_ID`, booking_id)
      }
      const filled = (input: unknown): unknown =>
        JSON.parse(
          JSON.stringify(input).replace(/"([A-Z_]+)"/g, (_whole, name) => JSON.stringify(known.get(name) ?? name))
        )
      const call = Effect.fnUntraced(function* (tool: string, input: unknown, key: boolean) {
        const response = yield* Effect.promise(() =>
          fetch(`${service.baseUrl}/mcp`, {
            method: "POST",
            headers: { "content-type": "application/json", ...(key ? { "x-api-key": account.secret } : {}) },
            body: JSON.stringify({
              jsonrpc: "2.0",
              id: 1,
              method: "tools/call",
              params: { name: tool, arguments: filled(input) }
            })
          }).then((answer) => answer.json())
        )
        const { content, isError = false } = Schema.decodeUnknownSync(Answer)(response).result
        return { isError, text: content[0].text }
      })

      assert.isAtLeast(cases.filter(({ answer }) => answer !== undefined).length, 5)
      assert.isAtLeast(cases.filter(({ error }) => error !== undefined).length, 3)
      for (const { answer, error, key = true, title, tool, ...rest } of cases) {
        const { isError, text } = yield* call(tool, rest.arguments, key)
        assert.strictEqual(isError, error !== undefined, `${title}: ${text}`)
        for (const part of answer ?? [`"code":"${error}"`]) assert.include(text, part, title)
        const firstId = (kind: string) => new RegExp(`${kind}_[^"\\\\]{12,}`).exec(text)?.[0]
        for (const [name, tools, kind] of [
          ["ROOM", "search_playrooms", "playroom"],
          ["OPTION", "get_booking_options", "option"],
          ["BOOKING", "create_booking", "booking"]
        ] as const) {
          const id = tools === tool && !isError ? firstId(kind) : undefined
          if (id !== undefined) known.set(name, id)
        }
      }

      // The account ends with its key.
      assert.strictEqual((yield* service.playroom("key", "revoke", account.key_id)).code, 0)
      yield* Effect.sleep("2500 millis")
      assert.include((yield* call("get_booking", { reference: "PAID" }, true)).text, "api_key_invalid")

      // Without the sandbox there is no account, and no key that nobody knows.
      yield* service.stop()
      const without = yield* service.playroom("review")
      assert.strictEqual(without.code, 1)
      assert.include(without.stderr, "start it, then try again")
      const { stdout } = yield* service.playroom("key", "list", "--json")
      const keys = Schema.decodeUnknownSync(Keys)(stdout)
      assert.deepStrictEqual(
        keys.filter(({ label, revoked_at }) => label === "review" && revoked_at === null),
        []
      )
    }).pipe(Effect.scoped),
  120_000
)
