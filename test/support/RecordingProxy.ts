/** A server between a client and another server on this machine: it passes everything on, and records requests and answers. */
import { Effect } from "effect"
import { request as send } from "node:http"
import { loopbackServer, type Recorded } from "./RecordingServer.ts"

export interface RecordedCall extends Recorded {
  /** 0: there was no answer. */
  readonly status: number
  readonly answer: string
}

/** What is answered in the server's place, which does not get the request then. */
type Instead = (request: Recorded) => { readonly status: number; readonly body: string } | undefined

/**
 * A proxy before the server on port `target`, for the scope. `instead` says what is answered in its place from now on.
 */
export const recordingProxy = Effect.fnUntraced(function* (target: number) {
  const seen: Array<RecordedCall> = []
  let inPlace: Instead = () => undefined
  const port = yield* loopbackServer((request, body, response) => {
    const { headers, method = "", url: path = "" } = request
    const record = (status: number, answer: string) =>
      void seen.push({ method, path, headers, body: body.toString(), status, answer })
    const own = inPlace({ method, path, headers, body: body.toString() })
    if (own !== undefined) {
      record(own.status, own.body)
      return void response.writeHead(own.status, { "content-type": "application/json" }).end(own.body)
    }
    const onward = send({ host: "127.0.0.1", port: target, method, path, headers }, (answered) => {
      const parts: Array<Buffer> = []
      answered.on("data", (part: Buffer) => parts.push(part))
      answered.on("end", () => {
        const answer = Buffer.concat(parts)
        const status = answered.statusCode ?? 0
        record(status, answer.toString())
        response.writeHead(status, answered.headers).end(answer)
      })
    })
    onward.on("error", () => {
      record(0, "")
      request.socket.destroy()
    })
    onward.end(body)
  })
  const instead = (next: Instead) => void (inPlace = next)
  return { port, seen, instead }
})
