/** How many calls one address and one key may make in a minute: token buckets, so that a burst passes and a flood does not. */
import { BlockList, isIP } from "node:net"
import { Context, Duration, Effect, Layer } from "effect"
import { RateLimiter } from "effect/persistence"
import type { SqlClient } from "effect/sql"
import { AppConfig } from "../AppConfig.ts"
import { RateLimited } from "./ApiKey.ts"
import { memoryStore, postgresStore } from "./RateLimitStores.ts"

/** IPv4 addresses written as IPv6 (`::ffff:10.0.0.1`) in their own form. */
const plain = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, "")

/** Whether an address is one of the given addresses and networks (`10.0.0.0/8`). */
export const networks = (list: ReadonlyArray<string>): ((address: string) => boolean) => {
  if (list.length === 0) return () => false
  const block = new BlockList()
  for (const entry of list) {
    const [address = "", bits] = entry.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    if (bits === undefined) block.addAddress(address, family)
    else block.addSubnet(address, Number(bits), family)
  }
  return (address) => {
    const family = isIP(address)
    return family !== 0 && block.check(address, family === 6 ? "ipv6" : "ipv4")
  }
}

/**
 * Who sends a request: the socket's own address, or, behind proxies that are trusted, the last address in `X-Forwarded-For` that is
 * not one of theirs. Earlier entries are the sender's own claim and are not believed.
 */
export const clientAddress = (
  socket: string | undefined,
  forwardedFor: string | undefined,
  trusted: (address: string) => boolean
): string => {
  let address = plain(socket ?? "unknown")
  const claims = forwardedFor?.split(",").map((entry) => plain(entry.trim())) ?? []
  while (trusted(address)) {
    const claim = claims.pop()
    if (claim === undefined || isIP(claim) === 0) break
    address = claim
  }
  return address
}

/** One bucket an IPv4 address, one a /64 network of IPv6, since every host has a whole one to choose addresses from. */
export const bucketOf = (address: string): string => {
  if (isIP(address) !== 6) return address
  const [head = "", tail = ""] = (address.split("%")[0] ?? "").split("::")
  const groups = head === "" ? [] : head.split(":")
  const after = tail === "" ? [] : tail.split(":")
  const whole = [
    ...groups,
    ...Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => "0"),
    ...after
  ]
  return `${whole
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`
}

const make = Effect.gen(function* () {
  const { rateLimits, trustedProxies } = yield* AppConfig
  const limiter = yield* RateLimiter.RateLimiter
  const trusted = networks(trustedProxies)

  const take = (key: string, limit: number): Effect.Effect<void, RateLimited> =>
    limiter.consume({ algorithm: "token-bucket", window: "1 minute", limit, key }).pipe(
      Effect.catch(({ reason }) =>
        reason._tag === "RateLimitExceeded"
          ? Effect.fail(
              new RateLimited({ retry_after_seconds: Math.max(1, Math.ceil(Duration.toSeconds(reason.retryAfter))) })
            )
          : // Better to serve without a limit than not at all.
            Effect.logWarning("Rate limits can't be kept", reason)
      ),
      Effect.asVoid
    )

  return RateLimits.of({
    addressOf: (socket, forwardedFor) => clientAddress(socket, forwardedFor, trusted),
    takeForAddress: (address) =>
      rateLimits === undefined ? Effect.void : take(`address ${bucketOf(address)}`, rateLimits.perAddress),
    takeForKey: (key_id) => (rateLimits === undefined ? Effect.void : take(`key ${key_id}`, rateLimits.perKey))
  })
})

export class RateLimits extends Context.Service<
  RateLimits,
  {
    /** The sender's address, from the socket's and from `X-Forwarded-For`. */
    readonly addressOf: (socket: string | undefined, forwardedFor: string | undefined) => string
    readonly takeForAddress: (address: string) => Effect.Effect<void, RateLimited>
    readonly takeForKey: (key_id: string) => Effect.Effect<void, RateLimited>
  }
>()("playroom/access/RateLimits") {
  /** On a `RateLimiter` of one's choice. */
  static readonly layerLimiter: Layer.Layer<RateLimits, never, AppConfig | RateLimiter.RateLimiter> = Layer.effect(
    RateLimits,
    make
  )

  /** Shared through the database where that is a server; the embedded one has one process only, so memory will do. */
  static readonly layer: Layer.Layer<RateLimits, never, AppConfig | SqlClient.SqlClient> = RateLimits.layerLimiter.pipe(
    Layer.provide(RateLimiter.layer),
    Layer.provide(
      Layer.unwrap(
        AppConfig.use(({ database }) => Effect.succeed(database.kind === "server" ? postgresStore : memoryStore))
      )
    )
  )
}
