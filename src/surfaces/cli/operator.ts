/** `playroom operator …`: lists operators, what they may sell, and whether they can take payments. */

import { Clock, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import {
  type ChangedBy,
  lastSale,
  type OffSale,
  offSale,
  type Operator,
  type OperatorEvent
} from "../../domain/catalogue/Operator.ts"
import { type OperatorPlayrooms, Operators } from "../../domain/catalogue/Operators.ts"
import { InstantText } from "../../domain/import/CatalogueSchema.ts"
import { type ConnectedAccount, PaymentGateway } from "../../domain/payment/provider/PaymentGateway.ts"
import { isReady, onboard as onboardOperator, type OnboardingStep } from "../../domain/payment/setup/Onboarding.ts"
import { Staff } from "../../domain/people/staff/Staff.ts"
import { type ListedStaff, StaffName, StaffRole } from "../../domain/people/staff/StaffMember.ts"
import { LinkTokens } from "../../platform/access/LinkTokens.ts"
import { dayMs, type Instant, isLocalDate } from "../../platform/time/LocalTime.ts"
import { commandUser, idNamed, operatorArgument, operatorMissing, switchFlag, given } from "./Arguments.ts"
import { failed, providerFailed, providerFailure } from "./Failure.ts"
import { fields, instant, json, print, table, report } from "./Output.ts"

// `playroom staff …`: who works at an operator's desk.

const invite = Command.make(
  "invite",
  {
    operator: operatorArgument,
    name: Argument.String("name").pipe(
      Argument.withDescription("The person, as the bookings' history is to name them"),
      Argument.withSchema(StaffName)
    ),
    role: Flag.Literals("role", StaffRole.literals).pipe(
      Flag.withDescription(
        "desk: the day's work; manager: also what needs more trust. By default desk, or the role that the person has"
      ),
      Flag.optional
    ),
    lost: switchFlag("lost", "The person's device is lost: their passkeys so far end at once, and they are signed out"),
    json
  },
  Effect.fn(function* ({ operator: named, name, role, lost, json }) {
    if (lost && Option.isSome(role)) return yield* failed("--lost leaves the role as it is: change it afterwards.")
    const operator_id = yield* idNamed("operator", named)
    const who = yield* commandUser
    const staff = yield* Staff
    const { desk_url, member, until, url } = yield* lost
      ? staff.readmit(operator_id, name, who).pipe(Effect.catchTag("StaffNotFound", failed))
      : staff
          .invite(operator_id, { name, role: Option.getOrUndefined(role) }, who)
          .pipe(Effect.catchTags(operatorMissing(operator_id)))
    return yield* print(
      json,
      { ...member, invitation_url: url, open_until: new Date(until).toISOString(), desk_url },
      [
        ...(lost ? [`${member.name} is signed out everywhere, and the passkeys so far have ended.`, ""] : []),
        `${member.name} makes a passkey at this address, once, until ${instant(until)}:`,
        "",
        url,
        "",
        `After that the desk of ${member.operator_name} is at ${desk_url}.`
      ].join("\n")
    )
  })
).pipe(
  Command.withDescription(
    "Print a link by which a person makes a passkey for the desk: it works once, within three days; for another passkey or role of somebody there within 30 minutes"
  )
)

const staffRows = (all: ReadonlyArray<ListedStaff>) =>
  table(
    ["NAME", "ROLE", "PASSKEYS", "LAST SIGNED IN", "INVITED UNTIL", "ID"],
    all.map(({ invited_until, name, passkeys, role, staff_id, used_at }) => [
      name,
      role,
      String(passkeys),
      used_at === null ? "-" : instant(used_at),
      invited_until === null ? "-" : instant(invited_until),
      staff_id
    ])
  )

const listStaff = Command.make(
  "list",
  { operator: operatorArgument, json },
  Effect.fn(function* ({ operator: named, json }) {
    const operator_id = yield* idNamed("operator", named)
    const all = yield* Staff.use((staff) => staff.list(operator_id))
    yield* print(json, all, all.length === 0 ? "Nobody yet: playroom staff invite lets people in." : staffRows(all))
  })
).pipe(Command.withDescription("List the people at an operator's desk"))

const person = Argument.String("person").pipe(
  Argument.withDescription("The name, or staff_…, as staff list shows them")
)

const withdraw = Command.make(
  "withdraw",
  { operator: operatorArgument, person, json },
  Effect.fn(function* ({ operator: named, person, json }) {
    const operator_id = yield* idNamed("operator", named)
    const who = yield* commandUser
    const { ended, name } = yield* Staff.use((staff) => staff.withdraw(operator_id, person, who)).pipe(
      Effect.catchTag("StaffNotFound", failed)
    )
    yield* print(
      json,
      { operator_id, name, ended },
      ended ? `The invitation of ${name} has ended.` : `${name} has no open invitation.`
    )
  })
).pipe(Command.withDescription("End the open invitation of a person, whose passkeys stay good"))

const removeStaff = Command.make(
  "remove",
  { operator: operatorArgument, person, json },
  Effect.fn(function* ({ operator: named, person, json }) {
    const operator_id = yield* idNamed("operator", named)
    const who = yield* commandUser
    const name = yield* Staff.use((staff) => staff.remove(operator_id, person, who)).pipe(
      Effect.catchTag("StaffNotFound", failed)
    )
    yield* print(json, { operator_id, name }, `${name} is signed out everywhere, and can't sign in any more.`)
  })
).pipe(Command.withDescription("Remove a person from an operator's desk, at once"))

export const staff = Command.make("staff").pipe(
  Command.withDescription("Invite, list and remove the people at an operator's desk"),
  Command.withSubcommands([invite, listStaff, withdraw, removeStaff])
)

/** Until when the operator's subscription is paid. */
const paidThrough = ({ billing_customer_id, paid_through }: Operator): string =>
  billing_customer_id === undefined ? "not billed" : paid_through === undefined ? "never" : instant(paid_through)

const rows = (operators: ReadonlyArray<Operator>) =>
  table(
    ["OPERATOR", "NAME", "CONNECTED ACCOUNT", "PAID THROUGH", "SUSPENDED"],
    operators.map((operator) => [
      operator.operator_id,
      operator.name,
      operator.connected_account_id ?? "-",
      paidThrough(operator),
      operator.suspended_at === undefined ? "-" : instant(operator.suspended_at)
    ])
  )

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* ({ json }) {
    const operators = yield* Operators.use((service) => service.list)
    yield* print(json, operators, operators.length === 0 ? "No operators yet: import a catalogue." : rows(operators))
  })
).pipe(Command.withDescription("List all operators, and whether each sells"))

