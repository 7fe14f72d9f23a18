/**
 * The card: shows a tool's result (times, a booking, a payment page) and calls further tools through the host. It
 * makes no requests itself.
 */
import { type Answer, type Offer, type Offers, type ToolError, answerIn, objectOf, textAt, valueAt } from "./answers.ts"
import { countdown, filledIn, textOf, textsFor } from "./texts.ts"
import { element, pictureOf } from "./elements.ts"
import {
  type View,
  bookingDeadline,
  bookingView,
  deadlineOf,
  detailsView,
  isPayable,
  isWebAddress,
  maxShown,
  offersView,
  paymentView
} from "./views.ts"
import { applyHostContext, connectHost } from "./host.ts"

/** A notice above the view. `copy` is text for the person to copy. */
type Notice = {
  readonly text: string
  readonly isFault: boolean
  readonly copy?: string
}

const noticeBox = ({ copy, isFault, text }: Notice) =>
  element(
    "div",
    { class: isFault ? "notice wrong" : "notice" },
    element("p", {}, text),
    copy === undefined ? undefined : element("code", {}, copy)
  )

/** Identifies an element across renders. */
const keyOf = (of: Element) => of.id || of.getAttribute("value") || of.textContent

/**
 * Replaces the content of `main`: picture, headings, notice, the view's body and actions. `playroomName` is "" if
 * unknown. Unless the view gets the focus, its element keeps it if it still exists.
 */
const writePage = (
  main: HTMLElement,
  {
    notice,
    playroomName,
    view
  }: {
    readonly playroomName: string
    readonly notice: Notice | undefined
    readonly view: View
  },
  movesFocus: boolean
) => {
  const before = document.activeElement
  const focused = before !== null && main.contains(before) ? keyOf(before) : undefined
  const { actions, focus, heading } = view
  const title = element("h1", { tabindex: "-1" }, playroomName || heading)
  const body = element("div", { class: "body" }, notice === undefined ? undefined : noticeBox(notice), ...view.body)
  main.replaceChildren(
    ...(playroomName === "" ? [] : [pictureOf(playroomName)]),
    element("header", {}, title, playroomName === "" ? undefined : element("p", { class: "state" }, heading)),
    body,
    ...(actions.length === 0 ? [] : [element("div", { class: "actions" }, ...actions)])
  )
  // Scrollable content must be reachable by keyboard.
  if (body.scrollHeight > body.clientHeight) {
    body.setAttribute("tabindex", "0")
    body.setAttribute("role", "group")
    body.setAttribute("aria-label", heading)
  }
  if (movesFocus) return (focus ?? title).focus()
  if (focused === undefined) return
  const same = [...main.querySelectorAll("button, input")].find((one) => keyOf(one) === focused)
  if (same instanceof HTMLElement) same.focus()
  else title.focus()
}

/** The card's current view. */
type Shown =
  | { readonly kind: "waiting" | "offers" | "details" }
  | { readonly kind: "booking"; readonly booking: unknown }
  | { readonly kind: "payment"; readonly session: unknown; readonly pageUrl: string }

const main = document.querySelector("main") ?? document.body
const status = document.querySelector("[role=status]") ?? document.body

let language = textsFor(navigator.language)
let hostContext = objectOf(undefined)
let hostCapabilities = objectOf(undefined)
/** The arguments of the call that opened the card. */
let input = objectOf(undefined)
let playroomName = ""
let contact = { name: "", email: "" }
/** The times on offer; the carousel shows those from `first` on. */
let offers: Offers | undefined
let first = 0
let chosen: Offer | undefined
let shown: Shown = { kind: "waiting" }
let notice: Notice | undefined
let isBusy = false
/** The payment deadline of the current view, in milliseconds. */
let deadline: number | undefined
/** Whether the card opened a page that may change the booking. */
let isAway = false

const host = connectHost({
  "ui/notifications/tool-input": (params) => {
    input = objectOf(valueAt(params, "arguments"))
    contact = { name: textAt(input, "contact", "name"), email: textAt(input, "contact", "email") }
  },
  "ui/notifications/tool-result": (params) => take(answerIn(params), false),
  "ui/notifications/tool-cancelled": () => {
    notice = { text: language.texts.stopped, isFault: false }
    render(false)
  },
  "ui/notifications/host-context-changed": (params) => {
    takeContext(params)
    render(false)
  }
})

const takeContext = (changes: unknown) => {
  hostContext = { ...hostContext, ...objectOf(changes) }
  language = textsFor(textAt(hostContext, "locale") || navigator.language)
  document.documentElement.lang = language.locale
  applyHostContext(hostContext)
}

