/** The command line on a test's services, without a process. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Context, Effect, Exit, Layer, Predicate, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { parse as parseCsv } from "csv-parse/sync"
import { ApiKeys } from "../../src/platform/access/ApiKeys.ts"
import { PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { DatabaseTransfer } from "../../src/ops/transfer/DatabaseTransfer.ts"
import { Audit } from "../../src/ops/audit/Audit.ts"
import { ConnectKeys } from "../../src/domain/oauth/ConnectKeys.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { AppConfig, type Settings } from "../../src/platform/config/AppConfig.ts"
import { Operators } from "../../src/domain/catalogue/Operators.ts"
import { cli, type CommandServices } from "../../src/surfaces/cli/Cli.ts"
import { describeCause } from "../../src/platform/telemetry/LogLines.ts"
import { Migrations } from "../../src/platform/database/Migrations.ts"
import { ProviderUnavailable } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { PlatformGateway } from "../../src/domain/payment/provider/PlatformGateway.ts"
import { Persons } from "../../src/domain/people/privacy/Persons.ts"
import { sandboxPayers } from "../../src/extras/sandbox/Payers.ts"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import { inRealTime, now, paymentWorld } from "./PaymentWorld.ts"
import { otherVenue, venue } from "./paymentVenues.ts"
import { testSettings } from "./testSettings.ts"
import { request as send } from "node:http"
import { paymentServices } from "../../src/domain/payment/PaymentLayers.ts"
import { Sandbox } from "../../src/extras/sandbox/Sandbox.ts"
import { bookingServices, importVenue, setClock } from "./BookingWorld.ts"
import { loopbackServer, type Recorded } from "./RecordingServer.ts"
import { SandboxWorld } from "./SandboxWorld.ts"
import { stripeGatewayAt } from "./stripeAnswers.ts"

/** Runs `playroom …`: what it printed, what it complained of, and the message where it failed. */
export const playroom = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const lines: Array<string> = []
  const complaints: Array<string> = []
  const into =
    (list: Array<string>) =>
    (...parts: ReadonlyArray<unknown>) => {
      list.push(parts.map(String).join(" "))
    }
  const services = yield* Effect.context<CommandServices>()
  const run = cli({
    serve: Effect.sync(() => into(lines)("serving")),
    services: Layer.succeedContext(Context.omit(Console.Console)(services)),
    database: DatabaseTransfer.layer.pipe(Layer.provide(Layer.succeedContext(Context.omit(Console.Console)(services)))),
    setup: Layer.succeedContext(Context.omit(Console.Console)(services))
  })
  const exit = yield* run(args).pipe(
    Effect.provide(NodeServices.layer),
    Effect.provideService(Console.Console, { ...globalThis.console, log: into(lines), error: into(complaints) }),
    Effect.exit
  )
  return {
    out: lines.join("\n"),
    complaints: complaints.join("\n"),
    failure: Exit.isFailure(exit) ? describeCause(exit.cause) : undefined,
    cause: Exit.isFailure(exit) ? exit.cause : Cause.empty
  }
})

export const parsed = (text: string): unknown => JSON.parse(text)
const CsvRows = Schema.Array(Schema.Record(Schema.String, Schema.String))
/** The rows of a CSV file by the names of its columns, as another library reads it. */
export const csvRows = (text: string) =>
  Schema.decodeUnknownSync(CsvRows)(
    parseCsv(text, { bom: true, columns: true, relax_column_count: true, skip_empty_lines: true })
  )
export const member = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

const away = Effect.fail(new ProviderUnavailable({ operation: "test", reason: "the test has no answer" }))
export const platformAway = Layer.succeed(
  PlatformGateway,
  PlatformGateway.of({
    endpoints: away,
    createEndpoint: () => away,
    changeEndpoint: () => away,
    createAccount: () => away,
    onboardingLink: () => away
  })
)

/** What commands call beside the payment services. */
export const commandLayers = Layer.mergeAll(
  Layer.merge(Grants.layer, ApiKeys.layer),
  Audit.layer,
  ConnectKeys.layer,
  Migrations.layer,
  Persons.layer(sandboxPayers),
  PlayroomSearch.layer,
  PublicDocuments.layer
)

