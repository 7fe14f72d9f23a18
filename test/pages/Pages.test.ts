import { assert, describe, it } from "@effect/vitest"
import type { HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { execFileSync } from "node:child_process"
import { credentialHeaders } from "../../src/access/Authentication.ts"
import { journey } from "../../src/cli/Welcome.ts"
import { methods } from "../../src/api/Addresses.ts"
import { Api } from "../../src/api/Api.ts"
import { checkoutReturn } from "../../src/pages/checkout/CheckoutReturnPage.ts"
import { Reference } from "../../src/kernel/Ids.ts"
import type { Language } from "../../src/i18n/Languages.ts"
import { distinctLanguages } from "../support/distinctLanguages.ts"
import type { PayerStatus, PayerView } from "../../src/pages/checkout/CheckoutReturn.ts"
import { docs } from "../../src/pages/landing/Docs.ts"
import { curl } from "../../src/pages/landing/Hosts.ts"
import { escape } from "../support/escaped.ts"
import { describedTools } from "../../src/mcp/tools/ToolList.ts"
import { problems } from "../../src/api/Problem.ts"

const html = (response: HttpServerResponse.HttpServerResponse): string => {
  if (response.body._tag !== "Uint8Array") throw new Error("a page with a body was expected")
  return new TextDecoder().decode(response.body.body)
}

describe("the page where the payer lands", () => {
  const tokens = { booking: "t".repeat(48), payment: "p".repeat(48) }
  const view: PayerView = {
    status: "open",
    reference: Reference.make("K7M2-9QXD"),
    package_name: "Party <b>",
    playroom_name: "Bounce & Co",
    operator: { name: "Bounce <i>Ltd" },
    now: Date.parse("2026-11-20T09:22:30Z"),
    time_zone: "Europe/London",
    address: "1 <b>Road</b>",
    starts_at: Date.parse("2026-12-05T14:00:00Z"),
    ends_at: Date.parse("2026-12-05T16:00:00Z"),
    photos: [],
    amount: 12_000,
    currency: "GBP",
    balance: false,
    outstanding: 12_000,
    payable: true,
    refund: { amount: 0 },
    url: "https://pay.example/cs_1?a=1&b=2",
    held_until: Date.parse("2026-11-20T09:37:00Z"),
    page_url: "https://book.example/b/x"
  }
  const back = (changes: Partial<PayerView>, outcome?: string, look?: string, language: Language = "en") =>
    checkoutReturn({ payment: "known", tokens, view: { ...view, ...changes } }, { outcome, look }, language)
  const statuses: ReadonlyArray<PayerStatus> = [
    "confirmed",
    "on_its_way",
    "open",
    "failed",
    "closed",
    "ended",
    "going_back",
    "paid_back",
    "cancelled",
    "not_needed_going_back",
    "not_needed_paid_back",
    "nothing_due"
  ]

  it("says that a booking is confirmed only where it is, whatever the address says", () => {
    for (const status of statuses) {
      for (const outcome of ["success", "cancel", undefined, "paid", "__proto__"]) {
        const text = html(back({ status }, outcome))
        assert.strictEqual(/your booking is confirmed/i.test(text), status === "confirmed", `${status} ${outcome}`)
        assert.include(text, "K7M2-9QXD")
      }
    }
    assert.include(html(back({ status: "confirmed", balance: true })), "£120.00 has arrived")
  })

  it("says that nothing was charged only where the provider knows of no payment and nobody says to have paid", () => {
    for (const status of statuses) {
      const charged = /nothing was charged/i.test(html(back({ status }, "success")))
      assert.strictEqual(charged, ["failed", "closed", "ended", "nothing_due"].includes(status), status)
    }
    assert.include(html(back({}, "cancel")), "Nothing was charged")
  })

  it("leads to the payment page while it can be paid on, and escapes what it shows", () => {
    const text = html(back({}, "cancel"))
    assert.include(text, 'href="https://pay.example/cs_1?a=1&amp;b=2"')
    assert.include(text, "<bdi>Party &lt;b&gt;</bdi>")
    assert.include(text, "<bdi>Bounce &amp; Co</bdi><br><bdi>1 &lt;b&gt;Road&lt;/b&gt;</bdi>")
    assert.notMatch(text, /Party <b>|<b>Road/)
  })

  it("says that nothing is left to pay only where that is so, and what is left where the booking has changed since", () => {
    const paid = (outstanding: number) => html(back({ status: "confirmed", balance: true, outstanding }))
    assert.include(paid(0), "Nothing is left to pay")
    assert.notInclude(paid(4000), "Nothing is left to pay")
    assert.include(paid(4000), "£40.00 is still to be paid")
    for (const status of ["not_needed_going_back", "not_needed_paid_back", "closed"] as const) {
      const text = (outstanding: number) => html(back({ status, balance: true, outstanding }))
      assert.include(text(19_000), "£190.00 of your booking is still to be paid", status)
      assert.notInclude(text(0), "still to be paid", status)
    }
  })

  it("does not lead to the booking's page, nor promise that it can be paid on, where its link was renewed since", () => {
    const { page_url: _, url: __, ...rest } = { ...view, balance: true }
    const renewed = { ...rest, page_withheld: "renewed" as const }
    for (const status of statuses) {
      const text = html(
        checkoutReturn(
          { payment: "known", tokens, view: { ...renewed, status } },
          { outcome: "cancel", look: undefined },
          "en"
        )
      )
      assert.notInclude(text, "/b/", status)
      assert.notInclude(text, "You can pay on your booking", status)
      assert.include(text, "has a new address", status)
    }
  })

  it("leads to the booking's page in every state", () => {
    for (const status of statuses) {
      for (const outcome of ["success", "cancel"]) {
        assert.include(html(back({ status }, outcome)), 'href="https://book.example/b/x"', status)
      }
    }
  })

  it("is written in the person's language, dates and money too, and says so to caches", () => {
    const inGerman = back({}, "cancel", undefined, "de")
    assert.strictEqual(inGerman.headers["vary"], "accept-language")
    assert.include(html(inGerman), '<html lang="de">')
    assert.include(html(inGerman), "<strong>Samstag, 5. Dezember 2026</strong><br>14:00–16:00 Uhr")
    assert.include(html(inGerman), "bis 09:37 Uhr (Mittlere Greenwich-Zeit)")
    assert.include(html(back({ status: "confirmed", balance: true }, "", "", "ja")), "£120.00のお支払いを確認しました")
    const titles = distinctLanguages.map((language) =>
      statuses.map((status) => /<h1>(.*)<\/h1>/.exec(html(back({ status }, "success", "", language)))?.[1])
    )
    for (const [i, status] of statuses.entries()) {
      assert.strictEqual(new Set(titles.map((of) => of[i])).size, distinctLanguages.length, status)
    }
  })

  it("looks again by itself a few times while a payment is awaited, and then only where it is asked to", () => {
    let look: string | undefined
    let looks = 0
    for (;;) {
      const { headers } = back({}, "success", look)
      const refresh = headers.refresh
      if (refresh === undefined) break
      assert.isBelow(looks++, 7)
      const [, next] = /^5; url=(\/checkout\/return\?\S+)$/.exec(refresh) ?? []
      const query = new URL(`https://book.example${next}`).searchParams
      assert.deepStrictEqual([query.get("token"), query.get("payment")], [tokens.booking, tokens.payment])
      look = query.get("look") ?? assert.fail("the next look is not counted")
    }
    assert.strictEqual(looks, 6)
    assert.include(html(back({}, "success", look)), "Look again")
    for (const forged of ["-1", "1e9", "x", "00", ""]) {
      assert.isUndefined(back({}, "success", forged).headers.refresh, forged)
    }
    for (const status of statuses.filter((one) => one !== "open")) {
      assert.isUndefined(back({ status }, "success").headers.refresh, status)
    }
  })

  it("tells nothing of any booking, and echoes nothing, without a token that opens one", () => {
    for (const outcome of [undefined, "success", "cancel", "<script>"]) {
      const text = html(checkoutReturn({ payment: "unknown" }, { outcome, look: "<b>" }, "en"))
      assert.notMatch(text, /Thank you|confirmed\.|was charged|<b>|<script/)
      assert.notInclude(text, 'class="reference"')
    }
  })

  it("says that it can't look where it can't, and promises nothing", () => {
    const response = checkoutReturn({ payment: "unavailable", tokens }, { outcome: "success", look: undefined }, "en")
    assert.strictEqual(response.status, 503)
    assert.notMatch(html(response), /confirmed|charged/)
  })
})

describe("the OpenAPI document", () => {
  const document = OpenApi.fromApi(Api)

  it("is OpenAPI 3.1 and names every address of the service", () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.sameMembers(Object.keys(document.paths), [...methods.keys()])
  })

  it("declares the methods of each address, for the Allow header", () => {
    const pages = [
      "/",
      "/checkout/return",
      "/docs",
      "/openapi.json",
      "/healthz",
      "/readyz",
      "/.well-known/openai-apps-challenge"
    ]
    assert.deepStrictEqual(
      Object.fromEntries(methods),
      Object.fromEntries([
        ...pages.map((path) => [path, "GET, HEAD"]),
        ["/b", "GET, HEAD, POST"],
        ["/b/{token}", "GET, HEAD, POST"],
        ["/p/{token}", "GET, HEAD, POST"],
        ["/r/{token}", "GET, HEAD, POST"],
        ["/o/{token}", "GET, HEAD"],
        ["/o/{token}.ics", "GET, HEAD"],
        ["/b/{token}.ics", "GET, HEAD"],
        ["/i/{token}", "GET, HEAD"],
        ["/i/{token}.ics", "GET, HEAD"],
        ["/desk", "GET, HEAD"],
        ["/desk/b/{booking}", "GET, HEAD, POST"],
        ["/desk/book", "GET, HEAD, POST"],
        ["/desk/closed", "GET, HEAD, POST"],
        ["/desk/closing", "GET, HEAD, POST"],
        ["/desk/invitation/{secret}", "GET, HEAD, POST"],
        ["/desk/month", "GET, HEAD"],
        ["/desk/month.csv", "GET, HEAD"],
        ["/desk/owed", "GET, HEAD"],
        ["/desk/people", "GET, HEAD, POST"],
        ["/desk/sign-in", "POST"],
        ["/desk/sign-out", "POST"],
        ["/api/PaymentWebhook/Handle", "POST"],
        ["/api/PaymentWebhook/HandleConnected", "POST"],
        ["/mcp", "POST, OPTIONS"]
      ])
    )
  })

  it("says that a key may come in either header at /mcp, or not at all", () => {
    assert.deepStrictEqual(document.paths["/mcp"]?.post?.security, [{}, { apiKey: [] }, { bearer: [] }])
    const { apiKey, bearer } = document.components.securitySchemes
    assert.deepInclude(apiKey, { type: "apiKey", in: "header", name: "X-API-Key" })
    assert.deepInclude(bearer, { type: "http", scheme: "Bearer" })
  })

  it("declares every header that credentials are read from", () => {
    const declared = Object.values(document.components.securitySchemes).map((scheme) =>
      scheme.type === "apiKey" ? scheme.name : "Authorization"
    )
    for (const header of credentialHeaders) {
      assert.include(declared, header, `add a scheme for ${header} to the security of /mcp in api/McpApi.ts`)
    }
  })

  it("lists the problem codes of the receivers with their statuses", () => {
    const responses: Readonly<Record<string, unknown>> =
      document.paths["/api/PaymentWebhook/Handle"]?.post?.responses ?? {}
    assert.includeMembers(Object.keys(responses), ["200", "400", "405", "413", "503"])
    assert.include(JSON.stringify(responses["400"]), "application/problem+json")
    assert.include(JSON.stringify(responses["400"]), "signature_stale")
  })

  it("becomes a page that shows each operation and explains each problem code", () => {
    const page = html(docs(document, "http://localhost:3000", describedTools))
    for (const path of Object.keys(document.paths)) assert.include(page, `<code>${path}</code>`)
    for (const code of Object.keys(problems)) assert.include(page, `id="${code}"`)
    for (const { description, inputSchema, name, outputSchema } of describedTools) {
      assert.include(page, `id="tool-${name}"`)
      assert.include(page, escape(description))
      for (const { properties } of [inputSchema, outputSchema]) {
        for (const field of Object.keys(Object(properties)))
          assert.match(page, new RegExp(`<code>${field}(\\[\\])?</code>`))
      }
    }
    // What lies deeper is told by its path.
    for (const path of ["contact.email", "packages[].prices[].lines[].unit_amount", "near.radius_km"]) {
      assert.include(page, `<code>${path.replaceAll(".", ".<wbr>")}</code>`)
    }
    // What was told before is told by where.
    assert.match(page, /<code>options\[\]\.<wbr>price\.<wbr>lines\[\]<\/code> .*?<dd>[^<]* As above\.<\/dd>/)
    assert.include(page, "integer, 1 to 10000, always")
  })
})