/** History entries shown. */
const latest = 100

const reasons: Readonly<Record<OffSale, string>> = {
  suspended: "it is suspended",
  no_account: "it has no connected account (playroom operator onboard)",
  account_closed: "its account takes no payments",
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
        events.map(({ at, became, event, playroom_id, reason, was, who }) => [
          instant(at),
          playroom_id === null ? event : `${event} ${playroom_id}`,
          was ?? "-",
          became ?? "-",
          who,
          reason ?? "-"
        ])
      )

const show = Command.make(
  "show",
  { operator: operatorArgument, json },
  Effect.fn(function* ({ operator: named, json }) {
    const operator_id = yield* idNamed("operator", named)
    const now = yield* Clock.currentTimeMillis
    const operators = yield* Operators
    const operator = yield* operators.get(operator_id).pipe(Effect.catchTags(operatorMissing(operator_id)))
    const playrooms = yield* operators.playrooms(operator_id)
    const events = yield* operators.history(operator_id, latest)
    const id = operator.connected_account_id
    const asked =
      id === undefined
        ? Option.none()
        : Option.some(yield* Effect.result(PaymentGateway.use((gateway) => gateway.account(id))))
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
      ["telephone", operator.phone],
      ["legal name", operator.legal_name],
      ["tax number", operator.tax_number],
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
        ...given("account", account),
        ...given("account_unknown", unknown),
        history: events
      },
      `${text}\n\n${history(events)}`
    )
  })
).pipe(Command.withDescription("Show whether an operator sells and can take payments, and what was changed about it"))

const reason = Flag.String("reason").pipe(
  Flag.withDescription("Why, for the operator's history"),
  Flag.withSchema(Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(500)))
)

const changedBy = (reason: Option.Option<string>) =>
  Effect.map(commandUser, (who): ChangedBy => ({ who, ...given("reason", reason) }))

/** Takes an operator off sale, or puts it back. */
const saleCommand = (name: "suspend" | "resume", description: string, told: string) =>
  Command.make(
    name,
    { operator: operatorArgument, reason: Flag.optional(reason), json },
    Effect.fn(function* ({ operator: named, reason, json }) {
      const operator_id = yield* idNamed("operator", named)
      const why = yield* changedBy(reason)
      const operator = yield* Operators.use((service) => service[name](operator_id, why)).pipe(
        Effect.catchTags(operatorMissing(operator_id))
      )
      yield* print(json, operator, `${operator.name} ${told}`)
    })
  ).pipe(Command.withDescription(description))

const suspend = saleCommand(
  "suspend",
  "Take an operator off sale; existing bookings stay valid",
  "is suspended: not listed, sells nothing. Existing bookings stay valid."
)
const resume = saleCommand("resume", "Put a suspended operator back on sale", "is no longer suspended.")

const decodeInstant = Schema.decodeUnknownOption(InstantText)

/** A day lasts until its last second, UTC. */
const lastInstant = (text: string): Option.Option<Instant> =>
  isLocalDate(text) ? Option.some(Date.parse(`${text}T00:00:00Z`) + dayMs - 1000) : decodeInstant(text)

