/** `playroom operator show|onboard`: whether an operator sells and can take payments, and how it comes to. */
import { Clock, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { lastSale, type OffSale, offSale, type Operator, type OperatorEvent } from "../catalogue/Operator.ts"
import { type OperatorPlayrooms, Operators } from "../catalogue/Operators.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { isReady, Onboarding } from "../payment/Onboarding.ts"
import { type ConnectedAccount, PlatformGateway } from "../payment/provider/PlatformGateway.ts"
import { providerFailed, providerFailure } from "./Failure.ts"
import { operator_id, orMissing, paidThrough } from "./OperatorArgument.ts"
import { fields, instant, json, print, table } from "./Output.ts"

/** Lines of history that are shown. */
const latest = 100

const reasons: Readonly<Record<OffSale, string>> = {
  suspended: "it is suspended",
  no_account: "it has no connected account (playroom operator onboard)",
  lapsed: "its subscription and the grace after it are over"
}

const selling = (operator: Operator, playrooms: OperatorPlayrooms, now: Instant): string => {
  const why = [
    ...offSale(operator, now).map((reason) => reasons[reason]),
    ...(playrooms.listed === 0 ? [playrooms.all === 0 ? "it has no playrooms" : "none of its playrooms is listed"] : [])
  ]
  return why.length === 0 ? "yes" : `no: ${why.join("; ")}`
}

const asksFor = ({ currently_due }: ConnectedAccount): string =>
  currently_due.length === 0 ? "" : `; the provider asks for ${currently_due.join(", ")}`

/** Why an account can't take payments. */
const notReady = (account: ConnectedAccount): string => {
  const why = account.details_submitted ? (account.disabled_reason ?? "not enabled yet") : "onboarding is not finished"
  return `${why}${asksFor(account)}`
}

const takesPayments = (account: ConnectedAccount): string =>
  account.charges_enabled
    ? `yes${account.payouts_enabled ? "" : ", but is not paid out"}${asksFor(account)}`
    : `no: ${notReady(account)}`

const history = (events: ReadonlyArray<OperatorEvent>): string =>
  events.length === 0
    ? "No changes yet."
    : table(
        ["AT", "WHAT", "FROM", "TO", "WHO", "WHY"],
        events.map(({ at, became, event, reason, was, who }) => [
          instant(at),
          event,
          was ?? "-",
          became ?? "-",
          who,
          reason ?? "-"
        ])
      )

export const show = Command.make(
  "show",
  { operator_id, json },
  Effect.fn(function* ({ operator_id, json }) {
    const now = yield* Clock.currentTimeMillis
    const operators = yield* Operators
    const operator = yield* operators.get(operator_id).pipe(Effect.catchTags(orMissing(operator_id)))
    const playrooms = yield* operators.playrooms(operator_id)
    const events = yield* operators.history(operator_id, latest)
    const id = operator.connected_account_id
    const asked =
      id === undefined
        ? Option.none()
        : Option.some(yield* Effect.result(PlatformGateway.use((gateway) => gateway.account(id))))
    const account = Option.flatMap(asked, (result) =>
      result._tag === "Success" ? Option.some(result.success) : Option.none()
    )
    const unknown = Option.flatMap(asked, (result) =>
      result._tag === "Failure" ? Option.some(providerFailure(result.failure)) : Option.none()
    )
    const billed = operator.billing_customer_id !== undefined
    const text = fields([
      ["operator", operator.operator_id],
      ["name", operator.name],
      ["support e-mail", operator.support_email],
      ["listed and selling", selling(operator, playrooms, now)],
      ["playrooms", `${playrooms.all}, ${playrooms.listed} of them listed`],
      ["billed", operator.billing_customer_id ?? "no"],
      ["paid through", billed ? paidThrough(operator) : undefined],
      ["sells until", billed && operator.paid_through !== undefined ? instant(lastSale(operator)) : undefined],
      ["suspended", operator.suspended_at === undefined ? "no" : `since ${instant(operator.suspended_at)}`],
      ["connected account", id ?? "none"],
      [
        "can take payments",
        Option.isSome(account)
          ? takesPayments(account.value)
          : Option.isSome(unknown)
            ? `not known: ${unknown.value}`
            : undefined
      ],
      ["application fee", `${operator.application_fee_percent} %`]
    ])
    yield* print(
      json,
      {
        operator,
        off_sale: offSale(operator, now),
        playrooms,
        ...(billed && operator.paid_through !== undefined ? { sells_until: lastSale(operator) } : {}),
        ...(Option.isSome(account) ? { account: account.value } : {}),
        ...(Option.isSome(unknown) ? { account_unknown: unknown.value } : {}),
        history: events
      },
      `${text}\n\n${history(events)}`
    )
  })
).pipe(Command.withDescription("Show whether an operator sells and can take payments, and what was changed about it"))

const country = Flag.String("country").pipe(
  Flag.withDescription("Where the business is, like GB; by default where its playrooms are"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/, { message: "Expected a country, like GB" }))),
  Flag.optional
)

export const onboard = Command.make(
  "onboard",
  { operator_id, country, json },
  Effect.fn(function* ({ operator_id, country, json }) {
    const onboarded = yield* Onboarding.use((service) => service.onboard(operator_id, country)).pipe(
      Effect.catchTags({ ...orMissing(operator_id), ...providerFailed })
    )
    const { account, link, made, operator, resumed } = onboarded
    const sale = resumed
      ? " It is on sale now."
      : operator.suspended_at === undefined
        ? ""
        : " It is suspended: playroom operator resume puts it on sale."
    const lines = Option.match(link, {
      onNone: () => [
        `${operator.name} takes payments on ${account.id} already: nothing is left to do.${sale}`,
        ...(account.payouts_enabled ? [] : ["The provider does not pay out to it yet: see playroom operator show."])
      ],
      onSome: ({ expires_at, url }) => [
        made
          ? `${account.id} was made for ${operator.name}. It is off sale until it can take payments.`
          : `${operator.name} has ${account.id}, which is not ready yet: ${notReady(account)}.`,
        `Send it this link, which opens once and ends at ${instant(expires_at * 1000)}:`,
        "",
        url,
        "",
        `Afterwards run playroom operator onboard ${operator_id} again: it makes a new link, or says that all is done.`
      ]
    })
    yield* print(
      json,
      {
        operator_id,
        account,
        made,
        ready: isReady(account),
        resumed,
        ...(Option.isSome(link) ? { link: link.value } : {})
      },
      lines.join("\n")
    )
  })
).pipe(Command.withDescription("Make an operator's connected account, and print the link where it is made ready"))
