import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import {
  BookingId,
  idBytes,
  newId,
  newReference,
  normalizeReference,
  PackageId,
  packageIdOf,
  Reference
} from "../../../src/platform/ids/Ids.ts"
import { runs } from "../../support/runs.ts"
import { base32, crockford, slipsOf } from "../../support/slips.ts"

const bytes16 = fc.uint8Array({ minLength: 16, maxLength: 16 })

describe("Ids", () => {
  // https://github.com/jetify-com/typeid/blob/main/spec/valid.yml
  it.each([
    ["00000000000000000000000000", "00000000-0000-0000-0000-000000000000"],
    ["00000000000000000000000001", "00000000-0000-0000-0000-000000000001"],
    ["0000000000000000000000000g", "00000000-0000-0000-0000-000000000010"],
    ["7zzzzzzzzzzzzzzzzzzzzzzzzz", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    ["0123456789abcdefghjkmnpqrs", "0110c853-1d09-52d8-d73e-1194e95b5f19"],
    ["01h455vb4pex5vsknk084sn02q", "01890a5d-ac96-774b-bcce-b302099a8057"]
  ])("%s are the bytes of %s, as the TypeID specification has it", (suffix, uuid) => {
    const bytes = Buffer.from(uuid.replaceAll("-", ""), "hex")
    assert.deepStrictEqual(Buffer.from(idBytes(`package_${suffix}`)), bytes)
    assert.strictEqual(packageIdOf(bytes), `package_${suffix}`)
  })

  it("any 16 bytes are an id that gives them back, and sort as it does", () => {
    fc.assert(
      fc.property(bytes16, bytes16, (a, b) => {
        assert.deepStrictEqual([...idBytes(packageIdOf(a))], [...a])
        assert.strictEqual(packageIdOf(a) < packageIdOf(b), Buffer.compare(a, b) < 0)
      }),
      { numRuns: runs(250) }
    )
  })

  it("refuses other prefixes, upper case, letters that base 32 lacks, and more than 128 bits", () => {
    const is = Schema.is(PackageId)
    assert.isTrue(is("package_01h455vb4pex5vsknk084sn02q"))
    for (const wrong of [
      "addon_01h455vb4pex5vsknk084sn02q",
      "package_01H455VB4PEX5VSKNK084SN02Q",
      "package_01h455vb4pex5vsknk084sn02u",
      "package_81h455vb4pex5vsknk084sn02q",
      "package_01h455vb4pex5vsknk084sn02q\n",
      "package_01h455vb4pex5vsknk084sn02"
    ]) {
      assert.isFalse(is(wrong), wrong)
    }
  })

  it.effect("no new id or reference is one letter from another, not even of the same millisecond", () =>
    Effect.gen(function* () {
      const ids = yield* Effect.all(Array.from({ length: 200 }, () => newId.booking))
      const references = yield* Effect.all(Array.from({ length: 100 }, () => newReference))
      for (const [made, letters] of [
        [ids, base32],
        [references, crockford]
      ] as const) {
        const all = new Set<string>(made)
        for (const one of all)
          for (const slip of slipsOf(one, letters)) assert.isFalse(all.has(slip), `${slip} of ${one}`)
      }
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("X12: a new reference is no number with an exponent to a spreadsheet", () =>
    Effect.gen(function* () {
      const drawn = ["123E0045", "123E004F"].map((text) => Uint8Array.from(text, (one) => crockford.indexOf(one)))
      const scripted = {
        ...(yield* SecureRandom.SecureRandom),
        randomBytes: () => Effect.sync(() => drawn.shift() ?? new Uint8Array(8))
      }
      assert.strictEqual(yield* Effect.provideService(newReference, SecureRandom.SecureRandom, scripted), "123E-004F")
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("new ids differ and sort by the clock", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (let i = 0; i < 200; i++) {
        yield* TestClock.setTime(1_790_000_000_000 + Math.floor(i / 10))
        ids.push(yield* newId.booking)
      }
      assert.isTrue(ids.every((id) => Schema.is(BookingId)(id)))
      assert.strictEqual(new Set(ids).size, 200)
      const byTime = ids.map((id) => Buffer.from(idBytes(id)).readUIntBE(0, 6))
      assert.strictEqual(byTime[0], 1_790_000_000_000)
      assert.deepStrictEqual(
        byTime,
        byTime.toSorted((a, b) => a - b)
      )
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it.effect("a new reference is one, and people's ways of writing it find it", () =>
    Effect.gen(function* () {
      const reference = yield* newReference
      assert.isTrue(Schema.is(Reference)(reference))
      const bare = reference.replace("-", "")
      for (const typed of [
        bare,
        bare.toLowerCase(),
        ` ${reference} `,
        reference.replace("-", "–"),
        `${bare.slice(0, 4)} ${bare.slice(4)}`
      ]) {
        assert.strictEqual(normalizeReference(typed), reference, typed)
      }
    }).pipe(Effect.provide(SecureRandom.layerWebCrypto))
  )

  it("reads I and L as 1, O as 0, and leaves what is no reference none", () => {
    assert.strictEqual(normalizeReference("kilo-7m2q"), "K110-7M2Q")
    for (const text of ["", "K7M2", "K7M2-9QXDA", "K7M2-9QX!", "UUUU-UUUU"]) {
      assert.isFalse(Schema.is(Reference)(normalizeReference(text)), text)
    }
  })
})
