/** The `playroom` command: `serve` by default, and the operators' commands. */
import { Console, Effect, Layer, Option } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import packageJson from "../../../package.json" with { type: "json" }
import type { AppConfig } from "../../platform/config/AppConfig.ts"
import type { DatabaseTransfer } from "../../ops/transfer/DatabaseTransfer.ts"
import type { PlatformGateway } from "../../domain/payment/provider/PlatformGateway.ts"
import { accounts } from "./accounts.ts"
import { switches } from "./Arguments.ts"
import { booking } from "./booking.ts"
import { calendar } from "./calendar.ts"
import * as catalogue from "./catalogue.ts"
import { fromCsv, schema, starter } from "./catalogue.ts"
import { clocks } from "./clocks.ts"
import { closure } from "./closure.ts"
import { connect, grant, key } from "./key.ts"
import { backup, database } from "./database.ts"
import { doctor } from "./doctor.ts"
import { operator, staff } from "./operator.ts"
import { payment, voucher, webhook } from "./payment.ts"
import { person } from "./person.ts"
import { provider } from "./provider.ts"
import { registry } from "./registry.ts"

// The framework's prefix before a schema's message, and its empty lines, add nothing.
const short = (message: string): string =>
  message.replace("Expected: Schema validation failed: ", "").replaceAll("\n\n", "\n")

/** The framework marks the arguments that may be left out, and no flag that may not. */
const marked = (flag: HelpDoc.FlagDoc): HelpDoc.FlagDoc =>
  flag.required ? { ...flag, description: Option.map(flag.description, (text) => `${text} (required)`) } : flag

const present = CliOutput.defaultPresenter.present

// Errors go to standard error: standard output may be a pipe that expects a table or JSON.
const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "InvalidInvocation":
        return Console.error(
          [
            ...event.errors.map(({ message }) => `playroom: ${short(message)}`),
            `See ${event.commandPath.join(" ")} --help.`
          ].join("\n")
        )
      case "Help":
        return present({ ...event, helpDoc: { ...event.helpDoc, flags: event.helpDoc.flags.map(marked) } })
      case "Version":
        return present(event)
    }
  }
}

/** Also removes the framework's flags that have no effect here: settings are environment variables. */
const help: Layer.Layer<never> = Layer.mergeAll(
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
)

/**
 * Flags as people write them: a text behind one may begin with a dash and a blank, and a switch is on whatever word
 * follows it (`--json yes`).
 */
const asWritten = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, i) => {
    const isFlag = (text = "") => /^--\w[\w-]*$/.test(text)
    const isText = (text = "") => /^-+\s/.test(text)
    if (isText(arg) && isFlag(args[i - 1])) return []
    if (!isFlag(arg)) return [arg]
    if (isText(args[i + 1])) return [`${arg}=${args[i + 1]}`]
    const isWord = /^(?:true|false|yes|no|on|off|[yn10])$/i.test(args[i + 1] ?? "")
    return isWord && switches.has(arg.slice(2)) ? [`${arg}=true`] : [arg]
  })

/** The services of commands. Built only for commands that use them: `--help` and `catalogue check` need none. */
export type CommandServices = Exclude<
  Command.Services<
    | typeof accounts
    | typeof backup
    | typeof booking
    | typeof calendar
    | typeof catalogue.importFile
    | typeof catalogue.exportFile
    | typeof catalogue.demo
    | typeof clocks
    | typeof closure
    | typeof connect
    | typeof doctor
    | typeof grant
    | typeof key
    | typeof operator
    | typeof payment
    | typeof person
    | typeof staff
    | typeof voucher
    | typeof webhook
  >,
  Command.Environment
>

/**
 * Runs the command line in `args`. `serve` runs until it is interrupted. `services` reach the database, also while the
 * service is running; `database` reaches it as it is, also if it has moved. `setup` needs no database, and works before
 * the settings have webhook secrets.
 */
export const cli = <E1, R1, E2, R2, E3, R3, E4, R4>(options: {
  readonly serve: Effect.Effect<void, E1, R1>
  readonly services: Layer.Layer<CommandServices, E2, R2>
  readonly setup: Layer.Layer<AppConfig | PlatformGateway, E3, R3>
  readonly database: Layer.Layer<DatabaseTransfer, E4, R4>
}) => {
  const { serve, services, setup } = options
  const root = Command.make("playroom", {}, () => serve).pipe(
    Command.withDescription("Booking backend for children's playrooms. Without a command it serves."),
    Command.withSubcommands([
      Command.make("serve", {}, () => serve).pipe(Command.withDescription("Run the service (the default)")),
      key.pipe(Command.provide(services)),
      grant.pipe(Command.provide(services)),
      connect.pipe(Command.provide(services)),
      operator.pipe(Command.provide(services)),
      provider.pipe(Command.provide(setup)),
      accounts.pipe(Command.provide(services)),
      backup.pipe(Command.provide(services)),
      booking.pipe(Command.provide(services)),
      calendar.pipe(Command.provide(services)),
      clocks.pipe(Command.provide(services)),
      closure.pipe(Command.provide(services)),
      database.pipe(Command.provide(options.database)),
      webhook.pipe(Command.provide(services)),
      payment.pipe(Command.provide(services)),
      person.pipe(Command.provide(services)),
      staff.pipe(Command.provide(services)),
      voucher.pipe(Command.provide(services)),
      Command.make("catalogue").pipe(
        Command.withDescription("Import, export and check the catalogue file"),
        Command.withSubcommands([
          catalogue.importFile.pipe(Command.provide(services)),
          catalogue.exportFile.pipe(Command.provide(services)),
          catalogue.demo.pipe(Command.provide(services)),
          catalogue.check,
          fromCsv,
          starter,
          schema
        ])
      ),
      registry.pipe(Command.provide(setup)),
      doctor.pipe(Command.provide(services))
    ])
  )
  const run = Command.runWith(root, { version: packageJson.version })
  return (args: ReadonlyArray<string>) => Effect.provide(run(asWritten(args)), help)
}
