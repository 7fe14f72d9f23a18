/**
 * JSON-RPC batches. Only version 2025-03-26 of the protocol has them, and a request without `MCP-Protocol-Version` counts as one of that
 * version (https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#protocol-version-header). The messages
 * of a batch are served one after the other, each as if it had come alone: it counts in the rate limits by itself.
 */
import { Effect } from "effect"
import { codes, idOf, isJsonObject, refusal, type Reply } from "./JsonRpc.ts"

/** The most messages of a batch. */
export const mostMessages = 20
/** Once the answers have this many characters, the remaining messages are refused. */
export const fullAnswer = 200_000

const version = "2025-03-26"
const perRequestVersion = "io.modelcontextprotocol/protocolVersion"

const namesVersion = ({ params }: { readonly params?: unknown }): boolean =>
  isJsonObject(params) && isJsonObject(params._meta) && Object.hasOwn(params._meta, perRequestVersion)

/** Why a whole batch is refused; undefined where it is served. */
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

/** The answers to the messages of a batch in one list; no body where no message has an answer. */
export const answerBatch = (
  batch: ReadonlyArray<unknown>,
  answer: (message: unknown) => Effect.Effect<Reply>
): Effect.Effect<Reply> =>
  Effect.gen(function* () {
    const answers: Array<string> = []
    let length = 0
    for (const message of batch) {
      const full = length >= fullAnswer
      // A notification has no answer.
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
