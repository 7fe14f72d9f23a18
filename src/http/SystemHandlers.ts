/** Health, documentation, and the pages for people. */
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder, OpenApi } from "effect/http-api"
import { AppConfig } from "../AppConfig.ts"
import { Migrations } from "../database/Migrations.ts"
import { PayerReturn } from "../payment/PayerReturn.ts"
import { Api } from "./Api.ts"
import { Draining } from "./Draining.ts"
import { checkoutReturn, type Found } from "./pages/CheckoutReturn.ts"
import { docs } from "./pages/Docs.ts"
import { landing } from "./pages/Landing.ts"
import { problem } from "./Problem.ts"

const noStore = { headers: { "cache-control": "no-store" } }
const notReady = (detail: string) => problem("not_ready", { detail, headers: { "retry-after": "2" } })

/** A payer's look asks the database and, within two seconds, the provider. */
const payerWaits = "6 seconds"

const first = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" ? value : value?.[0]

export const SystemHandlers = HttpApiBuilder.group(
  Api,
  "system",
  Effect.fn(function* (handlers) {
    const { baseUrl } = yield* AppConfig
    const migrations = yield* Migrations
    const draining = yield* Draining
    const payers = yield* PayerReturn
    const document = OpenApi.fromApi(Api)
    const served = { ...document, servers: [{ url: baseUrl }] }
    const documentResponse = HttpServerResponse.jsonUnsafe(served, { headers: { "cache-control": "no-cache" } })
    const docsPage = docs(document, baseUrl)
    const landingPage = landing(baseUrl)
    const ready = HttpServerResponse.jsonUnsafe({ status: "ready" }, noStore)

    const readiness = Effect.gen(function* () {
      if (yield* draining.begun) return notReady("The service is stopping.")
      return (yield* migrations.ready) ? ready : notReady("The database is not migrated yet.")
    }).pipe(
      Effect.timeout("2 seconds"),
      Effect.catchTags({
        SqlError: () => Effect.succeed(notReady("The database can't be reached.")),
        TimeoutError: () => Effect.succeed(notReady("The database does not answer."))
      })
    )

    return handlers
      .handleRaw("healthz", () => Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "ok" }, noStore)))
      .handleRaw("readyz", () => readiness)
      .handleRaw("openapi", () => Effect.succeed(documentResponse))
      .handleRaw("docs", () => Effect.succeed(docsPage))
      .handleRaw("landing", () => Effect.succeed(landingPage))
      .handleRaw("checkoutReturn", () =>
        Effect.gen(function* () {
          const { look, outcome, token } = yield* HttpServerRequest.ParsedSearchParams
          const text = first(token)
          const found: Found =
            text === undefined
              ? { payment: "unknown" }
              : yield* payers.look(text).pipe(
                  Effect.timeout(payerWaits),
                  Effect.map(
                    Option.match({
                      onNone: (): Found => ({ payment: "unknown" }),
                      onSome: (view): Found => ({ payment: "known", token: text, view })
                    })
                  ),
                  Effect.catch((error) =>
                    Effect.as(Effect.logWarning("A payer could not be told how the payment stands", error), {
                      payment: "unavailable",
                      token: text
                    } satisfies Found)
                  )
                )
          return checkoutReturn(found, { outcome: first(outcome), look: first(look) })
        })
      )
  })
)
