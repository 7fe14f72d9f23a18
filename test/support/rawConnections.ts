/** Connections that send bytes as they are, from a loopback address of choice (Linux has all of 127.0.0.0/8). */
import { Effect } from "effect"
import { connect, type Socket } from "node:net"

export interface RawConnection {
  readonly socket: Socket
  /** What came so far. */
  readonly received: () => string
  /** Waits until the other side has ended it; answers what came. */
  readonly ended: Effect.Effect<string>
  readonly send: (text: string) => Effect.Effect<void>
  /** Waits until this many answers have begun, or the connection has ended. */
  readonly answers: (count: number) => Effect.Effect<ReadonlyArray<number>>
}

const statuses = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

/** Connects, and sends this. Ends with the scope. */
export const rawConnection = Effect.fnUntraced(function* (base: string, text = "", localAddress = "127.0.0.1") {
  const socket = yield* Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const made = connect({ port: Number(new URL(base).port), host: "127.0.0.1", localAddress })
      made.on("error", () => undefined)
      made.once("connect", () => resume(Effect.succeed(made)))
      made.once("close", () => resume(Effect.succeed(made)))
    }),
    (made) => Effect.sync(() => made.destroy())
  )
  let received = ""
  socket.on("data", (data: Buffer) => (received += data.toString("latin1")))
  const send = (more: string) =>
    Effect.callback<void>((resume) => {
      socket.write(more, "latin1", () => resume(Effect.void))
    })
  if (text !== "") yield* send(text)
  const connection: RawConnection = {
    socket,
    received: () => received,
    send,
    ended: Effect.callback<string>((resume) => {
      if (socket.destroyed) return resume(Effect.succeed(received))
      socket.once("close", () => resume(Effect.succeed(received)))
    }),
    answers: Effect.fnUntraced(function* (count: number) {
      while (statuses(received).length < count && !socket.destroyed) yield* Effect.sleep("5 millis")
      return statuses(received)
    })
  }
  return connection
})

/** A request without a body. */
export const getRequest = (path: string, ...headers: ReadonlyArray<string>): string =>
  [`GET ${path} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n")

const search = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "search_playrooms", arguments: { city: "London", limit: 3 } }
})

/** A call of `search_playrooms`. */
export const searchRequest = (...headers: ReadonlyArray<string>): string =>
  [
    "POST /mcp HTTP/1.1",
    "host: localhost",
    "content-type: application/json",
    "accept: application/json, text/event-stream",
    `content-length: ${search.length}`,
    ...headers,
    "",
    search
  ].join("\r\n")

/** Whether a search was answered with a result, of which at least the beginning has come. */
export const isSearchResult = (answer: string): boolean =>
  answer.startsWith("HTTP/1.1 200") && answer.includes(`"structuredContent"`)
