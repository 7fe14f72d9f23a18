/** A server between a client and another server on this machine: passes everything on, and keeps what it saw. */
import { Effect } from "effect"
import { createServer, type IncomingHttpHeaders, request as send, type Server } from "node:http"

export interface RecordedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly status: number
  readonly answer: string
}

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** A proxy before `target`, for the scope. */
export const recordingProxy = Effect.fnUntraced(function* (target: number) {
  const seen: Array<RecordedCall> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const started = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const body = Buffer.concat(chunks)
          const { headers, method = "", url = "" } = request
          const onward = send({ host: "127.0.0.1", port: target, method, path: url, headers }, (answered) => {
            const parts: Array<Buffer> = []
            answered.on("data", (part: Buffer) => parts.push(part))
            answered.on("end", () => {
              const answer = Buffer.concat(parts)
              const status = answered.statusCode ?? 0
              seen.push({ method, path: url, headers, body: body.toString(), status, answer: answer.toString() })
              response.writeHead(status, answered.headers).end(answer)
            })
          })
          onward.on("error", () => {
            seen.push({ method, path: url, headers, body: body.toString(), status: 0, answer: "" })
            request.socket.destroy()
          })
          onward.end(body)
        })
      })
      started.listen(0, "127.0.0.1", () => resume(Effect.succeed(started)))
    }),
    (started) =>
      Effect.callback<void>((resume) => {
        started.close(() => resume(Effect.void))
        started.closeAllConnections()
      })
  )
  return { port: portOf(server), seen }
})
