/** The sandbox as this service's payment provider: with its port, its webhook receivers, and the names of its operators. */
import { Effect, Layer, Option } from "effect"
import { AppConfig } from "./config/AppConfig.ts"
import { Operators } from "./catalogue/Operators.ts"
import { receiverPaths, WebhookSecrets } from "./payment/provider/Receivers.ts"
import { Sandbox } from "./sandbox/Sandbox.ts"
import { type Receiver, SandboxedService } from "./sandbox/SandboxedService.ts"

/** Events go to the receivers at `address`: an origin, without a slash at the end. */
const service = (address: string) =>
  Layer.effect(
    SandboxedService,
    Effect.gen(function* () {
      const { sandboxPort } = yield* AppConfig
      const operators = yield* Operators
      const secrets = yield* WebhookSecrets
      const receiver = (name: Receiver) => ({ url: `${address}${receiverPaths[name]}`, secrets: secrets[name] })
      return SandboxedService.of({
        port: sandboxPort,
        receivers: { platform: receiver("platform"), connected: receiver("connected") },
        accountName: (account) =>
          Effect.map(
            operators.byConnectedAccount(account),
            Option.match({ onNone: () => account, onSome: ({ name }) => name })
          )
      })
    })
  ).pipe(Layer.provide(WebhookSecrets.layer))

/** The sandbox, delivering to the service at `address`. Open: the settings, the database, `Operators`, `SecureRandom`. */
export const providerSandbox = (address: string) => Sandbox.layer.pipe(Layer.provide(service(address)))
