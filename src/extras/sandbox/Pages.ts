/** The sandbox's pages (`/`, `/pay/…`, `/onboard/…`). They have no scripts, and say that no real money moves. */
import { Clock, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { SqlClient, type SqlError } from "effect/sql"
import { html, type Html, htmlPage } from "../../platform/text/Html.ts"
import { minuteMs } from "../../platform/time/LocalTime.ts"
import type { State } from "./Endpoint.ts"
import { SandboxedService } from "./Events.ts"
import type { Refusal } from "./Form.ts"
import type { SessionRow } from "./Objects.ts"
import { choose, offersBank, Outcome, type Presented, recentSessions, sessionOfPage, amountText } from "./Payments.ts"
import { finishOnboarding, getAccount } from "./Platform.ts"
import { counted } from "../../platform/text/Text.ts"

// Colours keep a contrast of at least 4.5:1 in both schemes.
const style = `
:root{color-scheme:light dark;--back:#f3f4f8;--card:#fff;--text:#1c2230;--soft:#515a6e;--line:#d5d9e3;--accent:#3b3fb6;--on:#fff;--note:#fff3cd;--on-note:#5c4400;--bad:#9b1c1c}
@media (prefers-color-scheme:dark){:root{--back:#12141c;--card:#1c2030;--text:#eef0f6;--soft:#aab2c5;--line:#353c52;--accent:#a9b0ff;--on:#12141c;--note:#4a3b00;--on-note:#ffe9a3;--bad:#ffb0b0}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1.0625rem/1.5 system-ui,sans-serif}
.note{margin:0;background:var(--note);color:var(--on-note);padding:.75rem 1rem;text-align:center;font-weight:600}
main{max-width:28rem;margin:2rem auto;padding:0 1rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:1.5rem}
h1{font-size:1.125rem;margin:0;color:var(--soft);font-weight:600}
.amount{font-size:2.5rem;font-weight:700;line-height:1.2;margin:.25rem 0 .5rem}
dl{margin:1rem 0;display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
button,.button{display:block;width:100%;min-height:3rem;padding:.6rem 1rem;margin:.5rem 0 0;border-radius:.6rem;border:1px solid var(--soft);background:transparent;color:var(--text);font:inherit;text-align:center;text-decoration:none;cursor:pointer}
button.main,.button.main{background:var(--accent);border-color:var(--accent);color:var(--on);font-weight:700}
button:hover,.button:hover{filter:brightness(1.08)}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
h2{font-size:1rem;margin:1.25rem 0 .25rem}ul{margin:0;padding-left:1.25rem}
fieldset{border:0;padding:0;margin:1.5rem 0 0}legend{padding:0;color:var(--soft)}
.soft{color:var(--soft);font-size:.9375rem}.bad{color:var(--bad);font-weight:600}
a{color:var(--accent)}
`

/** The address that the payer returns to. */
const returnAddress = (address: string, session_id: string): string =>
  new URL(address.replaceAll("{CHECKOUT_SESSION_ID}", session_id)).href

const details = (row: SessionRow, operator: string): Html => html`<h1>Pay ${operator}</h1>
<p class="amount">${amountText(row.amount, row.currency)}</p>
<dl>
<dt>For</dt><dd>${row.product_name}</dd>
${row.customer_email === null ? "" : html`<dt>Receipt to</dt><dd>${row.customer_email}</dd>`}
</dl>`

const backLink = (row: SessionRow, operator: string): Html | undefined =>
  row.cancel_url === null
    ? undefined
    : html`<p><a href="${returnAddress(row.cancel_url, row.session_id)}">Go back to ${operator} without paying</a></p>`

const openPage = (row: SessionRow, operator: string, now: number): Html => {
  const minutes = Math.max(1, Math.floor((row.expires_at - now) / minuteMs))
  const declined =
    row.declined === 0
      ? ""
      : html`<p class="bad" role="alert">The card was declined. Nothing was taken; you can try again.</p>`
  return html`<div class="card">
${details(row, operator)}
${declined}
${row.submit_text === null ? "" : html`<p>${row.submit_text}</p>`}
<form method="post">
<button class="main" name="outcome" value="pay">Pay ${amountText(row.amount, row.currency)}</button>
<fieldset>
<legend>Or rehearse another ending</legend>
<button name="outcome" value="decline">The card is declined</button>
${
  offersBank(row)
    ? html`<button name="outcome" value="pay_later_succeeds">Pay by bank: arrives in a moment</button>
<button name="outcome" value="pay_later_fails">Pay by bank: fails in a moment</button>
`
    : ""
}<button name="outcome" value="expire">Let this page expire</button>
</fieldset>
</form>
<p class="soft">This page is open for another ${counted(minutes, "minute")}.</p>
${backLink(row, operator)}
</div>`
}

const closedPage = (row: SessionRow, operator: string): Html => {
  const [headline, text] =
    row.status === "expired"
      ? ["This page has expired", "Nothing was paid. Ask for a new payment link if you still want to book."]
      : row.payment_status === "paid"
        ? ["Paid, thank you", `${operator} has your payment. There is nothing more to do here.`]
        : row.settles_at === null
          ? ["The payment failed", "The bank did not pay. Ask for a new payment link if you still want to book."]
          : ["The payment is on its way", "The bank will tell in a moment whether it went through."]
  const target = row.status === "expired" ? row.cancel_url : row.success_url
  return html`<div class="card">
<h1>${headline}</h1>
<p>${text}</p>
<p class="soft">${row.product_name}, ${amountText(row.amount, row.currency)}</p>
${target === null ? "" : html`<a class="button main" href="${returnAddress(target, row.session_id)}">Go back to ${operator}</a>`}
</div>`
}

/** A whole page of the sandbox. */
export const page = (title: string, body: Html, status = 200): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(
    htmlPage(
      title,
      style,
      html`<header class="note">Sandbox: a rehearsal. No real money moves, and no card is asked for.</header>
<main>
${body}
</main>`
    ),
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy":
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cache-control": "no-store"
      }
    }
  )

