/**
 * Operators' connected accounts. They are created at the provider, and each operator completes its own on the
 * provider's pages.
 */
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import type { Operator } from "../../catalogue/Operator.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { attempt, type Outcome } from "../../../platform/concurrency/Outcomes.ts"
import { type ConnectedAccount, PaymentGateway } from "../provider/PaymentGateway.ts"
import { type OnboardingLink, PlatformGateway } from "../provider/PlatformGateway.ts"

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

const countryOf = Effect.fnUntraced(function* (operator: Operator, given: Option.Option<string>) {
  if (Option.isSome(given)) return given.value
  const { countries } = yield* Operators.use((operators) => operators.playrooms(operator.operator_id))
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
  const idempotency_key = `connect_${operator_id}_${digest}`
  return yield* PlatformGateway.use((gateway) =>
    gateway.createAccount({ operator_id, name, email, country, idempotency_key })
  )
})

/** Gives the operator its new account, and takes it off sale until the account can take payments. */
const store = Effect.fnUntraced(
  function* (operator_id: string, account: string) {
    const operators = yield* Operators
    const reason = "its account can't take payments yet"
    yield* operators.connect(operator_id, account, { who: onboarding })
    return yield* operators.suspend(operator_id, { who: onboarding, reason })
  },
  (stored) => SqlClient.SqlClient.use((sql) => sql.withTransaction(stored))
)

/** Puts the operator on sale again if onboarding made the last change; returns true if it did. */
const resumeSale = Effect.fnUntraced(function* ({ operator_id, suspended_at }: Operator) {
  if (suspended_at === undefined) return false
  const operators = yield* Operators
  const history = yield* operators.history(operator_id, maxHistory)
  const last = history.findLast(({ event }) => event === "suspended" || event === "resumed")
  if (last?.event !== "suspended" || last.who !== onboarding) return false
  yield* operators.resume(operator_id, { who: onboarding, reason: "its account can take payments" })
  return true
})

const tryStep = <A, E, R>(step: OnboardingStep, work: Effect.Effect<A, E, R>) => attempt(step, work)

/**
 * Creates the operator's account if it has none, and takes the operator off sale until the account can take
 * payments. Otherwise returns the account's state. `country`: ISO 3166-1 alpha-2; required if the operator's
 * playrooms don't determine it.
 */
export const onboard = Effect.fn("onboard")(function* (operator_id: string, country: Option.Option<string>) {
  const { baseUrl } = yield* AppConfig
  const operators = yield* Operators
  const gateway = yield* PlatformGateway
  const found = yield* operators.get(operator_id)
  const id = found.connected_account_id
  const made = id === undefined
  const account = yield* made ? createAccount(found, country) : PaymentGateway.use((payments) => payments.account(id))
  const ready = isReady(account)
  const outcomes: Array<Outcome<OnboardingStep>> = [{ item: "account", outcome: "done", value: account.id }]
  let soFar: Onboarded = { operator: found, account, made, link: Option.none(), resumed: false, outcomes }
  if (made) {
    const stored = yield* tryStep("store", store(operator_id, account.id))
    outcomes.push(stored)
    if (stored.outcome !== "done") {
      outcomes.push({ item: ready ? "resume" : "link", outcome: "not_tried" })
      return soFar
    }
    soFar = { ...soFar, operator: stored.value }
  }
  if (ready) {
    const resumed = yield* tryStep("resume", resumeSale(soFar.operator))
    outcomes.push(resumed)
    if (resumed.outcome !== "done" || !resumed.value) return soFar
    return { ...soFar, operator: yield* operators.get(operator_id), resumed: true }
  }
  const link = yield* tryStep(
    "link",
    gateway.onboardingLink(account.id, {
      return_url: `${baseUrl}/?onboarding=done`,
      refresh_url: `${baseUrl}/?onboarding=expired`
    })
  )
  outcomes.push(link)
  return link.outcome === "done" ? { ...soFar, link: Option.some(link.value) } : soFar
})
