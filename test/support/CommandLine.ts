/** The command line on a test's services, without a process. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Context, Effect, Exit, Layer, Predicate } from "effect"
import { SecureRandom } from "effect/crypto"
import { ApiKeys } from "../../src/platform/access/ApiKeys.ts"
import { PublicDocuments } from "../../src/platform/access/PublicDocuments.ts"
import { Audit } from "../../src/ops/audit/Audit.ts"
import { ConnectKeys } from "../../src/domain/oauth/ConnectKeys.ts"
import { Grants } from "../../src/domain/oauth/Grants.ts"
import { AppConfig } from "../../src/platform/config/AppConfig.ts"
import { BookingList } from "../../src/domain/booking/BookingList.ts"
import { VenueClosures } from "../../src/domain/booking/VenueClosures.ts"
import { Operators } from "../../src/domain/catalogue/Operators.ts"
import { Staff } from "../../src/domain/people/staff/Staff.ts"
import { cli, type CommandServices } from "../../src/surfaces/cli/Cli.ts"
import { describeCause } from "../../src/platform/telemetry/LogLines.ts"
import { Migrations } from "../../src/platform/database/Migrations.ts"
import { ReplicaCheck } from "../../src/platform/database/ReadReplica.ts"
import { ProviderUnavailable } from "../../src/domain/payment/provider/PaymentGateway.ts"
import { PlatformGateway } from "../../src/domain/payment/provider/PlatformGateway.ts"
import { Persons } from "../../src/domain/people/privacy/Persons.ts"
import { sandboxPayers } from "../../src/extras/sandbox/Payers.ts"
import { PlayroomSearch } from "../../src/domain/search/PlayroomSearch.ts"
import { paymentWorld } from "./PaymentWorld.ts"
import { otherVenue } from "./paymentVenues.ts"
import { testSettings } from "./testSettings.ts"

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
export const member = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

const away = Effect.fail(new ProviderUnavailable({ operation: "test", reason: "the test has no answer" }))
export const platformAway = Layer.succeed(
  PlatformGateway,
  PlatformGateway.of({
    endpoints: away,
    createEndpoint: () => away,
    changeEndpoint: () => away,
    account: () => away,
    createAccount: () => away,
    onboardingLink: () => away
  })
)

/** What commands call beside the payment services. */
export const commandLayers = Layer.mergeAll(
  Layer.merge(Grants.layer, ApiKeys.layer),
  Audit.layer,
  BookingList.layer,
  ConnectKeys.layer,
  Staff.layer,
  VenueClosures.layer,
  Migrations.layer,
  Persons.layer(sandboxPayers),
  PlayroomSearch.layer,
  PublicDocuments.layer,
  ReplicaCheck.layer
)

/** However far a test lets the clock run, its operators do not lapse. */
const paidUp = Layer.effectDiscard(
  Operators.use((operators) => operators.extendPaidThrough(otherVenue.operator.operator_id, Date.parse("2030-01-01")))
)

/** What the commands call, on a database of its own with the venues of `PaymentWorld`; the provider's platform account is away. */
export const commandWorld = Layer.merge(commandLayers, paidUp).pipe(
  Layer.provideMerge(platformAway),
  Layer.provideMerge(paymentWorld()),
  Layer.provideMerge(
    Layer.mergeAll(SecureRandom.layerWebCrypto, NodeServices.layer, Layer.succeed(AppConfig, testSettings()))
  )
)
