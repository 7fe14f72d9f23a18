import { Effect } from "effect"
import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/**
 * A port that was free a moment ago, above those to which `fetch` refuses to go (https://fetch.spec.whatwg.org/#port-blocking, the
 * last is 10080), and below those that systems give to outgoing connections: a flood has taken hundreds of them.
 */
export const freePort: Effect.Effect<number> = Effect.callback<number | undefined>((resume) => {
  const port = randomInt(10_081, 32_000)
  const server = createServer()
    .once("error", () => resume(Effect.succeed(undefined)))
    .listen(port, "127.0.0.1", () => void server.close(() => resume(Effect.succeed(port))))
}).pipe(Effect.flatMap((port) => (port === undefined ? freePort : Effect.succeed(port))))
