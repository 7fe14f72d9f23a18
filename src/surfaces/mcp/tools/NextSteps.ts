/**
 * What an assistant should do next with a booking or a payment page: one or two sentences per state. Like the fixes in
 * `ToolErrors.ts`, they can be followed literally and never contain operators' texts.
 */
import { Effect, Schema } from "effect"
import type { BookingRow, PaymentSessionView } from "../../../domain/booking/Booking.ts"
import { payableWith } from "../../../domain/booking/Lifecycle.ts"
import { type BookingView, type ShownSummary, placesInWords, toView } from "../../../domain/booking/BookingViews.ts"
import type { PricedOption } from "../../../domain/availability/BookingOption.ts"
import type { NotBooked } from "../../../domain/availability/OptionPage.ts"
import { costsTheSame, type FurtherChildren } from "../../../domain/booking/ChangePlan.ts"
import type { OwnChanges } from "../../../domain/booking/OtherVisits.ts"
import { Vouchers } from "../../../domain/payment/sessions/Vouchers.ts"
import { openQuestions } from "../../../domain/catalogue/Questions.ts"
import { freeRescheduleUntil, partyChangeUntil } from "../../../domain/catalogue/VisitTerms.ts"
import { type Balance, nextActor, type Standing, standingOf } from "../../../domain/booking/Standing.ts"
import { format, type Instant, whenInWords } from "../../../platform/time/LocalTime.ts"
import { display, type Money, money } from "../../../platform/money/Money.ts"
import { counted } from "../../../platform/text/Text.ts"

const sentences = (...parts: ReadonlyArray<string>): string => parts.filter((part) => part !== "").join(" ")

/** The result field with these sentences. */
export const nextStepField = Schema.String.annotate({ description: "What next." })

const bookAgain =
  "To book anew, call get_booking_options, then create_booking with a new idempotency_key: the old one stands for this booking."

/** The result fields with the operator's contact. */
const operatorAt = ({ operator }: BookingView): string =>
  operator.email === undefined && operator.phone === undefined
    ? "booking.operator, at the venue (booking.address)"
    : "booking.operator"

/** Until when the family may change the party, and move it for free; undefined if that has passed. */
interface Deadlines {
  readonly party_until: Instant
  readonly free_until: Instant | undefined
}

const changes = (booking: BookingView, { free_until, party_until }: Deadlines, now: Instant): string => {
  const contact = `tell the person the contact in ${operatorAt(booking)}.`
  if (booking.page_url === undefined) {
    return `No tool moves, changes or cancels it. It was made in another chat: changing and cancelling it is on its own page, whose link the person was given there. Other changes go to the operator: ${contact}`
  }
  if (Date.parse(booking.start) <= now) {
    return `Give them page_url, their own page of the booking. Changes go to the operator: ${contact}`
  }
  const at = (instant: Instant) => format(booking.time_zone, instant)
  const change = booking.terms.grows_only === true ? "add to the party, which can't become smaller" : "change the party"
  const party = now <= party_until ? `${change}, until ${at(party_until)}, ` : ""
  const move = free_until === undefined ? "" : `move it to another time, until ${at(free_until)}, `
  const and = party === "" && move === "" ? "" : "and "
  return `No tool moves, changes or cancels it: give them page_url, their own page of the booking, where they ${party}${move}${and}cancel it, after reading what comes back. Other changes go to the operator: ${contact}`
}

/** At most so many other starts are named, those nearest to the booking's own. */
const mostStarts = 5

const otherStarts = (row: BookingRow, starts: ReadonlyArray<PricedOption>): string => {
  if (starts.length === 0) return "No other start is free that day, and page_url has other days."
  const away = ({ start }: PricedOption) => Math.abs(Date.parse(start) - row.starts_at)
  const named = starts
    .toSorted((one, other) => away(one) - away(other))
    .slice(0, mostStarts)
    .toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start))
    .map(
      ({ price, start }) => `${start.slice(11, 16)}${costsTheSame(row, price.total) ? "" : ` (${price.display_total})`}`
    )
  const more = starts.length - named.length
  return `It can move to these starts of that day: ${named.join(", ")}${more === 0 ? "" : `, and ${more} more`}.`
}