const currentView = () => {
  const { texts } = language
  switch (shown.kind) {
    case "booking":
      return bookingView(language, shown.booking, {
        onPay: pay,
        onRefresh: refresh,
        onOtherTimes: findTimes,
        onPage: openPage
      })
    case "payment":
      return paymentView(language, shown.session, shown.pageUrl, { onPay: pay, onRefresh: refresh, onPage: openPage })
    case "details":
      if (chosen === undefined) break
      return detailsView(language, chosen, offers?.timeZone ?? "", contact, {
        onType: (typed) => (contact = typed),
        onSubmit: book,
        onBack: () => show({ kind: "offers" }, true)
      })
    case "offers":
      if (offers === undefined) break
      return offersView(
        language,
        offers,
        { first, chosen },
        {
          onChoose: (offer) => (chosen = offer),
          onBook: () => show({ kind: "details" }, true),
          onMore: first + maxShown < offers.offers.length || offers.nextCursor !== "" ? findMore : undefined
        }
      )
  }
  return { heading: notice === undefined ? texts.waiting : texts.title, body: [], actions: [], focus: undefined }
}

/** Renders the card again. `movesFocus`: whether the person's action changed the view; it then gets the focus. */
const render = (movesFocus: boolean) => {
  const view = currentView()
  writePage(main, { playroomName, notice, view }, movesFocus)
  if (movesFocus) status.textContent = view.heading
  writeTimer()
}

const show = (next: Shown, byPerson: boolean) => {
  shown = next
  notice = undefined
  deadline = undefined
  if (next.kind === "payment") deadline = deadlineOf(next.session, "expires")
  if (next.kind === "booking") deadline = bookingDeadline(language, next.booking)
  render(byPerson)
}

/** Shows a notice above the view and announces it to screen readers. */
const tell = (given: Notice) => {
  notice = given
  render(false)
  status.textContent = given.text
}

const showOffers = (found: Offers, byPerson: boolean) => {
  offers = found
  first = 0
  chosen = found.offers[0]
  show({ kind: "offers" }, byPerson)
}

const tellError = ({ code, contact, offers: found, reason, seconds }: ToolError) => {
  const { texts } = language
  const ask = contact === "" ? "" : ` ${texts.askVenue} ${contact}`
  if (found !== undefined) {
    showOffers({ ...found, playroomId: offers?.playroomId ?? "", timeZone: offers?.timeZone ?? "" }, false)
    const why = code === "price_changed" ? texts.errors.price_changed : `${textOf(texts.reasons, reason)} ${texts.near}`
    return tell({ text: why, isFault: true })
  }
  const known = code === "rate_limited" ? filledIn(texts.rateLimited, seconds) : textOf(texts.errors, code)
  const why = code === "slot_unavailable" ? `${textOf(texts.reasons, reason)} ${known}` : known
  return tell({ text: (known === "" ? texts.errors.internal_error : why.trim()) + ask, isFault: true })
}

const take = (answer: Answer, byPerson: boolean) => {
  switch (answer.kind) {
    case "offers":
      showOffers(answer.offers, byPerson)
      return nameOffers(answer.offers.playroomId)
    case "booking":
      playroomName = textAt(answer.booking, "playroom_name")
      return show({ kind: "booking", booking: answer.booking }, byPerson)
    case "payment":
      show({ kind: "payment", session: answer.session, pageUrl: answer.pageUrl }, byPerson)
      return readBooking(textAt(answer.session, "booking_id"))
    case "error":
      return tellError(answer.error)
  }
}

const callTool = async (name: string, args: object): Promise<Answer> =>
  answerIn(await host.request("tools/call", { name, arguments: args }))

/** Results with times have only the playroom's id. */
const nameOffers = async (playroom_id: string) => {
  if (playroomName !== "" || playroom_id === "") return
  try {
    const answer = await callTool("get_playroom", { playroom_id })
    if (answer.kind !== "playroom") return
    playroomName = textAt(answer.playroom, "name")
    render(false)
  } catch {
    // The times are useful without the name.
  }
}

/** A payment session has only its booking's id. */
const readBooking = async (booking_id: string) => {
  try {
    const answer = await callTool("get_booking", { booking_id })
    if (answer.kind === "booking" && shown.kind === "payment") take(answer, false)
  } catch {
    // The page can be paid without the rest.
  }
}

/** Tells the assistant what the person did, if the host supports it. */
const tellAssistant = (answer: Answer) => {
  if (hostCapabilities["updateModelContext"] === undefined || answer.kind !== "booking") return
  const id = textAt(answer.booking, "booking_id")
  const text = `The person uses the card, which now shows booking ${id}. ${answer.nextStep}`
  host.request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => {})
}

/** Runs the person's actions one at a time. */
const act = async (action: () => Promise<void>) => {
  if (isBusy) return
  isBusy = true
  main.setAttribute("aria-busy", "true")
  status.textContent = language.texts.working
  try {
    await action()
  } catch {
    tell({ text: language.texts.notPassedOn, isFault: true })
  } finally {
    isBusy = false
    main.removeAttribute("aria-busy")
    if (status.textContent === language.texts.working) status.textContent = ""
  }
}

