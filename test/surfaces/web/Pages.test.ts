import { assert, describe, it } from "@effect/vitest"
import type { HttpServerResponse } from "effect/http"
import { OpenApi } from "effect/http-api"
import { execFileSync } from "node:child_process"
import { credentialHeaders } from "../../../src/platform/access/Authentication.ts"
import { journey } from "../../../src/surfaces/cli/Welcome.ts"
import { Api } from "../../../src/surfaces/web/Api.ts"
import { docs } from "../../../src/surfaces/web/landing/Docs.ts"
import { curl } from "../../../src/surfaces/web/landing/Hosts.ts"
import { escape } from "../../support/FamilyPages.ts"
import { describedTools } from "../../../src/surfaces/mcp/tools/ToolList.ts"
import { problems } from "../../../src/surfaces/http/Problem.ts"

const html = (response: HttpServerResponse.HttpServerResponse): string => {
  if (response.body._tag !== "Uint8Array") throw new Error("a page with a body was expected")
  return new TextDecoder().decode(response.body.body)
}

describe("the OpenAPI document", () => {
  const document = OpenApi.fromApi(Api)

  it("is OpenAPI 3.1 and names what machines call, and no page", () => {
    assert.match(document.openapi, /^3\.1\./)
    assert.sameMembers(Object.keys(document.paths), [
      "/mcp",
      "/healthz",
      "/readyz",
      "/openapi.json",
      "/.well-known/openai-apps-challenge",
      "/b/{token}.ics",
      "/i/{token}.ics",
      "/o/{token}.ics",
      "/api/PaymentWebhook/Handle",
      "/api/PaymentWebhook/HandleConnected"
    ])
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
      assert.include(declared, header, `add a scheme for ${header} to the security of /mcp in surfaces/http/McpApi.ts`)
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