const furtherChild = (
  { add_ons, mode, price }: BookingView,
  { amount, each, most_children }: FurtherChildren
): string => {
  const room = mode === "shared" || add_ons.length > 0 ? ", if there is room" : ""
  const which = each ? `Each further child, up to ${most_children} in all${room},` : `One more child${room}`
  const then = each ? "" : ", and the next ones another price, which is on page_url"
  return `${which} costs ${amount === 0 ? "nothing more" : `${display(amount, price.currency)} more`}${then}.`
}

/** What they cost, and where they lead: the other starts of its day, and a larger party. */
const changesOffered = (row: BookingRow, booking: BookingView, { further, may_grow, starts }: OwnChanges): string =>
  sentences(
    starts === undefined ? "" : otherStarts(row, starts),
    further === undefined ? "" : furtherChild(booking, further),
    row.adults === 0 && may_grow ? "No adults are counted: ask how many come, whom page_url adds." : ""
  )

/** That the venue asks things, while some are open and the family has its page. */
const asked = (row: BookingRow, { page_url }: BookingView, { now, questions = [] }: ShownSummary): string => {
  const open = page_url === undefined || now >= row.starts_at ? 0 : openQuestions(questions, row.answers).length
  return open === 0 ? "" : `The venue asks ${counted(open, "thing")} that they answer on page_url.`
}

const questions = (booking: BookingView): string => `Questions go to the operator: ${operatorAt(booking)}.`

const pay = (amount: string, { expires_at, expires_in }: PaymentSessionView): string =>
  expires_at === undefined
    ? `they pay ${amount} there`
    : `they pay ${amount} there before ${expires_at} (${expires_in ?? "soon"})`

/** What to tell of the last try to pay; empty if it did not fail. */
const lastTry = ({ last_attempt }: BookingView): string => {
  if (last_attempt === undefined) return ""
  return last_attempt.outcome === "declined"
    ? "The last try to pay was declined, and nothing was charged: tell the person, who can try another card or way to pay."
    : "The last try to pay failed, and nothing was charged: tell the person."
}

/** How what is on its way back goes back: by the payer's bank, by the venue, or some of it by each. */
const onItsWay = (all: Money, byVenue: Money | undefined): string => {
  const bank = money(all.amount - (byVenue?.amount ?? 0), all.currency)
  return [
    ...(bank.amount === 0
      ? []
      : [
          `${bank.display} is on its way back to the card or account it was paid with: banks take 5 to 10 working days.`
        ]),
    ...(byVenue === undefined
      ? []
      : [`${byVenue.display} was paid at the venue, and the operator gives it back: the person asks there.`])
  ].join(" ")
}

const onceOpen =
  "goes back once the operator's account at the payment provider takes payments again, which the operator knows: tell the person"

/** The refunds, done and pending; empty if there are none. */
const moneyBack = (
  { price, refund_by_venue, refund_on_its_way, refunded }: BookingView,
  {
    refund_blocked,
    refund_disputed,
    refund_failed
  }: Pick<ShownSummary, "refund_blocked" | "refund_disputed" | "refund_failed">
): string => {
  const shown = (amount: number) => money(amount, price.currency).display
  return [
    ...(refund_on_its_way === undefined ? [] : [onItsWay(refund_on_its_way, refund_by_venue)]),
    ...(refund_disputed === undefined
      ? []
      : [
          `${shown(refund_disputed)} goes back only once the payer's bank has decided about the disputed payment, less what the bank gives back itself.`
        ]),
    ...(refund_blocked === undefined ? [] : [`${shown(refund_blocked)} ${onceOpen}.`]),
    ...(refund_failed === undefined
      ? []
      : [
          `${shown(refund_failed)} could not be paid back and is still owed: the person asks the operator how to get it.`
        ]),
    ...(refunded === undefined ? [] : [`${refunded.display} was paid back.`])
  ].join(" ")
}

const heldUntil = ({ hold_expires_at, hold_expires_in }: BookingView): string =>
  `The places are held until ${hold_expires_at} (${hold_expires_in})`

/** When a visit is, and for whom. Assistants leave adults out that nobody asked for. */
const visitOf = (row: BookingRow): string =>
  `${whenInWords(row.terms.time_zone, row.starts_at, row.ends_at)}: ${placesInWords(row)}${row.adults === 0 ? " (ask how many come)" : ""}`

