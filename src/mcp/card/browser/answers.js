/** What the tools answered, as the card shows it. */
import { listAt, numberAt, objectOf, textAt, valueAt } from "./values.js"

/**
 * A time that can be booked. Texts are for people; `start` and `end` are RFC 3339 with the playroom's offset; `dueNow`
 * is "" if the whole total is due now; `terms` is the server's text; `back`: of what is due now, the amount that comes
 * back if it is cancelled until then ("" if nothing does); undefined if nothing is due now.
 *
 * @typedef {{
 *   readonly optionId: string
 *   readonly packageName: string
 *   readonly start: string
 *   readonly end: string
 *   readonly total: string
 *   readonly dueNow: string
 *   readonly placesLeft: number | undefined
 *   readonly terms: string
 *   readonly back: { readonly amount: string, readonly until: string } | undefined
 * }} Offer
 */

/**
 * Times to choose from, with their common data; if there are none, the reason. `playroomId` and `timeZone` are "" if
 * the answer does not name them.
 *
 * @typedef {{
 *   readonly playroomId: string
 *   readonly timeZone: string
 *   readonly children: number
 *   readonly adults: number
 *   readonly offers: ReadonlyArray<Offer>
 *   readonly nextCursor: string
 *   readonly noneBecause: string
 *   readonly nextDate: string
 *   readonly contact: string
 * }} Offers
 */

/**
 * A tool's error. `message` is in English; `contact` is how the venue is reached, if the error says so.
 *
 * @typedef {{
 *   readonly code: string
 *   readonly message: string
 *   readonly reason: string
 *   readonly seconds: number
 *   readonly contact: string
 *   readonly offers: Offers | undefined
 * }} ToolError
 */

/**
 * @typedef {{ readonly kind: "offers", readonly offers: Offers }
 *   | { readonly kind: "booking", readonly booking: unknown, readonly nextStep: string }
 *   | { readonly kind: "payment", readonly session: unknown, readonly pageUrl: string, readonly nextStep: string }
 *   | { readonly kind: "playroom", readonly playroom: unknown }
 *   | { readonly kind: "error", readonly error: ToolError }
 * } Answer
 */

/**
 * The ways to reach somebody: telephone, then e-mail.
 *
 * @param {unknown} contact
 * @returns {ReadonlyArray<string>}
 */
export const waysTo = (contact) => [textAt(contact, "phone"), textAt(contact, "email")].filter((way) => way !== "")

/**
 * @param {unknown} option from `options` of a page, or the one in an error's details, which includes the package's
 *   name and terms
 * @param {unknown} offered its package in the page
 * @returns {Offer}
 */
const offerOf = (option, offered) => {
  const places = valueAt(option, "places_left")
  const partly = numberAt(option, "price", "due_now") !== numberAt(option, "price", "total")
  return {
    optionId: textAt(option, "option_id"),
    packageName: textAt(option, "package_name") || textAt(offered, "name"),
    start: textAt(option, "start"),
    end: textAt(option, "end"),
    total: textAt(option, "price", "display_total"),
    dueNow: partly ? textAt(option, "price", "display_due_now") : "",
    placesLeft: typeof places === "number" ? places : undefined,
    terms: textAt(option, "terms", "text") || textAt(offered, "terms", "text"),
    back:
      numberAt(option, "price", "due_now") === 0
        ? undefined
        : {
            amount: textAt(option, "back_if_cancelled", "display"),
            until: textAt(option, "back_if_cancelled", "until")
          }
  }
}

/**
 * @param {unknown} page
 * @returns {Offers}
 */
const offersOfPage = (page) => {
  const packages = new Map(listAt(page, "packages").map((offered) => [textAt(offered, "package_id"), offered]))
  return {
    playroomId: textAt(page, "playroom_id"),
    timeZone: textAt(page, "time_zone"),
    children: numberAt(page, "children"),
    adults: numberAt(page, "adults"),
    offers: listAt(page, "options").map((option) => offerOf(option, packages.get(textAt(option, "package_id")))),
    nextCursor: textAt(page, "next_cursor"),
    noneBecause: textAt(page, "none_because"),
    nextDate: textAt(page, "next_available_date"),
    contact: waysTo(valueAt(page, "contact")).join(", ")
  }
}

/**
 * @param {unknown} details
 * @returns {Offers | undefined}
 */
const offersOfError = (details) => {
  const changed = valueAt(details, "option")
  const { children, adults } = objectOf(changed)
  const page =
    changed === undefined
      ? { ...objectOf(details), options: listAt(details, "alternatives") }
      : { children, adults, options: [changed] }
  return page.options.length === 0 ? undefined : offersOfPage(page)
}

/**
 * @param {unknown} error
 * @returns {Answer}
 */
const failure = (error) => ({
  kind: "error",
  error: {
    code: textAt(error, "code"),
    message: textAt(error, "message"),
    reason: textAt(error, "details", "reason"),
    seconds: numberAt(error, "details", "retry_after_seconds"),
    contact: waysTo(valueAt(error, "details", "contact")).join(", "),
    offers: offersOfError(valueAt(error, "details"))
  }
})

/**
 * @param {string} text
 * @returns {unknown}
 */
const parse = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return { error: { message: text } }
  }
}

/**
 * The answer in a result of `tools/call`. Hosts may leave out `structuredContent`: the text holds the same.
 *
 * @param {unknown} result
 * @returns {Answer}
 */
export const answerIn = (result) => {
  const content =
    valueAt(result, "structuredContent") ??
    parse(
      textAt(
        listAt(result, "content").find((block) => textAt(block, "text") !== ""),
        "text"
      )
    )
  const { booking, options, payment_session: session, playroom } = objectOf(content)
  const nextStep = textAt(content, "next_step")
  if (valueAt(result, "isError") === true) return failure(valueAt(content, "error"))
  if (Array.isArray(options)) return { kind: "offers", offers: offersOfPage(content) }
  if (booking !== undefined) return { kind: "booking", booking, nextStep }
  if (session !== undefined) return { kind: "payment", session, pageUrl: textAt(content, "page_url"), nextStep }
  if (playroom !== undefined) return { kind: "playroom", playroom }
  return failure(valueAt(content, "error"))
}