const setPaidThrough = Command.make(
  "paid-through",
  {
    operator: operatorArgument,
    date: Argument.String("date").pipe(
      Argument.withDescription("A date, like 2027-01-31 (to its end, UTC), or an instant with its offset")
    ),
    reason,
    json
  },
  Effect.fn(function* ({ operator: named, date, reason, json }) {
    const operator_id = yield* idNamed("operator", named)
    const until = lastInstant(date)
    if (Option.isNone(until)) {
      return yield* failed(
        `${JSON.stringify(date)} is neither a date of the years 1900 to 2999, like 2027-01-31, nor an instant, like 2027-01-31T12:00:00+00:00.`
      )
    }
    const why = yield* changedBy(Option.some(reason))
    const operator = yield* Operators.use((service) => service.setPaidThrough(operator_id, until.value, why)).pipe(
      Effect.catchTags(operatorMissing(operator_id))
    )
    const note =
      operator.billing_customer_id === undefined ? " It is not billed, so that this changes nothing for now." : ""
    return yield* print(json, operator, `${operator.name} is paid through ${instant(operator.paid_through)}.${note}`)
  })
).pipe(Command.withDescription("Say until when an operator's subscription is paid: later or earlier than it is"))

const country = Flag.String("country").pipe(
  Flag.withDescription("Where the business is, like GB; by default where its playrooms are"),
  Flag.withSchema(Schema.String.check(Schema.isPattern(/^[A-Z]{2}$/, { message: "Expected a country, like GB" }))),
  Flag.optional
)

const onboardingSteps: Readonly<Record<OnboardingStep, string>> = {
  account: "have an account at the provider",
  store: "note the account, and take the operator off sale until it can take payments",
  link: "make the link to the provider's questions",
  resume: "put the operator on sale"
}

const onboard = Command.make(
  "onboard",
  { operator: operatorArgument, country, json },
  Effect.fn(function* ({ operator: named, country, json }) {
    const operator_id = yield* idNamed("operator", named)
    const onboarded = yield* onboardOperator(operator_id, country).pipe(
      Effect.catchTags({ ...operatorMissing(operator_id), ...providerFailed })
    )
    const { account, link, made, operator, outcomes, resumed } = onboarded
    const sale = resumed
      ? " It is on sale now."
      : operator.suspended_at === undefined
        ? ""
        : " It is suspended: playroom operator resume puts it on sale."
    const complete = outcomes.every(({ outcome }) => outcome === "done")
    const again = `Run playroom operator onboard ${operator_id} again`
    const ready = [
      `${operator.name} takes payments on ${account.id} already${complete ? ": nothing is left to do" : ""}.${sale}`,
      ...(account.payouts_enabled ? [] : ["The provider does not pay out to it yet: see playroom operator show."])
    ]
    const unready = [
      made
        ? `${account.id} was made for ${operator.name}.${operator.suspended_at === undefined ? "" : " It is off sale until it can take payments."}`
        : `${operator.name} has ${account.id}, which is not ready yet: ${notReady(account)}.`,
      ...Option.match(link, {
        onNone: () => [`${again}: it goes on where this ended.`],
        onSome: ({ expires_at, url }) => [
          `Send it this link, which opens once and ends at ${instant(expires_at * 1000)}:`,
          "",
          url,
          "",
          `Afterwards run playroom operator onboard ${operator_id} again: it makes a new link, or says that all is done.`
        ]
      })
    ]
    return yield* report(json, outcomes, {
      noun: "step",
      verb: "done",
      name: (step) => onboardingSteps[step],
      data: (step) => ({ step }),
      lines: isReady(account) ? ready : unready,
      value: {
        operator_id,
        account,
        made,
        ready: isReady(account),
        resumed,
        ...given("link", link)
      }
    })
  })
).pipe(Command.withDescription("Make an operator's account at the provider, and print the link where it is made ready"))

const link = Command.make(
  "link",
  {
    operator: operatorArgument,
    renew: switchFlag("renew", "End the link that was given out before, and print a new one"),
    json
  },
  Effect.fn(function* ({ operator: named, renew, json }) {
    const operator_id = yield* idNamed("operator", named)
    const { link_counter, name, ...page } = yield* Operators.use((operators) =>
      Effect.andThen(renew ? operators.renewLink(operator_id) : Effect.void, operators.page(operator_id))
    ).pipe(Effect.catchTags(operatorMissing(operator_id)))
    const target = { page: "operator", operator_id: page.operator_id, counter: link_counter } as const
    const page_url = yield* LinkTokens.use((links) => links.address(target))
    const calendar_url = `${page_url}.ics`
    yield* print(
      json,
      { operator_id: page.operator_id, page_url, calendar_url, renewed: renew },
      [
        ...(renew ? [`The link of ${name} that was given out before opens nothing any more.`] : []),
        "Whoever has this address sees who comes to the operator's playrooms and how to reach them:",
        "",
        page_url,
        "",
        `For calendars to subscribe to: ${calendar_url}`
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Print the address where an operator sees, prints and subscribes to its days"))

export const operator = Command.make("operator").pipe(
  Command.withDescription(
    "List and show operators, take them off sale and back, let them take payments, and print the link to their days"
  ),
  Command.withSubcommands([list, show, link, suspend, resume, setPaidThrough, onboard])
)