describe("lines to paste into a shell", () => {
  /** What the shell makes of a line, with `curl` replaced by something that shows its arguments one a line. */
  const argumentsOf = (script: string): ReadonlyArray<string> =>
    execFileSync("sh", ["-c", `curl() { for a in "$@"; do printf '%s\\n' "$a"; done; }\n${script}`], {
      encoding: "utf8"
    }).split("\n")

  it("carry one JSON-RPC call, also where its text has quotes", () => {
    const sent = argumentsOf(curl("http://localhost:3000", "search_playrooms", { query: 'Bob\'s "place" $HOME' }))
    assert.include(sent, "http://localhost:3000/mcp")
    const body: unknown = JSON.parse(sent.find((argument) => argument.startsWith("{")) ?? "")
    assert.deepStrictEqual(body, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "search_playrooms", arguments: { query: 'Bob\'s "place" $HOME' } }
    })
  })

  it("hand the ids that they find from one call to the next", () => {
    const [, options = "", create = ""] = journey("http://localhost:3000", "playroom_key_x", Date.UTC(2026, 10, 20))
    const inner = options.slice("OPTION=$(".length, options.indexOf(" | grep"))
    assert.include(
      argumentsOf(`ROOM=playroom_1\n${inner}`).join("\n"),
      '"playroom_id":"playroom_1","date":"2026-12-04"'
    )
    const sent = argumentsOf(`OPTION=option_1\n${create}`)
    assert.include(sent, "X-API-Key: playroom_key_x")
    assert.include(sent.join("\n"), '"option_id":"option_1"')
  })

  it("find an id in an answer, and not the name of its field", () => {
    const [search = ""] = journey("http://localhost:3000", "k", 0)
    const answer = JSON.stringify({
      content: [{ text: JSON.stringify({ playrooms: [{ playroom_id: "playroom_01kbbkcwwsewca2ec77aavth3y" }] }) }]
    })
    const found = execFileSync("sh", ["-c", `curl() { printf '%s' "$ANSWER"; }\n${search}\nprintf '%s' "$ROOM"`], {
      encoding: "utf8",
      env: { ...process.env, ANSWER: answer }
    })
    assert.strictEqual(found, "playroom_01kbbkcwwsewca2ec77aavth3y")
  })
})
