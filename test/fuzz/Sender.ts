/** Sends requests as they are written, and tells what the service says of itself meanwhile. */
import { Effect } from "effect"
import { Agent, type IncomingHttpHeaders, request as nodeRequest } from "node:http"
import type { Service } from "../support/Service.ts"
import type { FuzzRequest } from "./Requests.ts"

export interface Answer {
  /** 0: there was none. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** What no answer has: it is of use to whoever reads the sources alone. */
export const inside = /node_modules|call stack|invalid_type/

/** Sends over so many kept connections. */
export const sender = (baseUrl: string, maxSockets: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets })
  const { hostname, port } = new URL(baseUrl)
  const send = ({ body, headers, method, path }: FuzzRequest): Effect.Effect<Answer> =>
    Effect.callback((resume) => {
      const length = { "content-length": String(Buffer.byteLength(body)) }
      const options = { agent, hostname, port, path, method, headers: { ...headers, ...length } }
      const request = nodeRequest(options, (response) => {
        const chunks: Array<Buffer> = []
        const { headers, statusCode: status = 0 } = response
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("error", () => resume(Effect.succeed({ status, headers, text: "" })))
        response.on("end", () =>
          resume(Effect.succeed({ status, headers, text: Buffer.concat(chunks).toString("utf8") }))
        )
      })
      // A body that is too large may be answered, and its connection ended, before it is sent.
      request.on("error", (error) => resume(Effect.succeed({ status: 0, headers: {}, text: String(error) })))
      request.end(body)
    })
  return { send, close: Effect.sync(() => agent.destroy()) }
}

/** The first lines of a service's log that tell of a fault of its own. */
export const complaintsOf = ({ output }: Service): ReadonlyArray<string> =>
  output()
    .split("\n")
    .filter((line) => /"level":"(ERROR|FATAL)"/.test(line))
    .slice(0, 10)