/** However far a test lets the clock run, its operators do not lapse. */
const paidUp = Layer.effectDiscard(
  Operators.use((operators) => operators.extendPaidThrough(otherVenue.operator.operator_id, Date.parse("2030-01-01")))
)

/**
 * What the commands call, on a database of its own with the venues of `PaymentWorld`; the provider's platform account
 * is away.
 */
export const commandWorld = Layer.merge(commandLayers, paidUp).pipe(
  Layer.provideMerge(platformAway),
  Layer.provideMerge(paymentWorld()),
  Layer.provideMerge(
    Layer.mergeAll(SecureRandom.layerWebCrypto, NodeServices.layer, Layer.succeed(AppConfig, testSettings()))
  )
)

// The command line over the product's own sandbox, with the real gateway and client; the calls between them are
// recorded.

// A server between a client and another server on this machine: it passes everything on, and records requests and
// answers.

interface RecordedCall extends Recorded {
  /** 0: there was no answer. */
  readonly status: number
  readonly answer: string
}

/** What is answered in the server's place, which does not get the request then. */
type Instead = (request: Recorded) => { readonly status: number; readonly body: string } | undefined

/**
 * A proxy before the server on port `target`, for the scope. `instead` says what is answered in its place from now on.
 */
const recordingProxy = Effect.fnUntraced(function* (target: number) {
  const seen: Array<RecordedCall> = []
  let inPlace: Instead = () => undefined
  const port = yield* loopbackServer((request, body, response) => {
    const { headers, method = "", url: path = "" } = request
    const record = (status: number, answer: string) =>
      void seen.push({ method, path, headers, body: body.toString(), status, answer })
    const own = inPlace({ method, path, headers, body: body.toString() })
    if (own !== undefined) {
      record(own.status, own.body)
      return void response.writeHead(own.status, { "content-type": "application/json" }).end(own.body)
    }
    const onward = send({ host: "127.0.0.1", port: target, method, path, headers }, (answered) => {
      const parts: Array<Buffer> = []
      answered.on("data", (part: Buffer) => parts.push(part))
      answered.on("end", () => {
        const answer = Buffer.concat(parts)
        const status = answered.statusCode ?? 0
        record(status, answer.toString())
        response.writeHead(status, answered.headers).end(answer)
      })
    })
    onward.on("error", () => {
      record(0, "")
      request.socket.destroy()
    })
    onward.end(body)
  })
  const instead = (next: Instead) => void (inPlace = next)
  return { port, seen, instead }
})

export class RecordedWire extends Context.Service<
  RecordedWire,
  Pick<Effect.Success<ReturnType<typeof recordingProxy>>, "seen" | "instead">
>()("test/Wire") {}

/** The real gateway and client, before the sandbox of the test's world. */
export const gatewayOverWire = Layer.unwrap(
  Effect.gen(function* () {
    const proxy = yield* recordingProxy((yield* Sandbox).port)
    return Layer.merge(stripeGatewayAt(proxy.port), Layer.succeed(RecordedWire, proxy))
  })
)

/** What the commands call, on a database of its own with the venues of `PaymentWorld`. */
export const commandsOverSandbox = (settings: Partial<Settings> = {}) =>
  Layer.unwrap(
    Effect.as(
      setClock(now),
      Layer.effectDiscard(Effect.suspend(() => importVenue(venue, otherVenue))).pipe(
        Layer.provideMerge(commandLayers),
        Layer.provideMerge(inRealTime(paymentServices)),
        Layer.provideMerge(gatewayOverWire),
        Layer.provideMerge(bookingServices({ maxHoldsPerEmail: 1000, maxHoldsPerKey: 1000, ...settings })),
        Layer.provideMerge(SandboxWorld.layer),
        Layer.provideMerge(NodeServices.layer)
      )
    )
  )

/** Takes the recorded calls so far: the next time only newer ones are answered. */
export const takeRequests = Effect.map(RecordedWire, ({ seen }) => seen.splice(0))
