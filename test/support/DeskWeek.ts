/** Who is in the week at the desk, each with a browser of their own, and what they do again and again. */
import { assert } from "@effect/vitest"
import { Context, Effect } from "effect"
import { messages } from "../../src/words/Languages.ts"
import { moneyIn, shortDateIn, timesIn } from "../../src/words/Localized.ts"
import { hourMs } from "../../src/platform/time/LocalTime.ts"
import { type BrowserUser, browserUser } from "./BrowserUser.ts"
import { openBrowser, type Tab } from "./Browser.ts"
import { deskWeekWorld } from "./DeskWeekWorld.ts"
import { ask } from "./FamilyPages.ts"

const zone = "Europe/London"

export const pounds = (amount: number): string => moneyIn("en", amount * 100, "GBP")
/** How pages name a day of this summer. */
export const dayOf = (date: string): string => shortDateIn("en", zone, Date.parse(`${date}T12:00:00Z`))
/** How pages name the times of a party that begins then. */
export const timesAt = (date: string, time: string): string => {
  const start = Date.parse(`${date}T${time}:00+01:00`)
  return timesIn("en", zone, start, start + 2 * hourMs)
}

/** Mira manages, Joe is at the desk with a telephone, and the family has another one. */
export const deskWeek = (command: string) =>
  Effect.gen(function* () {
    const week = yield* deskWeekWorld
    const browser = yield* openBrowser(command)
    const kinds = new Set<string>()
    const person = (width: number) =>
      Effect.map(browser.another, (tab) => ({ tab, ...browserUser(tab, { width, scheme: "light" }, kinds) }))
    /** An address of the service, by the name to which passkeys belong. */
    const at = (path: string) => `${week.baseUrl.replace("127.0.0.1", "localhost")}${path}`
    return { ...week, at, mira: yield* person(1280), joe: yield* person(360), family: yield* person(360) }
  })

export class Week extends Context.Service<Week, Effect.Success<ReturnType<typeof deskWeek>>>()("test/DeskWeek") {}

/** Opens a booking's page at the desk, or one of its actions. */
export const bookingAt = (person: BrowserUser, { booking_id }: { readonly booking_id: string }, step?: string) =>
  Effect.flatMap(Week, ({ at }) => person.open(at(`/desk/b/${booking_id}${step === undefined ? "" : `?step=${step}`}`)))

/** Somebody who was invited makes a passkey. `told`: a text with its address. */
export const joinDesk = Effect.fnUntraced(function* (person: BrowserUser & { readonly tab: Tab }, told: string) {
  const invitation = /http\S+/.exec(told)?.[0] ?? ""
  yield* person.tab.passkeys
  yield* person.open(invitation)
  yield* person.press(messages.en.desk.makePasskey)
  assert.strictEqual(yield* person.path, "/desk")
})

/** A family's assistant books, and the family pays what is due. */
export const paidBooking = Effect.fnUntraced(function* (name: string, date: string, time: string) {
  const { hold, settled } = yield* Week
  const booking = yield* hold(name, date, time)
  yield* ask(booking.pay_url, { method: "POST", body: new URLSearchParams({ outcome: "pay" }) })
  yield* settled
  return booking
})

/** A visit on the day's list. */
export const visitOf = ({ reference }: { readonly reference: string }): string => `[id="${reference}"]`

/** Presses at one moment what each has got ready; answers what their pages say then. */
export const together = <R>(ready: ReadonlyArray<Effect.Effect<string, never, R>>) =>
  Effect.all(ready, { concurrency: "unbounded" })
