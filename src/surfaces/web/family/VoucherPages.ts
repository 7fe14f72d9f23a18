/**
 * `/v/{code}`: a gift voucher, to print and to see what is left of it. And the step of the family's page that pays with
 * one. Nobody guesses a code: it has 75 bits, and what an address opens is counted as pages are (`PageTable.ts`).
 */
import { Clock, Effect, Option } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { Operator } from "../../../domain/catalogue/Operator.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { amountsToPay } from "../../../domain/booking/Standing.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import { BookingChanges, type How, type Told } from "../../../domain/payment/changes/BookingChanges.ts"
import { payByVoucher, type VoucherPayment, voucherRefusal } from "../../../domain/payment/changes/VenuePayments.ts"
import {
  endedOf,
  inGroups,
  maxTypedCode,
  readCode,
  type Voucher,
  voucherPath,
  Vouchers
} from "../../../domain/payment/sessions/Vouchers.ts"
import type { Money } from "../../../platform/money/Money.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, moneyIn } from "../../../words/Localized.ts"
import { actions, buttonLink, copyable, facts, hiddenInputs, isolated, page } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import type { PageRow } from "../frame/PageTable.ts"
import {
  alertOf,
  type BookingStep,
  type OpenedBooking,
  shownIn,
  stepAddress,
  toBooking,
  underWayPage
} from "./BookingStep.ts"

import { labelled } from "./PartyStep.ts"

const headers = { vary: "accept-language" }

const voucherPage = (
  { amount, currency, expires_at, left, time_zone, ...voucher }: Voucher,
  { name }: Pick<Operator, "name">,
  code: string,
  now: Instant,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { receipt, voucher: text } = messages[language]
  const ended = endedOf({ amount, currency, expires_at, left, time_zone, ...voucher }, now)
  const money = (minor: number) => moneyIn(language, minor, currency)
  const line = html`<span class="soft">…………………………………</span>`
  return page(
    `${text.title}: ${name}`,
    html`<h1>${text.title}</h1>
<p class="lead">${isolated(name)}</p>
${ended === undefined ? "" : html`<p role="alert">${text.refused[ended]}</p>`}
${facts([
  { term: text.worth, is: html`<strong>${money(amount)}</strong>` },
  ...(left === amount ? [] : [{ term: text.left, is: html`<strong>${money(left)}</strong>` }]),
  { term: text.until, is: expires_at === null ? text.noEnd : dateIn(language, time_zone, expires_at - 1) },
  { term: text.forWhom, is: line },
  { term: text.from, is: line }
])}
<h2>${text.code}</h2>
${copyable(inGroups(code))}
<p>${text.how}</p>
<p class="soft">${text.keep} <span class="noprint">${receipt.printed}</span></p>`,
    { language, headers }
  )
}

const nothingPage = (language: Language): HttpServerResponse.HttpServerResponse => {
  const { voucher: text } = messages[language]
  return page(
    text.title,
    html`<h1>${text.title}</h1>
<p class="lead">${text.none}</p>`,
    { language, status: 404, headers }
  )
}

/** The row of the page. */
export const voucherRow = Effect.gen(function* () {
  const vouchers = yield* Vouchers
  const operators = yield* Operators

  const show = Effect.fnUntraced(function* (typed: string, language: Language) {
    const code = readCode(typed)
    const found = Option.isNone(code) ? Option.none<Voucher>() : yield* vouchers.byCode(code.value)
    if (Option.isNone(code) || Option.isNone(found)) return nothingPage(language)
    const operator = yield* Effect.catchTag(operators.get(found.value.operator_id), "OperatorNotFound", Effect.die)
    return voucherPage(found.value, operator, code.value, yield* Clock.currentTimeMillis, language)
  })

  return {
    path: `${voucherPath}:token`,
    show: ({ language, token }) => show(token, language)
  } satisfies PageRow
})

/** The field of a voucher's code. */
export const codeField = (value: string, language: Language): Html => {
  const { voucher } = messages[language]
  return labelled(
    "code",
    voucher.code,
    {},
    (described) =>
      html`<input id="code" name="code" type="text" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="${maxTypedCode}" required value="${value}"${described}>`,
    voucher.codeHint
  )
}

// Paying with a voucher: the form, what it would pay, and the payment.

