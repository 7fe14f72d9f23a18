/**
 * JSON-RPC batches. Only the protocol's version 2025-03-26 has them, which is also what a request without `MCP-Protocol-Version` is
 * taken for (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#protocol-version-header). Each message of a
 * batch is served as if it had come alone, with its own place in the rate limits and its own arguments, one after the other.
 */
import { Effect } from "effect"
import { codes, idOf, refusal, type Reply } from "./JsonRpc.ts"
import { isJsonObject } from "./Json.ts"

/** Most messages of a batch. */
export const mostMessages = 20
/** Characters of a batch's answer after which the messages that are left are sent back unserved. */
export const fullAnswer = 200_000

const version = "2025-03-26"
const perRequestVersion = "io.modelcontextprotocol/protocolVersion"

const namesVersion = ({ params }: { readonly params?: unknown }): boolean =>
  isJsonObject(params) && isJsonObject(params._meta) && Object.hasOwn(params._meta, perRequestVersion)

/** Why a batch is not served at all; undefined where it is. */
export const batchFault = (batch: ReadonlyArray<unknown>, protocolVersion: string | undefined): string | undefined => {
  if (protocolVersion !== undefined && protocolVersion !== version) {
    return `Batches exist in protocol version ${version} only: send each message by itself`
  }
  if (batch.length === 0) return "The batch is empty: send at least one message"
  if (batch.length > mostMessages) return `The batch has ${batch.length} messages: send at most ${mostMessages}`
  for (const message of batch) {
    if (!isJsonObject(message)) return "A batch holds JSON-RPC messages, which are objects"
    if (message.method === "initialize") return "initialize may not stand in a batch: send it by itself"
    if (namesVersion(message)) return `Batches exist in protocol version ${version} only: send each message by itself`
  }
  return undefined
}

/** The answers to a batch's messages in one list; empty where none of them has an answer. */
export const answerBatch = (
  batch: ReadonlyArray<unknown>,
  answer: (message: unknown) => Effect.Effect<Reply>
): Effect.Effect<Reply> =>
  Effect.gen(function* () {
    const answers: Array<string> = []
    let length = 0
    for (const message of batch) {
      const full = length >= fullAnswer
      // Nobody waits for an answer to a notification.
      if (full && !(isJsonObject(message) && Object.hasOwn(message, "id"))) continue
      const { json } = full
        ? refusal(200, codes.server, "The answer to this batch is full: send this message again", idOf(message))
        : yield* answer(message)
      if (json === "") continue
      answers.push(json)
      length += json.length
    }
    return answers.length === 0 ? { status: 202, json: "" } : { status: 200, json: `[${answers.join(",")}]` }
  })
