/**
 * Every form and every page with a query that the service has for people, as its pages show them and as nobody sends
 * them: what families open, the desk of a manager, the owner's page, and the page where a person agrees. In short as a
 * test, and for as long as one likes, with another seed:
 *
 *     FUZZ_FORMS=60000 FUZZ_QUERIES=25000 FUZZ_SEED=7 npm test -- test/fuzz/Pages
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { bookingLink } from "../../src/domain/booking/BookingLinks.ts"
import demo from "../../src/domain/import/demo.json" with { type: "json" }
import { LinkTokens } from "../../src/platform/access/LinkTokens.ts"
import { AppConfig, fromEnv } from "../../src/platform/config/AppConfig.ts"
import { BookingId } from "../../src/platform/ids/Ids.ts"
import { softwareAuthenticator, askedBy as askedOfPasskey } from "../support/DeskClient.ts"
import { Booked, callTool, Options, Paying, resultOf } from "../support/McpRequests.ts"
import { authorizeUrl, Person, register } from "../support/Person.ts"
import { databaseOf, startService } from "../support/Service.ts"
import { runs } from "../support/runs.ts"
import { chanceFrom } from "./Chance.ts"
import { type Asked, addressIn, aRequestFor, askedBy, entriesOf, kindOf } from "./Forms.ts"
import type { FuzzRequest } from "./Requests.ts"
import { type Answer, complaintsOf, inside, sender } from "./Sender.ts"

const counts = {
  POST: Number(process.env["FUZZ_FORMS"] ?? runs(700)),
  GET: Number(process.env["FUZZ_QUERIES"] ?? runs(350))
}
const seed = Number(process.env["FUZZ_SEED"] ?? 20_261_129)
const senders = 6
/** After so many requests the desk is signed in again, and there are other bookings. */
const roundLength = 1500
/** How many of a kind are kept. */
const kept = 12
const dayMs = 86_400_000

/** Pages that have to have been asked, and forms that have to have been sent. */
const expected = [
  "GET /b/* step=move",
  "GET /b/* step=cancel",
  "GET /b/* step=receipt",
  "GET /checkout/return ",
  "GET /desk ",
  "GET /desk/book ",
  "GET /desk/month ",
  "GET /desk/people ",
  "GET /desk/closing ",
  "GET /desk/b/* step=cancel",
  "GET /desk/b/* step=move",
  "GET /o/* ",
  "GET /rooms ",
  "GET /rooms city",
  "GET /rooms/* ",
  "POST /b ",
  "POST /gift/* ",
  "POST /b/* ",
  "POST /p/* ",
  "POST /r/* ",
  "POST /desk/b/* ",
  "POST /desk/book ",
  "POST /desk/closing ",
  "POST /desk/people ",
  "POST /desk/sign-in ",
  "POST /desk/sign-out ",
  "POST /desk/invitation/* ",
  "POST /connect/consent/* "
]

/** What is wrong with an answer; undefined where nothing is. */
const faultOf = ({ body, method }: FuzzRequest, { headers, status, text }: Answer): string | undefined => {
  // A body that is too large may be answered, and its connection ended, before it is sent.
  if (status === 0) return Buffer.byteLength(body) > 16_384 ? undefined : `no answer: ${text}`
  if (status >= 500) return `status ${status}`
  if (headers["x-fuzz"] !== undefined || text.includes("<fuzz")) return "what was typed is no text"
  if (inside.test(text)) return "the inside of the service"
  if (method !== "HEAD" && status === 200 && text === "") return "an empty page"
  return text.length > 400_000 ? `${text.length} characters` : undefined
}

const printedBy = ({ code, stderr, stdout }: { code: number; stderr: string; stdout: string }): string => {
  assert.strictEqual(code, 0, stderr)
  return /http\S+/.exec(stdout)?.[0] ?? assert.fail(stdout)
}
const pathOf = (url: string): string => url.slice(new URL(url).origin.length)

