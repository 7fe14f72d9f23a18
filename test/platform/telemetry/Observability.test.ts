import { assert, it, layer } from "@effect/vitest"
import { Cause, Console, Context, Effect, Exit, Layer, Redacted, Schema, Scope, Tracer } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { parse } from "yaml"
import { App } from "../../../src/App.ts"
import { AppConfig, fromEnv } from "../../../src/platform/config/AppConfig.ts"
import { Observability } from "../../../src/platform/telemetry/Observability.ts"
import { copiedDatabase, serverUrl } from "../../support/TestDatabase.ts"
import { cancelAsOperator } from "../../support/Acts.ts"
import { watchedService } from "../../support/WatchedService.ts"
import { recordingTracer } from "../../support/recordedSpans.ts"
import { checkoutRequest, withStripeGateway } from "../../support/stripeAnswers.ts"
import { testSettings } from "../../support/testSettings.ts"

// Spans as an OTLP collector gets them, and what hangs together in them.

const Value = Schema.Struct({
  stringValue: Schema.optionalKey(Schema.NullOr(Schema.String)),
  intValue: Schema.optionalKey(Schema.Unknown),
  doubleValue: Schema.optionalKey(Schema.Unknown),
  boolValue: Schema.optionalKey(Schema.Unknown)
})

const Exported = Schema.Struct({
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  name: Schema.String,
  attributes: Schema.Array(Schema.Struct({ key: Schema.String, value: Value })),
  links: Schema.Array(Schema.Struct({ traceId: Schema.String, spanId: Schema.String }))
})

const decode = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      resourceSpans: Schema.Array(
        Schema.Struct({ scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Exported) })) })
      )
    })
  )
)

export interface Span extends Omit<typeof Exported.Type, "attributes"> {
  readonly attributes: ReadonlyMap<string, string>
}

/** All spans of these export requests. */
export const spansOf = (bodies: ReadonlyArray<string>): ReadonlyArray<Span> =>
  bodies.flatMap((body) =>
    decode(body).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          ...span,
          attributes: new Map(
            span.attributes.map(({ key, value }) => [
              key,
              String(value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue)
            ])
          )
        }))
      )
    )
  )

/** The names from the root of a span's trace down to it. */
export const pathTo = (spans: ReadonlyArray<Span>, span: Span): ReadonlyArray<string> => {
  const parent = spans.find(({ spanId, traceId }) => traceId === span.traceId && spanId === span.parentSpanId)
  return parent === undefined ? [span.name] : [...pathTo(spans, parent), span.name]
}

const callsPerMinute = 20
const key = "observability-key-of-the-test"
const secret = "whsec_observability"
const callersTrace = "0af7651916cd43dd8448eb211c80319c"
/** From a caller who would rather not have the call recorded. */
const traceparent = `00-${callersTrace}-b7ad6b7169203331-00`

const Answer = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ result: Schema.Struct({ content: Schema.Array(Schema.Struct({ text: Schema.String })) }) })
  )
)
const Playrooms = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })
const Options = Schema.Struct({
  options: Schema.Array(Schema.Struct({ option_id: Schema.String, price: Schema.Struct({ due_now: Schema.Number }) }))
})
const Booking = Schema.Struct({ booking: Schema.Struct({ booking_id: Schema.String, status: Schema.String }) })
const Session = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })

