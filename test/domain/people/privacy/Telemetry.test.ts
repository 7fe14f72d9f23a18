import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Metric, Redacted, Schedule, Schema, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { Stripe } from "stripe"
import { ApiKeys } from "../../../../src/platform/access/ApiKeys.ts"
import { LinkTokens } from "../../../../src/platform/access/LinkTokens.ts"
import { OperatorId } from "../../../../src/platform/ids/Ids.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { leavesOf, readMail } from "../../../support/LetterWorld.ts"
import { mailServer, refusal } from "../../../support/MailServer.ts"
import {
  authorizeUrl,
  callTool as callConnect,
  codeOf,
  Person,
  postForm,
  redeem,
  refresh,
  register
} from "../../../support/Person.ts"
import { type Sink, sinks, watchedService } from "../../../support/WatchedService.ts"
import { signatureHeader } from "../../../support/providerEvents.ts"

// A person, keys and secrets in words that stand nowhere else, and the look for them in what the service tells of
// itself.

export const apiKey = "canary-key-4f7d1c0b9a8e6532"
export const webhookSecret = "whsec_canary_webhook_8842"

/** What a person says, each in words that stand nowhere else. */
export const person = {
  name: "Canaria Zzyzx",
  email: "canary.zzyzx@leak.example",
  phone: "+44 7700 900731",
  notes: "the CANARYNOTE is allergic to lupins",
  ages: [3, 11, 4, 10, 5, 9, 6, 8]
} as const

/** What must be told nowhere: by what it is. */
export const secrets = new Map<string, string>([
  ["name", "Zzyzx"],
  ["e-mail", "canary.zzyzx"],
  ["e-mail's domain", "leak.example"],
  ["phone", "900731"],
  ["note", "CANARYNOTE"],
  ["ages", "3,11,4,10"],
  ["ages, spaced", "3, 11, 4, 10"],
  ["API key", apiKey],
  ["webhook secret", webhookSecret]
])

/** A value as it may stand in a log: plain, in JSON, percent-encoded, in base64. */
const spellings = (value: string): ReadonlyArray<string> => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replaceAll("=", "").slice(0, -1)
]

/** Each of `secrets` that is told somewhere, with the text around it; at most three of each for each way. */
export const leaksIn = (told: Readonly<Record<Sink, ReadonlyArray<string>>>): ReadonlyArray<string> =>
  sinks.flatMap((sink) =>
    [...secrets].flatMap(([what, value]) =>
      told[sink]
        .flatMap((whole) => {
          // A clock's nanoseconds may hold any six digits.
          const text = whole.replaceAll(/\d{18,}/g, "…")
          const at = Math.max(...spellings(value).map((spelling) => text.indexOf(spelling)))
          return at === -1 ? [] : [`${what} in ${sink}: …${text.slice(Math.max(0, at - 300), at + 100)}…`]
        })
        .slice(0, 3)
    )
  )

const guard = "guard-marker-5521"

const Options = Schema.Struct({ options: Schema.Array(Schema.Struct({ option_id: Schema.String })) })
const Playrooms = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })
const Booked = Schema.Struct({
  booking: Schema.Struct({ booking_id: Schema.String, reference: Schema.String, page_url: Schema.String })
})
const Session = Schema.Struct({
  payment_session: Schema.Struct({ payment_session_id: Schema.String, url: Schema.String })
})
const Result = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      result: Schema.Struct({
        isError: Schema.optionalKey(Schema.Boolean),
        content: Schema.Array(Schema.Struct({ text: Schema.String }))
      })
    })
  )
)
const Operators = Schema.decodeUnknownSync(Schema.NonEmptyArray(Schema.Struct({ operator_id: OperatorId })))
const SuccessUrls = Schema.decodeUnknownSync(Schema.NonEmptyArray(Schema.Struct({ url: Schema.String })))

const inParallel = <A, B>(all: ReadonlyArray<A>, run: (one: A) => Effect.Effect<B>) =>
  Effect.forEach(all, run, { concurrency: 8, discard: true })

