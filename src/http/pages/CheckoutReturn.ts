/**
 * `/checkout/return`: where the payer lands. It reads no booking and changes nothing, so it can only say what the payment page
 * said; whether the booking is confirmed comes with the provider's event, and the assistant is who tells.
 */
import type { HttpServerResponse } from "effect/http"
import { escape } from "../../kernel/Html.ts"
import { page } from "./Layout.ts"

const reference = (text: string | undefined): string | undefined => {
  // The shape of a booking's reference; anything else in the address is not shown at all.
  const found = text?.toUpperCase()
  return found !== undefined && /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/.test(found) ? found : undefined
}

const closing = "You can close this page and go back to your assistant."

export const checkoutReturn = (query: {
  readonly outcome: string | undefined
  readonly reference: string | undefined
}): HttpServerResponse.HttpServerResponse => {
  const known = reference(query.reference)
  const shown =
    known === undefined
      ? ""
      : `<p>Your booking&rsquo;s reference<br><span class="reference">${escape(known)}</span></p>`
  switch (query.outcome) {
    case "success":
      return page(
        "Thank you",
        `<h1>Thank you</h1>
<p class="lead">The payment page says that you are done.</p>
<div class="card">${shown}
<p>We confirm your booking as soon as the payment provider tells us that the payment went through. That usually takes a few seconds; some ways of paying take days.</p></div>
<p>Ask your assistant whether the booking is confirmed. ${closing}</p>`
      )
    case "cancel":
      return page(
        "Not paid",
        `<h1>You have not paid</h1>
<p class="lead">Nothing was charged.</p>
<div class="card">${shown}
<p>Your places are kept for a short while. If you still want them, ask your assistant for the payment link again before the hold ends.</p></div>
<p>${closing}</p>`
      )
    default:
      return page(
        "Back from the payment page",
        `<h1>Back from the payment page</h1>
<div class="card">${shown}
<p>Ask your assistant how your booking stands: it sees whether the payment has arrived.</p></div>
<p>${closing}</p>`
      )
  }
}
