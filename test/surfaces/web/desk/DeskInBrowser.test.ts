/** The desk on a telephone, in a real browser: marking, a payment, and what the pages look like. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { messages } from "../../../../src/words/Languages.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { everyLanguage, inBrowser, judged, judgedIn, openBrowser } from "../../../support/Browser.ts"
import { importVenue, setClock } from "../../../support/BookingWorld.ts"
import { deskBase, join } from "../../../support/DeskClient.ts"
import { bookAt, hall, payAt } from "../../../support/operatorVenues.ts"
import { PageAddress, pageWorld } from "../../../support/FamilyPages.ts"

const { desk } = messages.en
const title = "lead from the day to a mark, and from a booking to a payment, by keyboard and on a telephone"
const phone = { width: 360, scheme: "light" } as const

inBrowser("the desk", title, (command) => {
  layer(pageWorld({ baseUrl: deskBase }), { timeout: "4 minutes" })("the desk", (it) => {
    it.effect(
      title,
      () =>
        Effect.gen(function* () {
          yield* importVenue(hall)
          const base = yield* PageAddress
          const booking = yield* bookAt(hall, "2027-02-06", "10:00", "deposit", { name: "Phone Desk" })
          yield* payAt(booking)
          yield* setClock("2027-02-06T09:30:00Z")
          const { url } = yield* Staff.use((staff) =>
            staff.invite(hall.operator.operator_id, { name: "Ana", role: "manager" })
          )
          const { session } = yield* join(url)
          const { member: colleague } = yield* Staff.use((staff) =>
            staff.invite(hall.operator.operator_id, { name: "Wolfeschlegelsteinhausen".repeat(3), role: "desk" })
          )
          const browser = yield* openBrowser(command)
          yield* browser.command("Network.setCookie", {
            name: "__Host-desk",
            value: session,
            url: base,
            path: "/",
            secure: true,
            httpOnly: true,
            sameSite: "Strict"
          })
          const text = Effect.map(browser.find("document.querySelector('main').innerText"), String)
          /** Presses the button with this label, and waits for the next page. */
          const press = Effect.fnUntraced(function* (label: string) {
            yield* browser.find(
              `[...document.querySelectorAll("button")].find((one) => one.innerText === ${JSON.stringify(label)}).focus()`
            )
            yield* browser.key("Enter")
          })
          const path = `${base}/desk/b/${booking.booking_id}`
          for (const page of [
            `${base}/desk?day=2027-02-06`,
            `${base}/desk/month`,
            `${base}/desk/closed`,
            `${base}/desk/people`,
            ...["remove", "again", "role"].map((what) => `${base}/desk/people?${what}=${colleague.staff_id}`),
            `${base}/desk/closing?day=2027-02-06`,
            path,
            ...["pay", "party", "move", "back", "cancel"].map((step) => `${path}?step=${step}`)
          ])
            assert.deepStrictEqual(yield* browser.look(page, phone, judged), [], page)
          for (const page of [
            `${path}?step=cancel`,
            `${base}/desk/owed`,
            `${base}/desk/closing`,
            `${base}/desk/people`
          ])
            for (const view of everyLanguage)
              assert.deepStrictEqual(yield* browser.look(page, view, judgedIn(view)), [], `${page} ${view.language}`)
          yield* browser.look(`${base}/desk?day=2027-02-06`, phone, "1")
          yield* press(desk.marks.arrived)
          assert.include(yield* text, desk.undo(desk.marks.arrived))
          yield* browser.look(`${path}?step=pay`, phone, `document.querySelector("input[value=card]").checked = true`)
          yield* press(desk.goOn)
          assert.deepStrictEqual(yield* browser.find(judged), [])
          assert.include(yield* text, desk.pay.left)
          yield* press(desk.pay.confirm)
          assert.include(yield* text, messages.en.words.paid)
          assert.notInclude(yield* text, desk.pay.title)
          // A time is blocked over that booking, and reopened from the day.
          const fill = Object.entries({ starts: "09:00", ends: "13:00", reason: "Broken castle" })
            .map(([id, value]) => `document.getElementById("${id}").value = "${value}"`)
            .join("; ")
          yield* browser.look(`${base}/desk/closing?day=2027-02-06`, phone, `(${fill.replaceAll("; ", ", ")})`)
          yield* press(desk.goOn)
          assert.deepStrictEqual(yield* browser.find(judged), [])
          assert.include(yield* text, "Phone Desk")
          yield* press(desk.closing.confirm)
          assert.include(yield* text, "Broken castle")
          for (const view of everyLanguage)
            assert.deepStrictEqual(
              yield* browser.look(`${base}/desk/closed`, view, judgedIn(view)),
              [],
              String(view.language)
            )
          // Who is booked then moves to the first free start that is proposed.
          assert.deepStrictEqual(yield* browser.look(`${base}/desk/closed`, phone, judged), [])
          yield* browser.find(`document.querySelector("select[name=choice]").selectedIndex = 2`)
          yield* press(desk.goOn)
          assert.deepStrictEqual(yield* browser.find(judged), [])
          assert.include(yield* text, desk.closed.moveTo)
          yield* press("Do this with 1 booking now")
          assert.deepStrictEqual(yield* browser.find(judged), [])
          assert.include(yield* text, "1 booking was moved.")
          assert.deepStrictEqual(yield* browser.look(`${base}/desk?day=2027-02-06`, phone, judged), [])
          assert.include(yield* text, desk.closing.by("Ana"))
          const reopen = String(yield* browser.find(`document.querySelector("a[href*=reopen]").href`))
          assert.deepStrictEqual(yield* browser.look(reopen, phone, judged), [])
          yield* press(desk.closing.reopen)
          assert.notInclude(yield* text, "Broken castle")
        }),
      240_000
    )
  })
})
