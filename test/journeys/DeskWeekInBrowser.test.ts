/**
 * A venue's week at its desk: a manager at a large screen, a colleague on a telephone, and a family on another, each in
 * a browser of their own, on one service with the sandbox provider. At the end the books are compared.
 */
import { csvRows } from "../support/CommandLine.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { messages } from "../../src/words/Languages.ts"
import { moneyIn, pluralIn, shortDateIn, timesIn } from "../../src/words/Localized.ts"
import { inBrowser, openBrowser } from "../support/Browser.ts"
import { browserUser, type BrowserUser, joinDesk, serviceOnClock } from "../support/DeskUser.ts"
import { join } from "node:path"
import { hourMs } from "../../src/platform/time/LocalTime.ts"
import { ask } from "../support/FamilyPages.ts"
import { connect } from "../support/McpClients.ts"
import { allApplied } from "../support/Service.ts"
import { Booked, Options, Paying, Playrooms } from "../support/McpRequests.ts"
import { twoRooms } from "../support/venues.ts"

// Who is in the week at the desk, each with a browser of their own, and what they do again and again.

// A venue with two rooms in a service of its own, on Monday, 19 July 2027: families book and pay there through their
// assistant, a clock can be set, commands are typed, and the books can be read. Parties are on Saturdays, two hours,
// £50 of £200 when booking.

const monday = Date.parse("2027-07-19T09:00:00Z")

/** A part of a text, which must be there. */
const part = (text: string, pattern: RegExp): string => pattern.exec(text)?.[0] ?? assert.fail(`${pattern}: ${text}`)

/** What bookings, the provider and the audit say of the money; minor units. */
const Books = Schema.Struct({
  kept: Schema.FiniteFromString,
  by_link: Schema.FiniteFromString,
  back_by_link: Schema.FiniteFromString,
  at_venue: Schema.FiniteFromString,
  back_at_venue: Schema.FiniteFromString,
  provider_paid: Schema.FiniteFromString,
  provider_refunded: Schema.FiniteFromString
})

