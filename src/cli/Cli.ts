/** The `playroom` command: `serve` by default, and what operators need beside it. A new command is a file and a line here. */
import { Effect, type Layer } from "effect"
import { Command } from "effect/cli"
import packageJson from "../../package.json" with { type: "json" }
import type { ApiKeys } from "../access/ApiKeys.ts"
import type { BookingList } from "../booking/BookingList.ts"
import type { BookingRecords } from "../booking/BookingRecords.ts"
import type { Bookings } from "../booking/Bookings.ts"
import type { CatalogueFile } from "../catalogue/file/CatalogueFile.ts"
import type { Operators } from "../catalogue/Operators.ts"
import type { Disputes } from "../payment/refunds/Disputes.ts"
import type { Migrations } from "../database/Migrations.ts"
import type { PaymentSummaries } from "../payment/PaymentSummaries.ts"
import type { Cancellations } from "../payment/Cancellations.ts"
import type { StuckPayments } from "../payment/sessions/StuckPayments.ts"
import type { Onboarding } from "../payment/Onboarding.ts"
import type { PaymentSessions } from "../payment/sessions/PaymentSessions.ts"
import type { PlatformGateway } from "../payment/provider/PlatformGateway.ts"
import type { ProviderHealth } from "../payment/provider/ProviderHealth.ts"
import type { ProviderSetup } from "../payment/ProviderSetup.ts"
import type { ProviderTasks } from "../payment/provider/ProviderTasks.ts"
import type { ProviderRefunds } from "../payment/refunds/ProviderRefunds.ts"
import type { RefundRecords } from "../payment/refunds/RefundRecords.ts"
import type { Refunds } from "../payment/refunds/Refunds.ts"
import type { EventRecords } from "../payment/events/EventRecords.ts"
import type { WebhookInbox } from "../payment/events/WebhookInbox.ts"
import { booking } from "./booking.ts"
import * as catalogue from "./catalogue.ts"
import { doctor } from "./doctor.ts"
import { help } from "./Help.ts"
import { key } from "./key.ts"
import { operator } from "./operator.ts"
import { provider } from "./provider.ts"
import { webhook } from "./webhook.ts"

/** What the commands call. They are built for a command that needs them, so that `--help` and `catalogue check` need none. */
export type CommandServices =
  | ApiKeys
  | BookingList
  | BookingRecords
  | Bookings
  | PaymentSummaries
  | Cancellations
  | CatalogueFile
  | Disputes
  | StuckPayments
  | Migrations
  | Onboarding
  | Operators
  | PaymentSessions
  | PlatformGateway
  | ProviderHealth
  | ProviderRefunds
  | ProviderTasks
  | RefundRecords
  | Refunds
  | EventRecords
  | WebhookInbox

/**
 * Runs the command line that `args` spells. `serve` runs until it is interrupted; `services` reach the database, also while a
 * service is running on it. `setup` needs no database, and works before the settings have webhook secrets.
 */
export const cli = <E1, R1, E2, R2, E3, R3>(options: {
  readonly serve: Effect.Effect<void, E1, R1>
  readonly services: Layer.Layer<CommandServices, E2, R2>
  readonly setup: Layer.Layer<ProviderSetup, E3, R3>
}) => {
  const { serve, services, setup } = options
  const root = Command.make("playroom", {}, () => serve).pipe(
    Command.withDescription("Booking backend for children's playrooms. Without a command it serves."),
    Command.withSubcommands([
      Command.make("serve", {}, () => serve).pipe(Command.withDescription("Run the service (the default)")),
      key.pipe(Command.provide(services)),
      operator.pipe(Command.provide(services)),
      provider.pipe(Command.provide(setup)),
      booking.pipe(Command.provide(services)),
      webhook.pipe(Command.provide(services)),
      Command.make("catalogue").pipe(
        Command.withDescription("Import, export and check the catalogue file"),
        Command.withSubcommands([
          catalogue.importFile.pipe(Command.provide(services)),
          catalogue.exportFile.pipe(Command.provide(services)),
          catalogue.check
        ])
      ),
      doctor.pipe(Command.provide(services))
    ])
  )
  const run = Command.runWith(root, { version: packageJson.version })
  return (args: ReadonlyArray<string>) => Effect.provide(run(args), help)
}
