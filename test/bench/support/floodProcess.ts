/**
 * Reads a `FloodPlan` from standard input, floods from 127.0.0.9 (`burst`: from 127.0.3.*), and prints a word once that
 * is under way.
 */
import { Schema } from "effect"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { getRequest, searchRequest } from "../../support/rawConnections.ts"
import { type Flood, FloodPlan } from "./Flood.ts"

const { flood, port } = Schema.decodeUnknownSync(Schema.fromJsonString(FloodPlan))(await text(process.stdin))
const call = searchRequest()
const health = getRequest("/healthz")
const docs = getRequest("/docs")

const open = (localAddress: string, onConnect: (socket: Socket) => void): Socket => {
  const socket = connect({ port, host: "127.0.0.1", localAddress })
  socket.on("error", () => undefined)
  socket.once("connect", () => onConnect(socket))
  return socket
}

/** Keeps so many connections, opening at most `perTick` every 20 ms. */
const keep = (count: number, perTick: number, make: () => Socket): void => {
  let live = 0
  setInterval(() => {
    for (let n = 0; n < perTick && live < count; n++) {
      live += 1
      make().once("close", () => (live -= 1))
    }
  }, 20)
}

const from = "127.0.0.9"

/** Sends `times` calls at once, and again when they are answered. */
const asking = (localAddress: string, times: number, request = call) => {
  let answered = 0
  return open(localAddress, (socket) => socket.write(request.repeat(times))).on("data", function (this: Socket, data) {
    answered += data.toString("latin1").split("HTTP/1.1 ").length - 1
    if (answered < times) return
    answered = 0
    this.write(request.repeat(times))
  })
}

let senders = 0
const start: Readonly<Record<Flood, () => void>> = {
  /** 6,000 connections that ask once and stay. */
  idle: () =>
    keep(6000, 40, () =>
      open(from, (socket) => {
        socket.write(health)
        socket.resume()
      })
    ),
  /** 60 connections with 100 calls each. */
  pipelined: () => keep(60, 10, () => asking(from, 100)),
  /** Each second another sender makes 110 calls at once, which is within its limit. */
  burst: () =>
    void setInterval(() => {
      const sender = `127.0.3.${1 + (senders++ % 250)}`
      for (let n = 0; n < 110; n++) {
        open(sender, (socket) => socket.write(call)).once("data", function (this: Socket) {
          this.destroy()
        })
      }
    }, 1000),
  /** 1,000 half-sent bodies, and 200 connections that ask on without reading. */
  slow: () => {
    keep(1000, 20, () => open(from, (socket) => socket.write(call.slice(0, -10))))
    keep(200, 5, () =>
      open(from, (socket) => {
        socket.pause()
        socket.write(docs.repeat(10))
      })
    )
  },
  /** 64 connections that ask as fast as they are answered, beyond any limit. */
  beyond: () => keep(64, 10, () => asking(from, 1)),
  /** 64 connections that read the start page as fast as it comes. */
  pages: () => keep(64, 10, () => asking(from, 1, getRequest("/")))
}

start[flood]()
// Thousands of connections take a while.
setTimeout(() => process.stdout.write("under way\n"), flood === "idle" ? 8000 : 2000)