export const deskWeekWorld = Effect.gen(function* () {
  const { folder, playroom, service, sql, turnTo } = yield* serviceOnClock(monday)
  const assistant = yield* connect("v2 auto", service.baseUrl, service.apiKey)

  const call = <A>(schema: Schema.Codec<A, unknown>, tool: string, args: Record<string, unknown>) =>
    Effect.map(assistant.call(tool, args), ({ content, isError, text }) => {
      assert.isFalse(isError, text)
      return Schema.decodeUnknownSync(schema)(content)
    })

  // The venue, as its owner makes it.
  const file = join(folder, "venue.yaml")
  yield* playroom(`playroom catalogue new ${file}`)
  writeFileSync(file, twoRooms(readFileSync(file, "utf8")))
  yield* playroom(`playroom catalogue import ${file}`)
  const onboard = "playroom operator onboard castle-play"
  yield* ask(part(yield* playroom(onboard), /http\S+/), { method: "POST" })
  assert.include(yield* playroom(onboard), "It is on sale now.")
  const roomNamed = (query: string) =>
    Effect.map(
      call(Playrooms, "search_playrooms", { query }),
      ({ playrooms }) => playrooms[0]?.playroom_id ?? assert.fail(`no ${query}`)
    )
  const hall = yield* roomNamed("My Playroom")
  const garden = yield* roomNamed("Garden Room")

  /** What an assistant finds on a day, in the hall unless another room is named. */
  const optionsOn = (date: string, mode: "exclusive" | "shared", playroom_id = hall) =>
    call(Options, "get_booking_options", { playroom_id, date, children: 8, mode, limit: 100 })
  const partyIn = (playroom_id: string) =>
    Effect.map(
      optionsOn("2027-07-31", "exclusive", playroom_id),
      ({ options }) => options[0]?.package_id ?? assert.fail("no party")
    )
  /** An assistant holds a party in the hall. */
  const hold = Effect.fnUntraced(function* (name: string, date: string, time: string) {
    const { options } = yield* optionsOn(date, "exclusive")
    const option = options.find(({ start }) => start.startsWith(`${date}T${time}`)) ?? assert.fail(`${date} ${time}`)
    const contact = { name, email: `${name.toLowerCase().replaceAll(" ", ".")}@example.com`, phone: "+44 20 7946 0123" }
    const { booking } = yield* call(Booked, "create_booking", { option_id: option.option_id, contact })
    const { payment_session } = yield* call(Paying, "create_payment_session", { booking_id: booking.booking_id })
    const { booking_id, page_url = assert.fail("no page"), reference } = booking
    return { booking_id, reference, page_url, pay_url: payment_session.url }
  })

  return {
    ...service,
    playroom,
    sql,
    hall,
    parties: { hall: yield* partyIn(hall), garden: yield* partyIn(garden) },
    folder,
    optionsOn,
    turnTo,
    hold,
    /** Waits until all money has moved that will move by itself. */
    settled: Effect.gen(function* () {
      yield* allApplied(sql)
      const under_way = sql`select 1 from refund where status in ('requested', 'pending') and waits_for is null`
      while ((yield* under_way).length > 0) yield* Effect.sleep("50 millis")
      yield* allApplied(sql)
    }),
    /** Where a booking stands. */
    standing: (booking_id: string) =>
      Effect.map(
        sql<{ readonly text: string }>`select concat_ws(' ', status, payment_status, attendance) as text from booking
          where booking_id = ${booking_id}`,
        ([row]) => row?.text ?? "nothing"
      ),
    /** What happened to a booking, of these. */
    events: (booking_id: string, ...events: ReadonlyArray<string>) =>
      Effect.map(
        sql<{ readonly event: string; readonly done_by: string | null }>`select event, done_by from booking_history
          where booking_id = ${booking_id} and ${sql.in("event", events)} order by seq`,
        (rows) => rows.map(({ done_by, event }) => (done_by === null ? event : `${event} by ${done_by}`))
      ),
    books: sql`select
        (select coalesce(sum(paid - refunded), 0) from booking)::text as kept,
        (select coalesce(sum(amount), 0) from payment_session where status = 'paid' and way = 'link')::text as by_link,
        (select coalesce(sum(amount), 0) from payment_session where status = 'paid' and way <> 'link')::text as at_venue,
        (select coalesce(sum(r.amount), 0) from refund r join payment_session s using (payment_session_id)
          where r.status = 'succeeded' and s.way = 'link')::text as back_by_link,
        (select coalesce(sum(r.amount), 0) from refund r join payment_session s using (payment_session_id)
          where r.status = 'succeeded' and s.way <> 'link')::text as back_at_venue,
        (select coalesce(sum(amount), 0) from sandbox.session where payment_status = 'paid')::text as provider_paid,
        (select coalesce(sum(amount), 0) from sandbox.refund where status = 'succeeded')::text as provider_refunded`.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Schema.Tuple([Books]))),
      Effect.map(([books]) => books)
    )
  }
})

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

const title = "goes from the invitation to the month's figures, whoever presses at once, and its books agree at the end"

const { booking: family, cancel: familyCancel, desk, operator, words } = messages.en
const [saturday, next, closedDay, lastClosed, reopened] = [
  "2027-07-24",
  "2027-07-31",
  "2027-08-07",
  "2027-08-14",
  "2027-08-21"
] as const

