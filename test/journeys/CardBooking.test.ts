/**
 * A whole booking by clicking in the card: a host with the official bridge and client, a real service, its payment
 * page.
 */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { inBrowser } from "../support/Browser.ts"
import { cardWindow, openCard } from "../support/CardHost.ts"
import { startService } from "../support/Service.ts"

const ListedTool = Schema.decodeUnknownSync(
  Schema.Struct({ _meta: Schema.Struct({ ui: Schema.Struct({ resourceUri: Schema.String }) }) })
)
const Page = Schema.decodeUnknownSync(
  Schema.Struct({
    contents: Schema.Tuple([
      Schema.Struct({ mimeType: Schema.Literal("text/html;profile=mcp-app"), text: Schema.String })
    ])
  })
)
const Playrooms = Schema.decodeUnknownSync(
  Schema.Struct({ playrooms: Schema.NonEmptyArray(Schema.Struct({ playroom_id: Schema.String })) })
)

const title = "books, pays and sees it confirmed by clicking, without a request of its own"

const journey = (command: string) =>
  Effect.gen(function* () {
    const service = yield* startService()
    const window = yield* cardWindow(command)
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "journey", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } })
        const requestInit = { headers: { "x-api-key": service.apiKey } }
        await client.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit }))
        return client
      }),
      (client) => Effect.promise(() => client.close())
    )
    yield* Effect.promise(async () => {
      const { tools } = await client.listTools()
      const { ui } = ListedTool(tools.find(({ name }) => name === "get_booking_options"))._meta
      const { text: html } = Page(await client.readResource({ uri: ui.resourceUri })).contents[0]
      const query = { city: "London", query: "Clapham" }
      const found = await client.callTool({ name: "search_playrooms", arguments: query })
      const { playroom_id } = Playrooms(found.structuredContent).playrooms[0]
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const input = { playroom_id, date: day(21), date_to: day(35), children: 8, weekdays: ["saturday"] }
      const options = await client.callTool({ name: "get_booking_options", arguments: input })

      const card = await openCard(window, { html, client, width: 400 })
      const { frame } = card
      await card.show(input, options)
      await frame.locator("h1", { hasText: "Sunny Side Clapham" }).waitFor()
      await frame.locator(".tile").nth(1).click()
      await frame.locator("button", { hasText: "Book this time" }).click()
      await frame.getByLabel("Name").fill("Ana Lima")
      await frame.getByLabel("E-mail").fill("ana@example.com")
      await frame.locator("button", { hasText: /^Book$/ }).click()
      await frame.locator(".state", { hasText: "Held for you" }).waitFor()
      const reference = await frame.locator(".reference").innerText()
      await frame.locator("button", { hasText: /^Pay £/ }).click()
      await frame.locator(".notice", { hasText: "The payment page is open." }).waitFor()
      assert.lengthOf(card.opened, 1)
      const [url = ""] = card.opened
      assert.isTrue(url.startsWith(service.sandboxUrl), url)
      await fetch(url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }), redirect: "manual" })
      const confirmed = frame.locator(".state", { hasText: "Confirmed" })
      // The payment's event may take a moment; a person presses the button again. It is gone once the card has seen it.
      const refresh = frame.locator("button", { hasText: "Refresh" })
      while ((await confirmed.count()) === 0) {
        await refresh.or(confirmed).first().click()
        await frame.locator("main:not([aria-busy])").waitFor()
        await card.page.waitForTimeout(250)
      }
      await confirmed.waitFor()

      const { structuredContent } = await client.callTool({
        name: "get_booking",
        arguments: { reference, contact_email: "ana@example.com" }
      })
      assert.nestedPropertyVal(structuredContent, "booking.status", "confirmed")
      // The host is told beside what is shown.
      const confirmation = `The booking is confirmed: tell the person the reference ${reference}`
      while (card.told.at(-1)?.includes(confirmation) !== true) await card.page.waitForTimeout(50)
      assert.deepStrictEqual(card.requests, [])
      assert.deepStrictEqual(card.faults, [])
    })
  }).pipe(Effect.scoped)

inBrowser("a booking in the card", title, (command) => {
  describe("a booking in the card", () => {
    it.live(title, () => journey(command), 90_000)
  })
})