const repeatIt = "Repeat this to the person before they pay: if it is not what they want, have nothing paid."

/** What the person is about to pay for, in words that an assistant repeats. */
const bookedFor = (...rows: ReadonlyArray<BookingRow>): string =>
  `It is for ${rows.map(visitOf).join("; and ")}. ${repeatIt}`

/** Words of gift vouchers, in the languages of this service. */
const voucherWords = [
  "gift (?:vouchers?|cards?|certificates?)|vouchers?",
  "\\p{L}*gutschein\\p{L}*",
  "(?:bons?|chèques?|cartes?)[ -]cadeaux?",
  "(?:tarjetas?|cheques?|vales?) (?:de )?regalo",
  "(?:bon|kart|voucher)\\p{L}* (?:podarunkow|upominkow)\\p{L}*"
]
const asWords = (words: ReadonlyArray<string>): string => `(?<!\\p{L})(?:${words.join("|")})(?!\\p{L})`
const wishesOfVoucher = new RegExp(`${asWords(voucherWords)}|ギフト(?:カード|券)|商品券`, "iu")

/** Words of money in notes, in the languages of this service: what they wish for is nothing that anybody agreed to. */
const moneyWords = [
  "cash|discount|invoice|coupon|promo|bill me|instal?lments?|(?:bank|wire) transfer",
  "pay(?:s|ing)? (?:\\p{L}+ ){0,2}(?:later|tonight|tomorrow|there|on the day)",
  "\\p{L}*rabatt\\p{L}*|\\p{L}*rechnung|überweis\\p{L}*|barzahlung|in bar|bar (?:be)?zahl\\p{L}*",
  "zahl\\p{L}* (?:\\p{L}+ ){0,2}(?:bar|morgen|später)|später",
  "espèces|en liquide|réduction|remise|facture|virement",
  "pa(?:y|ie)\\p{L}* (?:\\p{L}+ ){0,2}(?:demain|plus tard)",
  "efectivo|descuento|factura|cupón|más tarde|transferencia",
  "pag\\p{L}* (?:\\p{L}+ ){0,2}mañana",
  "gotówk\\p{L}*|rabat\\p{L}*|zniżk\\p{L}*|faktur\\p{L}*|przelew\\p{L}*|zapłac\\p{L}* (?:\\p{L}+ ){0,2}(?:jutro|później)"
]
const wishesOfMoney = new RegExp(
  `${asWords(moneyWords)}|現金|割引|請求書|後払い|振込|振り込み|(?:明日|後で|あとで)払|${wishesOfVoucher.source}`,
  "iu"
)

/** The first words of an answer whose notes speak of money: the price as it is. */
export const notAgreed = ({ balance, due_now, notes, price, status }: BookingView): string => {
  if (notes === undefined || !wishesOfMoney.test(notes) || (status !== "held" && status !== "confirmed")) return ""
  const due = [
    ...(due_now.amount === 0 ? [] : [`${due_now.display} is due online now`]),
    ...(balance === undefined
      ? []
      : [`${balance.amount.display} ${balance.online ? `is due online by ${balance.due_at}` : "is due at the venue"}`])
  ]
  return `Not agreed, whatever the notes say: ${due.length === 0 ? `the price is ${display(price.total, price.currency)}` : due.join(", and ")}.`
}

/** Whether the notes of a booking speak of a gift voucher, and its venue has sold some: its page takes them then. */
export const spendsVoucher = Effect.gen(function* () {
  const vouchers = yield* Vouchers
  return ({ notes, operator_id }: Pick<BookingRow, "notes" | "operator_id">) =>
    wishesOfVoucher.test(notes ?? "") ? vouchers.sold(operator_id) : Effect.succeed(false)
})

/** Where a voucher pays what is due. */
const voucherWay = ({ balance, due_now, page_url }: BookingView): string =>
  page_url === undefined || (due_now.amount === 0 && balance === undefined)
    ? ""
    : "A gift voucher of this venue pays on page_url: give them that link."

type Unpaid = Extract<Standing, { readonly kind: "to_pay" | "payment_failed" }>

/** What comes back of what is due now, by the terms of the first days. */
const backIfCancelled = ({ terms: { refunds = [] } }: BookingView): string =>
  refunds.every(({ refund }) => refund.amount === 0)
    ? "Nothing comes back if they cancel."
    : `If they cancel: ${refunds[0]?.text ?? "nothing comes back"}.`

