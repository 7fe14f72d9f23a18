/**
 * `/desk/vouchers`: gift vouchers are sold, looked up and listed, and a sale that was a mistake is undone. What they pay
 * stands at the booking (`VenuePayments.ts`).
 */
import { Clock, Effect, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type { HttpServerResponse } from "effect/http"
import { Catalogue } from "../../../domain/catalogue/Catalogue.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { amountOf } from "../../../domain/payment/changes/Act.ts"
import { OfflinePaymentMethod } from "../../../domain/payment/sessions/PaymentSession.ts"
import {
  endedOf,
  inGroups,
  readCode,
  type Voucher,
  voucherPath,
  Vouchers
} from "../../../domain/payment/sessions/Vouchers.ts"
import { deskPaths, mayDo } from "../../../domain/people/staff/StaffMember.ts"
import { newId, VoucherId } from "../../../platform/ids/Ids.ts"
import { stepText } from "../../../platform/money/Charge.ts"
import { exponentOf } from "../../../platform/money/Money.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { addDays, dayRange, type Instant, isLocalDate, localDateOf } from "../../../platform/time/LocalTime.ts"
import { messages } from "../../../words/Languages.ts"
import { dateIn, dateTimeIn, moneyIn } from "../../../words/Localized.ts"
import { actions, buttonForm, buttonLink, copyable, dataTable, facts, hiddenInputs, isolated } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import { codeField } from "../family/VoucherPages.ts"
import { choice, field } from "./ActForm.ts"
import { deskPage, type DeskRequest, type DeskScreen, hiddenFields, notAllowedPage } from "./DeskFrame.ts"

/** A voucher is valid for no longer: what is written for a later day is a slip. */
const maxDays = 3660

const voucherAddress = (voucher_id: VoucherId): string => `${deskPaths.vouchers}?id=${voucher_id}`

/** What can be sold where: the currencies of the operator's rooms, and its clock. */
interface Offer {
  readonly currencies: ReadonlyArray<string>
  readonly time_zone: string
  /** Of the voucher that the form sells: sent twice, it sells one. */
  readonly voucher_id: VoucherId
  readonly latest: ReadonlyArray<Voucher>
  readonly now: Instant
}

const isVoucherId = Schema.is(VoucherId)
const isWay = Schema.is(OfflinePaymentMethod)

/** Why it pays nothing any more; empty if it does. */
const stateOf = (voucher: Voucher, now: Instant, { language }: Pick<DeskRequest, "language">): string => {
  const ended = endedOf(voucher, now)
  return ended === undefined ? "" : messages[language].voucher.refused[ended]
}

const wayOf = ({ way }: Voucher, language: DeskRequest["language"]): string => {
  const { desk, receipt } = messages[language]
  return way === "link" ? desk.voucher.online : receipt.paidBy[way]
}

const sellForm = (
  desk: DeskRequest,
  { currencies, now, time_zone, voucher_id }: Offer,
  typed: URLSearchParams
): Html => {
  const { desk: text, receipt } = messages[desk.language]
  const { voucher } = text
  const value = (name: string) => typed.get(name) ?? ""
  const [only = "", ...others] = currencies
  const currency =
    others.length === 0
      ? hiddenInputs({ currency: only })
      : choice(
          "currency",
          voucher.value,
          currencies.map((code) => ({ value: code, label: code })),
          value("currency")
        )
  const amount = others.length === 0 ? text.amountIn(only) : voucher.value
  const today = localDateOf(time_zone, now)
  return html`<section><h2>${voucher.sell}</h2>
<p>${voucher.lead}</p>
<form class="card" method="post" action="${deskPaths.vouchers}">
${hiddenInputs(hiddenFields(desk, "sell", { voucher: voucher_id }))}
${currency}
${field("amount", amount, html`<input id="amount" name="amount" type="text" inputmode="decimal" autocomplete="off" maxlength="20" required value="${value("amount")}">`)}
${choice(
  "way",
  text.pay.way,
  OfflinePaymentMethod.literals.map((way) => ({ value: way, label: receipt.paidBy[way] })),
  value("way")
)}
${field("until", voucher.until, html`<input id="until" name="until" type="date" min="${today}" max="${addDays(today, maxDays)}" aria-describedby="until-hint" value="${value("until")}">`, voucher.untilHint)}
${actions(html`<button>${voucher.sell}</button>`)}
</form></section>`
}

const latestPart = (desk: DeskRequest, { latest, now }: Offer): Html => {
  const { language } = desk
  const { desk: text, voucher: words } = messages[language]
  const { voucher } = text
  if (latest.length === 0) return html`<p class="lead">${voucher.none}</p>`
  const row = (one: Voucher) => [
    html`<a href="${voucherAddress(one.voucher_id)}">${dateTimeIn(language, one.time_zone, one.sold_at)}</a>`,
    moneyIn(language, one.amount, one.currency),
    html`<strong>${moneyIn(language, one.left, one.currency)}</strong>${endedOf(one, now) === undefined ? "" : html`<br><span class="soft">${stateOf(one, now, desk)}</span>`}`,
    html`${wayOf(one, language)}${one.sold_by === null ? "" : html`<br>${isolated(one.sold_by)}`}`
  ]
  return dataTable(voucher.latest, [voucher.sold, words.worth, words.left, text.till.way], latest.map(row))
}

const listPage = (
  desk: DeskRequest,
  offer: Offer,
  typed = new URLSearchParams(),
  alert?: string
): HttpServerResponse.HttpServerResponse => {
  const { desk: text } = messages[desk.language]
  const { voucher } = text
  return deskPage(desk, {
    title: voucher.title,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${voucher.title}</h1>
${alert === undefined ? "" : html`<p role="alert">${alert}</p>`}`,
    body: html`${offer.currencies.length === 0 ? "" : sellForm(desk, offer, typed)}
<section><h2>${voucher.look}</h2>
<form class="card" method="post" action="${deskPaths.vouchers}">
${hiddenInputs(hiddenFields(desk, "look"))}
${codeField(typed.get("code") ?? "", desk.language)}
${actions(html`<button class="second">${voucher.show}</button>`)}
</form></section>
${latestPart(desk, offer)}
${actions(buttonLink(deskPaths.desk, text.toDay, true))}`
  })
}

const voucherPage = (
  desk: DeskRequest,
  voucher: Voucher,
  code: string,
  now: Instant,
  alert?: string
): HttpServerResponse.HttpServerResponse => {
  const { language, member } = desk
  const { desk: text, voucher: words } = messages[language]
  const { amount, currency, expires_at, left, sold_at, sold_by, time_zone, voided_at, voided_by, voucher_id } = voucher
  const money = (minor: number) => moneyIn(language, minor, currency)
  const state = stateOf(voucher, now, desk)
  const by = (name: string | null) => (name === null ? "" : html` · ${isolated(name)}`)
  const undoable = state === "" && left === amount && mayDo(member.role, "undo_payment")
  return deskPage(desk, {
    title: words.title,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${words.title}</h1>
${alert === undefined ? "" : html`<p role="alert">${alert}</p>`}${state === "" ? "" : html`<p class="lead">${state}</p>`}`,
    body: html`${facts([
      { term: words.worth, is: money(amount) },
      { term: words.left, is: html`<strong>${money(left)}</strong>` },
      {
        term: text.voucher.sold,
        is: html`${dateTimeIn(language, time_zone, sold_at)} · ${wayOf(voucher, language)}${by(sold_by)}`
      },
      { term: words.until, is: expires_at === null ? words.noEnd : dateIn(language, time_zone, expires_at - 1) },
      ...(voided_at === null
        ? []
        : [{ term: text.voucher.undone, is: html`${dateTimeIn(language, time_zone, voided_at)}${by(voided_by)}` }])
    ])}
${state === "" ? html`<p>${words.code}</p>\n${copyable(inGroups(code))}` : ""}
${actions(
  state === "" ? buttonLink(`${voucherPath}${inGroups(code)}`, text.voucher.print) : undefined,
  undoable
    ? buttonForm(deskPaths.vouchers, hiddenFields(desk, "undo", { voucher: voucher_id }), text.voucher.undo, true)
    : undefined,
  buttonLink(deskPaths.vouchers, text.voucher.title, true)
)}`
  })
}

/** The screen. */
export const vouchers = Effect.gen(function* () {
  const service = yield* Vouchers
  const catalogue = yield* Catalogue
  const operators = yield* Operators
  const random = yield* SecureRandom.SecureRandom

  const offerOf = Effect.fnUntraced(function* ({ member: { operator_id } }: DeskRequest, again?: string | null) {
    const venues = yield* catalogue.venuesOfOperator(operator_id)
    const { time_zone } = yield* Effect.catchTag(operators.page(operator_id), "OperatorNotFound", Effect.die)
    return {
      currencies: [...new Set(venues.map(({ playroom }) => playroom.currency))].toSorted(),
      time_zone: time_zone ?? "UTC",
      voucher_id: isVoucherId(again)
        ? again
        : yield* Effect.provideService(newId.voucher, SecureRandom.SecureRandom, random),
      latest: yield* service.latest(operator_id),
      now: yield* Clock.currentTimeMillis
    } satisfies Offer
  })

  const shown = Effect.fnUntraced(function* (desk: DeskRequest, voucher_id: string | undefined, alert?: string) {
    const found = isVoucherId(voucher_id) ? yield* service.find(voucher_id) : Option.none<Voucher>()
    const own = Option.filter(found, ({ operator_id }) => operator_id === desk.member.operator_id)
    if (Option.isNone(own)) return linkProblemPage("nothing", desk.language)
    const now = yield* Clock.currentTimeMillis
    return voucherPage(desk, own.value, yield* service.code(own.value.voucher_id), now, alert)
  })

  const sell = Effect.fnUntraced(function* (desk: DeskRequest, form: URLSearchParams) {
    const { desk: text } = messages[desk.language]
    const offer = yield* offerOf(desk, form.get("voucher"))
    const again = (why: string) => listPage(desk, offer, form, why)
    const [currency, way, until = ""] = ["currency", "way", "until"].map((name) => form.get(name) ?? "")
    if (currency === undefined || !offer.currencies.includes(currency)) return again(text.voucher.value)
    const amount = amountOf("amount", (form.get("amount") ?? "").slice(0, 100), { currency })
    if (Result.isFailure(amount))
      return again(
        amount.failure.of === "amount_step"
          ? text.amountSteps(stepText(currency))
          : text.amountWrong((45).toFixed(exponentOf(currency)))
      )
    if (!isWay(way)) return again(text.pay.whichWay)
    const today = localDateOf(offer.time_zone, offer.now)
    const fits = until === "" || (isLocalDate(until) && until >= today && until <= addDays(today, maxDays))
    if (!fits) return again(text.voucher.untilWrong)
    const { name, operator_id } = desk.member
    const sold = yield* service.sell({
      voucher_id: offer.voucher_id,
      operator_id,
      amount: amount.success,
      currency,
      way,
      sold_by: name,
      time_zone: offer.time_zone,
      ...(isLocalDate(until) ? { expires_at: dayRange(offer.time_zone, until).end } : {})
    })
    return Option.isNone(sold)
      ? linkProblemPage("unreadable", desk.language)
      : redirectAfterPost(voucherAddress(sold.value.voucher_id))
  })

  const look = Effect.fnUntraced(function* (desk: DeskRequest, form: URLSearchParams) {
    const { refused } = messages[desk.language].voucher
    const code = readCode(form.get("code") ?? "")
    const found = Option.isNone(code) ? Option.none<Voucher>() : yield* service.byCode(code.value)
    const own = Option.filter(found, ({ operator_id }) => operator_id === desk.member.operator_id)
    return Option.isSome(own)
      ? redirectAfterPost(voucherAddress(own.value.voucher_id))
      : listPage(desk, yield* offerOf(desk), form, Option.isNone(code) ? refused.slip : refused.unknown)
  })

  const undo = Effect.fnUntraced(function* (desk: DeskRequest, form: URLSearchParams) {
    const { member } = desk
    const voucher_id = form.get("voucher")
    if (!mayDo(member.role, "undo_payment")) return notAllowedPage(desk)
    if (!isVoucherId(voucher_id)) return linkProblemPage("unreadable", desk.language)
    return yield* service.undo(voucher_id, member.operator_id, member.name).pipe(
      Effect.as(redirectAfterPost(voucherAddress(voucher_id))),
      Effect.catchTag("VoucherKept", () => shown(desk, voucher_id, messages[desk.language].desk.voucher.kept))
    )
  })

  return {
    path: deskPaths.vouchers,
    right: "take_payment",
    show: (desk, { id }) =>
      id === undefined ? Effect.map(offerOf(desk), (offer) => listPage(desk, offer)) : shown(desk, id),
    act: (desk, form) => {
      const step = form.get("step")
      if (step === "sell") return sell(desk, form)
      return step === "undo" ? undo(desk, form) : look(desk, form)
    }
  } satisfies DeskScreen
})
