/**
 * `/v/{code}`: a gift voucher, to print and to see what is left of it. `/gift/{operator}`: where anybody buys one, and
 * `/bought/{token}`: where who did sees how the payment stands. And the step of the family's page that pays with one. Nobody guesses a code: it has 75 bits, and what an address opens is counted as pages are (`PageTable.ts`).
 */
import { Clock, Effect, Option, Result, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Line, offerOf, type Operator, type VoucherOffer } from "../../../domain/catalogue/Operator.ts"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { amountsToPay } from "../../../domain/booking/Standing.ts"
import { isLiveBooking } from "../../../domain/booking/Lifecycle.ts"
import { amountOf } from "../../../domain/payment/changes/Act.ts"
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
import { type VoucherSale, VoucherSales } from "../../../domain/payment/settlement/VoucherSales.ts"
import { boughtPath, buyPath } from "../../../platform/access/LinkTokens.ts"
import { bucketOf } from "../../../platform/access/ClientAddress.ts"
import { RateLimits } from "../../../platform/access/RateLimits.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { OperatorId, VoucherId } from "../../../platform/ids/Ids.ts"
import type { Money } from "../../../platform/money/Money.ts"
import { Contact } from "../../../platform/text/Contact.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, moneyIn, monthsIn } from "../../../words/Localized.ts"
import { actions, buttonLink, copyable, facts, hiddenInputs, isolated, page, type PageAnswer } from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { type PageRow, redirectAfterPost } from "../frame/PageTable.ts"
import {
  alertOf,
  type BookingStep,
  type OpenedBooking,
  shownIn,
  stepAddress,
  toBooking,
  underWayPage
} from "./BookingStep.ts"
import { labelled, type PartyFormErrors } from "./PartyStep.ts"

const headers = { vary: "accept-language" }

/** What its buyer wrote on a voucher that was sold online. */
type Written = Pick<VoucherSale, "buyer_name" | "greeting" | "recipient">
const nothingWritten: Written = { buyer_name: null, greeting: null, recipient: null }