/** What to do with an unpaid hold. */
const payStep = (
  row: BookingRow,
  booking: BookingView,
  { kind, page }: Unpaid,
  { sent_back }: ShownSummary
): string => {
  const { due_now, payment_session: session } = booking
  if (page === "open" && session !== undefined) {
    return `Give the person the url in payment_session: ${pay(due_now.display, session)}; the places are held until then. Then call get_booking to see whether the payment arrived.`
  }
  if (page === "unanswered") {
    return `The payment page's time is up, and whether it was paid at the last moment is not known yet. ${heldUntil(booking)}: call create_payment_session with a new idempotency_key, which gives another page only if it was not paid, and give the person its url.`
  }
  if (kind === "payment_failed") {
    const failed = booking.last_attempt === undefined ? "The payment failed and nothing was charged." : ""
    return sentences(
      failed,
      `${heldUntil(booking)}: call create_payment_session with a new idempotency_key and give the person its url to try again.`
    )
  }
  return page === "none"
    ? `${heldUntil(booking)} for ${visitOf(row)}. ${due_now.display} is due now: call create_payment_session with this booking_id before then and give the person its url. ${backIfCancelled(booking)}${booking.page_url === undefined ? "" : " No tool changes or cancels it: give them page_url, their own page, which cancels it now, and changes the party once it is paid."} ${repeatIt}`
    : `The payment page is closed${sent_back === undefined ? " and nothing was paid on it" : ""}. ${heldUntil(booking)}: call create_payment_session with a new idempotency_key and give the person its url.`
}

/** Money that is not what was asked for, about which a person has to decide. */
const inQuestion = ({ under_review }: ShownSummary): string =>
  under_review === undefined
    ? ""
    : `A payment of ${money(under_review.amount, under_review.currency).display} has come that is not what was asked for, and a person who runs this service decides about it: tell the person not to pay again, and call get_booking later to see what was decided.`

const sentBackSays = {
  going_back: "is on its way back to the payer: tell the person",
  blocked: onceOpen,
  went_back: "went back to the payer: tell the person",
  failed: "could not be paid back and is still owed: the person asks the operator how to get it"
} as const

/** Such money that was sent back. */
const sentBack = ({ sent_back = [], under_review }: ShownSummary): string =>
  under_review !== undefined
    ? ""
    : sentences(
        ...sent_back.map(
          ({ amount, currency, state }) =>
            `A payment of ${display(amount, currency)} was not what was asked for, and ${sentBackSays[state]}.`
        )
      )

const balanceStep = (booking: BookingView, balance: Balance): string => {
  const { balance: shown, payment_session: session } = booking
  if (shown === undefined) return ""
  const { amount, due_at } = shown
  if (balance.payment === "processing") {
    return `The payment of the balance of ${amount.display} is being processed: call get_booking later to see whether it arrived.`
  }
  if (balance.online && balance.payment === "open" && session !== undefined) {
    return `For the balance, give the person the url in payment_session: ${pay(amount.display, session)}.`
  }
  if (balance.at_venue)
    return `The rest, ${amount.display}, is paid at the venue when the visit starts: tell the person.`
  const due = balance.overdue ? `has been due since ${due_at}` : `is due by ${due_at}`
  return balance.online
    ? `The balance of ${amount.display} ${due}: call create_payment_session with purpose balance when the person wants to pay it.`
    : `The balance of ${amount.display} ${due}; it is paid at the venue.`
}

const unpaidAfterVisit = (booking: BookingView, balance: Balance): string =>
  balance.payment === "processing"
    ? balanceStep(booking, balance)
    : `The balance of ${booking.balance?.amount.display ?? ""} has not been paid by link: how it is paid now is for the operator to say.`

