/**
 * Reads a `SaturdayPlan` from standard input and prints a `Step` a line. Each family has an address of its own
 * (`X-Forwarded-For`, which the service must trust).
 */
import { Schema } from "effect"
import { Agent, request } from "node:http"
import { text } from "node:stream/consumers"
import { Booked, Options, Paying, Playrooms, resultOf } from "../../support/McpRequests.ts"
import { addressOf, comeAs } from "./Arrivals.ts"
import { quantile } from "./Figures.ts"
import { SaturdayPlan, type Step } from "./Saturday.ts"

const plan = Schema.decodeUnknownSync(Schema.fromJsonString(SaturdayPlan))(await text(process.stdin))
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

let families = 0
let counts = { families: 0, refused: 0, failed: 0, booked: 0, paid: 0 }
let times: Array<number> = []
let firstFailure: string | undefined

const fail = (why: string): undefined => {
  counts.failed += 1
  firstFailure ??= why.slice(0, 400)
  return undefined
}

interface Asked {
  readonly status: number
  readonly text: string
}

const ask = (url: URL, method: string, headers: Readonly<Record<string, string>>, body = ""): Promise<Asked> =>
  new Promise((resolve) => {
    const asked = request(
      url,
      { method, agent, headers: { ...headers, "content-length": Buffer.byteLength(body) } },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") })
        )
        response.on("error", (error) => resolve({ status: 0, text: String(error) }))
      }
    )
    asked.setTimeout(10_000, () => asked.destroy(new Error("no answer in ten seconds")))
    asked.on("error", (error) => resolve({ status: 0, text: String(error) }))
    asked.end(body)
  })

const service = new URL(`http://127.0.0.1:${plan.port}`)

/** What a tool answers; undefined if it does not, or says that something else is the case by now. */
const call = async <A>(
  sender: string,
  schema: Schema.Decoder<A>,
  name: string,
  input: object
): Promise<A | undefined> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } })
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "x-api-key": plan.apiKey,
    "x-forwarded-for": sender
  }
  const began = performance.now()
  const { status, text } = await ask(new URL("/mcp", service), "POST", headers, body)
  times.push(performance.now() - began)
  if (status === 503 || status === 429) counts.refused += 1
  if (status !== 200) return status === 503 || status === 429 ? undefined : fail(`${name}: ${status} ${text}`)
  const result = resultOf({ text })
  if (result.isError !== true) return Schema.decodeUnknownSync(schema)(result.structuredContent)
  // Somebody else was faster.
  return text.includes("slot_unavailable") ? undefined : fail(`${name}: ${text}`)
}

const cities = ["London", "Leeds", "Bristol", "Cardiff", "Glasgow", "York", "Bath", "Derby", "Exeter", "Hull"]
const wishes = ["pirate", "jungle", "space", "slide", "ball pool", "dinosuar"]

/** Numbers from 0 to 2³² - 1 that look random, the same in each run (MurmurHash3's last step). */
const mixed = (n: number): number => {
  const half = Math.imul(n ^ (n >>> 16), 0x85ebca6b)
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35)
  return (whole ^ (whole >>> 16)) >>> 0
}

const family = async (): Promise<void> => {
  const n = families++
  counts.families += 1
  const sender = addressOf(n)
  // Each choice is independent of the others: those who pay want other rooms and days than those who don't.
  let choices = 0
  const below = (count: number): number => mixed(n * 16 + choices++) % count
  const one = <A>(of: ReadonlyArray<A>): A | undefined => of[below(of.length)]
  const date = one(plan.dates)
  const asked = [
    { city: one(cities), date, children: 8, limit: 5 },
    { query: one(wishes), limit: 5 },
    { city: one(cities), sort: "price", children: 4, limit: 5 }
  ]
  const found = await call(sender, Playrooms, "search_playrooms", one(asked) ?? {})
  const playroom = one(found?.playrooms ?? [])
  if (playroom === undefined) return
  const { playroom_id } = playroom
  if (below(2) === 0) await call(sender, Schema.Unknown, "get_playroom", { playroom_id })
  const shown = await call(sender, Options, "get_booking_options", { playroom_id, date, children: 4 + below(6) })
  const option = one(shown?.options ?? [])
  if (option === undefined || below(4) !== 0) return
  const contact = { name: "Ana Lima", email: `ana${process.pid}-${n}@example.com` }
  const made = await call(sender, Booked, "create_booking", { option_id: option.option_id, contact })
  if (made === undefined) return
  counts.booked += 1
  const { booking_id } = made.booking
  if (below(3) === 0) return
  const session = await call(sender, Paying, "create_payment_session", { booking_id })
  if (session === undefined) return
  const form = { "content-type": "application/x-www-form-urlencoded" }
  const { status, text } = await ask(new URL(session.payment_session.url), "POST", form, "outcome=pay")
  if (status === 303) counts.paid += 1
  else fail(`pay: ${status} ${text}`)
  await call(sender, Schema.Unknown, "get_booking", { booking_id })
}

const tell = (): void => {
  const step: Step = {
    ...counts,
    calls: times.length,
    p50: times.length === 0 ? 0 : quantile(times, 0.5),
    p99: times.length === 0 ? 0 : quantile(times, 0.99),
    ...(firstFailure === undefined ? {} : { firstFailure })
  }
  counts = { families: 0, refused: 0, failed: 0, booked: 0, paid: 0 }
  times = []
  firstFailure = undefined
  process.stdout.write(`${JSON.stringify(step)}\n`)
}

const telling = setInterval(tell, plan.stepSeconds * 1000)
await comeAs(plan, family)
clearInterval(telling)
if (times.length > 0) tell()
process.stdout.write("", () => process.exit(0))
