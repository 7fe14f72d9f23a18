/** Two pictures of the README: the card that hosts show, and the family's page, of a real service with the demo. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect, Schema } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { cardContents } from "../../src/surfaces/mcp/card/Card.ts"
import { cardWindow, openCard } from "../support/CardHost.ts"
import { startService } from "../support/Service.ts"

const Playrooms = Schema.decodeUnknownSync(
  Schema.Struct({ playrooms: Schema.NonEmptyArray(Schema.Struct({ playroom_id: Schema.String })) })
)
const Options = Schema.decodeUnknownSync(
  Schema.Struct({ options: Schema.NonEmptyArray(Schema.Struct({ option_id: Schema.String, mode: Schema.String })) })
)
const Held = Schema.decodeUnknownSync(Schema.Struct({ booking: Schema.Struct({ page_url: Schema.String }) }))

/** Writes `card.png` and `family.png` into a folder. */
export const drawPictures = (command: string, folder: string) =>
  Effect.gen(function* () {
    const service = yield* startService()
    const window = yield* cardWindow(command)
    const client = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "pictures", version: "1.0.0" })
        const requestInit = { headers: { "x-api-key": service.apiKey } }
        await client.connect(new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp`), { requestInit }))
        return client
      }),
      (client) => Effect.promise(() => client.close())
    )
    yield* Effect.promise(async () => {
      const call = (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input })
      const found = await call("search_playrooms", { city: "London", query: "Clapham" })
      const { playroom_id } = Playrooms(found.structuredContent).playrooms[0]
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const wanted = { playroom_id, date: day(14), date_to: day(27), children: 8, weekdays: ["saturday"] }
      const options = await call("get_booking_options", wanted)

      const card = await openCard(window, { html: cardContents().text, client, width: 420 })
      await card.show(wanted, options)
      await card.frame.locator(".tile").first().waitFor()
      writeFileSync(
        join(folder, "card.png"),
        await card.page.screenshot({ clip: { x: 0, y: 0, width: 420, height: 440 } })
      )

      const all = Options(options.structuredContent).options
      const { option_id } = all.find(({ mode }) => mode === "private") ?? all[0]
      const contact = { name: "Ada Example", email: "ada@example.com" }
      const held = await call("create_booking", { option_id, contact })
      await card.page.setExtraHTTPHeaders({ "accept-language": "en-GB" })
      await card.page.goto(Held(held.structuredContent).booking.page_url)
      await card.page.setViewportSize({ width: 420, height: 900 })
      writeFileSync(join(folder, "family.png"), await card.page.screenshot())
    })
  })
