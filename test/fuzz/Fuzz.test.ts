/**
 * Requests that know the grammar and mean no good, against the service as users run it. In short as a test:
 *
 *     npm test -- test/fuzz
 *
 * and for as long as one likes, with another seed:
 *
 *     FUZZ_REQUESTS=200000 FUZZ_SEED=7 npm test -- test/fuzz/Fuzz
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readFileSync } from "node:fs"
import { startService } from "../support/Service.ts"
import { callTool, json } from "../support/McpRequests.ts"
import { runs } from "../support/runs.ts"
import { chanceFrom } from "./Chance.ts"
import { aRequest, type FuzzRequest } from "./Requests.ts"
import { type Answer, complaintsOf, inside, sender } from "./Sender.ts"

const count = Number(process.env["FUZZ_REQUESTS"] ?? runs(1_200))
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_201)
const senders = 8

/** Most characters of an answer: a batch's list, one message, an error of the protocol. */
const mostOf = { batch: 110_000, message: 50_300, error: 1500, page: 100_000 }

/** What is wrong with an answer; undefined where nothing is. */
const faultOf = ({ body, path }: FuzzRequest, { status, text }: Answer): string | undefined => {
  if (status === 0) return body.length > 131_072 ? undefined : `no answer: ${text}`
  if (status >= 500) return `status ${status}`
  if (text.includes('internal_error\\"') || text.includes('"code":-32603')) return "a defect"
  if (inside.test(text)) return "the inside of the service"
  if (!path.endsWith("/mcp")) return text.length > mostOf.page ? `${text.length} characters` : undefined
  const isError = text.startsWith('{"jsonrpc":"2.0",') && text.includes('"error":')
  const most = text.startsWith("[") || text.includes("data: [") ? mostOf.batch : isError ? mostOf.error : mostOf.message
  return text.length > most ? `${text.length} characters` : undefined
}

const names = /\\?"(playroom_id|package_id|add_on_id|booking_id|option_id|reference|next_cursor)\\?":\\?"([^"\\]+)\\?"/g
const kept = 100

const dayAfter = (time: number, days: number) => new Date(time + days * 86_400_000).toISOString().slice(0, 10)

const residentMb = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}

it.live(
  `${count} requests with seed ${seed} get no 5xx and no defect, nothing in the log, and leave the service as it was`,
  () =>
    Effect.gen(function* () {
      const service = yield* startService({
        LOG_LEVEL: "Warn",
        MAX_HOLDS_PER_KEY: "1000000",
        MAX_HOLDS_PER_EMAIL: "1000",
        HOLD_MINUTES: "5"
      })
      const { close, send } = sender(service.baseUrl, senders + 1)
      yield* Effect.addFinalizer(() => close)
      const chance = chanceFrom(seed)
      const today = Date.now()

      const issued = new Map<string, Array<string>>()
      const note = (text: string) => {
        for (const [, field = "", value = ""] of text.matchAll(names)) {
          const name = field === "next_cursor" ? "cursor" : field
          const list = issued.get(name) ?? []
          if (list.includes(value)) continue
          if (list.length < kept) list.push(value)
          else list[chance.below(kept)] = value
          issued.set(name, list)
        }
      }
      const found = yield* callTool(`${service.baseUrl}/mcp`, "search_playrooms", { limit: 50 })
      note(found.text)
      for (const playroom_id of issued.get("playroom_id") ?? []) {
        note((yield* callTool(`${service.baseUrl}/mcp`, "get_playroom", { playroom_id })).text)
        // What chance asks for on its own finds free times on some days of the year, and none on others.
        const free = { playroom_id, children: 4, date: dayAfter(today, 7), date_to: dayAfter(today, 21), limit: 2 }
        note((yield* callTool(`${service.baseUrl}/mcp`, "get_booking_options", free)).text)
      }

      const faults: Array<{ readonly fault: string; readonly request: string }> = []
      const statuses = new Map<number, number>()
      let left = count
      const one = Effect.gen(function* () {
        const request = aRequest(chance, issued, today, service.apiKey)
        const answer = yield* send(request)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        if (answer.status === 200 && answer.text.length < 60_000) note(answer.text)
        const fault = faultOf(request, answer)
        if (fault !== undefined && faults.length < 30) {
          const { body, headers, method, path } = request
          const sent = `${method} ${path} ${JSON.stringify(headers)} ${body.toString().slice(0, 3000)}`
          faults.push({ fault: `${fault}: ${answer.text.slice(0, 300)}`, request: sent })
        }
      })
      const send_ = Effect.whileLoop({ while: () => left-- > 0, body: () => one, step: () => undefined })

      // Somebody else's calls meanwhile: how long they wait is told, since it depends on the machine; that they are
      // answered is held.
      const waits: Array<number> = []
      const refused: Array<Answer> = []
      const [playroom_id = ""] = issued.get("playroom_id") ?? []
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_playroom", arguments: { playroom_id } }
      }
      const others: ReadonlyArray<FuzzRequest> = [
        { method: "GET", path: "/healthz", headers: {}, body: "" },
        { method: "POST", path: "/mcp", headers: json, body: JSON.stringify(call) }
      ]
      const other = Effect.forEach(others, (request) =>
        Effect.gen(function* () {
          const begun = performance.now()
          const answer = yield* send(request)
          waits.push(performance.now() - begun)
          if (answer.status !== 200) refused.push(answer)
          yield* Effect.sleep("10 millis")
        })
      )
      const begun = performance.now()
      const before = yield* Effect.gen(function* () {
        const total = left
        left = Math.floor(total / 5)
        yield* Effect.all(
          Array.from({ length: senders }, () => send_),
          { concurrency: "unbounded", discard: true }
        )
        yield* Effect.sleep("1 second")
        left = total - Math.floor(total / 5)
        return residentMb(service.pid())
      })
      const watching = yield* Effect.forkChild(Effect.forever(other))
      yield* Effect.all(
        Array.from({ length: senders }, () => send_),
        { concurrency: "unbounded", discard: true }
      )
      yield* Fiber.interrupt(watching)
      const seconds = (performance.now() - begun) / 1000
      yield* Effect.sleep("2 seconds")
      const after = residentMb(service.pid())
      waits.sort((one, other) => one - other)
      const at = (share: number) => (waits[Math.floor((waits.length - 1) * share)] ?? 0).toFixed(0)
      yield* Effect.sync(() =>
        process.stdout.write(
          `fuzz: ${count} requests, seed ${seed}, ${seconds.toFixed(0)} s; ${JSON.stringify(Object.fromEntries(statuses))}; ` +
            `others waited ${at(0.5)} ms (p50) ${at(0.99)} (p99) ${at(1)} (longest); ${before.toFixed(0)} → ${after.toFixed(0)} MB\n`
        )
      )
      assert.deepStrictEqual(faults, [])
      assert.deepStrictEqual(refused, [])
      assert.isNotEmpty(waits)
      assert.deepStrictEqual(complaintsOf(service), [])
      assert.isAbove(statuses.get(200) ?? 0, count / 3)
      for (const name of ["option_id", "booking_id", "cursor"]) assert.isNotEmpty(issued.get(name) ?? [], name)
      if (count >= 50_000) assert.isBelow(after, before * 1.2)
    }),
  60_000 + count * 20
)
