/** The service over the demo catalogue, in this process, and one assistant's `tools/call` messages to it. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, Layer } from "effect"
import type { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import type { RateLimits } from "../../../src/platform/access/RateLimits.ts"
import { refreshSearchFacts } from "../../../src/domain/search/SearchFacts.ts"
import { CatalogueFile } from "../../../src/domain/import/CatalogueFile.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { McpEndpoint } from "../../../src/surfaces/mcp/transport/McpEndpoint.ts"
import type { ToolCalls } from "../../../src/surfaces/mcp/tools/ToolCalls.ts"
import type { ToolName } from "../../../src/surfaces/mcp/tools/ToolList.ts"
import { setClock } from "../../support/BookingWorld.ts"
import { type ClientKind, connect } from "../../support/McpClients.ts"
import { callTool, resultOf, rpcOf, toolErrorIn, toolErrorOf } from "../../support/McpRequests.ts"
import { from } from "../../support/LetterWorld.ts"
import { listen } from "../../support/StandInTools.ts"
import { deleteBookings, emptyPaymentWorld } from "../../support/PaymentWorld.ts"
import { toolsOver } from "../../support/ToolWorld.ts"

/** When the first conversation may begin; the catalogue is imported then. */
export const firstMoment = Date.parse("2026-11-20T00:00:00Z")

/** A code that every package of the demo has here, whose playrooms have waiting lists. */
export const knownCode = "PLAY2026"
const codes = [{ label: "Our families", code: knownCode, change: { percent: -10 } }]
/** What every other playroom asks before a party is booked. */
export const allergies = {
  slug: "allergies",
  text: "Is any child allergic to something?",
  before: true,
  required: true
}
const demoWithCodes = (asks: boolean) => ({
  ...demo,
  playrooms: demo.playrooms.map((playroom, i) => ({
    ...playroom,
    waiting_list_minutes: 120,
    packages: playroom.packages.map((pkg) => ({
      ...pkg,
      ...(asks && pkg.mode === "exclusive" && i % 2 === 0 ? { questions: [allergies] } : {}),
      pricing: { ...pkg.pricing, codes }
    }))
  }))
})

/** Everything that a conversation needs, on a database of its own that has the demo. Rate limits are off. */
const worldOf = (asks: boolean) =>
  Layer.unwrap(
    Effect.as(
      setClock(new Date(firstMoment).toISOString()),
      Layer.effectDiscard(CatalogueFile.use((file) => file.importFile(demoWithCodes(asks)))).pipe(
        Layer.provideMerge(toolsOver),
        Layer.provideMerge(
          emptyPaymentWorld({ maxHoldsPerEmail: 5, maxHoldsPerKey: 50, letters: { kind: "sandbox", from } })
        ),
        Layer.provide(NodeFileSystem.layer)
      )
    )
  )
export const assistantWorld = worldOf(false)
/** The same where every other playroom asks something first. */
export const askingWorld = worldOf(true)

/** Nothing is booked, and it is a certain moment. */
export const begin = Effect.fn("begin")(function* (now: number) {
  yield* deleteBookings
  yield* setClock(new Date(now).toISOString())
  yield* refreshSearchFacts
})

/** One answer, as an assistant sees it. */
export type Answer =
  | { readonly kind: "result"; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: "fault"; readonly fault: ReturnType<typeof toolErrorOf> }
  /** The protocol's own error: no such tool. */
  | { readonly kind: "protocol"; readonly message: string }

/** The client library through which assistants call; undefined: plain messages. */
export const Through = Context.Reference<ClientKind | undefined>("test/assistants/Through", {
  defaultValue: () => undefined
})

const sayThrough = (kind: ClientKind, url: string, key: string, tool: string, input: object) =>
  Effect.gen(function* () {
    const client = yield* connect(kind, url.replace(/\/mcp$/, ""), key)
    const { content, isError, text } = yield* client.call(tool, { ...input })
    const answer: Answer = isError ? { kind: "fault", fault: toolErrorIn(text) } : { kind: "result", result: content }
    return answer
  }).pipe(
    Effect.scoped,
    Effect.catchDefect((defect) => {
      // The library throws what the protocol refuses.
      const answer: Answer = { kind: "protocol", message: String(defect) }
      return Effect.succeed(answer)
    })
  )

/** Sends a message, and reads the answer. */
export const say = (url: string, key: string, tool: ToolName | (string & {}), input: object): Effect.Effect<Answer> =>
  Effect.flatMap(Through, (kind) =>
    kind === undefined ? sayPlainly(url, key, tool, input) : sayThrough(kind, url, key, tool, input)
  )

const sayPlainly = (url: string, key: string, tool: string, input: object): Effect.Effect<Answer> =>
  Effect.map(callTool(url, tool, input, { "x-api-key": key }), (answer): Answer => {
    const { error } = rpcOf(answer)
    if (error !== undefined) return { kind: "protocol", message: error.message }
    const { isError, structuredContent } = resultOf(answer)
    return isError === true || structuredContent === undefined
      ? { kind: "fault", fault: toolErrorOf(answer) }
      : { kind: "result", result: structuredContent }
  })

/** Listens for messages, for as long as the scope lives; gives the address. */
export const listening = Effect.gen(function* () {
  const context = yield* Effect.context<ToolCalls | RateLimits | AppConfig>()
  return yield* listen(McpEndpoint.layer.pipe(Layer.provide(Layer.succeedContext(context))))
})
