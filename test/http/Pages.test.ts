import { assert, describe, it } from "@effect/vitest"
import type { HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { execFileSync } from "node:child_process"
import { journey } from "../../src/cli/Welcome.ts"
import { Api, methods } from "../../src/http/Api.ts"
import { checkoutReturn } from "../../src/http/pages/CheckoutReturn.ts"
import { docs } from "../../src/http/pages/Docs.ts"
import { curl, landing } from "../../src/http/pages/Landing.ts"
import { problems } from "../../src/http/Problem.ts"

const html = (response: HttpServerResponse.HttpServerResponse): string => {
  if (response.body._tag !== "Uint8Array") throw new Error("a page with a body was expected")
  return new TextDecoder().decode(response.body.body)
}

describe("the page where the payer lands", () => {
  const back = (outcome?: string, reference?: string) => html(checkoutReturn({ outcome, reference }))

  it("thanks, and leaves confirming to the provider's event", () => {
    const page = back("success", "K7M2-9QXD")
    assert.include(page, "Thank you")
    assert.include(page, "K7M2-9QXD")
    assert.notMatch(page, /your booking is confirmed|has been confirmed|booking is complete/i)
  })

  it("says when nothing was paid", () => {
    assert.include(back("cancel", "K7M2-9QXD"), "Nothing was charged")
  })

  it("says nothing about the outcome where it is told none that it knows", () => {
    for (const outcome of [undefined, "", "paid", "__proto__"]) {
      const page = back(outcome)
      assert.notInclude(page, "Thank you")
      assert.notInclude(page, "Nothing was charged")
    }
  })

  it("shows a reference only where it has the shape of one", () => {
    assert.include(back("success", "k7m2-9qxd"), "K7M2-9QXD")
    for (const hostile of ["<script>alert(1)</script>", "K7M2-9QXD<b>", "call +44 123 to confirm", ""]) {
      const page = back("success", hostile)
      assert.notInclude(page, "alert")
      assert.notInclude(page, "call +44")
      assert.notInclude(page, 'class="reference"')
    }
  })
})

describe("the start page", () => {
  it("has the endpoint's address in what there is to copy", () => {
    const page = html(landing("https://book.example.com"))
    assert.include(page, "claude mcp add --transport http playroom https://book.example.com/mcp")
    assert.include(page, 'href="/docs"')
    assert.include(page, 'href="/healthz"')
  })
})

describe("the OpenAPI document", () => {
  const document = OpenApi.fromApi(Api)

  it("is OpenAPI 3.1 and names every address of the service", () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.sameMembers(Object.keys(document.paths), Object.keys(methods))
  })

  it("lists the problem codes of the receivers with their statuses", () => {
    const responses: Readonly<Record<string, unknown>> =
      document.paths["/api/PaymentWebhook/Handle"]?.post?.responses ?? {}
    assert.includeMembers(Object.keys(responses), ["200", "400", "405", "413", "503"])
    assert.include(JSON.stringify(responses["400"]), "application/problem+json")
    assert.include(JSON.stringify(responses["400"]), "signature_stale")
  })

  it("becomes a page that shows each operation and explains each problem code", () => {
    const page = html(docs(document, "http://localhost:3000"))
    for (const path of Object.keys(document.paths)) assert.include(page, `<code>${path}</code>`)
    for (const code of Object.keys(problems)) assert.include(page, `id="${code}"`)
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