inBrowser("a week at the desk, in browsers", title, (command) => {
  layer(Layer.effect(Week, deskWeek(command)), { excludeTestServices: true, timeout: "2 minutes" })(
    "a week at the desk, in browsers",
    (it) => {
      it.effect(
        title,
        () =>
          Effect.gen(function* () {
            const {
              at,
              books,
              events,
              family: ada,
              hold,
              joe,
              mira,
              optionsOn,
              parties,
              playroom,
              settled
            } = yield* Week
            const { sandboxUrl, standing, turnTo } = yield* Week

            // The staff.
            yield* joinDesk(mira, yield* playroom(`playroom staff invite castle-play "Mira Lind" --role manager`))
            yield* mira.press(desk.people.title)
            yield* mira.enter({ name: "Joe Till", role: "desk" })
            yield* joinDesk(joe, yield* mira.press(desk.people.invite.confirm))
            yield* joe.press(desk.signOut)
            yield* joe.open(at("/desk"))
            assert.include(yield* joe.press(desk.signIn), desk.signedInAs("Joe Till"))

            // Families book through their assistants. Ada pays on the provider's page; this Saturday all is due at
            // once.
            const adas = yield* hold("Ada Reed", saturday, "10:15")
            yield* ada.open(adas.pay_url)
            yield* ada.press(`Pay ${pounds(200)}`)
            yield* settled
            assert.strictEqual(yield* standing(adas.booking_id), "confirmed paid")
            yield* ada.open(adas.page_url)
            const elis = yield* paidBooking("Eli Park", saturday, "13:00")
            const fays = yield* paidBooking("Fay Stone", closedDay, "10:15")
            const guss = yield* paidBooking("Gus Hill", closedDay, "13:00")
            const hals = yield* paidBooking("Hal Brook", lastClosed, "10:15")
            const idas = yield* paidBooking("Ida Green", next, "10:15")
            const jims = yield* paidBooking("Jim Field", next, "13:00")

            // A grandmother calls. Joe reads out the link, and sends it; she pays on the page that the letter names.
            yield* joe.open(at("/desk"))
            yield* joe.press(desk.book.title)
            yield* joe.press("Birthday party", `li:has([href*="${parties.hall}"])`)
            yield* joe.enter({ children: "8", adults: "2" })
            yield* joe.press(desk.book.times)
            yield* joe.press(dayOf(next))
            yield* joe.press(timesAt(next, "15:45"))
            yield* joe.press(desk.goOn)
            assert.include(yield* joe.alert, desk.book.wrong)
            yield* joe.enter({ name: "Rose Amber", email: "rose@example.com", phone: "+44 20 7946 0777" })
            yield* joe.press(desk.goOn)
            yield* joe.enter({ pay: "link" })
            assert.include(yield* joe.press(desk.book.confirm), desk.family.lead)
            const roses = {
              booking_id: /booking_\w+/.exec(yield* joe.path)?.[0] ?? assert.fail("no booking"),
              page_url: String(yield* joe.find("document.querySelector('pre').innerText")).trim()
            }
            assert.include(yield* joe.press(desk.family.send("rose@example.com")), desk.family.sent("rose@example.com"))
            yield* settled
            yield* ada.open(`${sandboxUrl}/letters`)
            const letter = yield* ada.press("", `li:has(a):first-child`)
            assert.include(letter, "rose@example.com")
            assert.include(letter, roses.page_url)
            yield* ada.open(roses.page_url)
            yield* ada.press(words.pay(pounds(50)))
            yield* ada.press(`Pay ${pounds(50)}`)
            yield* settled
            assert.strictEqual(yield* standing(roses.booking_id), "confirmed deposit_paid")

            // Four children more: what that costs is recorded in cash by mistake, undone by the manager, and paid by
            // card.
            yield* bookingAt(joe, adas)
            yield* joe.press(desk.change.title)
            yield* joe.enter({ children: "12" })
            assert.include(yield* joe.press(desk.goOn), pounds(30))
            yield* joe.press(desk.change.confirm)
            yield* joe.press(desk.pay.title)
            yield* joe.enter({ way: "cash" })
            assert.include(yield* joe.press(desk.goOn), pounds(30))
            yield* joe.press(desk.pay.confirm)
            assert.strictEqual(yield* standing(adas.booking_id), "confirmed paid")
            assert.notInclude(yield* joe.text, desk.undoPay.title, "that is for managers")
            yield* bookingAt(mira, adas)
            yield* mira.press(desk.undoPay.title)
            assert.include(yield* mira.press(desk.goOn), desk.undoPay.noRefund)
            yield* mira.press(desk.undoPay.confirm)
            assert.notStrictEqual(yield* standing(adas.booking_id), "confirmed paid")
            yield* bookingAt(joe, adas, "pay")
            yield* joe.enter({ way: "card" })
            yield* joe.press(desk.goOn)
            yield* joe.press(desk.pay.confirm)
            assert.strictEqual(yield* standing(adas.booking_id), "confirmed paid")

            // An amount back, to a family that paid online.
            yield* bookingAt(mira, elis)
            yield* mira.press(desk.back.title)
            yield* mira.enter({ amount: "20", reason: "The castle was broken" })
            assert.include(yield* mira.press(desk.goOn), pounds(20))
            yield* mira.press(desk.back.confirm)
            yield* settled
            assert.include(yield* bookingAt(mira, elis), desk.events.goodwill)

            // Another start, found among the free ones; it is too late for the terms, so a reason is asked for.
            yield* bookingAt(joe, elis)
            yield* joe.press(desk.move.title)
            yield* joe.press(dayOf(saturday))
            yield* joe.press(timesAt(saturday, "15:45"))
            yield* joe.press(desk.goOn)
            assert.include(yield* joe.alert, desk.change.reasonNeeded)
            yield* joe.enter({ reason: "They come from far" })
            yield* joe.press(desk.goOn)
            yield* joe.press(desk.move.confirm)
            assert.deepStrictEqual(yield* events(elis.booking_id, "moved"), ["moved by Joe Till"])

            // Another room, at the same time: its own free starts are shown.
            yield* bookingAt(joe, adas, "move")
            yield* joe.enter({ package: parties.garden })
            yield* joe.press(desk.book.times)
            yield* joe.press(dayOf(saturday))
            yield* joe.press(timesAt(saturday, "10:15"))
            yield* joe.enter({ reason: "A pipe broke" })
            assert.include(yield* joe.press(desk.goOn), "Garden Room")
            assert.include(yield* joe.press(desk.move.confirm), "Garden Room")
            assert.include(yield* ada.open(adas.page_url), messages.en.page.otherRoom("Garden Room", "My Playroom"))

            // The castle is broken on Tuesday morning, and is repaired at once.
            const play = Effect.map(
              optionsOn("2027-07-27", "shared"),
              ({ options }) => options.filter(({ start }) => start.startsWith("2027-07-27T10")).length
            )
            const open = yield* play
            assert.isAbove(open, 0)
            yield* joe.open(at("/desk?day=2027-07-27"))
            yield* joe.press(desk.closing.title, ".actions")
            yield* joe.enter({ playroom: "My Playroom", starts: "10:00", ends: "12:00", reason: "Broken castle" })
            assert.include(yield* joe.press(desk.goOn), desk.closing.nobody)
            assert.include(yield* joe.press(desk.closing.confirm), "Broken castle")
            assert.strictEqual(yield* play, 0)
            yield* joe.press(desk.closing.reopen)
            assert.notInclude(yield* joe.press(desk.closing.reopen), "Broken castle")
            assert.strictEqual(yield* play, open)

            // Two weeks of August are closed for a new floor, and each family inside is dealt with.
            assert.include(yield* joe.open(at("/desk/closing")), desk.closing.managersDays)
            yield* mira.open(at(`/desk/closing?day=${closedDay}`))
            yield* mira.enter({ playroom: "My Playroom", to: lastClosed, reason: "New floor" })
            const inside = yield* mira.press(desk.goOn)
            for (const name of ["Fay Stone", "Gus Hill", "Hal Brook"]) assert.include(inside, name)
            yield* mira.press(desk.closing.confirm)
            assert.strictEqual(yield* mira.path, "/desk/closed")
            yield* mira.enter({ choice: `${fays.booking_id}.cancel` })
            assert.include(yield* mira.press(desk.goOn), pounds(50))
            yield* mira.press(pluralIn("en", 1, desk.closed.confirm))
            assert.notInclude(yield* mira.press(desk.toList), "Fay Stone")
            yield* mira.press(`${desk.move.title} ${hals.reference}`)
            yield* mira.press(dayOf(reopened))
            yield* mira.press(timesAt(reopened, "13:00"))
            yield* mira.enter({ reason: "New floor" })
            yield* mira.press(desk.goOn)
            yield* mira.press(desk.move.confirm)
            yield* mira.open(at("/desk/closed"))
            yield* mira.press(`${desk.move.title} ${guss.reference}`)
            yield* mira.enter({ package: parties.garden })
            yield* mira.press(desk.book.times)
            yield* mira.press(dayOf(closedDay))
            yield* mira.press(timesAt(closedDay, "13:00"))
            yield* mira.enter({ reason: "New floor" })
            yield* mira.press(desk.goOn)
            yield* mira.press(desk.move.confirm)
            assert.include(yield* mira.open(at("/desk/closed")), desk.closed.none)
            yield* settled
            assert.strictEqual(yield* standing(fays.booking_id), "cancelled refunded")

            // Ben comes by and pays in cash; then he can't come, and gets everything back out of the till.
            yield* mira.open(at(`/desk/book?package=${parties.hall}&children=8&adults=2&date=${reopened}`))
            yield* mira.press(timesAt(reopened, "10:15"))
            yield* mira.enter({ name: "Ben Moss", email: "ben@example.com" })
            yield* mira.press(desk.goOn)
            yield* mira.enter({ pay: "cash", amount: "total" })
            yield* mira.press(desk.book.confirm)
            const bens = { booking_id: /booking_\w+/.exec(yield* mira.path)?.[0] ?? assert.fail("no booking") }
            assert.strictEqual(yield* standing(bens.booking_id), "confirmed paid")
            yield* mira.press(desk.cancel.title)
            yield* mira.enter({ refund: "full", reason: "They are ill" })
            assert.include(yield* mira.press(desk.goOn), desk.back.byHand(pounds(200)))
            assert.include(yield* mira.press(desk.cancel.confirm), desk.returned.todo(pounds(200)))
            yield* mira.enter({ way: "cash" })
            yield* mira.press(desk.returned.done)
            assert.strictEqual(yield* standing(bens.booking_id), "cancelled refunded")

            // The manager cancels with all back, Joe moves it, and the family cancels by its terms: all at one moment.
            yield* bookingAt(mira, idas, "cancel")
            yield* mira.enter({ refund: "full", reason: "They asked" })
            yield* mira.press(desk.goOn)
            yield* bookingAt(joe, idas, "move")
            yield* joe.enter({ date: lastClosed, time: "13:00", reason: "They asked" })
            yield* joe.enter({ date: reopened, time: "15:45" })
            yield* joe.press(desk.goOn)
            yield* ada.open(`${idas.page_url}?step=cancel`)
            yield* together([
              yield* mira.aim(desk.cancel.confirm),
              yield* joe.aim(desk.move.confirm),
              yield* ada.aim(familyCancel.cancel)
            ])
            const ways = yield* events(idas.booking_id, "cancelled", "moved")
            assert.lengthOf(ways, 1, ways.join())
            const [way = ""] = ways
            const told = yield* Effect.all([mira.alert, joe.alert, ada.alert, ada.text])
            assert.strictEqual(told[0] === "", way === "cancelled by Mira Lind", `${way}: ${told[0]}`)
            assert.strictEqual(told[1] === "", way === "moved by Joe Till", `${way}: ${told[1]}`)
            // A family that finds it cancelled reads just that, with what comes back.
            const ends = way.startsWith("cancelled")
              ? messages.en.standings.cancelled_going_back.heading
              : familyCancel.changed
            assert.isTrue(
              [ends, family.underWay].some((text) => told[3].includes(text)),
              `${way}: ${told[3]}`
            )
            yield* settled

            // The family pays its balance online, while both at the desk record it: it is paid once, and what is too
            // much goes back.
            for (const [person, paid] of [
              [mira, "cash"],
              [joe, "card"]
            ] as const) {
              yield* bookingAt(person, jims, "pay")
              yield* person.enter({ way: paid })
              yield* person.press(desk.goOn)
            }
            yield* ada.open(jims.page_url)
            yield* ada.press(family.payBalance(pounds(150)))
            yield* together([
              yield* mira.aim(desk.pay.confirm),
              yield* joe.aim(desk.pay.confirm),
              yield* ada.aim(`Pay ${pounds(150)}`)
            ])
            yield* settled
            const alerts = `${yield* mira.alert}${yield* joe.alert}`
            assert.isNotEmpty(alerts, "one of the two is told")
            assert.notInclude(alerts, pounds(0))
            const page = yield* bookingAt(mira, jims)
            assert.include(page, words.paid)
            assert.isAtMost((yield* events(jims.booking_id, "paid_at_venue")).length, 1)

            // Saturday. Everybody signs in again.
            yield* turnTo(Date.parse(`${saturday}T10:05:00+01:00`))
            for (const person of [mira, joe]) {
              yield* person.open(at("/desk"))
              yield* person.press(desk.signIn)
            }
            const arrived = yield* joe.press(desk.marks.arrived, visitOf(adas))
            assert.include(arrived, desk.undo(desk.marks.arrived))
            yield* joe.press(desk.undo(desk.marks.arrived), visitOf(adas))
            assert.strictEqual(yield* standing(adas.booking_id), "confirmed paid")
            yield* joe.press(desk.marks.arrived, visitOf(adas))
            yield* turnTo(Date.parse(`${saturday}T15:50:00+01:00`))
            yield* mira.open(at("/desk"))
            yield* mira.press(desk.marks.no_show, visitOf(elis))
            assert.strictEqual(yield* standing(elis.booking_id), "confirmed partially_refunded no_show")
            yield* mira.press(desk.undo(desk.marks.no_show), visitOf(elis))
            assert.strictEqual(yield* standing(adas.booking_id), "confirmed paid arrived")
            assert.strictEqual(yield* standing(elis.booking_id), "confirmed partially_refunded")
            assert.deepStrictEqual(yield* events(adas.booking_id, "arrived", "arrived_undone"), [
              "arrived by Joe Till",
              "arrived_undone by Joe Till",
              "arrived by Joe Till"
            ])

            // What is due by now is paid by transfer.
            for (const { booking_id } of [roses, idas]) {
              if (!(yield* mira.open(at("/desk/owed"))).includes(booking_id === roses.booking_id ? "Rose" : "Ida"))
                continue
              yield* bookingAt(mira, { booking_id }, "pay")
              yield* mira.enter({ way: "transfer" })
              yield* mira.press(desk.goOn)
              yield* mira.press(desk.pay.confirm)
            }
            assert.strictEqual(yield* standing(roses.booking_id), "confirmed paid")

            // Joe leaves, and is out at once: his next press is refused.
            yield* mira.open(at("/desk/people"))
            assert.include(
              yield* mira.press(`${desk.people.remove.link} Joe Till`),
              desk.people.remove.title("Joe Till")
            )
            assert.notInclude(yield* mira.press(desk.people.remove.confirm), "Joe Till")
            assert.include(yield* joe.press(operator.today), desk.signIn)
            yield* joe.press(desk.signIn)
            assert.include(yield* joe.alert, desk.passkeyFaults.unknown)

            // The month, by the provider's record, as the manager downloads it.
            const { folder } = yield* Week
            yield* mira.tab.downloadTo(folder)
            yield* mira.open(at("/desk"))
            yield* mira.press(desk.month.title)
            assert.include(yield* mira.press(desk.month.compare), desk.month.agrees)
            yield* mira.find("document.querySelector('main a[href*=\"month.csv\"]').click()")
            const downloaded = Effect.sync(() => readdirSync(folder).find((name) => name.endsWith(".csv")))
            while ((yield* downloaded) === undefined) yield* Effect.sleep("50 millis")
            const csv = readFileSync(`${folder}/${(yield* downloaded) ?? ""}`, "utf8")
            const lines = (text: string) =>
              text
                .replace("\uFEFF", "")
                .split(/\r?\n/)
                .filter((line) => line.includes(","))
            const printed = yield* playroom("playroom accounts --month 2027-07 --operator castle-play")
            assert.includeMembers(lines(printed), lines(csv))
            assert.include(printed, "all agree")

            const sum = (kind: string, online: boolean) =>
              csvRows(csv)
                .filter((row) => row["kind"] === kind && (row["way"] === "link") === online)
                .reduce((all, { amount }) => all + Math.round(Number(amount) * 100), 0)
            const sums = yield* books
            assert.strictEqual(sum("payment", true), sums.provider_paid)
            assert.strictEqual(sum("payment", true), sums.by_link)
            assert.strictEqual(-sum("refund", true), sums.provider_refunded)
            assert.strictEqual(-sum("refund", true), sums.back_by_link)
            assert.strictEqual(sum("payment", false), sums.at_venue)
            assert.strictEqual(-sum("refund", false), sums.back_at_venue)
            assert.strictEqual(
              sum("payment", true) + sum("payment", false) + sum("refund", true) + sum("refund", false),
              sums.kept
            )
            assert.isAbove(sums.back_by_link, 0)
            assert.isAbove(sums.at_venue, sums.back_at_venue)
            yield* playroom("playroom doctor --audit")
          }),
        300_000
      )
    }
  )
})
