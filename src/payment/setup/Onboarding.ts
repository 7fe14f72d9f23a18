/**
 * Operators' connected accounts. They are created at the provider, and each operator completes its own on the
 * provider's pages.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { createHash } from "node:crypto"
import { AppConfig } from "../../config/AppConfig.ts"
import type { Operator } from "../../catalogue/Operator.ts"
import { type OperatorConnected, type OperatorNotFound, Operators } from "../../catalogue/Operators.ts"
import { attempt, type Outcome } from "../../kernel/Outcomes.ts"
import type { GatewayError } from "../provider/PaymentGateway.ts"
import { type ConnectedAccount, type OnboardingLink, PlatformGateway } from "../provider/PlatformGateway.ts"

/** The operator's playrooms don't determine the account's country, which can never change. */
class CountryNeeded extends Schema.TaggedError<CountryNeeded>()("CountryNeeded", {
  operator_id: Schema.String,
  countries: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const { countries } = this
    const has = countries.length === 0 ? "has no playrooms" : `has playrooms in ${countries.join(", ")}`
    return `${this.operator_id} ${has}: say in which country the business is, as --country GB. The provider never changes it.`
  }
}

interface Onboarded {
  readonly operator: Operator
  readonly account: ConnectedAccount
  /** The account was created by this call. */
  readonly made: boolean
  /** The page with the provider's questions to the operator; none if the account can take payments, or it failed. */
  readonly link: Option.Option<OnboardingLink>
  /** This call put the operator on sale again. */
  readonly resumed: boolean
  /** What came of each step: those after a failed one are not tried. */
  readonly outcomes: ReadonlyArray<Outcome<OnboardingStep>>
}

/**
 * `account`: there is an account at the provider. `store`: the operator has it, and is off sale. `link`: to the
 * provider's questions. `resume`: on sale again.
 */
export type OnboardingStep = "account" | "store" | "link" | "resume"

/** The account can take payments, and its owner has answered the provider's questions. */
export const isReady = (account: ConnectedAccount): boolean => account.charges_enabled && account.details_submitted

const onboarding = "onboarding"
/**
 * Changes of an operator that are searched. There is about one a month, so an older suspension is over, or a person's.
 */
const maxHistory = 200

type Failure = OperatorNotFound | OperatorConnected | CountryNeeded | GatewayError | SqlError.SqlError

export class Onboarding extends Context.Service<
  Onboarding,
  {
    /**
     * Creates the operator's account if it has none, and takes the operator off sale until the account can take
     * payments. Otherwise returns the account's state. `country`: ISO 3166-1 alpha-2; required if the operator's
     * playrooms don't determine it.
     */
    readonly onboard: (operator_id: string, country: Option.Option<string>) => Effect.Effect<Onboarded, Failure>
  }
>()("playroom/payment/setup/Onboarding") {
  static readonly layer = Layer.effect(
    Onboarding,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { baseUrl } = yield* AppConfig
      const operators = yield* Operators
      const gateway = yield* PlatformGateway

      const countryOf = Effect.fnUntraced(function* (operator: Operator, given: Option.Option<string>) {
        if (Option.isSome(given)) return given.value
        const { countries } = yield* operators.playrooms(operator.operator_id)
        const [only] = countries
        if (only !== undefined && countries.length === 1) return only
        return yield* new CountryNeeded({ operator_id: operator.operator_id, countries })
      })

      /**
       * The same details give the same idempotency key, so a lost answer is returned again (for the provider's 24
       * hours).
       */
      const createAccount = Effect.fnUntraced(function* (operator: Operator, given: Option.Option<string>) {
        const { name, operator_id, support_email: email } = operator
        const country = yield* countryOf(operator, given)
        const digest = createHash("sha256")
          .update(JSON.stringify([name, email, country]))
          .digest("hex")
          .slice(0, 16)
        const account = yield* gateway.createAccount({
          operator_id,
          name,
          email,
          country,
          idempotency_key: `connect_${operator_id}_${digest}`
        })
        return { operator, account, made: true }
      })

      /** Gives the operator its new account, and takes it off sale until the account can take payments. */
      const store = (operator_id: string, account: string) =>
        sql.withTransaction(
          Effect.gen(function* () {
            const reason = "its account can't take payments yet"
            yield* operators.connect(operator_id, account, { who: onboarding })
            return yield* operators.suspend(operator_id, { who: onboarding, reason })
          })
        )

      const existingAccount = Effect.fnUntraced(function* (operator: Operator, id: string) {
        return { operator, account: yield* gateway.account(id), made: false }
      })

      /** Puts the operator on sale again if onboarding made the last change; returns true if it did. */
      const resumeSale = Effect.fnUntraced(function* ({ operator_id, suspended_at }: Operator) {
        if (suspended_at === undefined) return false
        const history = yield* operators.history(operator_id, maxHistory)
        const last = history.findLast(({ event }) => event === "suspended" || event === "resumed")
        if (last?.event !== "suspended" || last.who !== onboarding) return false
        yield* operators.resume(operator_id, { who: onboarding, reason: "its account can take payments" })
        return true
      })

      const onboard = Effect.fn("Onboarding.onboard")(function* (
        operator_id: string,
        country: Option.Option<string>
      ): Effect.fn.Return<Onboarded, Failure> {
        const found = yield* operators.get(operator_id)
        const id = found.connected_account_id
        const { account, made } = yield* id === undefined ? createAccount(found, country) : existingAccount(found, id)
        const ready = isReady(account)
        const outcomes: Array<Outcome<OnboardingStep>> = [{ item: "account", outcome: "done", value: account.id }]
        const soFar = { operator: found, account, made, link: Option.none(), resumed: false, outcomes }
        if (made) {
          const stored = yield* attempt<OnboardingStep, Operator, Failure, never>(
            "store",
            store(operator_id, account.id)
          )
          outcomes.push(stored)
          if (stored.outcome !== "done") {
            outcomes.push({ item: ready ? "resume" : "link", outcome: "not_tried" })
            return soFar
          }
          soFar.operator = stored.value
        }
        if (ready) {
          const resumed = yield* attempt<OnboardingStep, boolean, Failure, never>("resume", resumeSale(soFar.operator))
          outcomes.push(resumed)
          if (resumed.outcome !== "done" || !resumed.value) return soFar
          return { ...soFar, operator: yield* operators.get(operator_id), resumed: true }
        }
        const link = yield* attempt<OnboardingStep, OnboardingLink, Failure, never>(
          "link",
          gateway.onboardingLink(account.id, {
            return_url: `${baseUrl}/?onboarding=done`,
            refresh_url: `${baseUrl}/?onboarding=expired`
          })
        )
        outcomes.push(link)
        return link.outcome === "done" ? { ...soFar, link: Option.some(link.value) } : soFar
      })

      return Onboarding.of({ onboard })
    })
  ).pipe(Layer.provide([Operators.layer]))
}