/** What to do next with a booking. */
const afterBooking = (
  row: BookingRow,
  booking: BookingView,
  standing: Standing,
  deadlines: Deadlines,
  summary: ShownSummary,
  own: OwnChanges
): string => {
  const refunds = moneyBack(booking, summary)
  // No change until that is done.
  const isSettling =
    standing.kind === "balance_processing" ||
    standing.kind === "confirmed_under_review" ||
    booking.refund_on_its_way !== undefined
  const underReview = `${inQuestion(summary)} Nothing more is to be paid meanwhile.`
  const confirmed = (balance: string): string =>
    sentences(
      `The booking is confirmed: tell the person the reference ${booking.reference}, and when it is: ${booking.when}.`,
      changes(booking, deadlines, summary.now),
      asked(row, booking, summary),
      isSettling ? "" : changesOffered(row, booking, own),
      balance,
      refunds,
      summary.disputed === true && summary.refund_disputed === undefined
        ? "A payment of it is disputed at the payer's bank: until the bank has decided, nothing else is refunded."
        : ""
    )
  const expired = (payment: string): string =>
    sentences(`The hold has expired, and ${payment}: tell the person.`, refunds, bookAgain, questions(booking))
  const cancelled = (payment: string): string =>
    sentences("The booking is cancelled: tell the person.", payment, bookAgain, questions(booking))
  switch (standing.kind) {
    case "to_pay":
    case "payment_failed":
      return sentences(
        sentBack(summary),
        lastTry(booking),
        payStep(row, booking, standing, summary),
        standing.kind === "to_pay" && standing.page === "none" ? "" : bookedFor(row)
      )
    case "payment_under_review":
      return sentences(inQuestion(summary), "The places stay held meanwhile.", questions(booking))
    case "not_payable":
      return `${heldUntil(booking)}, but the operator can't take payments at present, so it can't be paid now: tell the person to ask the operator before then (${operatorAt(booking)}), or look for another playroom.`
    case "payment_processing":
      return "The payment is being processed, and the places stay held: tell the person that this can take from minutes to days, and call get_booking later to see whether it arrived."
    case "arriving":
      return standing.page_paid
        ? "A payment has arrived and is being booked: call get_booking in a minute."
        : "The hold's time is up, but a payment may still be on its way: call get_booking in a minute to see whether it arrived."
    case "free":
    case "paid":
      return confirmed("Nothing more is to be paid.")
    case "balance_due":
    case "balance_overdue":
    case "balance_processing":
      return confirmed(sentences(sentBack(summary), lastTry(booking), balanceStep(booking, standing.balance)))
    case "confirmed_under_review":
      return confirmed(underReview)
    case "confirmed_paid_back":
      return sentences(
        `The booking ${booking.reference} is confirmed, and all that was paid went back or is still to go back: only the operator can say whether the visit takes place. Nothing is to be paid again before that.`,
        refunds,
        `Tell the person to ask the operator: ${operatorAt(booking)}.`
      )
    case "over":
    case "did_not_come":
      return sentences(
        `${standing.kind === "over" ? "The visit is over" : "The operator says that the family did not come"}${nextActor(standing) === "nobody" ? ", and there is nothing to do" : ""}.`,
        standing.under_review
          ? underReview
          : standing.balance === undefined
            ? ""
            : unpaidAfterVisit(booking, standing.balance),
        refunds,
        `Tell the person that questions go to the operator: ${operatorAt(booking)}.`
      )
    case "released": {
      const back = {
        none: summary.sent_back === undefined ? "Nothing was paid." : "",
        kept: "By its terms nothing comes back.",
        processing:
          "A payment is still being processed: it confirms the booking if its places are free, else it goes back.",
        under_review: inQuestion(summary),
        going_back: refunds,
        paid_back: refunds
      }[standing.money]
      return sentences(
        "The balance was not paid in time, so the places were released, as the terms say: tell the person.",
        back,
        sentBack(summary),
        bookAgain,
        questions(booking)
      )
    }
    case "expired":
      return summary.sent_back === undefined
        ? expired("nothing was charged")
        : sentences(expired("it was not paid"), sentBack(summary))
    case "expired_under_review":
      return sentences(
        "The hold has expired.",
        inQuestion(summary),
        "It either confirms the booking, if its places are still free, or goes back."
      )
    case "expired_processing":
      return "The hold has expired while a payment was being processed: tell the person that it either confirms the booking when it arrives, or goes back, and call get_booking later."
    case "expired_going_back":
    case "expired_paid_back":
      return expired("what was paid goes back")
    case "cancelled":
      return cancelled(summary.sent_back === undefined ? "Nothing was paid." : sentBack(summary))
    case "cancelled_under_review":
      return cancelled(sentences(inQuestion(summary), "It goes back.", refunds))
    case "cancelled_kept":
      return cancelled("By its terms nothing comes back.")
    case "cancelled_processing":
      return cancelled("A payment is still being processed, and goes back when it arrives.")
    case "cancelled_going_back":
      return cancelled(refunds === "" ? "What comes back is on its way to the payer, which may take days." : refunds)
    case "cancelled_paid_back":
      return cancelled(refunds)
  }
}

