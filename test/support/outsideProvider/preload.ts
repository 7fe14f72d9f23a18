/**
 * Loaded into the service with `--import`. It sends the official client's requests for `api.stripe.com` to the outside
 * provider, and gives the process the provider's clock (`clockOffset.ts`), which a test can set and step.
 *
 * `PROVIDER_HOME` names a directory with the file `port`. `MACHINE` is the name of the machine that the process takes
 * itself to run on.
 */
import { readFileSync } from "node:fs"
import * as http from "node:http"
import https from "node:https"
import { syncBuiltinESMExports } from "node:module"
import os from "node:os"
import { join } from "node:path"
import "../clockOffset.ts"

const port = (): number => Number(readFileSync(join(process.env["PROVIDER_HOME"] ?? "", "port"), "utf8"))

const realTimeout = globalThis.setTimeout

// The service's workers run about every five seconds for what is due, and about every minute for everything (with
// jitter of a fifth); a round is shorter than that.
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
  return http.request({ ...plain, protocol: "http:", host: "127.0.0.1", port: port(), agent })
}
Object.assign(https, {
  request: (...args: Parameters<typeof realRequest>) => {
    const [first] = args
    return typeof first === "object" && "host" in first && first.host === "api.stripe.com"
      ? elsewhere(first)
      : realRequest(...args)
  }
})
const machine = process.env["MACHINE"]
if (machine !== undefined) Object.assign(os, { hostname: () => machine })
syncBuiltinESMExports()
