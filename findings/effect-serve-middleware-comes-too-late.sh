#!/usr/bin/env bash
# A header that the server's middleware sets is never sent.
#
# Guess: the middleware of HttpRouter.serve wraps the application, so what it makes of a response is what is sent. It can
# set the header Date.
# What happens: it runs round the sending, too. It sees the response after that was sent, and what it returns is dropped
# without a word. The same function as a global middleware of the router works.
# Seen: 2026-11-28, effect 4.1.0, @effect/platform-node 4.1.0, Node 24.21.0.
# Why it matters here: a stand-in for a payment provider with a clock of its own sent the machine's time, so every test of
# a wrong clock compared the wrong two clocks.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --no-audit --no-fund --loglevel=error node@24.21.0 effect@4.1.0 @effect/platform-node@4.1.0 >/dev/null
cat >try.mjs <<'JS'
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { createServer } from "node:http"

const marked = (answer) => Effect.map(answer, HttpServerResponse.setHeader("x-mark", "set"))
const route = HttpRouter.add("GET", "/", HttpServerResponse.text("hello"))
const asked = (routes, options) =>
  Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    const answer = yield* Effect.promise(() => fetch(`http://127.0.0.1:${server.address.port}/`))
    return answer.headers.get("x-mark") ?? "absent"
  }).pipe(
    Effect.provide(
      HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, ...options }).pipe(
        Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" }))
      )
    )
  )

const global = HttpRouter.middleware(marked, { global: true })
console.log(`middleware of serve: ${await Effect.runPromise(asked(route, { middleware: marked }))}`)
console.log(`middleware of the router: ${await Effect.runPromise(asked(Layer.merge(global, route), {}))}`)
process.exit()
JS
seen="$(node_modules/.bin/node try.mjs)"
echo "$seen"
expected="middleware of serve: absent
middleware of the router: set"
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
