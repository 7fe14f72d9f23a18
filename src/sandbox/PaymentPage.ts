/** The HTML of the hosted payment page. Plain, without scripts, and clear about there being no real money. */
import { escape, htmlPage } from "../kernel/Html.ts"
import { minuteMs } from "../kernel/LocalTime.ts"
import type { SessionRow } from "./SandboxObjects.ts"
import { amountText } from "./SandboxRules.ts"

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

/** A whole page of the sandbox; `body` is HTML. */
export const page = (title: string, body: string): string =>
  htmlPage(
    title,
    style,
    `<header class="note">Sandbox: a rehearsal. No real money moves, and no card is asked for.</header>
<main>
${body}
</main>`
  )

/** Where the payer goes after the session is complete, or turns back. */
export const returnAddress = (address: string, session_id: string): string =>
  new URL(address.replaceAll("{CHECKOUT_SESSION_ID}", session_id)).href

const details = (row: SessionRow, operator: string): string => `<h1>Pay ${escape(operator)}</h1>
<p class="amount">${escape(amountText(row.amount, row.currency))}</p>
<dl>
<dt>For</dt><dd>${escape(row.product_name)}</dd>
${row.customer_email === null ? "" : `<dt>Receipt to</dt><dd>${escape(row.customer_email)}</dd>`}
</dl>`

const backLink = (row: SessionRow, operator: string): string =>
  row.cancel_url === null
    ? ""
    : `<p><a href="${escape(returnAddress(row.cancel_url, row.session_id))}">Go back to ${escape(operator)} without paying</a></p>`

const openPage = (row: SessionRow, operator: string, now: number): string => {
  const minutes = Math.max(1, Math.floor((row.expires_at - now) / minuteMs))
  const declined =
    row.declined === 0
      ? ""
      : `<p class="bad" role="alert">The card was declined. Nothing was taken; you can try again.</p>`
  return `<div class="card">
${details(row, operator)}
${declined}
${row.submit_text === null ? "" : `<p>${escape(row.submit_text)}</p>`}
<form method="post">
<button class="main" name="outcome" value="pay">Pay ${escape(amountText(row.amount, row.currency))}</button>
<fieldset>
<legend>Or rehearse another ending</legend>
<button name="outcome" value="decline">The card is declined</button>
<button name="outcome" value="pay_later_succeeds">Pay by bank: arrives in a moment</button>
<button name="outcome" value="pay_later_fails">Pay by bank: fails in a moment</button>
<button name="outcome" value="expire">Let this page expire</button>
</fieldset>
</form>
<p class="soft">This page is open for another ${minutes} ${minutes === 1 ? "minute" : "minutes"}.</p>
${backLink(row, operator)}
</div>`
}

const closedPage = (row: SessionRow, operator: string): string => {
  const [headline, text] =
    row.status === "expired"
      ? ["This page has expired", "Nothing was paid. Ask for a new payment link if you still want to book."]
      : row.payment_status === "paid"
        ? ["Paid, thank you", `${operator} has your payment. There is nothing more to do here.`]
        : row.settles_at === null
          ? ["The payment failed", "The bank did not pay. Ask for a new payment link if you still want to book."]
          : ["The payment is on its way", "The bank will tell in a moment whether it went through."]
  const target = row.status === "expired" ? row.cancel_url : row.success_url
  return `<div class="card">
<h1>${escape(headline)}</h1>
<p>${escape(text)}</p>
<p class="soft">${escape(row.product_name)}, ${escape(amountText(row.amount, row.currency))}</p>
${target === null ? "" : `<a class="button main" href="${escape(returnAddress(target, row.session_id))}">Go back to ${escape(operator)}</a>`}
</div>`
}

/** The hosted page of a session, for the operator's name and the time now. */
export const paymentPage = (row: SessionRow, operator: string, now: number): string =>
  page(`Pay ${operator} (sandbox)`, row.status === "open" ? openPage(row, operator, now) : closedPage(row, operator))