/**
 * A booking as the tools show it, with its next step. `own`: what its family may change by itself, where that is told.
 * `voucher`: see `spendsVoucher`.
 */
export const bookingWithNextStep = (row: BookingRow, summary: ShownSummary, own: OwnChanges = {}, voucher = false) => {
  const booking = toView(row, summary)
  const { now } = summary
  const until = freeRescheduleUntil(row.starts_at, row.terms)
  const deadlines = {
    party_until: own.none === true ? -Infinity : partyChangeUntil(row.starts_at, row.terms),
    free_until: own.none !== true && until !== undefined && now <= until ? until : undefined
  }
  const step = afterBooking(row, booking, standingOf(row, summary), deadlines, summary, own)
  const not = notAgreed(booking)
  return { next_step: sentences(not, not !== "" && voucher ? voucherWay(booking) : "", step), booking }
}

const sumDue = (rows: ReadonlyArray<BookingRow>): string =>
  display(
    rows.reduce((sum, { due_now }) => sum + due_now, 0),
    rows[0]?.currency ?? ""
  )

/** What is said first of several bookings that one call made, of the options that are gone, and of what is due. */
export const afterOrder = (rows: ReadonlyArray<BookingRow>, not_booked: ReadonlyArray<NotBooked>): string => {
  const [first] = rows
  const unpaid = first === undefined ? [] : payableWith(first, rows)
  const gone = not_booked.map(({ when, why }) => `${when} (${why})`).join("; ")
  return sentences(
    gone === "" ? "" : `Not booked: ${gone}: tell the person.`,
    rows.length === 1 ? "" : `${rows.length} bookings, each with its own reference: this one, and booked_together.`,
    unpaid.length < 2
      ? ""
      : `${sumDue(unpaid)} is due now in all: call create_payment_session with purpose "order" for one page that pays them all, or for each booking_id by itself.`
  )
}

/** What is said last of a booking that was made together with others. `paying`: this one, or all, just now. */
export const besideOthers = (booking: BookingRow, rows: ReadonlyArray<BookingRow>, paying?: "one" | "all"): string => {
  const unpaid = payableWith(booking, rows)
  if (rows.length === 0) return ""
  if (paying === "all")
    return unpaid.length === 0
      ? ""
      : "This one page pays all that were booked together and are unpaid. What of it can't be used, because a booking has ended, goes back to the payer."
  if (paying === "one")
    return unpaid.length === 0
      ? ""
      : `This pays this booking alone. Of those booked together with it, ${sumDue(unpaid)} is still to be paid: with purpose "order", one page pays all.`
  const open =
    unpaid.length === 0
      ? ""
      : `, of which ${sumDue(unpaid)} is still to be paid now for ${unpaid.length} (purpose "order" pays all at once)`
  return `It was booked together with ${counted(rows.length, "other")} (booked_together)${open}: each is changed and cancelled by itself.`
}

/** What to do next with a payment session of a booking. `together`: those that it pays besides. */
export const afterSession = (
  session: PaymentSessionView,
  booked: BookingRow,
  together: ReadonlyArray<BookingRow> = []
): string => {
  const { amount, expires_in, purpose, status } = session
  if (status === "open" && expires_in !== undefined) {
    const held =
      purpose === "due_now" ? " The places are now held until then, whatever was said before, and lapse after it." : ""
    return `Give the person the url: ${pay(amount.display, session)}. ${bookedFor(booked, ...payableWith(booked, together))}${held} Then call get_booking to see whether the payment arrived.`
  }
  if (status === "open") return "The page's time is up: call get_booking to see whether it was paid."
  if (status === "processing")
    return "The payment is being processed: tell the person that this can take from minutes to days, and call get_booking later to see whether it arrived."
  if (status === "paid") return "It is paid: call get_booking to see the confirmed booking."
  return "This page can't be paid on any more: call create_payment_session with a new idempotency_key, or get_booking to see the booking."
}
