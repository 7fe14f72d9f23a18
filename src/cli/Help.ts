/** How the command line explains itself: help on request, and a short word on a line that can't be read. */
import { Console, Layer } from "effect"
import { CliConfig, CliOutput, GlobalFlag } from "effect/cli"

// The framework's way of quoting a schema's sentence, and its empty lines, say nothing more.
const short = (message: string): string =>
  message.replace("Expected: Schema validation failed: ", "").replaceAll("\n\n", "\n")

// A pipe that waits for a table or JSON gets neither help nor complaint: those go where people look.
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