const voucherPage = (
  voucher: Voucher,
  { name }: Pick<Operator, "name">,
  { buyer_name, greeting, recipient }: Written,
  code: string,
  now: Instant,
  language: Language
): HttpServerResponse.HttpServerResponse => {
  const { receipt, voucher: text } = messages[language]
  const { amount, currency, expires_at, left, time_zone } = voucher
  const ended = endedOf(voucher, now)
  const money = (minor: number) => moneyIn(language, minor, currency)
  const line = html`<span class="soft">…………………………………</span>`
  return page(
    `${text.title}: ${name}`,
    html`<h1>${text.title}</h1>
<p class="lead">${isolated(name)}</p>
${greeting === null ? "" : html`<p>${isolated(greeting)}</p>`}
${ended === undefined ? "" : html`<p role="alert">${text.refused[ended]}</p>`}
${facts([
  { term: text.worth, is: html`<strong>${money(amount)}</strong>` },
  ...(left === amount ? [] : [{ term: text.left, is: html`<strong>${money(left)}</strong>` }]),
  { term: text.until, is: expires_at === null ? text.noEnd : dateIn(language, time_zone, expires_at - 1) },
  { term: text.forWhom, is: recipient === null ? line : isolated(recipient) },
  { term: text.from, is: buyer_name === null ? line : isolated(buyer_name) }
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
  const sales = yield* VoucherSales

  const show = Effect.fnUntraced(function* (typed: string, language: Language) {
    const code = readCode(typed)
    const found = Option.isNone(code) ? Option.none<Voucher>() : yield* vouchers.byCode(code.value)
    if (Option.isNone(code) || Option.isNone(found)) return nothingPage(language)
    const operator = yield* Effect.catchTag(operators.get(found.value.operator_id), "OperatorNotFound", Effect.die)
    const sale = found.value.way === "link" ? yield* sales.find(found.value.voucher_id) : Option.none<Written>()
    const written = Option.getOrElse(sale, () => nothingWritten)
    return voucherPage(found.value, operator, written, code.value, yield* Clock.currentTimeMillis, language)
  })

  return {
    path: `${voucherPath}:token`,
    show: ({ language, token }) => show(token, language)
  } satisfies PageRow
})

// Buying one.

/** What was entered. */
interface Entered {
  readonly amount: string
  readonly name: string
  readonly email: string
  readonly recipient: string
  readonly greeting: string
}
const nothingEntered: Entered = { amount: "", name: "", email: "", recipient: "", greeting: "" }
/** The longest text of a field that is shown again. */
const maxText = 300
const maxGreeting = 200
const readField = {
  name: Schema.decodeOption(Contact.fields.name),
  email: Schema.decodeOption(Contact.fields.email),
  recipient: Schema.decodeOption(Line(100)),
  greeting: Schema.decodeOption(Line(maxGreeting))
}

const isVoucherId = Schema.is(VoucherId)
const isOperatorId = Schema.is(OperatorId)

const textPage = (title: string, body: Html, language: Language, status = 200) =>
  page(title, html`<h1>${title}</h1>\n${body}`, { language, status, formAction: "'self'", headers })

const notSoldPage = (language: Language) => {
  const { buying: text } = messages[language]
  return textPage(text.title, html`<p class="lead">${text.none}</p>`, language, 404)
}

/** What of the page depends on the settings: where its form may lead, and whether there are letters. */
interface BuyFrame {
  readonly formsLeadTo: string
  readonly letters: boolean
}

const buyPage = (
  { name, operator_id }: Operator,
  { currency, max_amount, min_amount, valid_months }: VoucherOffer,
  voucher_id: VoucherId,
  { formsLeadTo, letters }: BuyFrame,
  language: Language,
  entered: Entered = nothingEntered,
  faults: PartyFormErrors = {},
  alert?: string
): HttpServerResponse.HttpServerResponse => {
  const { buying: text, party, voucher, words } = messages[language]
  const money = (minor: number) => moneyIn(language, minor, currency)
  const said = alert ?? Object.values(faults)[0]
  const field = (
    of: keyof Entered,
    label: string,
    type: "text" | "email",
    length: number,
    more: Html,
    hint?: string
  ): Html =>
    labelled(
      of,
      label,
      faults,
      (described) =>
        html`<input id="${of}" name="${of}" type="${type}" maxlength="${length}" value="${entered[of]}" ${more}${described}>`,
      hint
    )
  return page(
    `${text.title}: ${name}`,
    html`<h1>${text.title}</h1>
<p class="lead">${isolated(name)}</p>
${alertOf(said)}<p>${text.lead}</p>
${facts([{ term: text.valid, is: valid_months === undefined ? voucher.noEnd : monthsIn(language, valid_months) }])}
<form class="card" method="post" action="${buyPath}${operator_id}" novalidate>
${hiddenInputs({ voucher: voucher_id })}
${field("amount", `${text.amount} (${currency})`, "text", 20, html`inputmode="decimal" autocomplete="off" required`, text.bounds(money(min_amount), money(max_amount)))}
${field("name", party.name, "text", 200, html`autocomplete="name" required`)}
${field("email", words.email, "email", 254, html`autocomplete="email" required`)}
${field("recipient", text.recipient, "text", 100, html`autocomplete="off"`)}
${field("greeting", text.greeting, "text", maxGreeting, html`autocomplete="off"`)}
<p class="soft">${text.how}${letters ? ` ${text.byLetter}` : ""}</p>
${actions(html`<button>${text.pay}</button>`)}
</form>`,
    { language, formAction: formsLeadTo, status: said === undefined ? 200 : 409, headers }
  )
}

/** The rows of the pages on which vouchers are bought. `formsLeadTo`: where the provider's page may be. */
export const buyingRows = Effect.fnUntraced(function* (formsLeadTo: string) {
  const operators = yield* Operators
  const sales = yield* VoucherSales
  const vouchers = yield* Vouchers
  const limits = yield* RateLimits
  const { letters } = yield* AppConfig
  const frame: BuyFrame = { formsLeadTo, letters: letters.kind !== "off" }

  /** Answers for an operator that sells vouchers online, or says that it does not. */
  const selling = (
    operator_id: string,
    language: Language,
    answer: (operator: Operator, offer: VoucherOffer) => PageAnswer
  ): PageAnswer =>
    Effect.gen(function* () {
      if (!isOperatorId(operator_id)) return notSoldPage(language)
      const operator = yield* operators.get(operator_id)
      const offer = offerOf(operator, yield* Clock.currentTimeMillis)
      return offer === undefined ? notSoldPage(language) : yield* answer(operator, offer)
    }).pipe(Effect.catchTag("OperatorNotFound", () => Effect.succeed(notSoldPage(language))))

  const buy = (operator_id: string, form: URLSearchParams, sender: string, language: Language): PageAnswer =>
    selling(
      operator_id,
      language,
      Effect.fnUntraced(function* (operator, offer) {
        const { buying: text, party } = messages[language]
        const typed = (field: keyof Entered) => (form.get(field) ?? "").replaceAll("\0", "").slice(0, maxText).trim()
        const entered: Entered = {
          amount: typed("amount"),
          name: typed("name"),
          email: typed("email"),
          recipient: typed("recipient"),
          greeting: typed("greeting")
        }
        const named = form.get("voucher")
        const voucher_id = isVoucherId(named) ? named : yield* sales.newId
        const { currency, max_amount, min_amount } = offer
        const money = (minor: number) => moneyIn(language, minor, currency)
        const wrongAmount = text.wrongAmount(money(min_amount), money(max_amount))
        const amount = amountOf("amount", entered.amount, { currency })
        const [name, email] = [readField.name(entered.name), readField.email(entered.email)]
        const optional = (text: string, read: (text: string) => Option.Option<string>) =>
          text === "" ? Option.some(undefined) : read(text)
        const recipient = optional(entered.recipient, readField.recipient)
        const greeting = optional(entered.greeting, readField.greeting)
        const again = (faults: PartyFormErrors, alert?: string) =>
          buyPage(operator, offer, voucher_id, frame, language, entered, faults, alert)
        if (
          Result.isFailure(amount) ||
          Option.isNone(name) ||
          Option.isNone(email) ||
          Option.isNone(recipient) ||
          Option.isNone(greeting)
        )
          return again({
            ...(Result.isFailure(amount) ? { amount: wrongAmount } : {}),
            ...(Option.isNone(name) ? { name: party.errors.name } : {}),
            ...(Option.isNone(email) ? { email: party.errors.email } : {}),
            ...(Option.isNone(recipient) ? { recipient: party.errors.name } : {}),
            ...(Option.isNone(greeting) ? { greeting: text.greetingWrong } : {})
          })
        const bought = yield* sales.buy(
          {
            voucher_id,
            operator_id: operator.operator_id,
            amount: amount.success,
            buyer: { name: name.value, email: email.value },
            ...(recipient.value === undefined ? {} : { recipient: recipient.value }),
            ...(greeting.value === undefined ? {} : { greeting: greeting.value }),
            language,
            description: `${messages[language].voucher.title}: ${operator.name}`
          },
          sender
        )
        switch (bought.is) {
          case "page":
            return redirectAfterPost(bought.url)
          case "not_sold":
            return notSoldPage(language)
          case "amount":
            return again({ amount: wrongAmount })
          case "email":
            return again({ email: party.errors.email })
          case "too_many":
            return again({}, text.tooMany)
          case "unavailable":
            return again({}, text.unavailable)
        }
      })
    )

  /** How a payment stands: the voucher itself, once it is paid. */
  const returned = Effect.fnUntraced(function* (token: string, language: Language) {
    const { buying: text } = messages[language]
    const found = yield* sales.returned(token)
    if (Option.isNone(found)) return linkProblemPage("nothing", language)
    const { expires_at, flagged, operator_id, status, url, voucher_id } = found.value
    const again = actions(buttonLink(`${buyPath}${operator_id}`, text.title, true))
    if (status === "paid") return redirectAfterPost(`${voucherPath}${inGroups(yield* vouchers.code(voucher_id))}`)
    if (flagged !== null) return textPage(text.checkedTitle, html`<p class="lead">${text.checked}</p>`, language)
    if (status === "processing")
      return textPage(text.processingTitle, html`<p class="lead">${text.processing}</p>`, language)
    const open = status === "open" && url !== null && url !== "" && (yield* Clock.currentTimeMillis) < expires_at
    return open
      ? textPage(
          text.openTitle,
          html`<p class="lead">${text.open}</p>\n${actions(buttonLink(url, text.goOn), buttonLink(`${buyPath}${operator_id}`, text.title, true))}`,
          language
        )
      : textPage(text.overTitle, html`<p class="lead">${text.over}</p>\n${again}`, language)
  })

  return [
    {
      path: `${buyPath}:operator`,
      show: ({ language, token }) =>
        selling(token, language, (operator, offer) =>
          Effect.map(sales.newId, (voucher_id) => buyPage(operator, offer, voucher_id, frame, language))
        ),
      act: ({ language, request, token }, form) => {
        const address = limits.addressOf(request)
        return Effect.matchEffect(limits.takeForAddress(address), {
          onFailure: ({ retry_after_seconds }) =>
            Effect.succeed(linkProblemPage("tooMany", language, retry_after_seconds)),
          onSuccess: () => buy(token, form, bucketOf(address), language)
        })
      }
    },
    { path: `${boughtPath}:token`, show: ({ language, token }) => returned(token, language) }
  ] satisfies ReadonlyArray<PageRow>
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

  /**
   * The link is there where the venue has sold vouchers. Who owes nothing is told where to buy one, if that is online.
   */
  const parts: BookingStep["parts"] = (opened) => {
    const { asked, booking } = opened
    const { language } = asked
    if (!isOwing(opened))
      return booking.status === "confirmed" && opened.summary.sells_vouchers === true
        ? Effect.succeed({
            action: buttonLink(`${buyPath}${booking.operator_id}`, messages[language].buying.title, true)
          })
        : Effect.succeed({})
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
