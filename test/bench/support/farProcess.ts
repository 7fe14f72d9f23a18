/**
 * A server on PORT that passes everything on to the one on TARGET_PORT, and what comes back, after half of WAY_MS each:
 * as if that one were so far away. `GET /` is answered by itself, to say that it listens.
 */
import { connect, createServer, type Socket } from "node:net"

const way = Number(process.env["WAY_MS"]) / 2
const target = { port: Number(process.env["TARGET_PORT"]), host: "127.0.0.1", noDelay: true }

/** Timers of the same time end in their order. */
const passOn = (from: Socket, to: Socket): void => {
  from.on("data", (bytes: Buffer) => void setTimeout(() => to.write(bytes), way))
  from.once("close", () => void setTimeout(() => to.destroy(), way))
  from.on("error", () => undefined)
}

createServer({ noDelay: true }, (socket) => {
  socket.once("data", (first: Buffer) => {
    if (first.toString("latin1", 0, 6) === "GET / ") {
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
      return
    }
    const onward = connect(target)
    passOn(socket, onward)
    passOn(onward, socket)
    socket.emit("data", first)
  })
}).listen(Number(process.env["PORT"]), "127.0.0.1")
