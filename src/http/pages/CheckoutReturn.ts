/**
 * `/checkout/return`: where the payer lands. With a valid token the page says how the booking and its payment stand, after the provider
 * was asked. Without one it shows no booking.
 */
import type { HttpServerResponse } from "effect/http"
import { escape } from "../../kernel/Html.ts"
import type { PayerView } from "../../payment/CheckoutReturn.ts"
import { page } from "./Layout.ts"

/** What is known of the payment. `unavailable`: it can't be looked up right now. */
export type Found =
  | { readonly payment: "known"; readonly token: string; readonly view: PayerView }
  | { readonly payment: "unavailable"; readonly token: string }
  | { readonly payment: "unknown" }

/** The rest of the query. Anyone can write it, so it never makes a payment look made. */
export interface Query {
  readonly outcome: string | undefined
  /** How often the page has reloaded itself. */
  readonly look: string | undefined
}

/** How often the page reloads itself, and how many seconds apart; then only when the person asks for it. */
const mostLooks = 6
const secondsBetween = 5

const closing = "<p>You can close this page and go back to your assistant.</p>"

/** The address of the same page; `look` counts the reloads. */
const reloadAddress = (token: string, look: number): string =>
  `/checkout/return?outcome=success&token=${encodeURIComponent(token)}&look=${look}`

const lookAgain = (token: string): string =>
  `<p><a href="${escape(reloadAddress(token, mostLooks))}">Look again</a></p>`

const card = (view: PayerView): string => `<div class="card">
<p>Your booking&rsquo;s reference<br><span class="reference">${escape(view.reference)}</span></p>
<p>${escape(view.package_name)}, ${escape(view.playroom_name)}<br>${escape(view.start)}</p>
</div>`

interface Message {
  readonly title: string
  readonly lead: string
  /** HTML. */
  readonly more?: string
}

const payAgain = ({ balance, held_until, url }: PayerView): string => {
  const link = url === undefined ? "" : `<p><a href="${escape(url)}">Go to the payment page</a></p>`
  const ask = url === undefined ? " Ask your assistant for a new payment link." : ""
  if (balance) return `<p>Your booking stays as it is.${ask}</p>${link}`
  return held_until === undefined
    ? `<p>Ask your assistant how your booking stands.</p>`
    : `<p>Your places are kept until ${escape(held_until)}, local time.${ask}</p>${link}`
}

/** What the page says. `waiting`: the query says that the person paid, and the provider knows of no payment yet. */
const messageFor = (view: PayerView, waiting: boolean): Message => {
  const amount = view.amount === undefined ? "" : ` of ${view.amount}`
  switch (view.status) {
    case "confirmed":
      return view.balance
        ? { title: "Balance paid", lead: `Your payment${amount} has arrived. Nothing is left to pay.` }
        : { title: "Your booking is confirmed", lead: "It is paid as agreed, and your places are yours." }
    case "on_its_way":
      return {
        title: "Your payment is on its way",
        lead: `The payment${amount} was started, and the money has not arrived yet.`,
        more: "<p>Some ways of paying take days. You need not do anything: your places are kept meanwhile, and your assistant sees when it has arrived.</p>"
      }
    case "open":
      return waiting
        ? {
            title: "We are waiting for your payment",
            lead: "The payment provider has not told us of a payment yet. That usually takes a few seconds."
          }
        : { title: "You have not paid", lead: "Nothing was charged.", more: payAgain(view) }
    case "failed":
      return { title: "The payment failed", lead: "Nothing was charged.", more: payAgain(view) }
    case "closed":
      return {
        title: "You have not paid",
        lead: "The payment page is closed, and nothing was charged.",
        more: payAgain(view)
      }
    case "ended":
      return {
        title: "Your booking has ended",
        lead: "It was not paid in time, and its places are free again. Nothing was charged.",
        more: "<p>Ask your assistant to book anew. Should a payment still arrive, it confirms the booking if its places are free, and goes back to you if not.</p>"
      }
    case "going_back":
      return {
        title: "You get your money back",
        lead: "The booking is over, and the payment goes back to you the way you paid. Banks take some days for that."
      }
    case "paid_back":
      return { title: "You were paid back", lead: "The booking is over, and money went back to you the way you paid." }
    case "cancelled":
      return { title: "Your booking is cancelled", lead: "Ask your assistant for its history." }
  }
}

const bookingPage = (token: string, view: PayerView, query: Query): HttpServerResponse.HttpServerResponse => {
  const waiting = view.status === "open" && query.outcome === "success"
  const { lead, more, title } = messageFor(view, waiting)
  const looks = /^\d$/.test(query.look ?? "") ? Number(query.look) : query.look === undefined ? 0 : mostLooks
  const reloads = waiting && looks < mostLooks
  const reloadLink = waiting || view.status === "on_its_way" ? lookAgain(token) : ""
  return page(
    title,
    `<h1>${title}</h1>
<p class="lead">${escape(lead)}</p>
${card(view)}
${more ?? ""}
${reloads ? "<p>This page looks again by itself.</p>" : ""}${reloadLink}
${closing}`,
    reloads ? { headers: { refresh: `${secondsBetween}; url=${reloadAddress(token, looks + 1)}` } } : {}
  )
}

/** The page. What it says of a booking comes from our own rows, and nothing of the query is shown. */
export const checkoutReturn = (found: Found, query: Query): HttpServerResponse.HttpServerResponse => {
  if (found.payment === "known") return bookingPage(found.token, found.view, query)
  if (found.payment === "unavailable") {
    return page(
      "We can't look right now",
      `<h1>We can&rsquo;t look right now</h1>
<p class="lead">Your payment is safe with the payment provider; we could not ask how it stands.</p>
${lookAgain(found.token)}
${closing}`,
      { status: 503, headers: { "retry-after": "5" } }
    )
  }
  return page(
    "Back from the payment page",
    `<h1>Back from the payment page</h1>
<p class="lead">This address opens no booking.</p>
<p>Ask your assistant how your booking stands: it sees whether the payment has arrived.</p>
${closing}`
  )
}