it.live(
  "no log, trace or metric tells who booked, or a key, a token or a code, on any path",
  () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      // It puts off the first letter and refuses the third, in words that repeat the address.
      let letters = 0
      const mail = yield* mailServer({
        onRcptTo: ({ address }, _session, callback) => {
          letters++
          if (letters === 1) callback(refusal(451, `4.7.1 ${address} is greylisted`))
          else if (letters === 3) callback(refusal(550, `5.1.1 ${address} is unknown here`))
          else callback()
        }
      })
      const service = yield* Scope.provide(
        watchedService({
          API_KEY: apiKey,
          CONNECT: "key,guest",
          PAYMENT_WEBHOOK_SECRETS: webhookSecret,
          PAYMENT_CONNECT_WEBHOOK_SECRETS: webhookSecret,
          RATE_LIMIT_DISABLED: "true",
          MAX_HOLDS_PER_EMAIL: "3",
          MAIL_URL: `smtp://127.0.0.1:${mail.port}`,
          MAIL_FROM: "bookings@playrooms.example"
        }),
        scope
      )
      const { baseUrl: base, inside, sandboxUrl, told } = service
      const ask = (path: string, init: RequestInit = {}) =>
        Effect.promise(() =>
          fetch(new URL(path, base), { redirect: "manual", ...init }).then(async (response) => ({
            status: response.status,
            text: await response.text(),
            headers: response.headers
          }))
        )
      const post = (path: string, body: string, headers: Record<string, string> = {}) =>
        ask(path, {
          method: "POST",
          body,
          headers: { "content-type": "application/json", accept: "application/json", ...headers }
        })
      const rpc = (name: string, args: unknown, more: object = {}) =>
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args, ...more } })
      const tool = (name: string, args: unknown, key: string = apiKey) =>
        post("/mcp", rpc(name, args), { "x-api-key": key })
      const result = Effect.fnUntraced(function* <A>(schema: Schema.Codec<A, unknown>, name: string, args: unknown) {
        const { text } = yield* tool(name, args)
        const [content] = Result(text).result.content
        return Schema.decodeUnknownSync(Schema.fromJsonString(schema))(content?.text ?? "")
      })

      // A booking by a person who says everything.
      const { playrooms } = yield* result(Playrooms, "search_playrooms", { limit: 10 })
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const optionsOf = (playroom_id: string) =>
        result(Options, "get_booking_options", { playroom_id, date: day(14), date_to: day(40), children: 8, limit: 20 })
      const options: Array<string> = []
      for (const { playroom_id } of playrooms) {
        if (options.length >= 12) break
        const found = yield* optionsOf(playroom_id)
        if (found.options.length >= 12) options.push(...found.options.map(({ option_id }) => option_id))
      }
      const { ages, notes, ...contact } = person
      const wish = (option: number, changes: object = {}) => ({
        option_id: options[option] ?? "",
        contact,
        child_ages: ages,
        notes,
        ...changes
      })
      const booked = yield* result(Booked, "create_booking", wish(0, { idempotency_key: "one" }))
      const { booking_id, page_url, reference } = booked.booking
      const page = page_url.split("/").at(-1) ?? ""
      secrets.set("page's token", page)

      // Arguments that are refused, and what the answer would repeat.
      const refusals: ReadonlyArray<readonly [string, unknown]> = [
        ["search_playrooms", { query: `${person.name} ${person.email}`, child_ages: ages }],
        ["search_playrooms", { query: person.email, city: person.name, date: person.phone, cursor: person.email }],
        ["get_playroom", { playroom_id: person.email }],
        ["get_booking_options", { playroom_id: person.name, date: person.notes, children: person.phone }],
        ["create_booking", wish(0, { idempotency_key: "one", notes: `${notes} changed` })],
        ["create_booking", wish(0, { child_ages: [...ages, 99] })],
        ["create_booking", wish(1, { contact: { ...contact, email: "canary.zzyzx@leak" } })],
        ["create_booking", wish(1, { contact: { ...contact, email: ["canary.zzyzx@leak.example"] } })],
        ["create_booking", wish(1, { contact: { ...contact, phone: "900731 CANARYNOTE" } })],
        ["create_booking", wish(1, { contact: person.email })],
        ["create_booking", wish(1, { notes: notes.repeat(60) })],
        ["create_booking", wish(1, { [person.email]: person.name, child_ages: "3,11,4,10" })],
        ["create_booking", { ...wish(1), option_id: person.email }],
        ["create_booking", JSON.stringify(wish(1))],
        ["create_booking", wish(1, { notes: "CANARYNOTE\u0000" })],
        ["get_booking", { reference: person.email }],
        ["get_booking", { booking_id, email: person.email }],
        ["create_payment_session", { booking_id: person.email }],
        ["create_payment_session", { booking_id, success_url: `https://leak.example/?who=${person.email}` }],
        [person.email, {}]
      ]
      yield* inParallel(refusals, ([name, args]) => tool(name, args))
      yield* inParallel(refusals.slice(-8), ([name, args]) =>
        post("/mcp", rpc(name, args, { _meta: { who: person.email } }), {
          "x-api-key": apiKey,
          "mcp-protocol-version": "2025-06-18",
          accept: "application/json, text/event-stream"
        })
      )
      for (const body of [
        `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "${person.name}", "who": ${person.email}`,
        JSON.stringify({ jsonrpc: "2.0", id: person.email, method: person.name, params: { note: notes } }),
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: `ui://${person.email}` } }),
        JSON.stringify(person),
        notes.repeat(10_000)
      ]) {
        yield* post("/mcp", body, { "x-api-key": apiKey })
      }

      // Keys: wrong ones, different ones, where they do not belong.
      const wrong = "canary-wrong-key-77aa55"
      secrets.set("wrong key", wrong)
      yield* tool("get_booking", { reference }, wrong)
      yield* post("/mcp", rpc("get_booking", { reference }), { authorization: `Bearer ${apiKey}` })
      yield* post("/mcp", rpc("get_booking", { reference }), { authorization: `Bearer ${wrong}`, "x-api-key": apiKey })
      yield* post(`/mcp?api_key=${apiKey}&email=${person.email}`, rpc("get_booking", { reference }))
      yield* ask(`/${apiKey}/${person.email}?name=${person.name}`, {
        headers: { referer: `${base}/b/${apiKey}`, cookie: `a=${apiKey}`, "user-agent": person.email }
      })
      const issued = yield* inside(ApiKeys.use(({ create }) => create({ label: "watched", scopes: ["bookings:read"] })))
      secrets.set("issued key", Redacted.value(issued.secret))
      yield* tool("create_booking", wish(1), Redacted.value(issued.secret))

      // Too many holds, the provider's refusals, its outages, and a payment.
      yield* tool("create_booking", wish(2))
      yield* tool("create_booking", wish(3))
      yield* tool("create_booking", wish(4))
      const refused = yield* result(
        Booked,
        "create_booking",
        wish(5, { contact: { ...contact, email: "canary.zzyzx@leak_.leak.example" } })
      )
      yield* tool("create_payment_session", { booking_id: refused.booking.booking_id })
      const fault = (form: Record<string, string>) =>
        postForm(`${sandboxUrl}/sandbox/faults`, form).pipe(Effect.ignoreCause)
      for (const api of ["error_500", "html_502"]) {
        yield* fault({ api, api_times: "1" })
        yield* tool("create_payment_session", { booking_id })
      }
      const { payment_session } = yield* result(Session, "create_payment_session", {
        booking_id,
        success_url: `${base}/checkout/return?who=${person.email}`
      })
      yield* Effect.promise(() =>
        fetch(payment_session.url, {
          method: "POST",
          redirect: "manual",
          body: new URLSearchParams({ outcome: "pay" })
        })
      )

      // Webhooks: of strangers, forged, malformed, contradicting, of another release, and such as can't be applied.
      const sql = yield* inside(SqlClient.SqlClient)
      const [{ url }] = SuccessUrls(
        yield* sql`select request ->> 'cancel_url' as url from payment_session where request ->> 'cancel_url' like '%token=%'`
      )
      const token = new URL(url).searchParams.get("token") ?? assert.fail(url)
      secrets.set("return page's token", token)
      const seconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      const customer = {
        customer_email: person.email,
        customer_details: { email: person.email, name: person.name, phone: person.phone }
      }
      const event = (id: string, object: object, changes: object = {}) =>
        JSON.stringify({
          id,
          object: "event",
          type: "checkout.session.completed",
          account: "acct_1",
          livemode: false,
          api_version: Stripe.API_VERSION,
          created: seconds,
          data: { object: { id: "cs_test_1", object: "checkout.session", ...customer, ...object } },
          ...changes
        })
      const ours = {
        metadata: { payment_session_id: payment_session.payment_session_id },
        client_reference_id: payment_session.payment_session_id
      }
      const accounts =
        yield* sql`select account from payment_session where payment_session_id = ${payment_session.payment_session_id}`
      const account = accounts[0]
      for (const [body, signature] of [
        [event("evt_1", {}), undefined],
        [event("evt_2", {}), `t=${seconds},v1=${apiKey}`],
        [event("evt_3", ours), undefined],
        [
          event(
            "evt_4",
            {
              ...ours,
              status: "complete",
              payment_status: "paid",
              amount_total: 1,
              currency: "gbp",
              expires_at: seconds,
              livemode: false
            },
            account
          ),
          undefined
        ],
        [
          event(
            "evt_5",
            { ...ours, status: person.email, payment_status: person.name, currency: person.email },
            account
          ),
          undefined
        ],
        [event("evt_6", ours, { ...account, api_version: "2019-01-01" }), undefined],
        [event(person.email, {}), undefined],
        [`{"who": "${person.email}"`, undefined],
        [JSON.stringify(person), undefined]
      ] as const) {
        for (const path of ["/api/PaymentWebhook/HandleConnected", "/api/PaymentWebhook/Handle"])
          yield* post(path, body, { "stripe-signature": signature ?? signatureHeader(body, webhookSecret, seconds) })
      }

      // Pages.
      const [{ operator_id }] = Operators(yield* sql`select operator_id from booking where booking_id = ${booking_id}`)
      const operatorPage = yield* inside(
        LinkTokens.use((links) => links.address({ page: "operator", operator_id, counter: 0 }))
      )
      const days = operatorPage.split("/").at(-1) ?? ""
      secrets.set("operator's token", days)
      const pages = [
        `/checkout/return?outcome=success&token=${token}`,
        `/checkout/return?outcome=success&token=${token}&who=${person.email}`,
        `/checkout/return/${token}`,
        ...[token, page, days].flatMap((one) => [
          `/b/${one}`,
          `/b/${one}?step=cancel&who=${person.email}`,
          `/b/${one}?step=access`,
          `/b/${one}.ics`,
          `/b/${one}/${person.email}`,
          `/o/${one}`,
          `/o/${one}.ics`
        ])
      ]
      yield* inParallel(pages, (path) => ask(path))
      yield* inParallel(pages, (path) =>
        ask(path, { method: "POST", body: new URLSearchParams({ email: person.email, token, step: "cancel" }) })
      )
      assert.include((yield* ask(`/b/${page}`)).text, reference)
      assert.include((yield* ask(`/o/${days}.ics`)).text, "Zzyzx")
      yield* ask(pages[0] ?? "", { method: "HEAD", headers: { referer: `${base}/b/${token}` } })

      // Letters: one that is put off, one that is taken, and one that is refused.
      const letterBecame = (kind: string, became: string) =>
        Effect.gen(function* () {
          const rows = yield* sql`select 1 as found from letter where booking_id = ${booking_id} and kind = ${kind}
            and (status = ${became} or outcome like ${`%${became}%`})`
          return rows.length > 0
        }).pipe(Effect.repeat({ until: (found) => found, schedule: Schedule.spaced("20 millis") }))
      const find = (of: string) =>
        ask("/b", { method: "POST", body: new URLSearchParams({ reference: of, email: person.email }) })
      yield* letterBecame("confirmed", "451")
      assert.strictEqual((yield* find(reference)).status, 200)
      yield* letterBecame("link", "sent")
      yield* find(reference)
      yield* letterBecame("link", "dead")
      const taken = readMail(mail.taken[0]?.raw ?? "")
      secrets.set("letter's subject", taken.headers.get("subject") ?? "")
      secrets.set("letter's words", messages.en.letters.link.lead)
      assert.include(leavesOf(taken)[0]?.content.replace(/\s+/g, " ") ?? "", messages.en.letters.link.lead)
      for (const other of [person.name, "K7M2-9QXD"]) yield* find(other)

      // Signing in: as a guest and with a key, with codes and tokens right and wrong.
      for (const by of ["guest", "key"] as const) {
        const client_id = yield* register(base, { client_name: `Host of ${person.name}` })
        const asking = authorizeUrl(base, client_id, { login_hint: person.email })
        const browser = new Person()
        const consent = yield* browser.open(asking.url)
        secrets.set(`consent's id (${by})`, new URL(consent.url).pathname.split("/").at(-1) ?? "")
        yield* browser.press(consent, "key", { key: wrong })
        yield* browser.press(consent, "guest", { link: `${base}/b/${token}` })
        const back = yield* browser.press(consent, by, by === "key" ? { key: apiKey } : { link: `${base}/b/${page}` })
        const code = codeOf(back)
        secrets.set(`code (${by})`, code)
        secrets.set(`verifier (${by})`, asking.verifier)
        secrets.set(`state (${by})`, asking.state)
        yield* redeem(base, client_id, `${code}x`, asking)
        const tokens = yield* redeem(base, client_id, code, asking)
        for (const name of ["access_token", "refresh_token"] as const)
          secrets.set(`${name} (${by})`, String(tokens.body[name]))
        const access = String(tokens.body.access_token)
        yield* callConnect(
          base,
          access,
          "create_booking",
          wish(by === "guest" ? 6 : 7, { contact: { ...contact, email: `${by}.canary.zzyzx@leak.example` } })
        )
        yield* callConnect(base, `${access}x`, "get_booking", { reference })
        yield* post(`/mcp/connect?access_token=${access}`, rpc("get_booking", { reference }))
        const next = yield* refresh(base, client_id, String(tokens.body.refresh_token))
        secrets.set(`second access_token (${by})`, String(next.body.access_token))
        yield* refresh(base, client_id, String(tokens.body.refresh_token))
        yield* postForm(`${base}/connect/revoke`, { client_id, token: String(next.body.access_token) })
        yield* ask(`/connect/authorize?client_id=${person.email}&redirect_uri=${person.name}`)
        yield* ask(`/connect/consent/${token}`)
      }

      // A database that refuses, in words that repeat what it was given; rows that can't be read.
      yield* sql`alter table booking add constraint refuses check (contact_phone <> ${sql.literal(`'${person.phone}'`)}) not valid`
      yield* tool("create_booking", wish(8, { contact: { ...contact, email: "b.canary.zzyzx@leak.example" } }))
      yield* sql`alter table booking drop constraint refuses`
      yield* sql`create unique index refuses on booking (contact_name) where contact_name = 'Canaria Zzyzx' and created_at > ${sql.literal(`'${new Date().toISOString()}'`)}`
      for (const option of [9, 10])
        yield* tool(
          "create_booking",
          wish(option, { contact: { ...contact, email: `${option}.canary.zzyzx@leak.example` } })
        )
      yield* sql`drop index refuses`
      yield* sql`create function refuses() returns trigger language plpgsql as
      $$ begin raise exception 'no % here', new.contact_email using detail = new.notes, hint = new.contact_name; end $$`
      yield* sql`create trigger refuses before insert or update on booking for each row execute function refuses()`
      yield* tool("create_booking", wish(11, { contact: { ...contact, email: "c.canary.zzyzx@leak.example" } }))
      yield* sql`drop trigger refuses on booking`
      yield* sql`update booking set terms = terms || '{"price": "Zzyzx", "address": 7}' where booking_id = ${booking_id}`
      yield* tool("get_booking", { booking_id })
      yield* inParallel([`/checkout/return?outcome=success&token=${token}`, `/b/${page}`, `/b/${page}.ics`], (path) =>
        ask(path)
      )

      // The test must be able to fail: each way of telling carries what it is given.
      yield* inside(
        Effect.logInfo("guard", { guard }).pipe(
          Effect.andThen(Effect.sync(() => console.log(guard))),
          Effect.andThen(Metric.update(Metric.withAttributes(Metric.counter("guard_total"), { guard }), 1)),
          Effect.withSpan("guard", { attributes: { guard } })
        )
      )
      yield* service.readMetrics
      // Log lines are written a moment later, this one last.
      while (!told.json.join("\n").includes(guard)) yield* Effect.sleep("10 millis")
      yield* Scope.close(scope, Exit.void)

      // What was to be told of was: refused values, rows that can't be read, events that can't be applied, every call.
      const lines = told.json.join("\n")
      for (const text of [
        "(23514, constraint refuses",
        "(P0001)",
        "SchemaError",
        "451 4.7.1",
        "550 5.1.1",
        "could not be applied",
        "event_malformed"
      ])
        assert.include(lines, text)
      assert.isAbove(told.json.filter((line) => line.includes("tool call")).length, 40)
      for (const sink of sinks) assert.include(told[sink].join("\n"), guard, sink)
      for (const [what, value] of secrets) assert.isAbove(value.length, 4, what)
      assert.deepStrictEqual(leaksIn(told), [])
    }).pipe(Effect.scoped),
  180_000
)
