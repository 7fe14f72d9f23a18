/** A look at a calendar: asks its host, within bounds, and reads when it is busy. */
import { Effect } from "effect"
import { PublicDocuments } from "../../platform/access/PublicDocuments.ts"
import { busyTimes, type Window } from "./BusyTimes.ts"
import { CalendarUnreadable, readCalendar } from "./CalendarText.ts"

/** The largest calendar, in bytes: years of events. */
export const largestCalendar = 5 * 1024 * 1024
const maxRedirects = 3
/** For all that a calendar's host answers. */
const longestAnswer = "30 seconds"

const unreadable = (why: string) => new CalendarUnreadable({ why })

/** A redirect is followed to where any address may lead. */
const asked = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const documents = yield* PublicDocuments
  let address = url
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = yield* documents.fetch(address, {
      accept: "text/calendar, */*;q=0.1",
      headers: { "user-agent": "playroom-booking", ...headers },
      largest: largestCalendar,
      within: "20 seconds"
    })
    if (![301, 302, 303, 307, 308].includes(response.status)) return response
    const next = URL.parse(response.headers.get("location") ?? "", address)
    if (next === null) return yield* unreadable(`the host answered with ${response.status}, and with no address`)
    address = next.href
  }
  return yield* unreadable("the host leads from one address to the next")
})

/** The answer of a calendar's host. `headers`: of a conditional request. */
export const askHost = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  Effect.timeoutOrElse(asked(url, headers), {
    duration: longestAnswer,
    orElse: () => Effect.fail(unreadable("the host did not answer in time"))
  })

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** The text of an answer that holds a calendar. */
export const textIn = Effect.fnUntraced(function* (response: Response) {
  if (response.status !== 200) return yield* unreadable(`the host answered with ${response.status}`)
  return decoder.decode(yield* Effect.promise(() => response.arrayBuffer()))
})

/** What a look at a calendar would find, without storing anything. Nobody's bookings are known: all events count. */
export const tryCalendar = Effect.fn("tryCalendar")(function* (url: string, window: Window) {
  const calendar = yield* readCalendar(yield* Effect.flatMap(askHost(url), textIn))
  return { events: calendar.events.length, ...(yield* busyTimes(calendar, () => false, window)) }
})
