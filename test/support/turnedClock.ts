/**
 * Loaded into a process with `--import`: its clock is as many milliseconds ahead as the file says that `TURNED_CLOCK` names. A test writes
 * the file anew to turn the clock. The service's own code is the same as in production.
 */
import { readFileSync } from "node:fs"

const aheadNow = (): number => Number(readFileSync(process.env["TURNED_CLOCK"] ?? "", "utf8"))

let ahead = aheadNow()
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

globalThis.setInterval(() => (ahead = aheadNow()), 40).unref()
