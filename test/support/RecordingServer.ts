/** An HTTP server on a free loopback port that records what it is asked and answers as it is told. */
import { Effect, type Scope } from "effect"
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse
} from "node:http"

export interface Recorded {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | "cut"
  /** The connection ends in the middle of the body. */
  | "cut midway"
  | "hang"

export interface RecordingServer {
  readonly port: number
  readonly requests: Array<Recorded>
  /** Says what to answer from now on. */
  readonly answer: (next: Answer | ((request: Recorded) => Answer)) => void
}

/** Has a server (http or https) listen on a free port of 127.0.0.1 for the scope, and answers the port. */
export const listenOnLoopback = (server: Server) =>
  Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  ).pipe(
    Effect.map(() => {
      const address = server.address()
      return typeof address === "object" && address !== null ? address.port : 0
    })
  )

/** A server on a free loopback port for the scope: `handle` gets each request with its whole body. Answers its port. */
export const loopbackServer = Effect.fnUntraced(function* (
  handle: (request: IncomingMessage, body: Buffer, response: ServerResponse) => void
) {
  return yield* listenOnLoopback(
    createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => handle(request, Buffer.concat(chunks), response))
    })
  )
})

export const recordingServer: Effect.Effect<RecordingServer, never, Scope.Scope> = Effect.gen(function* () {
  const requests: Array<Recorded> = []
  let respond: (request: Recorded) => Answer = () => ({ status: 500, body: {} })
  const port = yield* loopbackServer((request, body, response) => {
    const { headers, method = "", url: path = "" } = request
    const recorded = { method, path, headers, body: body.toString("utf8") }
    requests.push(recorded)
    const answer = respond(recorded)
    if (answer === "hang") return
    if (answer === "cut") return void request.socket.destroy()
    if (answer === "cut midway") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
      return void response.write('{"id": "cs_te', () => request.socket.destroy())
    }
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body)
    // Its clock is the test's: it says a date only if it is told one.
    response.sendDate = false
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers })
    response.end(text)
  })
  return {
    port,
    requests,
    answer: (next) => {
      respond = typeof next === "function" ? next : () => next
    }
  }
})