export const message = (title: string, text: string, status: number) =>
  page(title, html`<div class="card"><h1>${title}</h1><p>${text}</p></div>`, status)

const copyHint = "The link may be cut short. Copy the whole address and try again."
const noPage = message("No such payment page", copyHint, 404)
const noAccount = message("No such account", copyHint, 404)
export const failed = message(
  "Something went wrong",
  "The sandbox could not reach its database. Please try again.",
  500
)

/** The page, or an error page. */
const shown = <E extends Refusal | SqlError.SqlError, R>(
  act: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>,
  notFound: HttpServerResponse.HttpServerResponse
) => Effect.catch(act, ({ _tag }) => Effect.succeed(_tag === "Refusal" ? notFound : failed))

const decodeOutcome = Schema.decodeUnknownOption(Outcome)

/**
 * Redirects the payer: to the success address if the session is complete, otherwise to the cancel address or the page.
 */
const redirectPayer = (row: SessionRow): HttpServerResponse.HttpServerResponse => {
  const target = row.status === "complete" ? row.success_url : row.cancel_url
  return HttpServerResponse.redirect(
    target === null ? `/pay/${row.session_id}` : returnAddress(target, row.session_id),
    { status: 303 }
  )
}

const showPayment = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  const { accountName } = yield* SandboxedService
  const row = yield* sessionOfPage(id)
  const operator = yield* accountName(row.account)
  const now = yield* Clock.currentTimeMillis
  return page(
    `Pay ${operator} (sandbox)`,
    row.status === "open" ? openPage(row, operator, now) : closedPage(row, operator)
  )
})

/** `presented=usd 9512`: the payer chose to pay in that currency. */
const presentedIn = (form: URLSearchParams): Presented | undefined => {
  const [, currency, amount] = /^([a-z]{3}) (\d{1,12})$/.exec(form.get("presented") ?? "") ?? []
  return currency === undefined ? undefined : { currency, amount: Number(amount) }
}

const pressButton = Effect.fnUntraced(function* (body: string) {
  const { id = "" } = yield* HttpRouter.params
  const sql = yield* SqlClient.SqlClient
  const form = new URLSearchParams(body)
  const outcome = decodeOutcome(form.get("outcome"))
  if (Option.isNone(outcome)) {
    return message("Choose how it ends", `outcome must be one of ${Outcome.literals.join(", ")}.`, 400)
  }
  return redirectPayer(yield* sql.withTransaction(choose(id, outcome.value, presentedIn(form))))
})

const showLatest = Effect.gen(function* () {
  const rows = yield* recentSessions
  const list = rows.map(
    (row) =>
      html`<li><a href="/pay/${row.session_id}">${row.product_name}</a>, ${amountText(row.amount, row.currency)}: ${row.status}, ${row.payment_status}</li>`
  )
  return page(
    "Payment sandbox",
    html`<div class="card"><h1>The payment sandbox</h1>
<p>It stands in for the payment provider while you develop: the same API, hosted payment pages, and signed events.</p>
${list.length === 0 ? html`<p>No payments were asked for yet.</p>` : html`<h2>Latest payments</h2><ul>${list}</ul>`}
<p><a href="/letters">Letters to families</a></p></div>`
  )
})

const redirectTo = (address: string | null) =>
  address === null ? noAccount : HttpServerResponse.redirect(address, { status: 303 })

const findAccount = Effect.gen(function* () {
  const { id = "" } = yield* HttpRouter.params
  const account = yield* getAccount(id)
  const live = account.link_expires_at !== null && account.link_expires_at > (yield* Clock.currentTimeMillis)
  return { account, live }
})

/** The onboarding page, in place of the provider's questions to an operator. */
const showOnboarding = Effect.gen(function* () {
  const { account, live } = yield* findAccount
  if (!live) return redirectTo(account.refresh_url)
  return page(
    "Take payments",
    html`<div class="card"><h1>Take payments</h1>
<p>${account.business_name ?? account.account_id}, ${account.country}. The payment provider would ask about the business and its bank account here.</p>
<form method="post"><button>All is answered</button></form></div>`
  )
})

const answerOnboarding = Effect.gen(function* () {
  const { account, live } = yield* findAccount
  if (!live) return redirectTo(account.refresh_url)
  return redirectTo((yield* finishOnboarding(account.account_id)).return_url)
})

export const pageRoutes = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const services = yield* Effect.context<State>()
    yield* router.add("GET", "/", shown(showLatest, failed).pipe(Effect.provide(services)))
    yield* router.add("GET", "/pay/:id", shown(showPayment, noPage).pipe(Effect.provide(services)))
    yield* router.add("POST", "/pay/:id", (request) =>
      Effect.flatMap(request.text, (body) => shown(pressButton(body), noPage)).pipe(Effect.provide(services))
    )
    yield* router.add("GET", "/onboard/:id", shown(showOnboarding, noAccount).pipe(Effect.provide(services)))
    yield* router.add("POST", "/onboard/:id", shown(answerOnboarding, noAccount).pipe(Effect.provide(services)))
    yield* router.add("*", "*", (request) =>
      Effect.succeed(message("Nothing here", `The sandbox has no page at ${request.url}.`, 404))
    )
  })
)
