/**
 * The desk in a real browser with a virtual authenticator: from the invitation to a booking, seen, judged by axe and
 * printed.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { messages } from "../../src/words/Languages.ts"
import { Staff } from "../../src/domain/people/staff/Staff.ts"
import { everyLanguage, inBrowser, judged, judgedIn, openBrowser } from "../support/Browser.ts"
import { importVenue } from "../support/BookingWorld.ts"
import { freePort } from "../support/freePort.ts"
import { bookAt, hall, loft, payAt } from "../support/operatorVenues.ts"
import { pageWorld } from "../support/FamilyPages.ts"

const title =
  "takes a person from the invitation to a booking: with a passkey, clean by axe, on a telephone and a large screen"

const narrow = { width: 360, scheme: "light" } as const
const paper = { width: 794, scheme: "light", media: "print" } as const
const { desk } = messages.en
/** What both ways to ask for a passkey say alike. */
const common = {
  ConstraintError: "noPin",
  NotSupportedError: "unable",
  SecurityError: "elsewhere",
  UnknownError: "device",
  NotReadableError: "device"
} as const

inBrowser("the desk, in a browser", title, (command) => {
  class Browser extends Context.Service<Browser, Effect.Success<ReturnType<typeof openBrowser>>>()(
    "test/DeskBrowser"
  ) {}
  const world = Layer.unwrap(Effect.map(freePort, (port) => pageWorld({ baseUrl: `http://localhost:${port}` }, port)))

  layer(Layer.provideMerge(Layer.effect(Browser, openBrowser(command)), world), { timeout: "2 minutes" })(
    "the desk, in a browser",
    (it) => {
      it.effect(
        title,
        () =>
          Effect.gen(function* () {
            const saturday = "2026-12-05"
            yield* importVenue(hall, loft)
            const booked = yield* bookAt(hall, saturday, "12:30", "trusted", {
              name: `${"Wolfeschlegelsteinhausenbergerdorff".repeat(3)} <b>`,
              notes: `Nut allergy!\n${"x".repeat(300)}`,
              phone: "+44 20 7946 0123",
              child_ages: [5, 6, 5, 5, 4, 6, 5, 5],
              bubbles: 2,
              cake: true
            })
            yield* payAt(yield* bookAt(hall, saturday, "10:00", "deposit"))
            yield* bookAt(loft, saturday, "10:00", "paid")
            const { desk_url, url } = yield* Staff.use((staff) =>
              staff.invite(hall.operator.operator_id, { name: "Ana <b>", role: "desk" })
            )
            const browser = yield* Browser
            yield* browser.passkeys
            /** Presses the button of a form by keyboard, and waits for the page after it. */
            const press = (button: string) =>
              Effect.andThen(
                browser.find(`document.querySelector(${JSON.stringify(button)}).focus()`),
                browser.key("Enter")
              )
            const seen = browser.find("document.body.innerText")
            const path = browser.find("location.pathname")

            for (const view of everyLanguage)
              assert.deepStrictEqual(yield* browser.look(url, view, judgedIn(view)), [], JSON.stringify(view))
            yield* browser.look(url, narrow, "null")
            yield* press("form[data-challenge] button")
            assert.strictEqual(yield* path, "/desk")
            assert.include(yield* seen, desk.signedInAs("Ana <b>"))
            assert.strictEqual(yield* browser.find("document.cookie"), "", "no script reads the session")

            yield* press("form[action='/desk/sign-out'] button")
            for (const view of everyLanguage)
              assert.deepStrictEqual(yield* browser.look(desk_url, view, judgedIn(view)), [], JSON.stringify(view))
            yield* browser.look(desk_url, narrow, "null")
            assert.include(yield* seen, desk.signIn)
            yield* press("form[data-challenge] button")
            assert.include(yield* seen, desk.signedInAs("Ana <b>"))

            const day = `${desk_url}?day=${saturday}`
            const booking = `${new URL(desk_url).origin}/desk/b/${booked.booking_id}`
            for (const page of [day, `${desk_url}?find=wolfe`, booking]) {
              for (const view of everyLanguage)
                assert.deepStrictEqual(
                  yield* browser.look(page, view, judgedIn(view)),
                  [],
                  `${page} ${JSON.stringify(view)}`
                )
            }
            const used = yield* browser.look(
              day,
              { width: 1280, scheme: "light" },
              "document.querySelector('main').getBoundingClientRect().width / document.documentElement.clientWidth"
            )
            assert.isAbove(Number(used), 0.95)
            const pressable =
              "[...document.querySelectorAll('button, .button, input')].filter((one) => one.offsetHeight > 0).length"
            assert.strictEqual(yield* browser.look(day, paper, pressable), 0)
            assert.include(yield* seen, "Nut allergy!", "what staff need is printed")
            const firstVisit = "document.querySelector('.visit').getBoundingClientRect().top"
            const top = Number(yield* browser.look(day, narrow, firstVisit))
            assert.isBelow(top, 640, "the first visit is on a telephone's first screen")
            yield* press(`a[href="/desk/b/${booked.booking_id}"]`)
            assert.include(yield* seen, booked.reference)
            const text = String(yield* seen)
            assert.isBelow(text.indexOf("Nut allergy!"), text.indexOf(desk.change.title), "notes stand before buttons")
          }),
        240_000
      )

      it.effect(
        "lets a person in again who lost the device, and says of each failure of a passkey which it is",
        () =>
          Effect.gen(function* () {
            const staff = yield* Staff
            const { operator_id } = hall.operator
            const browser = yield* (yield* Browser).another
            const wide = { width: 1280, scheme: "light" } as const
            const { passkeyFaults: faults } = desk
            yield* browser.passkeys
            /** Presses a button of the form, without waiting for a page. */
            const click = (at = 0) =>
              browser.find(`document.querySelectorAll("form[data-challenge] button")[${at}].click()`)
            /** The sentences that are seen, once there is one. */
            const told = browser.find(`new Promise((done) => {
              const look = () => {
                const seen = [...document.querySelectorAll("[role=alert]")].filter((one) => one.checkVisibility())
                if (seen.length > 0) done(seen.map((one) => one.innerText.trim()).join("\\n")); else setTimeout(look, 20)
              }
              look()
            })`)
            const press = Effect.andThen(
              browser.find("document.querySelector('form[data-challenge] button').focus()"),
              browser.key("Enter")
            )
            const path = browser.find("location.pathname")
            const first = yield* staff.invite(operator_id, { name: "Lena Lost", role: "desk" })
            yield* browser.look(first.url, narrow, "null")
            yield* press
            assert.strictEqual(yield* path, "/desk")

            // A second link on the device that has the passkey already.
            const second = yield* staff.invite(operator_id, { name: "Lena Lost" })
            yield* browser.look(second.url, narrow, "null")
            yield* click()
            assert.strictEqual(yield* told, `${faults.already} ${desk.signIn}`)
            assert.deepStrictEqual(yield* browser.find(judged), [])

            // The device is lost: its session and its passkey end, and it is told why.
            const lost = yield* staff.readmit(operator_id, "Lena Lost")
            yield* browser.look(lost.desk_url, narrow, "null")
            assert.include(yield* browser.find("document.body.innerText"), desk.signInTitle)
            yield* press
            assert.strictEqual(yield* told, faults.unknown)
            assert.deepStrictEqual(yield* browser.find(judged), [])

            // Another device has none, and a security key without a PIN can't make one.
            yield* browser.otherDevice({ pin: true })
            for (const button of [0, 1]) {
              yield* browser.look(lost.desk_url, narrow, "null")
              yield* click(button)
              assert.strictEqual(yield* told, faults.notUsed)
            }
            yield* browser.otherDevice({ pin: false })
            yield* browser.look(lost.url, narrow, "null")
            yield* click()
            assert.include([faults.noPin, faults.notMade], yield* told)

            // The service can't be reached, then it can: the link is still good.
            yield* browser.otherDevice({ pin: true })
            const offline = (is: boolean) =>
              browser.command("Network.emulateNetworkConditions", {
                offline: is,
                latency: 0,
                downloadThroughput: -1,
                uploadThroughput: -1
              })
            yield* browser.look(lost.url, narrow, "null")
            yield* offline(true)
            yield* click()
            assert.strictEqual(yield* told, faults.offline)
            yield* offline(false)
            yield* press
            assert.strictEqual(yield* path, "/desk")
            assert.include(yield* browser.find("document.body.innerText"), desk.signedInAs("Lena Lost"))
            yield* browser.look(lost.url, narrow, "null")
            const { deskInvitation } = messages.en.linkProblems
            assert.include(yield* browser.find("document.body.innerText"), deskInvitation.lead)
            assert.deepStrictEqual(yield* browser.find(judged), [])

            // What browsers answer, by the names of the standard.
            yield* browser.command("Network.clearBrowserCookies", {})
            const third = yield* staff.invite(operator_id, { name: "Lena Lost" })
            const names = {
              get: { ...common, NotAllowedError: "notUsed", AbortError: "notUsed", InvalidStateError: "notHere" },
              create: { ...common, NotAllowedError: "notMade", AbortError: "notMade", InvalidStateError: "already" }
            } as const
            for (const [method, url] of [
              ["get", third.desk_url],
              ["create", third.url]
            ] as const)
              for (const [name, fault] of Object.entries(names[method])) {
                yield* browser.look(
                  url,
                  narrow,
                  `navigator.credentials.${method} = () => Promise.reject(new DOMException("", "${name}"))`
                )
                yield* click()
                assert.isTrue(String(yield* told).startsWith(faults[fault]), `${method} ${name}`)
              }
            // A browser without passkeys; and the desk at another address, with the way to its own.
            yield* browser.look(third.desk_url, wide, "delete self.PublicKeyCredential")
            yield* click()
            assert.strictEqual(yield* told, faults.noBrowser)
            for (const url of [third.desk_url, third.url]) {
              const there = url.replace("localhost", "127.0.0.1")
              yield* browser.look(there, narrow, "null")
              assert.strictEqual(yield* told, `${faults.elsewhere} ${url}`, "before anything is pressed")
              assert.deepStrictEqual(yield* browser.find(judged), [])
            }
          }),
        240_000
      )
    }
  )
})
