/**
 * What the tools answered, as the card shows it. Missing values and wrong types become "", 0 or empty, so the card
 * never fails on an answer.
 */

type JsonObject = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const valueAt = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((at: unknown, key) => objectOf(at)[key], value)

export const textAt = (value: unknown, ...path: ReadonlyArray<string>): string => {
  const found = valueAt(value, ...path)
  return typeof found === "string" ? found : ""
}

export const numberAt = (value: unknown, ...path: ReadonlyArray<string>): number => {
  const found = valueAt(value, ...path)
  return typeof found === "number" ? found : 0
}

export const listAt = (value: unknown, ...path: ReadonlyArray<string>): ReadonlyArray<unknown> => {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}

/**
 * An amount in minor units. `currency` is "" if the answer does not name it; then there is only the server's text.
 */
export type Money = { readonly amount: number; readonly currency: string; readonly display: string }

/**
 * A time that can be booked. `start` and `end` are RFC 3339 with the playroom's offset; `dueNow` is undefined if the
 * whole total is due now; `terms` is the package's `terms`; `back`: of what is due now, the amount that comes back if
 * it is cancelled until then (`until` is "" if nothing does); undefined if nothing is due now.
 */
export type Offer = {
  readonly optionId: string
  readonly packageName: string
  readonly start: string
  readonly end: string
  readonly total: Money
  readonly dueNow: Money | undefined
  readonly placesLeft: number | undefined
  readonly terms: unknown
  readonly back: { readonly amount: Money; readonly until: string } | undefined
}

/**
 * Times to choose from, with their common data; if there are none, the reason. `playroomId` and `timeZone` are "" if
 * the answer does not name them.
 */
export type Offers = {
  readonly playroomId: string
  readonly timeZone: string
  readonly children: number
  readonly adults: number
  readonly offers: ReadonlyArray<Offer>
  readonly nextCursor: string
  readonly noneBecause: string
  readonly nextDate: string
  readonly contact: string
}

/** A tool's error. `contact` is how the venue is reached, if the error says so. */
export type ToolError = {
  readonly code: string
  readonly reason: string
  readonly seconds: number
  readonly contact: string
  readonly offers: Offers | undefined
}

export type Answer =
  | { readonly kind: "offers"; readonly offers: Offers }
  | { readonly kind: "booking"; readonly booking: unknown; readonly nextStep: string }
  | { readonly kind: "payment"; readonly session: unknown; readonly pageUrl: string; readonly nextStep: string }
  | { readonly kind: "playroom"; readonly playroom: unknown }
  | { readonly kind: "error"; readonly error: ToolError }

/** The ways to reach somebody: telephone, then e-mail. */
export const waysTo = (contact: unknown): ReadonlyArray<string> =>
  [textAt(contact, "phone"), textAt(contact, "email")].filter((way) => way !== "")

/**
 * `option`: from `options` of a page, or the one in an error's details, which includes the package's name and terms.
 * `offered`: its package in the page.
 */
const offerOf = (option: unknown, offered: unknown, pageCurrency: string): Offer => {
  const currency = pageCurrency || textAt(option, "price", "currency")
  const priced = (name: string) => ({
    amount: numberAt(option, "price", name),
    currency,
    display: textAt(option, "price", `display_${name}`)
  })
  const places = valueAt(option, "places_left")
  const partly = numberAt(option, "price", "due_now") !== numberAt(option, "price", "total")
  return {
    optionId: textAt(option, "option_id"),
    packageName: textAt(option, "package_name") || textAt(offered, "name"),
    start: textAt(option, "start"),
    end: textAt(option, "end"),
    total: priced("total"),
    dueNow: partly ? priced("due_now") : undefined,
    placesLeft: typeof places === "number" ? places : undefined,
    terms: valueAt(option, "terms") ?? valueAt(offered, "terms"),
    back:
      numberAt(option, "price", "due_now") === 0
        ? undefined
        : {
            amount: {
              amount: numberAt(option, "back_if_cancelled", "refund"),
              currency,
              display: textAt(option, "back_if_cancelled", "display")
            },
            until: textAt(option, "back_if_cancelled", "until")
          }
  }
}

const offersOfPage = (page: unknown): Offers => {
  const packages = new Map(listAt(page, "packages").map((offered) => [textAt(offered, "package_id"), offered]))
  return {
    playroomId: textAt(page, "playroom_id"),
    timeZone: textAt(page, "time_zone"),
    children: numberAt(page, "children"),
    adults: numberAt(page, "adults"),
    offers: listAt(page, "options").map((option) =>
      offerOf(option, packages.get(textAt(option, "package_id")), textAt(page, "currency"))
    ),
    nextCursor: textAt(page, "next_cursor"),
    noneBecause: textAt(page, "none_because"),
    nextDate: textAt(page, "next_available_date"),
    contact: waysTo(valueAt(page, "contact")).join(", ")
  }
}

const offersOfError = (details: unknown): Offers | undefined => {
  const changed = valueAt(details, "option")
  const { children, adults } = objectOf(changed)
  const page =
    changed === undefined
      ? { ...objectOf(details), options: listAt(details, "alternatives") }
      : { children, adults, options: [changed] }
  return page.options.length === 0 ? undefined : offersOfPage(page)
}

const failure = (error: unknown): Answer => ({
  kind: "error",
  error: {
    code: textAt(error, "code"),
    reason: textAt(error, "details", "reason"),
    seconds: numberAt(error, "details", "retry_after_seconds"),
    contact: waysTo(valueAt(error, "details", "contact")).join(", "),
    offers: offersOfError(valueAt(error, "details"))
  }
})

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

/** The answer in a result of `tools/call`. Hosts may leave out `structuredContent`: the text holds the same. */
export const answerIn = (result: unknown): Answer => {
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