/** Whether the shown times are stale and the error has no new ones. */
const isGone = ({ code, offers }: ToolError) =>
  offers === undefined && ["option_invalid", "package_not_found", "slot_unavailable"].includes(code)

const book = () =>
  act(async () => {
    const answer = await callTool("create_booking", { option_id: chosen?.optionId ?? "", contact })
    if (answer.kind === "error" && isGone(answer.error) && textAt(input, "playroom_id") !== "") {
      const again = await callTool("get_booking_options", input)
      if (again.kind === "offers") showOffers(again.offers, true)
    }
    take(answer, true)
    tellAssistant(answer)
  })

const bookingId = () =>
  shown.kind === "booking"
    ? textAt(shown.booking, "booking_id")
    : shown.kind === "payment"
      ? textAt(shown.session, "booking_id")
      : ""

const refresh = () =>
  act(async () => {
    const before = shown
    const answer = await callTool("get_booking", { booking_id: bookingId() })
    take(answer, false)
    if (answer.kind !== "booking") return
    const isSame = before.kind === "booking" && statusOf(before.booking) === statusOf(answer.booking)
    if (isSame) return tell({ text: language.texts.unchanged, isFault: false })
    isAway = false
    status.textContent = currentView().heading
    tellAssistant(answer)
  })

const statusOf = (booking: unknown) => `${textAt(booking, "standing")} ${textAt(booking, "payment_status")}`

const pay = () =>
  act(async () => {
    const known =
      shown.kind === "payment"
        ? shown.session
        : shown.kind === "booking"
          ? valueAt(shown.booking, "payment_session")
          : undefined
    let session = known
    if (!isPayable(known, "expires") || textAt(known, "status") !== "open") {
      const isBalance = shown.kind === "booking" && textAt(shown.booking, "standing").startsWith("balance_")
      const answer = await callTool("create_payment_session", {
        booking_id: bookingId(),
        ...(isBalance ? { purpose: "balance" } : {})
      })
      // The session extends the hold. If it failed, the booking may have changed.
      const seen = await callTool("get_booking", { booking_id: bookingId() })
      if (seen.kind === "booking") take(seen, false)
      if (answer.kind !== "payment") return take(answer, false)
      session = answer.session
    }
    await open(textAt(session, "url"), language.texts.payOpened)
  })

/** The family's page of the booking. */
const openPage = (url: string) => void act(() => open(url, language.texts.pageOpened))

/** Opens a page through the host, or shows its address. `done`: the notice if it opened. */
const open = async (url: string, done: string) => {
  if (!isWebAddress(url)) return tell({ text: language.texts.errors.internal_error, isFault: true })
  const opened = await host.request("ui/open-link", { url }).then(
    (result) => valueAt(result, "isError") !== true,
    () => false
  )
  isAway = true
  tell(opened ? { text: done, isFault: false } : { text: language.texts.openYourself, copy: url, isFault: false })
}

/** Finds times for the same party on the day of the lost booking. */
const findTimes = () =>
  act(async () => {
    if (shown.kind !== "booking") return
    const { adults, child_ages, children, playroom_id } = objectOf(shown.booking)
    const date = textAt(shown.booking, "start").slice(0, 10)
    input = { playroom_id, date, children, adults, ...(child_ages === undefined ? {} : { child_ages }) }
    take(await callTool("get_booking_options", input), true)
  })

const findMore = () =>
  act(async () => {
    if (offers === undefined) return
    const next = Math.min(first + maxShown, offers.offers.length)
    if (next === offers.offers.length) {
      const answer = await callTool("get_booking_options", { ...input, cursor: offers.nextCursor })
      if (answer.kind !== "offers") return take(answer, true)
      offers = { ...answer.offers, offers: [...offers.offers, ...answer.offers.offers] }
    }
    first = next
    chosen = offers.offers[first]
    show({ kind: "offers" }, true)
  })

/** Updates the countdown. At its end, refreshes the booking once. */
const writeTimer = () => {
  if (deadline === undefined) return
  const left = deadline - Date.now()
  const timer = document.querySelector("[role=timer]")
  if (timer !== null) timer.textContent = countdown(left)
  if (left > 0) return
  deadline = undefined
  void refresh()
}

setInterval(writeTimer, 1000)

// Refresh when the person returns from the payment page or the booking's page.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && isAway) void refresh()
})

new ResizeObserver(() => {
  host.notify("ui/notifications/size-changed", { height: Math.ceil(main.getBoundingClientRect().height) })
}).observe(main)

const connect = async () => {
  const answer = await host.request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "playroom-card", version: "1.0.0" },
    appCapabilities: { availableDisplayModes: ["inline"] }
  })
  hostCapabilities = objectOf(valueAt(answer, "hostCapabilities"))
  takeContext(valueAt(answer, "hostContext"))
  if (shown.kind === "waiting") render(false)
  host.notify("ui/notifications/initialized", {})
}

void connect()
