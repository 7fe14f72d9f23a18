/** The card's views: a body and at most two actions. Nothing here calls a tool. */
import { type Offer, type Offers, listAt, numberAt, textAt, valueAt, waysTo } from "./answers.ts"
import {
  type Language,
  bookingTermsText,
  clockRange,
  countText,
  filledIn,
  howGoesBack,
  longDay,
  momentText,
  moneyAt,
  moneyText,
  moneyUnlessNone,
  offerTermsText,
  refundRows,
  shortDay,
  textOf,
  zoneName
} from "./texts.ts"
import { button, element } from "./elements.ts"

type Contact = { readonly name: string; readonly email: string }

/**
 * `heading` names the state below the playroom's name. `focus` gets the focus if the person's action opened the view.
 */
export type View = {
  readonly heading: string
  readonly body: ReadonlyArray<HTMLElement>
  readonly actions: ReadonlyArray<HTMLElement>
  readonly focus?: HTMLElement | undefined
}

/** Times per carousel. */
export const maxShown = 8

const agreed = (text: string): HTMLElement =>
  element("div", { class: "agreed" }, text === "" ? undefined : element("p", { class: "terms" }, text))

const partyText = (language: Language, children: number, adults: number): string => {
  const { texts } = language
  const counts = [countText(language, children, texts.children)]
  if (adults !== 0) counts.push(countText(language, adults, texts.adults))
  return counts.join(texts.comma)
}

const offerTile = (language: Language, offer: Offer, chosen: boolean, onChoose: () => void): HTMLElement => {
  const { locale, texts } = language
  const radio = element("input", { type: "radio", name: "offer", value: offer.optionId })
  radio.checked = chosen
  radio.addEventListener("change", onChoose)
  return element(
    "label",
    { class: "tile" },
    radio,
    element("span", { class: "day" }, shortDay(locale, offer.start)),
    element("span", { class: "clock" }, clockRange(locale, offer.start, offer.end)),
    element("span", { class: "soft" }, offer.packageName),
    element("span", { class: "amount" }, moneyText(locale, offer.total)),
    offer.dueNow === undefined
      ? undefined
      : element("span", { class: "soft" }, filledIn(texts.dueNowOf, moneyText(locale, offer.dueNow))),
    offer.placesLeft === undefined
      ? undefined
      : element("span", { class: "soft" }, countText(language, offer.placesLeft, texts.placesLeft))
  )
}

/** Times to choose from, `maxShown` of them from `first` on; if there are none, the reason. */
export const offersView = (
  language: Language,
  offers: Offers,
  { chosen, first }: { readonly first: number; readonly chosen: Offer | undefined },
  {
    onBook,
    onChoose,
    onMore
  }: {
    readonly onChoose: (offer: Offer) => void
    readonly onBook: () => void
    readonly onMore: (() => void) | undefined
  }
): View => {
  const { locale, texts } = language
  const { adults, children, contact, nextDate, noneBecause, timeZone } = offers
  const shown = offers.offers.slice(first, first + maxShown)
  const zone = zoneName(locale, timeZone, shown[0]?.start ?? "")
  const party = [partyText(language, children, adults), zone].filter((part) => part !== "").join(" · ")
  if (shown.length === 0) {
    const why = textOf(texts.reasons, noneBecause)
    return {
      heading: texts.noTimes,
      body: [
        element("p", { class: "soft" }, party),
        element(
          "p",
          {},
          [why, nextDate === "" ? "" : filledIn(texts.nextDay, longDay(locale, nextDate))].join(" ").trim()
        ),
        ...(contact === "" ? [] : [element("p", { class: "soft" }, `${texts.askVenue} ${contact}`)])
      ],
      actions: []
    }
  }
  const terms = element("div", {})
  const showTerms = (offer: Offer | undefined) =>
    terms.replaceChildren(...(offer === undefined ? [] : [agreed(offerTermsText(language, offer, timeZone))]))
  showTerms(chosen)
  const tiles = shown.map((offer) =>
    offerTile(language, offer, offer === chosen, () => {
      onChoose(offer)
      showTerms(offer)
    })
  )
  return {
    heading: texts.chooseTime,
    body: [
      element("p", { class: "soft" }, party),
      element("fieldset", { class: "tiles" }, element("legend", { class: "hidden" }, texts.timesLeft), ...tiles),
      terms
    ],
    actions: [
      button(texts.bookThis, "primary", onBook),
      ...(onMore === undefined ? [] : [button(texts.moreTimes, "secondary", onMore)])
    ],
    focus: tiles[shown.findIndex((offer) => offer === chosen)]?.querySelector("input") ?? undefined
  }
}

