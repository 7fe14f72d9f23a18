import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { Stripe } from "stripe"
import { verify } from "../../../../src/domain/payment/events/WebhookSignature.ts"
import { eventHmac, signatureHeader } from "../../../support/providerEvents.ts"
import { sampleEvents } from "../../../support/providerSchema.ts"

const now = Date.parse("2026-12-01T10:00:00Z")
const seconds = now / 1000
const secret = "whsec_platform_1"
const other = "whsec_platform_2"

const event = {
  id: "evt_1",
  object: "event" as const,
  api_version: "2026-10-28.endive",
  created: seconds,
  account: "acct_1",
  livemode: false,
  pending_webhooks: 1,
  type: "checkout.session.completed",
  data: { object: { id: "cs_test_1", object: "checkout.session", amount_total: 24000 } }
}
const body = JSON.stringify(event)
const thin = {
  id: "evt_test_65T",
  object: "v2.core.event",
  type: "v1.checkout.session.completed",
  context: "acct_1",
  livemode: false,
  created: "2026-12-01T10:00:00.000Z",
  related_object: { id: "cs_test_1", type: "checkout.session", url: "/v1/checkout/sessions/cs_test_1" }
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const header = (payload: Uint8Array | string, key = secret, at = seconds): string => signatureHeader(payload, key, at)

const check = (
  payload: Uint8Array | string,
  signatures: ReadonlyArray<string>,
  secrets: ReadonlyArray<string> = [secret]
) =>
  verify({
    payload: typeof payload === "string" ? bytes(payload) : payload,
    signatures,
    secrets: secrets.map((key) => Redacted.make(key)),
    now
  })
const refusal = (...args: Parameters<typeof check>) => Effect.map(Effect.flip(check(...args)), (error) => error.code)

describe("WebhookSignature", () => {
  it.effect("reads the event of a body that was signed with the secret, and hands the body on as it was signed", () =>
    Effect.gen(function* () {
      const read = yield* check(body, [header(body)])
      const { pending_webhooks: _, ...known } = event
      assert.deepStrictEqual<unknown>(read.event, known)
      assert.strictEqual(read.text, body)
    })
  )

  it.effect("calls a missing, empty or blank header missing", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal(body, []), "signature_missing")
      assert.strictEqual(yield* refusal(body, ["", "  "]), "signature_missing")
    })
  )

  it.effect("refuses a body signed with another secret", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal(body, [header(body, other)]), "signature_invalid")
    })
  )

  it.effect("refuses a body that was parsed and serialised again", () =>
    Effect.gen(function* () {
      const spaced = JSON.stringify(event, undefined, 2)
      assert.strictEqual(yield* refusal(body, [header(spaced)]), "signature_invalid")
      assert.strictEqual(yield* refusal(`${body}\n`, [header(body)]), "signature_invalid")
    })
  )

  it.effect("refuses empty, short, non-ASCII and upper-case v1 values, and v0 alone, without falling over", () =>
    Effect.gen(function* () {
      const good = eventHmac(body, secret, seconds)
      for (const v1 of ["", "0", "é".repeat(64), "☃".repeat(64), good.toUpperCase(), `${good}0`]) {
        assert.strictEqual(yield* refusal(body, [`t=${seconds},v1=${v1}`]), "signature_invalid", v1)
      }
      assert.strictEqual(yield* refusal(body, [`t=${seconds},v0=${good}`]), "signature_invalid")
      assert.strictEqual(yield* refusal(body, [`v1=${good}`]), "signature_invalid")
      assert.strictEqual(yield* refusal(body, [`t=,v1=${good}`]), "signature_invalid")
      assert.strictEqual(yield* refusal(body, [`t=${seconds}x,v1=${good}`]), "signature_invalid")
      assert.strictEqual(yield* refusal(body, ["nonsense"]), "signature_invalid")
    })
  )

  it.effect("finds the good one among several v1 values, also after values that the library throws on", () =>
    Effect.gen(function* () {
      const good = eventHmac(body, secret, seconds)
      const bad = eventHmac(body, other, seconds)
      yield* check(body, [`t=${seconds},v1=${bad},v1=${good}`])
      yield* check(body, [`t=${seconds},v1=${good},v1=${bad}`])
      yield* check(body, [`t=${seconds},v1=,v1=${"é".repeat(64)},v1=${good},v0=1`])
    })
  )

  it.effect("accepts either secret while rotating, and only the new one after", () =>
    Effect.gen(function* () {
      yield* check(body, [header(body, secret)], [other, secret])
      yield* check(body, [header(body, other)], [other, secret])
      assert.strictEqual(yield* refusal(body, [header(body, secret)], [other]), "signature_invalid")
    })
  )

  it.effect("reads a header that came twice, as two values or joined into one, in either order", () =>
    Effect.gen(function* () {
      const good = header(body)
      const bad = header(body, other, seconds - 1)
      for (const headers of [
        [good, bad],
        [bad, good],
        [`${good}, ${bad}`],
        [`${bad}, ${good}`],
        [`${bad},${good}`],
        [good, good]
      ]) {
        yield* check(body, headers)
      }
    })
  )

  it.effect("accepts 300 s to either side of the given clock, and calls more than that stale", () =>
    Effect.gen(function* () {
      for (const age of [0, 1, 299, 300]) {
        yield* check(body, [header(body, secret, seconds - age)])
        yield* check(body, [header(body, secret, seconds + age)])
      }
      for (const age of [301, 3600, 10_000_000]) {
        assert.strictEqual(yield* refusal(body, [header(body, secret, seconds - age)]), "signature_stale")
        assert.strictEqual(yield* refusal(body, [header(body, secret, seconds + age)]), "signature_stale")
      }
    })
  )

  it.effect("does not let a fresh but invalid signature freshen a stale valid one", () =>
    Effect.gen(function* () {
      const stale = header(body, secret, seconds - 400)
      assert.strictEqual(yield* refusal(body, [stale, header(body, other)]), "signature_stale")
      assert.strictEqual(yield* refusal(body, [`${stale}, t=${seconds},v1=${"0".repeat(64)}`]), "signature_stale")
    })
  )

  it.effect("reads a thin event as a notice of its object, as the provider's own library does", () =>
    Effect.gen(function* () {
      const text = JSON.stringify(thin)
      const read = yield* check(text, [header(text)])
      assert.isTrue(read.thin)
      assert.deepStrictEqual<unknown>(read.event, {
        id: "evt_test_65T",
        object: "event",
        type: "v1.checkout.session.completed",
        account: "acct_1",
        livemode: false,
        api_version: null,
        created: seconds,
        data: { object: { id: "cs_test_1", object: "checkout.session" } }
      })
      assert.strictEqual(read.text, text)
      const library = new Stripe("sk_test_x").parseEventNotification(text, header(text), secret, 300, undefined, now)
      assert.deepStrictEqual(
        [library.id, library.type, library.context?.toString()],
        [thin.id, thin.type, thin.context]
      )
      const bare = JSON.stringify({ ...thin, context: null, related_object: null })
      assert.deepInclude((yield* check(bare, [header(bare)])).event, { data: { object: {} } })
      assert.strictEqual(yield* refusal(text, [header(text, other)]), "signature_invalid")
      assert.strictEqual(yield* refusal(text, [header(text, secret, seconds - 400)]), "signature_stale")
    })
  )

  it.effect("calls a signed body that is no event malformed", () =>
    Effect.gen(function* () {
      const { livemode: _, ...lacking } = event
      for (const text of [
        "{",
        "not json",
        "null",
        "[]",
        `[${body}]`,
        "1",
        `"text"`,
        "{}",
        JSON.stringify(lacking),
        ...[
          { id: "" },
          { type: 1 },
          { livemode: "no" },
          { created: "today" },
          { context: {} },
          { related_object: [] }
        ].map((changes) => JSON.stringify({ ...thin, ...changes })),
        JSON.stringify({ ...event, data: null }),
        JSON.stringify({ ...event, data: { object: [] } }),
        JSON.stringify({ ...event, id: "" }),
        JSON.stringify({ ...event, id: "evt\u0000" }),
        JSON.stringify({ ...event, account: 1 })
      ]) {
        assert.strictEqual(yield* refusal(text, [header(text)]), "event_malformed", text)
      }
    })
  )

  it.effect("refuses an empty body", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* refusal("", [header("")]), "signature_invalid")
    })
  )

  it.effect("refuses a byte-order mark put before a signed body, and does not read one that was signed", () =>
    Effect.gen(function* () {
      const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes(body)])
      assert.strictEqual(yield* refusal(marked, [header(body)]), "signature_invalid")
      assert.strictEqual(yield* refusal(marked, [header(marked)]), "event_malformed")
    })
  )

  it.effect("refuses invalid UTF-8, also where it decodes to the very text that was signed", () =>
    Effect.gen(function* () {
      const replaced = body.replace("cs_test_1", "\ufffd")
      const [before = "", after = ""] = replaced.split("\ufffd")
      const invalid = new Uint8Array([...bytes(before), 0xff, ...bytes(after)])
      assert.strictEqual(new TextDecoder().decode(invalid), replaced)
      yield* check(replaced, [header(replaced)])
      assert.strictEqual(yield* refusal(invalid, [header(replaced)]), "signature_invalid")
      assert.strictEqual(yield* refusal(invalid, [header(invalid)]), "signature_invalid")
    })
  )

  it.effect("reads every sample event of the provider", () =>
    Effect.gen(function* () {
      for (const [name, sample] of Object.entries(sampleEvents)) {
        const text = JSON.stringify(sample)
        const { event, text: read } = yield* check(text, [header(text)])
        assert.deepInclude(JSON.parse(text), event, name)
        assert.strictEqual(read, text)
      }
    })
  )

  it.effect.prop(
    "refuses a body with any one byte changed",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: body.length - 1 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 255 }))
    ],
    ([at, by]) =>
      Effect.gen(function* () {
        const changed = bytes(body)
        changed[at] = (changed[at] ?? 0) ^ by
        assert.strictEqual(yield* refusal(changed, [header(body)]), "signature_invalid")
      })
  )

  it.effect.prop("answers any header text with a refusal, never a defect", [Schema.String], ([text]) =>
    Effect.gen(function* () {
      assert.include(["signature_missing", "signature_invalid"], yield* refusal(body, [text]))
    })
  )
})
