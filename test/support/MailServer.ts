/** A mail server in the test's process, on a port of its own: it takes letters, and does what a test says. */
import { Effect } from "effect"
import { createServer, type Socket } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/** A message as it came. */
interface TakenMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
}

/** A refusal with this SMTP code. */
export const refusal = (responseCode: number, text: string): Error => Object.assign(new Error(text), { responseCode })

const listening = (listen: (done: () => void) => void, close: (done: () => void) => void) =>
  Effect.acquireRelease(
    Effect.callback<void>((resume) => listen(() => resume(Effect.void))),
    () => Effect.callback<void>((resume) => close(() => resume(Effect.void)))
  )

/** Takes mail for the scope's lifetime. */
export const mailServer = Effect.fnUntraced(function* (options: SMTPServerOptions = {}) {
  const taken: Array<TakenMail> = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onData: (stream, session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        taken.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8")
        })
        callback()
      })
    },
    ...options
  })
  server.on("error", () => undefined)
  yield* listening(
    (done) => server.listen(0, "127.0.0.1", done),
    (done) => server.close(done)
  )
  const address = server.server.address()
  return { taken, port: typeof address === "object" && address !== null ? address.port : 0 }
})

/** A server that answers by `talk` with bare sockets: for what no mail server should do. */
export const bareServer = Effect.fnUntraced(function* (talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    talk(socket)
  })
  yield* listening(
    (done) => server.listen(0, "127.0.0.1", done),
    (done) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => done())
    }
  )
  const address = server.address()
  return { port: typeof address === "object" && address !== null ? address.port : 0, sockets }
})