/** A form field with label and error message. */
const field = (id: string, label: string, attributes: Readonly<Record<string, string>>, value: string) => {
  const fault = element("p", { id: `${id}-fault`, class: "fault" })
  const input = element("input", { id, required: "", "aria-describedby": fault.id, ...attributes })
  input.value = value
  return {
    input,
    row: element("div", { class: "field" }, element("label", { for: id }, label), input, fault),
    /** `text`: "" if valid. */
    setFault: (text: string) => {
      fault.textContent = text
      input.setAttribute("aria-invalid", String(text !== ""))
    }
  }
}

/** Roughly the e-mail addresses that `create_booking` accepts; the tool does the exact check. */
const emailPattern = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\].]+(\.[^\s@<>"(),:;\\[\].]+)+$/

/** The contact form for an offer. `timeZone`: of the playroom. */
export const detailsView = (
  language: Language,
  offer: Offer,
  timeZone: string,
  contact: Contact,
  {
    onBack,
    onSubmit,
    onType
  }: {
    readonly onType: (contact: Contact) => void
    readonly onSubmit: () => void
    readonly onBack: () => void
  }
): View => {
  const { locale, texts } = language
  const name = field("name", texts.name, { type: "text", autocomplete: "name", maxlength: "200" }, contact.name)
  const email = field("email", texts.email, { type: "email", autocomplete: "email", maxlength: "254" }, contact.email)
  const form = element(
    "form",
    {},
    element(
      "p",
      {},
      `${shortDay(locale, offer.start)}, ${clockRange(locale, offer.start, offer.end)} · ${offer.packageName} · `,
      element("strong", {}, moneyText(locale, offer.total)),
      offer.dueNow === undefined ? "" : ` (${filledIn(texts.dueNowOf, moneyText(locale, offer.dueNow))})`
    ),
    element("div", { class: "fields" }, name.row, email.row),
    element("p", { class: "soft" }, texts.freeHold),
    agreed(offerTermsText(language, offer, timeZone))
  )
  const typed = () => ({ name: name.input.value.trim(), email: email.input.value.trim() })
  form.addEventListener("input", () => onType(typed()))
  const submit = () => {
    const given = typed()
    name.setFault(given.name === "" ? texts.nameMissing : "")
    email.setFault(emailPattern.test(given.email) ? "" : texts.emailWrong)
    const wrong = form.querySelector("[aria-invalid=true]")
    if (wrong instanceof HTMLElement) wrong.focus()
    else onSubmit()
  }
  // The host's sandbox may block form submission, so there would be no submit event.
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return
    event.preventDefault()
    submit()
  })
  return {
    heading: texts.details,
    body: [form],
    actions: [button(texts.book, "primary", submit), button(texts.back, "secondary", onBack)],
    focus: contact.name === "" ? name.input : email.input
  }
}

/** Rows of label and value. Rows without a value are left out. */
const table = (lines: ReadonlyArray<readonly [label: string, value: string | HTMLElement]>): HTMLElement =>
  element(
    "dl",
    {},
    ...lines.flatMap(([label, value]) =>
      value === "" ? [] : [element("div", {}, element("dt", {}, label), element("dd", {}, value))]
    )
  )

/**
 * Whether a booking (`hold_expires`) or a payment page (`expires`) can still be paid, by the server's clock. The
 * server sends `…_in` only while there is time left.
 */
export const isPayable = (of: unknown, field: "hold_expires" | "expires"): boolean => textAt(of, `${field}_in`) !== ""

/** The payment deadline in milliseconds; undefined if it can't be paid (any more). */
export const deadlineOf = (of: unknown, field: "hold_expires" | "expires"): number | undefined => {
  const at = Date.parse(textAt(of, `${field}_at`))
  return isPayable(of, field) && !Number.isNaN(at) ? at : undefined
}

