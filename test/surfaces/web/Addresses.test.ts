/**
 * Which addresses there are, with which methods: those of machines by the contract, those of people by the tables of
 * pages.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "../../../src/surfaces/web/Api.ts"
import { ask, PageAddress, pageWorld } from "../../support/FamilyPages.ts"

const read = "GET, HEAD"
const form = "GET, HEAD, POST"
/** By address, the methods that it takes. */
const taken: ReadonlyMap<string, string> = new Map([
  ["/", read],
  ["/docs", read],
  ["/rooms", read],
  ["/rooms/{playroom}", read],
  ["/openapi.json", read],
  ["/healthz", read],
  ["/readyz", read],
  ["/.well-known/openai-apps-challenge", read],
  ["/checkout/return", read],
  ["/b", form],
  ["/b/{token}", form],
  ["/b/{token}.ics", read],
  ["/p/{token}", form],
  ["/r/{token}", form],
  ["/v/{token}", read],
  ["/gift/{operator}", form],
  ["/bought/{token}", read],
  ["/w/{token}", form],
  ["/wait/{option}", form],
  ["/o/{token}", read],
  ["/o/{token}.ics", read],
  ["/i/{token}", form],
  ["/i/{token}.ics", read],
  ["/desk", read],
  ["/desk/b/{booking}", form],
  ["/desk/book", form],
  ["/desk/now", read],
  ["/desk/closed", form],
  ["/desk/closing", form],
  ["/desk/invitation/{secret}", form],
  ["/desk/month", read],
  ["/desk/month.csv", read],
  ["/desk/month.xlsx", read],
  ["/desk/owed", read],
  ["/desk/people", form],
  ["/desk/till", read],
  ["/desk/vouchers", form],
  ["/desk/waiting", form],
  ["/desk/sign-in", "POST"],
  ["/desk/sign-out", "POST"],
  ["/api/PaymentWebhook/Handle", "POST"],
  ["/api/PaymentWebhook/HandleConnected", "POST"]
])

layer(pageWorld())("the addresses", (it) => {
  it.effect("each say which methods they take, and no label of a metric has what stands in one", () =>
    Effect.gen(function* () {
      const base = yield* PageAddress
      for (const [address, methods] of taken) {
        const url = base + address.replace(/\{\w+\}/, "some-secret")
        const { headers, status, text } = yield* ask(url, { method: "DELETE" })
        assert.strictEqual(status, 405, address)
        assert.strictEqual(headers.get("allow"), methods, address)
        assert.include(text, `${address} takes ${methods}.`)
        assert.notInclude(text, "some-secret")
      }
    })
  )

  it.effect("X30: with a slash at the end lead to the one without, if there is one", () =>
    Effect.gen(function* () {
      const base = yield* PageAddress
      const to = (path: string) =>
        Effect.map(
          ask(base + path, { redirect: "manual", headers: { accept: "text/html" } }),
          ({ headers, status }) => [status, headers.get("location")]
        )
      assert.deepStrictEqual(yield* to("/desk/"), [302, "/desk"])
      assert.deepStrictEqual(yield* to("/desk/month/?month=2027-01"), [302, "/desk/month?month=2027-01"])
      assert.deepStrictEqual(yield* to("/nothing/"), [404, null])
      assert.deepStrictEqual(yield* to("//evil.example/"), [404, null])
      assert.strictEqual((yield* ask(`${base}/b/x/`, { method: "POST", redirect: "manual" })).status, 404)
    })
  )

  it.effect("of the contract are all served, and those of pages answer GET with a page", () =>
    Effect.gen(function* () {
      const base = yield* PageAddress
      const declared = Object.keys(OpenApi.fromApi(Api).paths).filter((path) => path !== "/mcp")
      assert.includeMembers([...taken.keys()], declared)
      for (const [address, methods] of taken) {
        if (!methods.startsWith("GET") || declared.includes(address)) continue
        const { headers, text } = yield* ask(base + address.replace(/\{\w+\}/, "nothing"))
        assert.strictEqual(headers.get("content-type"), "text/html; charset=utf-8", address)
        assert.isTrue(text.startsWith("<!doctype html>"), address)
        assert.include(headers.get("content-security-policy"), "default-src 'none'", address)
      }
    })
  )
})
