/**
 * What every page has, whatever it shows: the publisher's links; and what people and programs get if there is no page.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Publisher } from "../../../src/platform/config/AppConfig.ts"
import { languages, messages } from "../../../src/words/Languages.ts"
import { connectWorld, Node } from "../../support/ConnectWorld.ts"
import { operatorSurface, problemOf, start } from "../../support/HttpSurface.ts"
import { recordingTracer } from "../../support/recordedSpans.ts"
import { authorizeUrl, Person, register } from "../../support/Person.ts"

const publisher: Publisher = {
  privacyUrl: "https://example.com/privacy?a=1&b=2",
  termsUrl: "https://example.com/terms",
  supportUrl: "mailto:help@example.com"
}
const footerIn = (language: keyof typeof messages): string => {
  const { privacy, support, terms } = messages[language].publisher
  return `<footer class="noprint"><nav><ul><li><a href="https://example.com/privacy?a=1&amp;b=2">${privacy}</a></li>\n<li><a href="https://example.com/terms">${terms}</a></li>\n<li><a href="mailto:help@example.com">${support}</a></li></ul></nav></footer>`
}
const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
/** A token in the right form that opens nothing. */
const token = "A".repeat(48)

describe("every page", () => {
  it.live("has the links to privacy, terms and support in its own language, once", () =>
    Effect.gen(function* () {
      const { call } = yield* start({ settings: { publisher }, families: {}, more: operatorSurface })
      for (const path of [
        "/",
        "/b",
        "/rooms",
        "/rooms/x",
        "/checkout/return",
        `/b/${token}`,
        `/o/${token}`,
        "/wait/option_x",
        `/w/${token}`,
        "/v/0000-0000-0000-0000",
        "/gift/nobody",
        "/bought/nothing",
        "/nothing",
        "/broken",
        "/b/%;"
      ])
        for (const language of languages) {
          const { text } = yield* call(path, { headers: { accept: browser, "accept-language": language } })
          assert.include(text, `<html lang="${language}">`, path)
          assert.include(text.slice(-900), footerIn(language), `${path} ${language}`)
          assert.strictEqual(text.split("<nav>").length, 2, path)
          assert.notInclude(text, "<!--", path)
        }
      assert.include((yield* call("/docs")).text, footerIn("en"))
    }).pipe(Effect.scoped)
  )

  it.live("has no empty footer and no dead link where nothing is set, and only those links that are", () =>
    Effect.gen(function* () {
      const { call } = yield* start({ families: {} })
      for (const path of ["/", "/checkout/return", `/b/${token}`]) {
        const { text } = yield* call(path)
        assert.notInclude(text, "<footer")
        assert.notInclude(text, "<!--")
      }
      const partly = yield* start({ settings: { publisher: { supportUrl: "https://example.com/help" } } })
      const { response, text } = yield* partly.call("/", { headers: { "accept-language": "de" } })
      assert.include(text, '<li><a href="https://example.com/help">Hilfe</a></li></ul>')
      assert.notInclude(text, messages.de.publisher.privacy)
      assert.strictEqual(response.headers.get("content-type"), "text/html; charset=utf-8")
      const head = yield* partly.call("/", { method: "HEAD", headers: { "accept-language": "de" } })
      assert.strictEqual(head.response.headers.get("content-length"), String(Buffer.byteLength(text)))
    }).pipe(Effect.scoped)
  )
})

layer(connectWorld({ publisher }), { excludeTestServices: true })("the pages of signing in", (it) => {
  it.effect("have the links to privacy, terms and support, the consent as well as a refusal", () =>
    Effect.gen(function* () {
      const base = yield* Node
      const client = yield* register(base, {})
      const consent = yield* new Person({ "accept-language": "fr" }).open(authorizeUrl(base, client, {}).url)
      assert.strictEqual(consent.status, 200)
      assert.include(consent.text, footerIn("fr"))
      const refused = yield* new Person({ "accept-language": "es" }).open(authorizeUrl(base, "nobody", {}).url)
      assert.isAtLeast(refused.status, 400)
      assert.include(refused.text, footerIn("es"))
    })
  )
})

describe("an address that is none", () => {
  it.live("is a page in the reader's language for a browser, and a problem document for programs", () =>
    Effect.gen(function* () {
      const { call } = yield* start()
      for (const path of [
        "/nothing",
        "/.well-known/openai-apps-challenge-x",
        "/bb",
        "/%6dcp",
        "/mcp/connect/x",
        "/;"
      ]) {
        for (const language of languages) {
          const { response, text } = yield* call(path, { headers: { accept: browser, "accept-language": language } })
          const { lead, title } = messages[language].linkProblems.nothing
          assert.strictEqual(response.status, 404, path)
          assert.include(text, `<html lang="${language}">`)
          assert.include(text, `<h1>${title}</h1>`)
          assert.include(text, lead)
          assert.include(text, '<a href="/">')
          assert.include(text, '<a href="/b">')
          assert.strictEqual(response.headers.get("vary"), "accept, accept-language")
          assert.strictEqual(response.headers.get("cache-control"), "no-store")
        }
        for (const accept of [
          "*/*",
          "application/json",
          "application/json, text/html;q=0.5",
          "application/json, text/event-stream",
          "image/avif,image/webp,*/*;q=0.8",
          `${"image/x,".repeat(80)}text/html`
        ])
          assert.propertyVal(problemOf(yield* call(path, { headers: { accept } })), "code", "not_found", accept)
      }
    }).pipe(Effect.scoped)
  )
})

describe("a fault of the service", () => {
  it.live("tells no trace in what people and programs read; a header has it for whoever runs the service", () =>
    Effect.gen(function* () {
      const { spans, tracer } = recordingTracer()
      const { call } = yield* Effect.withTracer(start(), tracer)
      const page = yield* call("/broken", { headers: { accept: browser, "accept-language": "ja" } })
      assert.strictEqual(page.response.status, 500)
      assert.include(page.text, messages.ja.linkProblems.broken.lead)
      const problem = yield* call("/broken")
      assert.propertyVal(problemOf(problem), "code", "internal_error")
      for (const { response, text } of [page, problem]) {
        const trace = response.headers.get("x-trace-id") ?? assert.fail("no trace in the headers")
        assert.isTrue(spans.some(({ traceId }) => traceId === trace))
        assert.notInclude(text, trace)
        assert.notInclude(text, "passwd")
      }
    }).pipe(Effect.scoped)
  )
})
