/**
 * What the family's page and the pay page add for a payer who comes back from the provider's page (`PayerReturn.ts`), with
 * `?paid=…` in the address. How the booking stands they say anyway; this is about the one payment. Query parameters never
 * make a payment look made: anyone can write them.
 */
import { nextActor, type Standing } from "../../../domain/booking/Standing.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { notice } from "../frame/Parts.ts"
import type { PaidQuery } from "./BookingStep.ts"
import { howBack } from "./MoneyFacts.ts"
import type { ShownBooking } from "./ShownBookings.ts"

/** Limit and interval of automatic reloads. After that only the person reloads. */
const maxReloads = 6
const reloadSeconds = 5

/** What is said of a payment, besides how its booking stands. */
export type PaidNotice =
  | "arrived"
  | "waiting"
  | "on_its_way"
  | "not_paid"
  | "closed"
  | "late"
  | "not_needed"
  | "under_review"
  | "sent_back"

/**
 * What is to be said of the payment; undefined where the standing's own words say it. Pure. `success`: the provider led the
 * payer to the address after a payment, so that a payment of which nothing is known yet is awaited.
 */
export const paidNotice = (
  { booking, returned, summary }: Pick<ShownBooking, "booking" | "returned" | "summary">,
  standing: Standing,
  success: boolean
): PaidNotice | undefined => {
  if (returned === undefined) return undefined
  const { not_counted, session } = returned
  const next = nextActor(standing)
  if (session.misfit !== null) return next === "service" ? undefined : "under_review"
  const live = booking.status === "held" || booking.status === "confirmed"
  if (not_counted !== undefined) return not_counted.cause === "misfit" ? "sent_back" : live ? "not_needed" : undefined
  if (session.status === "paid") return live && standing.kind !== "confirmed_paid_back" ? "arrived" : undefined
  if (session.status === "processing") return next === "provider" ? undefined : "on_its_way"
  if (next === "provider" || next === "service") return undefined
  if (!live) return success && session.status === "open" && summary.refund_on_its_way === 0 ? "late" : undefined
  if (booking.status === "confirmed" && session.purpose === "due_now") return undefined
  // The standing's words or a notice of the page say that the last try failed.
  if (next === "payer" && (standing.kind === "payment_failed" || summary.last_attempt !== undefined)) return undefined
  if (session.status !== "open") return "closed"
  if (success) return "waiting"
  return summary.now < session.expires_at ? "not_paid" : "closed"
}

/** What the page says of a payment: in place of its heading, and as a notice; and how it looks again. */
export interface AfterPaying {
  readonly lead?: { readonly heading: string; readonly lead: string }
  /** While it is `waiting`, nothing is to be paid. */
  readonly kind: PaidNotice | undefined
  readonly notice: Html | undefined
  readonly headers: Readonly<Record<string, string>>
}

/** The page's own address while it looks again; `look` counts. */
const lookAddress = (address: string, { outcome = "", paid = "" }: PaidQuery, look: number): string =>
  `${address}${address.includes("?") ? "&" : "?"}${new URLSearchParams({ paid, outcome, look: String(look) })}`

/** The texts about the payment. */
const said = (
  kind: PaidNotice | undefined,
  { booking, returned }: ShownBooking,
  language: Language
): ReadonlyArray<string> => {
  if (kind === undefined || returned === undefined) return []
  const { afterPaying: text, cancel } = messages[language]
  const { not_counted, session } = returned
  const { amount, currency } = session.misfit ?? session
  const money = moneyIn(language, amount, currency)
  const back = not_counted === undefined || not_counted.sent ? text.wentBack : howBack(not_counted, currency, language)
  switch (kind) {
    case "arrived":
      return [text.arrived(money)]
    case "waiting":
      return []
    case "on_its_way":
      return [text.onItsWay(money)]
    case "not_paid":
      return [text.notPaid]
    case "closed":
      return [text.closed]
    case "late":
      return [booking.status === "cancelled" ? cancel.stillArrives : text.late]
    case "not_needed":
      return [text.notNeeded(money), back]
    case "under_review":
      return [text.underReview(money)]
    case "sent_back":
      return not_counted?.sent === true ? [] : [back]
  }
}

/** What the page at this address adds for a payer who comes back to it. */
export const afterPaying = (
  shown: ShownBooking,
  standing: Standing,
  { language, query }: { readonly language: Language; readonly query: PaidQuery },
  address: string
): AfterPaying => {
  const { returned } = shown
  if (query.paid === undefined || returned === undefined) return { kind: undefined, notice: undefined, headers: {} }
  const { afterPaying: text, words } = messages[language]
  const kind = paidNotice(shown, standing, query.outcome === "success")
  const { look = "0" } = query
  const looks = /^\d$/.test(look) ? Number(look) : maxReloads
  const undecided = kind === "waiting" || kind === "on_its_way" || returned.session.status === "processing"
  const reloads = undecided && looks < maxReloads
  const lines = [...said(kind, shown, language), ...(reloads ? [text.looksByItself] : []), text.closing]
  const again = undecided
    ? html`<p><a href="${lookAddress(address, query, maxReloads)}">${words.lookAgain}</a></p>`
    : undefined
  return {
    kind,
    notice: notice(html`${lines.map((line) => html`<p>${line}</p>`)}${again}`),
    headers: reloads ? { refresh: `${reloadSeconds}; url=${lookAddress(address, query, looks + 1)}` } : {},
    ...(kind === "waiting" ? { lead: { heading: text.waiting.title, lead: text.waiting.lead } } : {})
  }
}