/** A booking that is paid and cancelled, with its refund; then the service stops, and has told all. */
const watchedBooking = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const { baseUrl, inside, readMetrics, told } = yield* Scope.provide(
    watchedService({
      API_KEY: key,
      PAYMENT_WEBHOOK_SECRETS: secret,
      PAYMENT_CONNECT_WEBHOOK_SECRETS: secret,
      RATE_LIMIT_PER_MINUTE: String(callsPerMinute)
    }),
    scope
  )
  const rpc = (method: string, params: object, headers: Record<string, string> = {}) =>
    Effect.promise(() =>
      fetch(`${baseUrl}/mcp`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", "x-api-key": key, ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      }).then(async (response) => ({ status: response.status, text: await response.text() }))
    )
  const tool = Effect.fnUntraced(function* <A>(
    schema: Schema.Codec<A, unknown>,
    name: string,
    args: unknown,
    headers?: Record<string, string>
  ) {
    const { text } = yield* rpc("tools/call", { name, arguments: args }, headers)
    return Schema.decodeUnknownSync(Schema.fromJsonString(schema))(Answer(text).result.content[0]?.text ?? "")
  })
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const { playrooms } = yield* tool(Playrooms, "search_playrooms", { limit: 10 })
  const range = { date: day(20), date_to: day(40), children: 8, limit: 20 }
  let option_id: string | undefined
  for (const { playroom_id } of playrooms) {
    if (option_id !== undefined) break
    const { options } = yield* tool(Options, "get_booking_options", { playroom_id, ...range })
    option_id = options.find(({ price }) => price.due_now > 0)?.option_id
  }
  const contact = { name: "Ana Lima", email: "ana@example.com" }
  const { booking } = yield* tool(Booking, "create_booking", { option_id, contact })
  const { booking_id } = booking
  const { payment_session } = yield* tool(Session, "create_payment_session", { booking_id }, { traceparent })
  const body = new URLSearchParams({ outcome: "pay" })
  yield* Effect.promise(() => fetch(payment_session.url, { method: "POST", redirect: "manual", body }))
  const sql = yield* inside(SqlClient.SqlClient)
  const status = Effect.map(
    sql<{ status: string }>`select status from booking where booking_id = ${booking_id}`,
    (rows) => rows[0]?.status
  )
  while ((yield* status) !== "confirmed") yield* Effect.sleep("20 millis")
  yield* inside(cancelAsOperator(booking_id, { preview: false, refund: "full", reason: "closed" }))
  const refunded = sql`select 1 from refund where booking_id = ${booking_id} and status = 'succeeded'`
  while ((yield* refunded).length === 0) yield* Effect.sleep("20 millis")
  // More calls than an address may make, so that this is told of, too. A tool's call hears so in its result.
  for (let call = 0; call < 3 * callsPerMinute; call++)
    yield* rpc("tools/call", { name: "get_playroom", arguments: { playroom_id: "playroom_x" } })
  // The limit recovers meanwhile.
  const statuses: Array<number> = []
  while (!statuses.includes(429) && statuses.length < 3 * callsPerMinute)
    statuses.push((yield* rpc("tools/list", {})).status)
  assert.include(statuses, 429)
  yield* readMetrics
  yield* Scope.close(scope, Exit.void)
  return { spans: spansOf(told["otlp traces"]), metrics: told.metrics.join("\n"), json: told.json }
}).pipe(Effect.scoped)

class Watched extends Context.Service<Watched, Effect.Success<typeof watchedBooking>>()(
  "test/platform/telemetry/Observability"
) {
  static readonly layer = Layer.effect(Watched, watchedBooking)
}

/** The path to each span of a name, without the server's span. */
const pathsTo = (spans: ReadonlyArray<Span>, name: string) =>
  spans.filter((span) => span.name === name).map((span) => ({ span, path: pathTo(spans, span) }))

const only = <A>(all: ReadonlyArray<A>): A =>
  all.length === 1 && all[0] !== undefined ? all[0] : assert.fail(`${all.length}`)

const document = (name: string) => readFileSync(new URL(`../../../docs/observability/${name}`, import.meta.url), "utf8")

const Rules = Schema.decodeUnknownSync(
  Schema.Struct({
    groups: Schema.Array(
      Schema.Struct({
        rules: Schema.NonEmptyArray(
          Schema.Struct({
            alert: Schema.String,
            expr: Schema.String,
            labels: Schema.Struct({ severity: Schema.Literals(["page", "ticket"]) }),
            annotations: Schema.Struct({ summary: Schema.NonEmptyString, action: Schema.NonEmptyString })
          })
        )
      })
    )
  })
)
const Panels = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      panels: Schema.Array(
        Schema.Struct({
          id: Schema.Int,
          title: Schema.NonEmptyString,
          datasource: Schema.optionalKey(Schema.Struct({ uid: Schema.Literal("${datasource}") })),
          targets: Schema.optionalKey(Schema.Array(Schema.Struct({ expr: Schema.String })))
        })
      )
    })
  )
)

/** The metrics of an expression with the labels asked for, and the labels that it groups by. */
const usesIn = (expr: string) => ({
  selectors: [...expr.matchAll(/\b(playroom_\w+)(?:\{([^}]*)\})?/g)].map(([, name = "", labels = ""]) => ({
    name,
    labels: [...labels.matchAll(/(\w+)\s*(=~|!=|!~|=)\s*"([^"]*)"/g)].map(
      ([, label = "", operator = "", value = ""]) => ({
        label,
        operator,
        value
      })
    )
  })),
  groupedBy: [...expr.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, labels = ""]) =>
    labels.split(",").map((label) => label.trim())
  )
})

