import { assert, describe, it } from "@effect/vitest"
import { preferredLanguage } from "../../src/words/Languages.ts"

describe("the language of a page", () => {
  it("is that of ours which the browser wants most, English where it wants none", () => {
    for (const [header, language] of [
      [undefined, "en"],
      ["", "en"],
      ["de", "de"],
      ["de-CH", "de"],
      ["pt-BR, es;q=0.8, en;q=0.9", "en"],
      ["nl, fr;q=0.5", "fr"],
      ["en;q=0, ja;q=0.1", "ja"],
      ["*", "en"],
      ["DE-AT;q=1.0", "de"],
      ["en-US,en;q=0.9", "en-US"],
      ["EN-us", "en-US"],
      ["en-US-posix", "en"],
      ["en-AU, en-US;q=0.9", "en"],
      ["fr;q=nonsense, de;q=0.3", "de"],
      [";;;,,,", "en"],
      ["x".repeat(10_000), "en"]
    ] as const)
      assert.strictEqual(preferredLanguage(header), language, header)
  })
})