/** The countdown; empty if the deadline has passed by the local clock. Screen readers don't read its changes. */
const timer = ({ texts }: Language, deadline: number | undefined): ReadonlyArray<HTMLElement> =>
  deadline === undefined || deadline <= Date.now()
    ? []
    : [
        element(
          "p",
          { class: "left" },
          `${texts.timeLeft} `,
          element("span", { role: "timer", "aria-label": texts.timeLeft })
        )
      ]

export const isWebAddress = (url: string): boolean =>
  URL.canParse(url) && ["https:", "http:"].includes(new URL(url).protocol)

/** A link to the family's page of the booking, opened by the host; empty if the answer has none. */
const pageLink = ({ texts }: Language, url: string, onPage: (url: string) => void): ReadonlyArray<HTMLElement> => {
  if (!isWebAddress(url)) return []
  const link = element("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, texts.bookingPage)
  // A sandboxed card can't open pages by itself.
  link.addEventListener("click", (event) => {
    event.preventDefault()
    onPage(url)
  })
  return [element("p", { class: "page" }, link)]
}

/**
 * The words of each standing of a booking, what can be paid in it, and whether it ended without a visit. The answer
 * says the standing; the card decides nothing.
 */
const standingWords = ({
  allPaidBack,
  cancelled,
  confirmed,
  expired,
  held,
  processing
}: Language["texts"]): Record<string, { heading: string; pays?: "hold" | "balance"; ended?: true }> => ({
  to_pay: { heading: held, pays: "hold" },
  payment_failed: { heading: held, pays: "hold" },
  not_payable: { heading: held },
  payment_processing: { heading: processing },
  payment_under_review: { heading: processing },
  arriving: { heading: processing },
  free: { heading: confirmed },
  paid: { heading: confirmed },
  confirmed_paid_back: { heading: allPaidBack },
  balance_due: { heading: confirmed, pays: "balance" },
  balance_overdue: { heading: confirmed, pays: "balance" },
  balance_processing: { heading: confirmed },
  confirmed_under_review: { heading: confirmed },
  over: { heading: confirmed },
  did_not_come: { heading: confirmed },
  released: { heading: expired, ended: true },
  expired: { heading: expired, ended: true },
  expired_under_review: { heading: expired, ended: true },
  cancelled_under_review: { heading: cancelled, ended: true },
  expired_processing: { heading: expired, ended: true },
  expired_going_back: { heading: expired, ended: true },
  expired_paid_back: { heading: expired, ended: true },
  cancelled: { heading: cancelled, ended: true },
  cancelled_kept: { heading: cancelled, ended: true },
  cancelled_processing: { heading: cancelled, ended: true },
  cancelled_going_back: { heading: cancelled, ended: true },
  cancelled_paid_back: { heading: cancelled, ended: true }
})

const wordsOf = ({ texts }: Language, booking: unknown) =>
  standingWords(texts)[textAt(booking, "standing")] ?? { heading: textAt(booking, "package_name") }

/** When the time to pay a hold ends, while it can be paid. */
export const bookingDeadline = (language: Language, booking: unknown) =>
  wordsOf(language, booking).pays === "hold" ? deadlineOf(booking, "hold_expires") : undefined

/** Whom to ask. It is told to call only if there is a number. Empty if the answer names nobody. */
const operatorLine = ({ texts }: Language, operator: unknown): ReadonlyArray<HTMLElement> => {
  const name = textAt(operator, "name")
  if (name === "") return []
  const ways = waysTo(operator)
  const label = ways.length === 0 ? texts.askAtVenue : texts.askVenue
  return [element("p", { class: "soft" }, `${label} ${[name, ...ways].join(", ")}`)]
}

/** A booking as `create_booking` and `get_booking` show it. */
export const bookingView = (
  language: Language,
  booking: unknown,
  {
    onOtherTimes,
    onPage,
    onPay,
    onRefresh
  }: {
    readonly onPay: () => void
    readonly onRefresh: () => void
    readonly onOtherTimes: () => void
    readonly onPage: (url: string) => void
  }
): View => {
  const { locale, texts } = language
  const [start, end] = [textAt(booking, "start"), textAt(booking, "end")]
  const { heading, pays, ended = false } = wordsOf(language, booking)
  const session = valueAt(booking, "payment_session")
  const isOpen = textAt(session, "status") === "open" && isPayable(session, "expires")
  const balance = valueAt(booking, "balance")
  const refunds = refundRows(language, booking)
  const goesBack = howGoesBack(language, booking)
  const money = (...path: ReadonlyArray<string>) => moneyUnlessNone(locale, moneyAt(booking, ...path))
  const due = money("due_now")
  const isOverdue = textAt(booking, "standing") === "balance_overdue" && valueAt(balance, "online") === true
  const ofBalance = isOpen ? money("payment_session", "amount") : isOverdue ? money("balance", "amount") : ""
  const toPay = pays === "hold" ? due : pays === "balance" ? ofBalance : ""
  const clock = clockRange(locale, start, end)
  const zone = zoneName(locale, textAt(booking, "time_zone"), start)
  const beside = listAt(booking, "booked_together").map((one) => {
    const rest = [textAt(one, "playroom_name"), textAt(one, "due_now")].filter((text) => text !== "")
    const at = textAt(one, "start")
    return element("p", {}, [at === "" ? textAt(one, "when") : momentText(locale, at), ...rest].join(" · "))
  })
  const party = partyText(language, numberAt(booking, "children"), numberAt(booking, "adults"))
  const balanceText =
    balance === undefined
      ? ""
      : valueAt(balance, "online") === false
        ? filledIn(texts.balanceAtVenue, money("balance", "amount"))
        : filledIn(texts.balanceBy, money("balance", "amount"), shortDay(locale, textAt(balance, "due_at")))
  return {
    heading,
    body: [
      ...timer(language, bookingDeadline(language, booking)),
      element(
        "div",
        {},
        element("p", {}, element("strong", {}, `${longDay(locale, start)}, ${clock}`), zone === "" ? "" : ` ${zone}`),
        element("p", {}, textAt(booking, "address")),
        element("p", {}, `${party} · ${textAt(booking, "package_name")}`)
      ),
      table([
        [texts.reference, element("strong", { class: "reference" }, textAt(booking, "reference"))],
        [
          texts.total,
          moneyText(locale, {
            amount: numberAt(booking, "price", "total"),
            currency: textAt(booking, "price", "currency"),
            display: textAt(booking, "price", "display_total")
          })
        ],
        [texts.dueNow, due],
        [texts.paid, money("paid")],
        [texts.refunded, money("refunded")],
        [texts.refunding, money("refund_on_its_way")],
        [texts.balance, balanceText],
        [texts.bring, textAt(booking, "bring")],
        ...(beside.length === 0 ? [] : [[texts.together, element("span", {}, ...beside)] as const])
      ]),
      ...(goesBack === "" ? [] : [element("p", { class: "soft" }, goesBack)]),
      ...pageLink(language, textAt(booking, "page_url"), onPage),
      ...operatorLine(language, valueAt(booking, "operator")),
      ...(refunds === undefined ? [] : [element("p", { class: "soft" }, refunds.heading), table(refunds.rows)]),
      agreed(bookingTermsText(language, booking))
    ],
    actions: [
      ...(toPay === "" ? [] : [button(filledIn(texts.pay, toPay), "primary", onPay)]),
      ended ? button(texts.otherTimes, "primary", onOtherTimes) : button(texts.refresh, "secondary", onRefresh)
    ]
  }
}

/** A payment page whose booking could not be read. */
export const paymentView = (
  language: Language,
  session: unknown,
  pageUrl: string,
  {
    onPage,
    onPay,
    onRefresh
  }: { readonly onPay: () => void; readonly onRefresh: () => void; readonly onPage: (url: string) => void }
): View => {
  const { locale, texts } = language
  const isOpen = isPayable(session, "expires")
  const amount = moneyText(locale, moneyAt(session, "amount"))
  return {
    heading: texts.payment,
    body: [
      ...timer(language, deadlineOf(session, "expires")),
      table([[texts.total, amount]]),
      ...pageLink(language, pageUrl, onPage)
    ],
    actions: [
      ...(isOpen ? [button(filledIn(texts.pay, amount), "primary", onPay)] : []),
      button(texts.refresh, "secondary", onRefresh)
    ]
  }
}
