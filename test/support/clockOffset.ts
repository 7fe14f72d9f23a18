/**
 * Loaded into a process with `--import`: the file that `CLOCK_OFFSET_FILE` names holds by how many milliseconds its
 * clock is ahead, and by how many of these it only shows a wrong date. A test writes the file anew to set the clock.
 * The service's own code is the same as in production.
 */
import { readFileSync } from "node:fs"

const aheadNow = (): ReadonlyArray<number> =>
  readFileSync(process.env["CLOCK_OFFSET_FILE"] ?? "", "utf8")
    .split(" ")
    .map(Number)

let [ahead = 0, wrong = 0] = aheadNow()
const RealDate = Date
const realNow = RealDate.now.bind(RealDate)
const now = (): number => realNow() + ahead
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name))
})

// Time that was skipped has passed: what lasts inside the process is over, too. A wrong date changes nothing there.
const realMonotonic = process.hrtime.bigint.bind(process.hrtime)
process.hrtime.bigint = () => realMonotonic() + BigInt(ahead - wrong) * 1_000_000n

globalThis.setInterval(() => ([ahead = 0, wrong = 0] = aheadNow()), 40).unref()