/** Every metric that is exported, with the values of its labels. */
const exportedIn = (metrics: string) => {
  const exported = new Map<string, Map<string, Set<string>>>()
  for (const [, name = "", labels = ""] of metrics.matchAll(/^(playroom_\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = exported.get(name) ?? new Map<string, Set<string>>()
    exported.set(name, known)
    for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      known.set(label, (known.get(label) ?? new Set()).add(value))
  }
  return exported
}

/** Prometheus adds it to what it scrapes. */
const labelsOfScrapes = ["instance", "job"]

layer(Watched.layer, { excludeTestServices: true })("what the service tells of itself", (it) => {
  it.effect("is one trace from an assistant's call through the services to SQL and to the provider", () =>
    Effect.gen(function* () {
      const { spans } = yield* Watched
      const { path, span } = only(pathsTo(spans, "PaymentGateway.createSession"))
      assert.deepStrictEqual(path.slice(0, 3), ["POST", "mcp create_payment_session", "Checkout.createSession"])
      const statements = spans.filter(
        ({ attributes, traceId }) => traceId === span.traceId && attributes.has("db.query.text")
      )
      assert.isAbove(statements.length, 5)
      for (const statement of statements)
        assert.strictEqual(
          pathTo(spans, statement)[1],
          "mcp create_payment_session",
          pathTo(spans, statement).join(" > ")
        )
      assert.isTrue(
        statements.some((one) => one.attributes.get("db.query.text")?.includes("insert into payment_session"))
      )
    })
  )

  it.effect("is a trace of its own for each request: the caller's is linked, and can't hide the call", () =>
    Effect.gen(function* () {
      const { json, spans } = yield* Watched
      assert.isFalse(spans.some(({ traceId }) => traceId === callersTrace))
      const call = only(spans.filter(({ name }) => name === "mcp create_payment_session"))
      const request = only(spans.filter(({ spanId }) => spanId === call.parentSpanId))
      for (const { links } of [call, request])
        assert.deepStrictEqual(links, [{ traceId: callersTrace, spanId: "b7ad6b7169203331" }])
      assert.strictEqual(call.attributes.get("caller.trace_id"), callersTrace)
      // Whoever the caller tells its trace id finds the line by it, and the trace by the attribute.
      const line = only(json.filter((one) => one.includes('"tool call"') && one.includes("create_payment_session")))
      assert.include(line, callersTrace)
    })
  )

  it.effect("joins an event's delivery, the statement that stores it, and how it was applied later", () =>
    Effect.gen(function* () {
      const { spans } = yield* Watched
      const events = new Set(pathsTo(spans, "WebhookInbox.apply").map(({ span }) => span.attributes.get("event_id")))
      assert.isAbove(events.size, 0)
      for (const id of events) {
        assert.match(String(id), /^evt_/)
        const delivery = spans.find((span) => span.name === "POST" && span.attributes.get("event_id") === id)
        assert.deepStrictEqual(delivery && pathTo(spans, delivery), ["POST"])
      }
      for (const { path } of pathsTo(spans, "EventRecords.store"))
        assert.deepStrictEqual(path, ["POST", "EventRecords.store"])
      assert.isNotEmpty(pathsTo(spans, "Settlement.settle").filter(({ path }) => path.includes("WebhookInbox.apply")))
    })
  )

  it.effect("joins what is done at the provider to what decided it", () =>
    Effect.gen(function* () {
      const { spans } = yield* Watched
      const { path, span } = only(pathsTo(spans, "PaymentGateway.createRefund"))
      assert.strictEqual(path[0], "runProviderTask")
      const work = only(spans.filter((one) => one.traceId === span.traceId && one.name === "runProviderTask"))
      const offer = only(pathsTo(spans, "ProviderTasks.offer"))
      assert.strictEqual(offer.span.attributes.get("task_id"), work.attributes.get("task_id"))
      assert.include(offer.path, "Cancellations.cancel")
    })
  )

  it.effect("is not told to the provider: requests to it carry no trace context, nor do the sandbox's to us", () =>
    Effect.gen(function* () {
      const { spans } = yield* Watched
      const linked = spans.filter(({ links, name }) => name === "POST" && links.length > 0)
      assert.strictEqual(linked.length, 1)
      const headers = yield* withStripeGateway((gateway, server) =>
        gateway.createSession(checkoutRequest()).pipe(
          Effect.exit,
          Effect.withSpan("caller"),
          Effect.map(() => server.requests.flatMap((request) => Object.keys(request.headers)))
        )
      )
      assert.include(headers, "stripe-account")
      for (const name of headers) assert.notMatch(name, /^(traceparent|tracestate|baggage|b3|x-b3-.*)$/)
    })
  )

  it.effect("is shown on the dashboard, all of it; dashboard and alerts ask for nothing else", () =>
    Effect.gen(function* () {
      const exported = exportedIn((yield* Watched).metrics)
      const panels = Panels(document("grafana-dashboard.json")).panels
      assert.strictEqual(new Set(panels.map(({ id }) => id)).size, panels.length)
      const shown = panels.flatMap(({ targets = [], title }) => targets.map(({ expr }) => ({ expr, of: title })))
      const alerts = Rules(parse(document("alerts.yaml"))).groups.flatMap(({ rules }) =>
        rules.map(({ alert, expr }) => ({ expr, of: alert }))
      )
      assert.isAbove(shown.length, 30)
      for (const { expr, of } of [...shown, ...alerts]) {
        const { groupedBy, selectors } = usesIn(expr)
        const labels = new Set(labelsOfScrapes)
        for (const selector of selectors) {
          const known = exported.get(selector.name)
          assert.isDefined(known, `${of}: ${selector.name} is not exported`)
          for (const label of known?.keys() ?? []) labels.add(label)
          for (const { label, operator, value } of selector.labels) {
            if (labelsOfScrapes.includes(label)) continue
            const values = known?.get(label)
            assert.isDefined(values, `${of}: ${selector.name} has no label ${label}`)
            const asked =
              operator === "=" || operator === "!=" ? [value] : /^[\w|]+$/.test(value) ? value.split("|") : []
            for (const one of asked) assert.isTrue(values?.has(one), `${of}: ${selector.name} has no ${label}="${one}"`)
          }
        }
        for (const label of groupedBy) assert.isTrue(labels.has(label), `${of}: nothing has a label ${label}`)
      }
      const used = new Set(shown.flatMap(({ expr }) => usesIn(expr).selectors.map(({ name }) => name)))
      // Count and sum of a histogram come with its buckets.
      const hidden = [...exported.keys()].filter((name) => !used.has(name) && !/_(?:sum|count)$/.test(name))
      assert.deepStrictEqual(hidden, [])
    })
  )

  it.effect("is explained in every alert by a command or a place that exists", () =>
    Effect.sync(() => {
      const page = readFileSync(new URL("../../../docs/commands.md", import.meta.url), "utf8")
      const { groups } = Rules(parse(document("alerts.yaml")))
      for (const { alert, annotations } of groups.flatMap(({ rules }) => rules)) {
        const commands = [...annotations.action.matchAll(/`playroom ([a-z]+(?: [a-z]+)?)/g)]
        for (const [, command = ""] of commands)
          assert.match(page, new RegExp(`playroom ${command}\\b|\`${command}\\b`), alert)
      }
    })
  )
})

it.effect("makes no spans if they are sent nowhere, and errors name what they came through all the same", () =>
  Effect.gen(function* () {
    const { spans, tracer } = recordingTracer()
    const failing = Effect.die(new Error("broken")).pipe(
      Effect.withSpan("Outer.span"),
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.exit
    )
    const exit = yield* Effect.provide(
      failing,
      Observability.layer.pipe(Layer.provide(Layer.succeed(AppConfig, testSettings())))
    )
    assert.deepStrictEqual(spans, [])
    assert(Exit.isFailure(exit))
    assert.include(Cause.pretty(exit.cause), "Outer.span")
    yield* failing
    assert.lengthOf(spans, 1)
  })
)

it.live("what is logged in a command stands on standard error: its answer may be read by a program", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-command-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    if (serverUrl === undefined) cpSync(inject("templateDatabase"), join(folder, "postgres"), { recursive: true })
    const url = serverUrl === undefined ? {} : { DATABASE_URL: Redacted.value(yield* copiedDatabase(serverUrl)) }
    const settings = Layer.effect(AppConfig, Effect.fromResult(fromEnv({ DATA_DIR: folder, ...url })))
    for (const services of [App.commands, App.setup]) {
      const printed: Array<string> = []
      const complained: Array<string> = []
      const into =
        (lines: Array<string>) =>
        (...parts: ReadonlyArray<unknown>) =>
          void lines.push(parts.join(" "))
      yield* Effect.logInfo("all is well").pipe(
        Effect.andThen(Effect.logError("a clock is wrong")),
        Effect.provide(Layer.provideMerge(services, settings)),
        Effect.provideService(Console.Console, { ...globalThis.console, log: into(printed), error: into(complained) })
      )
      assert.deepStrictEqual(printed, [])
      assert.strictEqual(complained.length, 1)
      assert.include(complained[0], "a clock is wrong")
    }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)