it.live(
  `${counts.POST} forms and ${counts.GET} queries with seed ${seed} get no 5xx, nothing in the log, and leave a service that books`,
  () =>
    Effect.gen(function* () {
      const service = yield* startService({
        LOG_LEVEL: "Warn",
        CONNECT: "key,guest",
        PAYMENT_LINK: "own",
        MAX_HOLDS_PER_KEY: "1000000",
        MAX_HOLDS_PER_EMAIL: "100000"
      })
      const { baseUrl, playroom } = service
      const settings = Layer.effect(AppConfig, Effect.fromResult(fromEnv(service.env)))
      const database = Layer.effect(SqlClient.SqlClient, databaseOf(service))
      const tokens = LinkTokens.layer.pipe(Layer.provide([settings, database, SecureRandom.layerWebCrypto]))
      const links = Context.get(yield* Layer.build(tokens), LinkTokens)
      const sql = Context.get(yield* Layer.build(database), SqlClient.SqlClient)
      const { close, send } = sender(baseUrl, senders)
      yield* Effect.addFinalizer(() => close)
      const chance = chanceFrom(seed)
      const today = Date.now()
      let person = new Person()

      const pool = new Map<string, Array<Asked>>()
      const known: Array<string> = []
      const note = (asked: Asked) => {
        const kind = kindOf(asked)
        const same = pool.get(kind) ?? []
        if (same.length < kept) same.push(asked)
        else same[chance.below(kept)] = asked
        if (pool.size < 2000) pool.set(kind, same)
        for (const [, [value]] of asked.fields)
          if (value !== "") known[known.length < 500 ? known.length : chance.below(500)] = value
      }
      const read = (at: string, { text }: Pick<Answer, "text">) => askedBy(text, at).forEach(note)
      const cookieFor = (path: string) =>
        person.cookieFor(new URL(path.replaceAll(/[^\x21-\x7e]/g, ""), baseUrl).pathname)
      const open = (path: string) =>
        Effect.tap(send({ method: "GET", path, headers: { cookie: cookieFor(path) }, body: "" }), (answer) =>
          Effect.sync(() => {
            note(addressIn(path))
            read(path, answer)
          })
        )
      /** Opens pages and what they lead to, of that two of each kind. */
      const look = Effect.fnUntraced(function* (...paths: ReadonlyArray<string>) {
        const seen = new Map<string, number>()
        const left = [...paths]
        for (let count = 1; left.length > 0; count++) {
          const path = left.shift() ?? ""
          const kind = kindOf(addressIn(path))
          const times = seen.get(kind) ?? 0
          if (count > paths.length && times >= 2) continue
          seen.set(kind, times + 1)
          const { text } = yield* open(path)
          for (const [, href = ""] of text.matchAll(/<a\b[^>]*\shref="(\/[^"#]*)/g))
            left.push(href.replaceAll("&amp;", "&"))
        }
      })

      const tool = <A>(schema: Schema.Codec<A, unknown>, name: string, input: object) =>
        Effect.map(callTool(`${baseUrl}/mcp`, name, input, { "x-api-key": service.apiKey }), (answer) => {
          const { content, isError, structuredContent } = resultOf(answer)
          assert.isNotTrue(isError, content[0].text)
          return Schema.decodeUnknownSync(schema)(structuredContent)
        })
      /** An option that a family may move later; another one if there is none in months. */
      const freeIn = Effect.fnUntraced(function* (playroom_id: string) {
        const date = (days: number) => new Date(today + days * dayMs).toISOString().slice(0, 10)
        let other: (typeof Options.Type)["options"][number] | undefined
        for (let from = 21 + chance.below(40); from < 140; from += 25) {
          const asked = { playroom_id, children: 8, date: date(from), date_to: date(from + 25), limit: 50 }
          const { options, packages } = yield* tool(Options, "get_booking_options", asked)
          const movable = packages.filter(({ terms }) => terms.free_reschedule_hours !== undefined)
          const some = options.filter(({ package_id }) => movable.some((one) => one.package_id === package_id))
          const found = some[chance.below(Math.max(1, some.length))]
          if (found !== undefined) return found
          other ??= options[0]
        }
        return other
      })
      /** A family books what it may move later, and pays if asked to: the paths of its pages. */
      let families = 0
      const book = Effect.fnUntraced(function* (playroom_id: string, paid: boolean) {
        // What was pressed may have closed a room for weeks.
        let option = yield* freeIn(playroom_id)
        for (const other of demo.playrooms) option ??= yield* freeIn(other.playroom_id)
        const { option_id } = option ?? assert.fail("nothing is free in any room")
        const contact = { name: "Ana", email: `ana${++families}@example.com` }
        const { booking } = yield* tool(Booked, "create_booking", { option_id, contact })
        const { booking_id, page_url = assert.fail("no page"), reference } = booking
        const { payment_session } = yield* tool(Paying, "create_payment_session", { booking_id })
        const page = yield* person.open(payment_session.url)
        const form = askedBy(page.text, pathOf(page.url)).find(({ method }) => method === "POST")
        const { url } = yield* person.press(
          page,
          "",
          Object.fromEntries(entriesOf(chance, form ?? assert.fail(page.text)))
        )
        if (paid) {
          const body = new URLSearchParams({ outcome: "pay" })
          const paying = yield* Effect.promise(() => fetch(url, { method: "POST", redirect: "manual", body }))
          yield* open(pathOf(paying.headers.get("location") ?? assert.fail("the payer was not led back")))
        }
        known.push(booking_id, option_id, reference, contact.email)
        const reminders = yield* links.address(
          bookingLink("reminders", { booking_id: BookingId.make(booking_id), link_counter: 0 })
        )
        return [page_url, payment_session.url, reminders].map(pathOf)
      })

      let rounds = 0
      /** Signs in at another desk, books there, and reads the pages of both. */
      const begin = Effect.gen(function* () {
        const { operator_id, playroom_id } = demo.playrooms[rounds++ % demo.playrooms.length] ?? assert.fail("no demo")
        person = new Person()
        pool.clear()
        yield* sql`update operator set vouchers = '{"currency": "EUR", "min_amount": 1000, "max_amount": 25000}'`
        const invite = (role: string) =>
          Effect.map(playroom("staff", "invite", operator_id, `Fuzz ${rounds} ${role}`, "--role", role), printedBy)
        const invitation = yield* invite("manager")
        const page = yield* person.open(invitation)
        const passkey = softwareAuthenticator().made({
          ...askedOfPasskey(page.text),
          origin: new URL(invitation).origin
        })
        assert.include((yield* person.press(page, "", { passkey })).text, "/desk/sign-out")
        yield* open(pathOf(yield* invite("desk")))
        const pages = [yield* book(playroom_id, true), yield* book(playroom_id, true), yield* book(playroom_id, false)]
        const asking = authorizeUrl(baseUrl, yield* register(baseUrl), { resource: undefined })
        const consent = yield* person.open(asking.url)
        yield* look(
          ...pages.flat(),
          pathOf(printedBy(yield* playroom("operator", "link", operator_id))),
          pathOf(asking.url),
          pathOf(consent.url),
          "/",
          "/b",
          `/gift/${operator_id}`,
          "/desk",
          "/desk?find=ana",
          "/desk/month.csv?month=2026-12",
          "/desk/month.xlsx?month=2026-12"
        )
        // Who is signed out sees where to sign in.
        read("/desk", yield* send({ method: "GET", path: "/desk", headers: {}, body: "" }))
      })

      const faults: Array<{ readonly fault: string; readonly request: string }> = []
      const statuses = new Map<string, number>()
      const sent = new Set<string>()
      const one = (method: Asked["method"]) =>
        Effect.gen(function* () {
          const all = [...pool.keys()].filter((kind) => kind.startsWith(method))
          const unsent = all.filter((kind) => !sent.has(kind))
          const kinds = unsent.length > 0 ? unsent : all
          const [first, ...more] = pool.get(kinds[chance.below(kinds.length)] ?? "") ?? []
          if (first === undefined) return
          const asked = chance.one([first, ...more])
          sent.add(kindOf(asked))
          const request = aRequestFor(chance, asked, { known, today, cookie: cookieFor(asked.path) })
          const answer = yield* send(request)
          const status = `${method} ${answer.status}`
          statuses.set(status, (statuses.get(status) ?? 0) + 1)
          const fault = faultOf(request, answer)
          if (fault !== undefined && faults.length < 30) {
            const { body, headers, path } = request
            const sent = `${request.method} ${path} ${JSON.stringify(headers)} ${body.toString().slice(0, 3000)}`
            faults.push({ fault: `${fault}: ${answer.text.slice(0, 300)}`, request: sent })
          }
          read(asked.path, answer)
          const { location = "" } = answer.headers
          if (location.startsWith("/") && chance.once(2)) yield* open(location)
        })

      const begun = performance.now()
      const left = { ...counts }
      const all = counts.GET + counts.POST
      for (let done = 0; done < all; done += roundLength) {
        yield* begin
        const round = Array.from({ length: Math.min(roundLength, all - done) }, () => {
          const method = chance.below(left.GET + left.POST) < left.POST ? "POST" : "GET"
          left[method]--
          return one(method)
        })
        yield* Effect.all(round, { concurrency: senders, discard: true })
        if (faults.length > 0 || complaintsOf(service).length > 0) break
      }
      const seconds = (performance.now() - begun) / 1000
      yield* Effect.sync(() =>
        process.stdout.write(
          `fuzz: ${counts.POST} forms and ${counts.GET} queries, seed ${seed}, ${seconds.toFixed(0)} s, ${sent.size} kinds; ` +
            `${JSON.stringify(Object.fromEntries([...statuses].toSorted()))}\n`
        )
      )
      assert.deepStrictEqual(faults, [])
      assert.deepStrictEqual(complaintsOf(service), [])
      const missed = expected.filter((one) => ![...sent].some((kind) => kind.startsWith(one)))
      assert.deepStrictEqual(missed, [])
      // Families book as before.
      yield* begin
      assert.deepStrictEqual(complaintsOf(service), [])
    }),
  120_000 + (counts.GET + counts.POST) * 40
)