const formPage = ({ asked }: OpenedBooking, typed: string, alert?: string): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { voucher: text, words } = messages[language]
  return page(
    text.use,
    html`<h1>${text.use}</h1>
${alertOf(alert)}<p class="lead">${text.lead}</p>
<form class="card" method="post" action="${stepAddress(asked)}">
${hiddenInputs({ step: payByVoucher.step })}
${codeField(typed, language)}
${actions(html`<button>${text.look}</button>`, buttonLink(stepAddress(asked), words.leaveAsItIs, true))}
</form>`,
    { language, formAction: "'self'", status: alert === undefined ? 200 : 409, headers }
  )
}

const confirmPage = (
  { asked }: OpenedBooking,
  code: string,
  { amount, confirms, left, left_of_voucher, shown }: VoucherPayment & Told,
  alert?: string
): HttpServerResponse.HttpServerResponse => {
  const { language } = asked
  const { desk, receipt, voucher: text, words } = messages[language]
  const money = ({ amount: minor, currency }: Money) => moneyIn(language, minor, currency)
  return page(
    text.use,
    html`<h1>${text.use}</h1>
${alertOf(alert)}${facts([
      { term: text.pays, is: html`<strong>${money(amount)}</strong>` },
      { term: text.left, is: money(left_of_voucher) },
      { term: receipt.left, is: money(left) }
    ])}
${confirms ? html`<p>${desk.pay.confirms}</p>` : ""}
<form method="post" action="${stepAddress(asked)}">
${hiddenInputs({ step: payByVoucher.step, code, shown })}
${actions(html`<button>${text.pay(money(amount))}</button>`, buttonLink(stepAddress(asked), words.leaveAsItIs, true))}
</form>`,
    { language, formAction: "'self'", status: alert === undefined ? 200 : 409, headers }
  )
}

export const voucherStep = Effect.gen(function* () {
  const { run } = yield* BookingChanges
  const vouchers = yield* Vouchers

  const isOwing = ({ booking, summary }: OpenedBooking): boolean =>
    isLiveBooking(booking) && amountsToPay(booking, summary).outstanding > 0

  const paying = (opened: OpenedBooking, code: string, how: Pick<How, "preview" | "shown">) =>
    run(payByVoucher, opened.booking.booking_id, { code, rest: "later" }, { ...how, who: { as: "family" } })

  /** What it would pay, or why it pays nothing. */
  const preview = (opened: OpenedBooking, code: string, alert?: string) => {
    const { language } = opened.asked
    const m = messages[language]
    return paying(opened, code, { preview: true }).pipe(
      Effect.map((would) => confirmPage(opened, code, would, alert)),
      Effect.catchTags({
        VoucherRefused: ({ amount, reason }) =>
          Effect.succeed(
            formPage(
              opened,
              code,
              reason === "less_than_due"
                ? m.voucher.less(moneyIn(language, amount.amount, amount.currency))
                : voucherRefusal(reason, { m })
            )
          ),
        ChangeUnderWay: () => Effect.succeed(underWayPage(opened))
      }),
      Effect.catchIf(
        (error) => error._tag !== "SqlError",
        () => toBooking(opened)
      )
    )
  }

  const act: BookingStep["act"] = (opened, form) => {
    const code = (form.get("code") ?? "").slice(0, maxTypedCode)
    if (!form.has("shown")) return preview(opened, code)
    return shownIn(form).pipe(
      Effect.flatMap(({ shown }) => paying(opened, code, { preview: false, shown })),
      Effect.andThen(toBooking(opened)),
      Effect.catchTags({
        SchemaError: () => Effect.succeed(linkProblemPage("unreadable", opened.asked.language)),
        ChangedSinceShown: () => preview(opened, code, messages[opened.asked.language].voucher.again),
        VoucherRefused: () => preview(opened, code),
        ChangeUnderWay: () => Effect.succeed(underWayPage(opened))
      }),
      Effect.catchIf(
        (error) => error._tag !== "SqlError",
        () => toBooking(opened)
      )
    )
  }

  /** The link is there where the venue has sold vouchers. */
  const parts: BookingStep["parts"] = (opened) => {
    const { asked, booking } = opened
    if (!isOwing(opened)) return Effect.succeed({})
    return Effect.map(vouchers.sold(booking.operator_id), (sold) =>
      sold
        ? { action: buttonLink(stepAddress(asked, payByVoucher.step), messages[asked.language].voucher.use, true) }
        : {}
    )
  }

  const show: BookingStep["show"] = (opened) =>
    isOwing(opened) ? Effect.succeed(formPage(opened, "")) : toBooking(opened)

  return { parts, show, act } satisfies BookingStep
})
