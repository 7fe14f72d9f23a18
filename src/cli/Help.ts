/** The help of the command line, and a short message for arguments that can't be parsed. */
import { Console, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

// The framework's prefix before a schema's message, and its empty lines, add nothing.
const short = (message: string): string =>
  message.replace("Expected: Schema validation failed: ", "").replaceAll("\n\n", "\n")

// Errors go to standard error: standard output may be a pipe that expects a table or JSON.
const presenter: CliOutput.Presenter = {
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? Console.error(
          [
            ...event.errors.map(({ message }) => `playroom: ${short(message)}`),
            `See ${event.commandPath.join(" ")} --help.`
          ].join("\n")
        )
      : CliOutput.defaultPresenter.present(event)
}

/** Also leaves out the framework's flags that do nothing here: settings are environment variables. */
export const help: Layer.Layer<never> = Layer.mergeAll(
  CliOutput.layerPresenter(presenter),
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version, GlobalFlag.Completions] })
)
