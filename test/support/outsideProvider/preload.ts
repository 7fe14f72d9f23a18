/**
 * Loaded into the service with `--import`. It sends the official client's requests for `api.stripe.com` to the outside provider, and gives
 * the process the provider's clock, which a test can turn and step. The service's own code is the same as in production.
 *
 * `PROVIDER_HOME` names a directory with the files `port` and `clock` (milliseconds ahead).
 */
import { readFileSync } from "node:fs"
import * as http from "node:http"
import https from "node:https"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"

const home = process.env["PROVIDER_HOME"] ?? ""
const numberIn = (name: string): number => Number(readFileSync(join(home, name), "utf8"))

let ahead = numberIn("clock")
const RealDate = Date
const realNow = RealDate.now.bind(RealDate)
const now = (): number => realNow() + ahead
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name))
})

// Turned time has passed: what lasts inside the process is over, too.
const realMonotonic = process.hrtime.bigint.bind(process.hrtime)
process.hrtime.bigint = () => realMonotonic() + BigInt(ahead) * 1_000_000n

const realTimeout = globalThis.setTimeout
const realInterval = globalThis.setInterval
realInterval(() => (ahead = numberIn("clock")), 40).unref()

// The service's workers run about every five seconds for what is due, and about every minute for everything (with jitter of a fifth); a
// round is shorter than that.
const sooner = (delay: number | undefined): number | undefined => {
  if (delay === undefined) return undefined
  if (delay >= 4_000 && delay <= 6_000) return 500
  return delay >= 48_000 && delay <= 72_000 ? 1_000 : delay
}
globalThis.setTimeout = Object.assign(
  (run: (...args: Array<unknown>) => void, delay?: number, ...args: Array<unknown>) =>
    realTimeout(run, sooner(delay), ...args),
  realTimeout
) as typeof setTimeout

const realRequest = https.request
const agent = new http.Agent({ keepAlive: true })
const elsewhere = (options: http.RequestOptions): http.ClientRequest => {
  const { ciphers: _, ...plain } = options as http.RequestOptions & { readonly ciphers?: string }
  return http.request({ ...plain, protocol: "http:", host: "127.0.0.1", port: numberIn("port"), agent })
}
Object.assign(https, {
  request: (...args: Parameters<typeof realRequest>) => {
    const [first] = args
    return typeof first === "object" && "host" in first && first.host === "api.stripe.com"
      ? elsewhere(first)
      : realRequest(...args)
  }
})
syncBuiltinESMExports()
