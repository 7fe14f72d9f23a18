import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { webAddress } from "../../../../src/platform/text/Text.ts"
import { checkReturnUrls } from "../../../../src/domain/payment/checkout/SessionRequest.ts"
import { runs } from "../../../support/runs.ts"

const settings = {
  baseUrl: "https://book.example.com",
  returnUrlOrigins: ["https://book.example.com", "https://shop.example.com:8443"]
}

const refusal = (success_url: string) =>
  Effect.runSync(
    checkReturnUrls({ success_url }, settings).pipe(
      Effect.as(undefined),
      Effect.catch(({ issues }) => Effect.succeed(issues[0]?.path))
    )
  )

/**
 * What a reader that knows nothing of browsers takes for the host: what stands between the slashes and the next one,
 * after any @.
 */
const naiveOrigin = (text: string): string => {
  const [, scheme = "", authority = ""] = /^(https?):\/\/([^/?#\\]*)/i.exec(text) ?? []
  return `${scheme}://${authority.slice(authority.lastIndexOf("@") + 1)}`.toLowerCase()
}

describe("return addresses", () => {
  it("of our own and of the list are taken, whatever follows the origin", () => {
    for (const url of [
      "https://book.example.com",
      "https://book.example.com/",
      "https://book.example.com/done?session={CHECKOUT_SESSION_ID}&a=b#top",
      "https://book.example.com:443/done",
      "HTTPS://Book.Example.com/done",
      "https://shop.example.com:8443/danke-schön/été?q=%20",
      "https://book.example.com/@evil.example/?https://evil.example"
    ])
      assert.isUndefined(refusal(url), url)
  })

  it("that programs read differently, or that lead elsewhere, are refused", () => {
    const hostile = [
      "http://localhost:1\\@evil.example/",
      "https://book.example.com\\@evil.example/",
      "https://book.example.com\\.evil.example/",
      "https://evil.example\\@book.example.com/",
      "https:\\\\book.example.com/",
      "https:/\\book.example.com/",
      "https://book.example.com/\\evil.example",
      "https://book.example.com@evil.example/",
      "https://evil.example@book.example.com/",
      "https://user:pw@book.example.com/",
      "https://@book.example.com/",
      "https://:@book.example.com/",
      "https:book.example.com/",
      "https:/book.example.com/",
      "https:///book.example.com/",
      "//book.example.com/",
      "/done",
      "book.example.com/done",
      " https://book.example.com/",
      "https://book.example.com/ ",
      "https://book.example.com /",
      "https://book.example.com/a b",
      "ht\ttps://book.example.com/",
      "https://book.exa\nmple.com/",
      "https://book.example.com/\r\nLocation: https://evil.example",
      "https://book.example.com/\u0000",
      "https://book.example.com\u0000.evil.example/",
      "https://book.example.com/\u007f",
      "https://book.example.com/\u00a0x",
      "https://book.example.com/\u200bx",
      "https://book.example.com/\u202ex",
      "https://book.example.com/\u2028x",
      "https://book.example.com/\ufeff",
      "https://book.example.com/\ud800",
      "https://book\u3002example.com/",
      "https://book\uff0eexample.com/",
      "https://ｂook.example.com/",
      "https://boo%6b.example.com/",
      "https://book.example.com%2f@evil.example/",
      "https://book.example.com%00.evil.example/",
      "https://book.example.com.evil.example/",
      "https://book.example.com./",
      "https://book.example.com:8443/",
      "https://book.example.com:99999/",
      "http://book.example.com/",
      "https://shop.example.com/",
      "https://evil.example/https://book.example.com/",
      "https://evil.example?https://book.example.com/",
      "https://evil.example#https://book.example.com/",
      "http://localhost:3000/",
      "http://127.0.0.1:3000/",
      "http://[::1]:3000/",
      "javascript:alert(1)//https://book.example.com/",
      "data:text/html,https://book.example.com/",
      "blob:https://book.example.com/1",
      "ftp://book.example.com/",
      "",
      `https://book.example.com/${"a".repeat(2000)}`
    ]
    for (const url of hostile) assert.strictEqual(refusal(url), "success_url", JSON.stringify(url))
  })

  it("that are taken have the same origin for a browser and for a plain reader, whatever is put into them", () => {
    const piece = fc.constantFrom(
      ..."\\/@:?#.%[] \t\n\0ａ。",
      "https://",
      "http:",
      "book.example.com",
      "shop.example.com:8443",
      "evil.example",
      "user:pw@",
      "%2f",
      "\u202e",
      "\ud800"
    )
    const crooked = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")),
      fc.array(piece, { maxLength: 5 }).map((parts) => `https://book.example.com${parts.join("")}`),
      fc.string({ unit: "binary", maxLength: 40 }).map((text) => `https://book.example.com${text}`)
    )
    fc.assert(
      fc.property(crooked, (text) => {
        const url = webAddress(text)
        if (url === undefined) return
        assert.deepStrictEqual([url.username, url.password], ["", ""])
        assert.isTrue(text.isWellFormed())
        if (refusal(text) !== undefined) return
        assert.include(settings.returnUrlOrigins, naiveOrigin(text).replace(/:(443)?$/, ""))
        assert.include(settings.returnUrlOrigins, url.origin)
      }),
      { numRuns: runs(250) }
    )
  })
})
