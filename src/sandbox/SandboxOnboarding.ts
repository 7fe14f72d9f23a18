/** The sandbox's onboarding page: where an operator would answer the provider's questions. */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { escape } from "../kernel/Html.ts"
import { page } from "./PaymentPage.ts"
import { html, message } from "./SandboxPages.ts"
import { SandboxPlatform } from "./SandboxPlatform.ts"

const failed = message("Something went wrong", "The sandbox could not reach its database. Please try again.", 500)
const notFound = message("No such account", "The link may be cut short. Copy the whole address and try again.", 404)

const redirectTo = (address: string | null) =>
  address === null ? notFound : HttpServerResponse.redirect(address, { status: 303 })

export const onboardingRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const platform = yield* SandboxPlatform

    const findAccount = Effect.gen(function* () {
      const { id = "" } = yield* HttpRouter.params
      const account = yield* platform.account(id)
      const live = account.link_expires_at !== null && account.link_expires_at > (yield* Clock.currentTimeMillis)
      return { account, live }
    })

    yield* router.add(
      "GET",
      "/onboard/:id",
      Effect.gen(function* () {
        const { account, live } = yield* findAccount
        if (!live) return redirectTo(account.refresh_url)
        return html(
          page(
            "Take payments",
            `<div class="card"><h1>Take payments</h1>
<p>${escape(account.business_name ?? account.account_id)}, ${escape(account.country)}. The payment provider would ask about the business and its bank account here.</p>
<form method="post"><button>All is answered</button></form></div>`
          )
        )
      }).pipe(
        Effect.catchTag("SandboxRefusal", () => Effect.succeed(notFound)),
        Effect.catchTag("SqlError", () => Effect.succeed(failed))
      )
    )

    yield* router.add(
      "POST",
      "/onboard/:id",
      Effect.gen(function* () {
        const { account, live } = yield* findAccount
        if (!live) return redirectTo(account.refresh_url)
        return redirectTo((yield* platform.finish(account.account_id)).return_url)
      }).pipe(
        Effect.catchTag("SandboxRefusal", () => Effect.succeed(notFound)),
        Effect.catchTag("SqlError", () => Effect.succeed(failed))
      )
    )
  })
)
