/** The start page, and what docs/connecting.md says of the same hosts. */
import { assert, describe, it } from "@effect/vitest"
import type { HttpServerResponse } from "effect/http"
import { existsSync, readFileSync } from "node:fs"
import type { Settings } from "../../../../src/platform/config/AppConfig.ts"
import { bearerLine, endpointOf, type Host, hosts } from "../../../../src/surfaces/web/landing/Hosts.ts"
import { landing } from "../../../../src/surfaces/web/landing/Landing.ts"
import { escape, distinctLanguages } from "../../../support/FamilyPages.ts"
import { languages, messages } from "../../../../src/words/Languages.ts"

const html = (response: HttpServerResponse.HttpServerResponse): string => {
  if (response.body._tag !== "Uint8Array") throw new Error("a page with a body was expected")
  return new TextDecoder().decode(response.body.body)
}
const settings = (changes: Partial<Settings> = {}) => ({
  baseUrl: "https://book.example.com",
  connect: [],
  publisher: {},
  ...changes
})
const connecting = readFileSync(new URL("../../../../docs/connecting.md", import.meta.url), "utf8")

describe("the start page", () => {
  it("has this service's address in everything that there is to copy", () => {
    const page = html(landing(settings(), "en"))
    for (const { setup } of hosts) {
      if (setup !== undefined) assert.include(page, escape(setup.text("https://book.example.com")))
    }
    assert.include(page, "<code>https://book.example.com/mcp</code>")
    assert.include(page, bearerLine)
    assert.notInclude(page, "localhost")
  })

  it("is there in each language, with no sentence of another", () => {
    for (const language of languages) {
      const response = landing(settings({ connect: ["guest"] }), language, { onboarding: "done" })
      const page = html(response)
      assert.include(page, `<html lang="${language}">`)
      assert.strictEqual(response.headers["vary"], "accept-language")
      const own = messages[language].landing
      for (const text of [own.lead, own.payment, own.signInWays.guest, own.onboarding.done, own.known])
        assert.include(page, escape(text))
      for (const other of distinctLanguages.filter((one) => !language.startsWith(one))) {
        assert.notInclude(page, escape(messages[other].landing.lead))
        assert.notInclude(page, escape(messages[other].landing.known))
      }
    }
  })

  it("has a way for families, for those who run a playroom and for developers, in each language", () => {
    for (const language of languages) {
      const page = html(landing(settings(), language))
      for (const id of ["connect", "venues", "developers"]) {
        assert.include(page, `<a href="#${id}">`)
        assert.lengthOf(page.split(` id="${id}"`), 2)
      }
      assert.include(page, escape(messages[language].landing.venues))
    }
  })

  it("leads to signing in only where people can, and says what they need there", () => {
    const pageFor = (connect: Settings["connect"]) => html(landing(settings({ connect }), "en"))
    const off = pageFor([])
    assert.include(off, escape(messages.en.landing.noSignIn))
    assert.notInclude(off, "/mcp/connect")
    assert.notInclude(off, `>${messages.en.landing.ways.sign_in}</td>`)
    for (const [connect, needs] of [
      [["guest"], "guest"],
      [["key"], "key"],
      [["key", "guest"], "both"]
    ] as const) {
      const page = pageFor(connect)
      assert.include(page, "<code>https://book.example.com/mcp/connect</code>")
      assert.include(page, escape(messages.en.landing.signInWays[needs]))
      assert.notInclude(page, escape(messages.en.landing.noSignIn))
    }
  })

  it("says of an address of this machine that assistants on the web can't reach it", () => {
    const pageAt = (baseUrl: string) => html(landing(settings({ baseUrl, connect: ["guest"] }), "en"))
    const said = escape(messages.en.landing.localOnly)
    assert.include(pageAt("http://localhost:3000"), said)
    assert.notInclude(pageAt("https://book.example.com"), said)
  })

  it("thanks operators who come back from the provider, and nobody else", () => {
    assert.include(html(landing(settings(), "en", { onboarding: "done" })), messages.en.landing.onboarding.done)
    assert.include(html(landing(settings(), "en", { onboarding: "expired" })), messages.en.landing.onboarding.expired)
    assert.notInclude(html(landing(settings(), "en")), 'role="status"')
  })
})

describe("the hosts", () => {
  const sends = { header: "`X-API-Key`", bearer: "bearer token", sign_in: "signing in" }
  const known = (evidence: Host["evidence"]): string => {
    switch (evidence.kind) {
      case "tried":
        return `tried: \`${evidence.test}\``
      case "by_hand":
        return `by hand: ${evidence.version}, ${evidence.on}`
      case "documented":
        return `[its documentation](${evidence.url})`
    }
  }
  const row = ({ evidence, name, way }: Host): string => {
    return `| ${name} | \`${endpointOf(way)}\` | ${sends[way]} | ${known(evidence)} |`
  }

  it("are those of the table of docs/connecting.md, row for row", () => {
    const table = ["| Assistant | Endpoint | Sends | Known from |", "|---|---|---|---|", ...hosts.map(row)].join("\n")
    assert.include(connecting, `\n${table}\n\n`)
  })

  it("have there what there is to copy, for a service on one's own machine", () => {
    for (const { name, setup } of hosts) {
      // The first call in the README is the one by curl.
      if (setup === undefined || name === "curl") continue
      assert.include(connecting, `**${name}**${setup.file === undefined ? "" : `, \`${setup.file}\``}\n`)
      if (setup.file !== undefined) assert.isObject(JSON.parse(setup.text("http://localhost:3000")), name)
      assert.include(connecting, `\n${setup.text("http://localhost:3000")}\n\`\`\``, name)
    }
    assert.include(connecting, bearerLine)
  })

  it("are said to be tried only where a test of this project is named", () => {
    for (const { evidence } of hosts) {
      if (evidence.kind === "tried") assert.isTrue(existsSync(new URL(`../../../../${evidence.test}`, import.meta.url)))
      if (evidence.kind === "documented") assert.match(evidence.url, /^https:\/\//)
    }
  })
})
