import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { bookingIn, LinkTokens } from "../../../src/platform/access/LinkTokens.ts"
import { BookingId } from "../../../src/platform/ids/Ids.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/testSettings.ts"

const booking_id = BookingId.make("booking_01kbbkcwwsewca2ec77aavth3y")
const other = BookingId.make("booking_01kbbkcwwsewca2ec77aavth3z")
const what = { page: "checkout_return", booking_id, counter: 0 } as const

const node = Layer.fresh(LinkTokens.layer).pipe(
  Layer.provide(Layer.succeed(AppConfig, testSettings({ baseUrl: "https://book.example.com" })))
)

layer(Layer.mergeAll(TestDatabase.layer, SecureRandom.layerWebCrypto))("a token in an address", (it) => {
  it.effect("opens what it was made for on every node, and is the same each time", () =>
    Effect.gen(function* () {
      const makers = yield* Effect.all(
        [1, 2, 3, 4].map(() => LinkTokens.use((links) => links.make(what)).pipe(Effect.provide(node))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(makers).size, 1)
      const token = makers[0] ?? ""
      assert.deepStrictEqual(bookingIn(token), Option.some(booking_id))
      assert.isTrue(yield* LinkTokens.use((links) => links.opens(token, what)).pipe(Effect.provide(node)))
    })
  )

  it.effect("opens nothing else: no other booking, no renewed link, and not with any character changed", () =>
    Effect.gen(function* () {
      const links = yield* LinkTokens
      const token = yield* links.make(what)
      assert.isFalse(yield* links.opens(token, { ...what, booking_id: other }))
      assert.isFalse(yield* links.opens(token, { ...what, counter: 1 }))
      for (let i = 0; i < token.length; i++) {
        const changed = `${token.slice(0, i)}${token.charAt(i) === "A" ? "B" : "A"}${token.slice(i + 1)}`
        assert.isFalse(yield* links.opens(changed, what), changed)
      }
      const text = Buffer.from(yield* links.make({ ...what, booking_id: other }), "base64url")
      // The other's code with this booking's id.
      const mixed = Buffer.concat([Buffer.from(token, "base64url").subarray(0, 16), text.subarray(16)])
      assert.isFalse(yield* links.opens(mixed.toString("base64url"), what))
      for (const odd of ["", `${token}=`, ` ${token}`, token.slice(1), `${token}A`, "é".repeat(48), "\0".repeat(48)]) {
        assert.isFalse(yield* links.opens(odd, what), JSON.stringify(odd))
        assert.isTrue(Option.isNone(bookingIn(odd)), JSON.stringify(odd))
      }
    }).pipe(Effect.provide(node))
  )
})
