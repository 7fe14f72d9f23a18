/**
 * What the card shows and does in a host, with answers of tools that are written here. A booking at a real service:
 * `test/journeys/CardBooking.test.ts`.
 */
import type { CallToolResult } from "@modelcontextprotocol/client"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"
import { cardContents } from "../../../../src/surfaces/mcp/card/Card.ts"
import { inBrowser } from "../../../support/Browser.ts"
import { type CardWindow, cardWindow, openCard } from "../../../support/CardHost.ts"

const html = cardContents().text

const success = (content: Record<string, unknown>): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(content) }],
  structuredContent: content
})
const failure = (error: Record<string, unknown>): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify({ error }) }],
  isError: true
})

/** What operators write must stay text: this is markup, with things that would ask the network or run. */
const hostile = `<img src="https://evil.example/x.png" onerror="parent.x=1"><script>x</script>`
/** The server's texts for assistants, which people never read. */
const forTools = `Not for people. ${hostile}`
const terms = { deposit: { refundable: false }, text: forTools }
const at = (day: number, hour: number) => `2026-12-${String(day).padStart(2, "0")}T${hour}:00:00-05:00`
const option = (i: number) => ({
  option_id: `option_${i}`,
  package_id: "package_1",
  start: at(5 + i, 14),
  end: at(5 + i, 16),
  places_left: i,
  price: { total: 24_000, due_now: 5000, display_total: `$24${i}.00`, display_due_now: "$50.00" },
  ...(i === 0 ? { back_if_cancelled: { refund: 2500, display: "$25.00", until: at(2, 14) } } : {})
})
const page = (count: number, from = 0) => ({
  playroom_id: "playroom_1",
  time_zone: "America/New_York",
  children: 8,
  adults: 1,
  packages: [{ package_id: "package_1", name: `Party ${hostile}`, terms }],
  options: Array.from({ length: count }, (_, i) => option(from + i))
})
const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
const booking = (changes: Record<string, unknown> = {}) => ({
  booking_id: "booking_1",
  reference: "K7M2-9QXD",
  status: "held",
  payment_status: "unpaid",
  standing: "to_pay",
  playroom_id: "playroom_1",
  playroom_name: `Den ${hostile}`,
  address: "1 High Street, New York",
  package_name: "Party",
  start: at(5, 14),
  end: at(5, 16),
  time_zone: "America/New_York",
  children: 8,
  adults: 1,
  price: { display_total: "$240.00" },
  paid: { amount: 0, display: "$0.00" },
  due_now: { amount: 5000, display: "$50.00" },
  balance: { amount: { amount: 19_000, display: "$190.00" }, due_at: at(3, 14), how: "By link" },
  terms,
  hold_expires_at: inMinutes(14),
  hold_expires_in: "in 14 minutes",
  page_url: "https://book.example/b/secret",
  ...changes
})
const session = (changes: Record<string, unknown> = {}) => ({
  payment_session_id: "payment_1",
  booking_id: "booking_1",
  purpose: "due_now",
  status: "open",
  url: "https://pay.example/1",
  amount: { amount: 5000, display: "$50.00" },
  expires_at: inMinutes(30),
  expires_in: "in 30 minutes",
  ...changes
})
const confirmed = {
  status: "confirmed",
  standing: "balance_due",
  payment_status: "deposit_paid",
  due_now: { amount: 0, display: "$0.00" }
}
const overdue = { ...confirmed, standing: "balance_overdue", balance: { ...booking().balance, online: true } }
const { options: _, ...offeredInstead } = page(0)
const taken = failure({
  code: "slot_unavailable",
  message: "Taken.",
  details: {
    reason: "fully_booked",
    ...offeredInstead,
    alternatives: [8, 9].map(option)
  }
})

const refusal = failure({
  code: "operator_unavailable",
  message: "It can't.",
  details: { contact: { phone: "+44 20 7946 0018", email: "hello@den.example" } }
})

const playroomName = (name: string): CallToolResult =>
  name === "get_playroom" ? success({ playroom: { name: `Den ${hostile}` } }) : failure({ code: "service_unavailable" })

const Shown = {
  title: "h1",
  state: ".state",
  notice: ".notice",
  tiles: ".tile",
  primary: "button.primary",
  secondary: "button.secondary"
}

const title = "the card in a host"

inBrowser(title, "shows what the tools answer", (command) => {
  class World extends Context.Service<World, CardWindow>()("test/CardViews") {
    static readonly layer = Layer.effect(World, cardWindow(command))
  }

  layer(World.layer, { excludeTestServices: true, timeout: "2 minutes" })(title, (it) => {
    /** A test in a card of its own, at the end of which nothing may have failed in it or asked the network. */
    const inCard = (
      what: string,
      opening: Omit<Parameters<typeof openCard>[1], "html">,
      test: (card: Awaited<ReturnType<typeof openCard>>) => Promise<void>
    ) =>
      it.effect(what, () =>
        Effect.flatMap(World, (window) =>
          Effect.promise(async () => {
            const card = await openCard(window, { html, ...opening })
            await test(card)
            assert.deepStrictEqual(card.faults, [])
            assert.deepStrictEqual(card.requests, [])
          })
        )
      )

    inCard(
      "shows times in the playroom's own zone, as text, eight at a time",
      { answer: playroomName },
      async (card) => {
        const { frame } = card
        await card.show({ playroom_id: "playroom_1" }, success(page(10)))
        await frame.locator("h1", { hasText: `Den ${hostile}` }).waitFor()
        const tiles = await frame.locator(Shown.tiles).allInnerTexts()
        assert.lengthOf(tiles, 8)
        assert.match(tiles[0] ?? "", /^Sat,? 5 Dec\n14:00–16:00\nParty <img[^]*\$240\.00\n\$50\.00 due now/)
        const text = await frame.locator("main").innerText()
        assert.include(text, "8 children, 1 adult · GMT-5")
        assert.match(text, /Cancel by Wed,? 2 Dec,? 14:00 and \$25\.00 comes back\./)
        assert.include(text, "Deposit: $50.00 (not refunded).")
        assert.notInclude(text, "Not for people.")
        assert.strictEqual(await frame.locator("main img, main script").count(), 0)
        await frame.locator("button", { hasText: "More times" }).click()
        await frame.locator(Shown.tiles, { hasText: "$248.00" }).waitFor()
        await frame.locator(Shown.tiles).first().click()
        await frame.locator(".agreed", { hasText: "If you cancel, nothing of what is due now comes back." }).waitFor()
        assert.strictEqual(await frame.locator(Shown.tiles).count(), 2)
        assert.strictEqual(await frame.locator("button").count(), 1)
      }
    )

    inCard(
      "names the bookings that were made together with the one that it shows, and what of them is unpaid",
      { answer: playroomName },
      async ({ frame, show }) => {
        const beside = (day: number, rest: object) => ({
          booking_id: `booking_${day}`,
          reference: `K7M2-9Q${day}`,
          playroom_name: `Den ${hostile}`,
          when: "when",
          ...rest
        })
        const booked_together = [
          beside(12, { status: "held", start: at(12, 14), due_now: "$50.00" }),
          beside(19, { status: "confirmed", start: at(19, 14) }),
          beside(26, { status: "confirmed" })
        ]
        await show({}, success({ booking: { ...booking(), booked_together } }))
        await frame.locator("dt", { hasText: "Booked together" }).waitFor()
        const lines = await frame.locator("dt:text('Booked together') + dd p").allInnerTexts()
        assert.lengthOf(lines, 3)
        assert.match(lines[0] ?? "", /^Sat,? 12 Dec,? (at )?14:00 · Den <img[^]*> · \$50\.00$/)
        assert.match(lines[1] ?? "", /^Sat,? 19 Dec,? (at )?14:00 · Den <img[^]*>$/)
        assert.match(lines[2] ?? "", /^when · Den/)
      }
    )

    inCard(
      "asks for more times where a page has another one, and shows those that come after it",
      { answer: (name) => (name === "get_booking_options" ? success(page(5, 3)) : playroomName(name)) },
      async (card) => {
        await card.show({ playroom_id: "playroom_1", children: 8 }, success({ ...page(3), next_cursor: "next" }))
        await card.frame.locator("button", { hasText: "More times" }).click()
        await card.frame.locator("button", { hasText: "More times" }).waitFor({ state: "detached" })
        assert.strictEqual(await card.frame.locator(Shown.tiles).count(), 5)
        assert.include(await card.frame.locator(Shown.tiles).first().innerText(), "$243.00")
        assert.deepStrictEqual(card.calls.at(-1), {
          name: "get_booking_options",
          input: { playroom_id: "playroom_1", children: 8, cursor: "next" }
        })
      }
    )

    inCard(
      "says why there are no times, and when there are some",
      { answer: playroomName },
      async ({ frame, show }) => {
        const { content } = success({ ...page(0), none_because: "fully_booked", next_available_date: "2026-12-12" })
        // Some hosts leave out the structured content.
        await show({}, { content })
        await frame.locator("h1", { hasText: "Den" }).waitFor()
        const text = await frame.locator("main").innerText()
        assert.include(text, "No free times")
        assert.match(text, /All places are taken then\. The next free day is Saturday,? 12 December 2026\./)
      }
    )

    let sent = ""
    inCard(
      "books by keyboard alone: a time, then name and e-mail, checked before they are sent",
      {
        answer: (name, input) => {
          if (name !== "create_booking") return playroomName(name)
          sent = JSON.stringify(input)
          return success({ booking: booking(), next_step: "Pay." })
        }
      },
      async (card) => {
        const { frame, page: tab } = card
        await card.show({ playroom_id: "playroom_1" }, success(page(3)))
        await frame.locator("h1", { hasText: "Den" }).waitFor()
        const press = async (...keys: ReadonlyArray<string>) => {
          for (const key of keys) await tab.keyboard.press(key)
        }
        const reach = async (what: string) => {
          for (let tries = 0; tries < 4 && (await frame.locator(`${what}:focus`).count()) === 0; tries++) {
            await frame.locator(":focus, body").last().press("Tab")
          }
        }
        await reach(".tile input")
        await press("ArrowRight")
        await reach("button.primary")
        await press("Enter")
        await frame.locator("#name:focus").waitFor()
        assert.include(await frame.locator("main").innerText(), "$241.00")
        await press("Enter")
        assert.strictEqual(await frame.locator("#name-fault").innerText(), "Enter a name.")
        await frame.locator("#name:focus").waitFor()
        await tab.keyboard.type("Ana Lima")
        await press("Tab")
        await tab.keyboard.type("ana@example")
        await press("Enter")
        assert.include(await frame.locator("#email-fault").innerText(), "like ana@example.com")
        assert.strictEqual(await frame.locator("#email:focus").getAttribute("aria-invalid"), "true")
        assert.strictEqual(sent, "")
        await tab.keyboard.type(".com")
        await press("Tab", "Enter")
        await frame.locator(Shown.state, { hasText: "Held for you" }).waitFor()
        assert.deepStrictEqual(JSON.parse(sent), {
          option_id: "option_1",
          contact: { name: "Ana Lima", email: "ana@example.com" }
        })
        assert.strictEqual(await frame.locator("[role=status]").innerText(), "Held for you")
        assert.strictEqual(await frame.evaluate("document.activeElement.tagName"), "H1")
        // The host is told beside what is shown.
        while (!card.told.join().includes("booking_1")) await setTimeout(20)
      }
    )

    inCard("shows a booking with what is due and a countdown that is not read aloud", {}, async ({ frame, show }) => {
      await show({}, success({ booking: booking(), next_step: "Pay." }))
      const text = await frame.locator("main").innerText()
      for (const part of [
        "Held for you",
        "14:00–16:00 GMT-5",
        "1 High Street, New York",
        "8 children, 1 adult · Party",
        "K7M2-9QXD",
        "$240.00",
        "$50.00"
      ]) {
        assert.include(text, part)
      }
      assert.match(text, /\$190\.00 by Thu,? 3 Dec/)
      assert.notInclude(text, "Not for people.")
      const timer = frame.locator("[role=timer]")
      assert.match(await timer.innerText(), /^1[34]:\d\d$/)
      assert.strictEqual(await frame.locator("[role=status]").innerText(), "")
      assert.strictEqual(await frame.locator("[aria-live], [role=status] [role=timer]").count(), 0)
      assert.deepStrictEqual(await frame.locator("button").allInnerTexts(), ["Pay $50.00", "Refresh"])
    })

    let isPaid = false
    inCard(
      "opens the payment page by the host, and shows by Refresh that it was paid",
      {
        answer: (name) => {
          if (name === "create_payment_session")
            return success({ payment_session: session(), next_step: "Give the url." })
          return success({
            booking: booking(isPaid ? confirmed : { payment_session: session() }),
            next_step: "Tell them."
          })
        }
      },
      async (card) => {
        const { frame } = card
        await card.show({}, success({ booking: booking(), next_step: "Pay." }))
        await frame.locator(Shown.primary).click()
        await frame.locator(Shown.notice, { hasText: "The payment page is open." }).waitFor()
        assert.deepStrictEqual(card.opened, ["https://pay.example/1"])
        assert.strictEqual(await frame.locator(":focus").innerText(), "Pay $50.00")
        await frame.locator("button", { hasText: "Refresh" }).click()
        await frame.locator(Shown.notice, { hasText: "Nothing has changed yet." }).waitFor()
        assert.strictEqual(await frame.locator("[role=status]").innerText(), "Nothing has changed yet.")
        isPaid = true
        await frame.locator("button", { hasText: "Refresh" }).click()
        await frame.locator(Shown.state, { hasText: "Confirmed" }).waitFor()
        assert.deepStrictEqual(await frame.locator("button").allInnerTexts(), ["Refresh"])
        assert.strictEqual(await frame.locator("[role=timer]").count(), 0)
        assert.strictEqual(card.calls.filter(({ name }) => name === "create_payment_session").length, 1)
      }
    )

    inCard("words the standing that the answer says, whatever its other fields look like", {}, async (card) => {
      const open = session({ purpose: "balance", amount: { amount: 19_000, display: "$190.00" } })
      const balance = (online: boolean) => ({ ...booking().balance, online })
      const cases = [
        [{}, "Held for you", ["Pay $50.00"]],
        [{ payment_status: "processing", standing: "payment_failed" }, "Held for you", ["Pay $50.00"]],
        [{ standing: "arriving" }, "Payment on its way", []],
        [{ standing: "payment_processing", payment_session: session() }, "Payment on its way", []],
        [{ ...confirmed, payment_session: open }, "Confirmed", ["Pay $190.00"]],
        [{ ...confirmed, standing: "balance_overdue", payment_session: open }, "Confirmed", ["Pay $190.00"]],
        [{ ...confirmed, standing: "balance_overdue", balance: balance(true) }, "Confirmed", ["Pay $190.00"]],
        [{ ...confirmed, standing: "balance_overdue", balance: balance(false) }, "Confirmed", []],
        [{ standing: "not_payable" }, "Held for you", []],
        [{ ...confirmed, standing: "over", payment_session: open }, "Confirmed", []],
        [{ ...confirmed, standing: "confirmed_paid_back" }, "Paid back: ask the venue", []],
        [{ status: "expired", payment_status: "processing", standing: "expired_processing" }, "Not held any more", []]
      ] as const
      for (const [changes, heading, buttons] of cases) {
        await card.show({}, success({ booking: booking(changes), next_step: "Look." }))
        await card.frame.locator(Shown.state, { hasText: heading }).waitFor()
        const shown = await card.frame.locator("button").allInnerTexts()
        assert.deepStrictEqual(
          shown.filter((text) => text.startsWith("Pay ")),
          [...buttons],
          heading
        )
      }
    })

    inCard(
      "opens a page for an overdue balance at its button",
      {
        answer: (name) =>
          name === "create_payment_session"
            ? success({
                payment_session: session({ purpose: "balance", url: "https://pay.example/2" }),
                next_step: "Pay."
              })
            : success({ booking: booking(overdue), next_step: "Look." })
      },
      async (card) => {
        await card.show({}, success({ booking: booking(overdue), next_step: "Look." }))
        await card.frame.locator("button", { hasText: "Pay $190.00" }).click()
        await card.frame.locator(Shown.notice).waitFor()
        assert.deepStrictEqual(card.opened, ["https://pay.example/2"])
        const calls = card.calls.filter(({ name }) => name === "create_payment_session")
        assert.deepStrictEqual(
          calls.map(({ input }) => input),
          [{ booking_id: "booking_1", purpose: "balance" }]
        )
      }
    )

    const reached = { phone: "+44 20 7946 0018", email: "hello@den.example" }
    inCard("says whom to ask and what to bring with a booking, and how only if it is known", {}, async (card) => {
      const operator = { name: `Den Ltd ${hostile}` }
      for (const [ways, says] of [
        [reached, `Ask the venue: ${operator.name}, ${reached.phone}, ${reached.email}`],
        [{ email: reached.email }, `Ask the venue: ${operator.name}, ${reached.email}`],
        [{}, `Ask at the venue: ${operator.name}`]
      ] as const) {
        const shown = booking({ ...confirmed, bring: `Socks ${hostile}`, operator: { ...operator, ...ways } })
        await card.show({}, success({ booking: shown, next_step: "Look." }))
        await card.frame.getByText(says, { exact: true }).waitFor()
        await card.frame.locator("dt", { hasText: "Please bring" }).waitFor()
        assert.include(await card.frame.locator("dl").innerText(), `Socks ${hostile}`)
      }
    })

    inCard(
      "says whom to ask where there are no times, or the tool says that the venue may know more",
      { answer: (name) => (name === "create_booking" ? refusal : playroomName(name)) },
      async (card) => {
        const says = `Ask the venue: ${reached.phone}, ${reached.email}`
        await card.show({}, success({ ...page(0), none_because: "party_too_large", contact: reached }))
        await card.frame.getByText(says).waitFor()
        await card.show({ playroom_id: "playroom_1" }, success(page(3)))
        await card.frame.locator(Shown.primary).click()
        await card.frame.locator("#name").fill("Ana")
        await card.frame.locator("#email").fill("ana@example.com")
        await card.frame.locator(Shown.primary).click()
        await card.frame.locator(Shown.notice, { hasText: `Ask your assistant for another one. ${says}` }).waitFor()
      }
    )

    inCard("shows the address where the host opens no links", { opensLinks: false }, async (card) => {
      await card.show({}, success({ booking: booking({ payment_session: session() }), next_step: "Pay." }))
      await card.frame.locator(Shown.primary).click()
      assert.strictEqual(await card.frame.locator(".notice code").innerText(), "https://pay.example/1")
    })

    inCard(
      "leads to the family's page of the booking, from the payment page too",
      { answer: () => failure({ code: "booking_not_found" }) },
      async (card) => {
        const link = card.frame.locator("a", { hasText: "Your booking’s page" })
        await card.show({}, success({ booking: booking(confirmed), next_step: "Tell them." }))
        await link.click()
        await card.frame.locator(Shown.notice, { hasText: "Your booking’s page is open." }).waitFor()
        const page_url = "https://book.example/b/other"
        await card.show({}, success({ payment_session: session(), page_url, next_step: "Give the url." }))
        await card.frame.locator(Shown.state, { hasText: "Payment" }).waitFor()
        await link.click()
        await card.frame.locator(Shown.notice).waitFor()
        assert.deepStrictEqual(card.opened, ["https://book.example/b/secret", page_url])
        await card.show({}, success({ booking: booking({ page_url: "javascript:alert(1)" }), next_step: "Tell them." }))
        await card.frame.locator(Shown.state, { hasText: "Held for you" }).waitFor()
        assert.strictEqual(await link.count(), 0)
      }
    )

    inCard("opens nothing but web pages", {}, async (card) => {
      for (const url of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "pay.example", ""]) {
        await card.show({}, success({ booking: booking({ payment_session: session({ url }) }), next_step: "Pay." }))
        await card.frame.locator(Shown.primary).click()
        await card.frame.locator(".notice.wrong").waitFor()
      }
      assert.deepStrictEqual(card.opened, [])
    })

    let isFound = false
    inCard(
      "shows a payment page with its booking, and alone where that can't be read",
      {
        answer: (name) =>
          name === "get_booking" && isFound
            ? success({ booking: booking({ payment_session: session() }) })
            : failure({ code: "booking_not_found" })
      },
      async (card) => {
        await card.show({}, success({ payment_session: session(), next_step: "Give the url." }))
        await card.frame.locator("h1", { hasText: "Payment" }).waitFor()
        await card.frame.locator(Shown.primary, { hasText: "Pay $50.00" }).click()
        await card.frame.locator(Shown.notice).waitFor()
        assert.deepStrictEqual(card.opened, ["https://pay.example/1"])
        isFound = true
        await card.show({}, success({ payment_session: session(), next_step: "Give the url." }))
        await card.frame.locator(Shown.state, { hasText: "Held for you" }).waitFor()
      }
    )

    inCard(
      "looks what became of a booking when its time has run out, and offers other times",
      {
        answer: (name) =>
          name === "get_booking"
            ? success({
                booking: booking({ status: "expired", standing: "expired", hold_expires_in: undefined }),
                next_step: "Book anew."
              })
            : success(page(2))
      },
      async (card) => {
        await card.show({}, success({ booking: booking({ hold_expires_at: inMinutes(0.02) }), next_step: "Pay." }))
        await card.frame.locator(Shown.state, { hasText: "Not held any more" }).waitFor()
        assert.deepStrictEqual(await card.frame.locator("button").allInnerTexts(), ["Other times"])
        await card.frame.locator(Shown.primary).click()
        await card.frame.locator(Shown.tiles).first().waitFor()
        assert.deepStrictEqual(card.calls.at(-1), {
          name: "get_booking_options",
          input: { playroom_id: "playroom_1", date: "2026-12-05", children: 8, adults: 1 }
        })
      }
    )

    inCard(
      "offers what is near where a time is gone, and books that, with the name that was typed",
      {
        answer: (name, input) =>
          name !== "create_booking"
            ? playroomName(name)
            : JSON.stringify(input).includes("option_0")
              ? taken
              : success({ booking: booking(), next_step: "Pay." })
      },
      async (card) => {
        const { frame } = card
        await card.show({ playroom_id: "playroom_1" }, success(page(3)))
        await frame.locator(Shown.primary).click()
        await frame.locator("#name").fill("Ana")
        await frame.locator("#email").fill("ana@example.com")
        await frame.locator("button", { hasText: /^Book$/ }).click()
        await frame.locator(".notice.wrong", { hasText: "All places are taken then. Similar times:" }).waitFor()
        assert.strictEqual(await frame.locator(Shown.tiles).count(), 2)
        await frame.locator(Shown.primary).click()
        assert.strictEqual(await frame.locator("#name").inputValue(), "Ana")
        await frame.locator("#email").press("Enter")
        await frame.locator(Shown.state, { hasText: "Held for you" }).waitFor()
        assert.include(JSON.stringify(card.calls.at(-1)), "option_8")
      }
    )

    inCard(
      "asks for the times anew where the chosen one is gone and none are near",
      {
        answer: (name) =>
          name === "get_booking_options"
            ? success(page(1))
            : name === "create_booking"
              ? failure({ code: "option_invalid", message: "Gone.", details: { reason: "start_passed" } })
              : playroomName(name)
      },
      async (card) => {
        const { frame } = card
        const input = { playroom_id: "playroom_1", date: "2026-12-05", children: 8 }
        await card.show({ ...input, contact: { name: "Ana", email: "ana@example.com" } }, success(page(3)))
        await frame.locator(Shown.primary).click()
        await frame.locator("#email").press("Enter")
        await frame.locator(".notice.wrong", { hasText: "This time is not on offer any more." }).waitFor()
        assert.strictEqual(await frame.locator(Shown.tiles).count(), 1)
      }
    )

    inCard(
      "shows a booking as it is where it can't be paid any more",
      {
        answer: (name) =>
          name === "get_booking"
            ? success({
                booking: booking({
                  status: "cancelled",
                  standing: "cancelled_going_back",
                  refund_on_its_way: { amount: 5000, currency: "USD", display: "$50.00" },
                  refund_by_venue: { amount: 2000, currency: "USD", display: "$20.00" }
                })
              })
            : failure({ code: "booking_cancelled", message: "Cancelled." })
      },
      async ({ frame, show }) => {
        await show({}, success({ booking: booking() }))
        await frame.locator(Shown.primary).click()
        await frame.locator(".notice.wrong", { hasText: "This booking is cancelled" }).waitFor()
        assert.deepStrictEqual(await frame.locator("button").allInnerTexts(), ["Other times"])
        assert.include(await frame.locator("dl").innerText(), "On its way back")
        await frame
          .locator("p", { hasText: /\$30\.00 goes back to the card .*\$20\.00 goes back the way that was paid/ })
          .waitFor()
      }
    )

    inCard(
      "has a sentence for every error of the tools, and one for others that is not the server's",
      {},
      async (card) => {
        const source = readFileSync(
          new URL("../../../../src/surfaces/mcp/tools/ToolErrors.ts", import.meta.url),
          "utf8"
        )
        const codes = new Set([...source.matchAll(/code: "(\w+)"/g)].map(([, code = ""]) => code))
        assert.isAbove(codes.size, 18)
        const notice = card.frame.locator(".notice.wrong")
        const said = new Set<string>()
        for (const code of codes) {
          await card.show({}, failure({ code, message: "Not for people.", details: { retry_after_seconds: 7 } }))
          const text = await notice.innerText()
          assert.notInclude(text, "Not for people.", code)
          assert.match(text, /^[A-Z].*[.:]$/, code)
          said.add(text)
        }
        assert.strictEqual(said.size, codes.size)
        await card.show({}, failure({ code: "new_code", message: `New. ${hostile}` }))
        const other = "Something went wrong in the booking service. Try again, or ask your assistant."
        assert.strictEqual(await notice.innerText(), other)
        await card.show({}, { content: [{ type: "text", text: "No JSON" }], isError: true })
        assert.strictEqual(await notice.innerText(), other)
      }
    )

    inCard("says so where the host passes nothing on, and keeps what was typed", {}, async ({ frame, show }) => {
      await show({}, success(page(3)))
      await frame.locator(Shown.primary).click()
      await frame.locator("#name").fill("Ana")
      await frame.locator("#email").fill("ana@example.com")
      await frame.locator("#email").press("Enter")
      await frame.locator(".notice.wrong", { hasText: "did not pass this on" }).waitFor()
      assert.strictEqual(await frame.locator("#email").inputValue(), "ana@example.com")
      await frame.locator("button", { hasText: /^Book$/ }).waitFor()
    })

    const dollars = (amount: number) => ({ amount, currency: "USD", display: forTools })
    const agreed = booking({
      price: { total: 24_000, currency: "USD", display_total: forTools },
      due_now: dollars(5000),
      paid: dollars(0),
      balance: { amount: dollars(19_000), due_at: at(3, 14), how: forTools },
      refund_if_cancelled_now: dollars(0),
      start: "2099-12-05T14:00:00-05:00",
      end: "2099-12-05T16:00:00-05:00",
      terms: {
        deposit: { amount: 5000, display: forTools, refundable: true },
        refunds: [
          { until: "2099-12-02T14:00:00-05:00", refund: dollars(2500), text: forTools },
          { refund: dollars(0), text: forTools }
        ],
        final_headcount_hours: 48,
        unpaid_balance: "2099-12-04T14:00:00-05:00",
        text: forTools
      }
    })
    for (const [locale, words] of [
      ["de-AT", ["Für Sie reserviert", "$ 50,00 zahlen", "Samstag", "14:00–16:00 Uhr", "Anzahlung: $ 50,00."]],
      ["fr", ["Gardé pour vous", "Payer 50,00 $US", "samedi", "Acompte : 50,00 $US."]],
      ["es-MX", ["Reservado para usted", "sábado", "50.00", "Señal: "]],
      ["ja", ["確保中", "$50.00を支払う", "土曜日", "お子さまの人数は"]],
      ["pl", ["Zarezerwowane dla Ciebie", "Zapłać 50,00 USD", "sobota", "Przedpłata: 50,00 USD."]],
      ["en", ["Held for you", "Pay US$50.00", "5 December"]],
      [
        "en-US",
        [
          "Held for you",
          "Pay $50.00",
          "December 5",
          "What comes back if you cancel (once the $50.00 due now is paid)\nUntil Wed, Dec 2, 2:00 PM\n$25.00\nafterwards\nnothing\n",
          "Deposit: $50.00. You can change the number of children yourself on this booking’s page until Thu, Dec 3, 2:00 PM. If the rest is not paid by Fri, Dec 4, 2:00 PM, your places are released."
        ]
      ],
      ["sv", ["Held for you", "Pay US$50.00", "Saturday"]]
    ] as const) {
      inCard(
        `speaks the person's language, in money, dates and terms too: ${locale}`,
        { context: { locale } },
        async ({ frame, show }) => {
          await show({}, success({ booking: agreed }))
          const text = (await frame.locator("main").innerText())
            .replaceAll(/[\u00a0\u202f]/g, " ")
            .replaceAll(/\n+/g, "\n")
          for (const word of words) assert.include(text, word)
          assert.notInclude(text, "Not for people.")
          assert.include(await frame.locator("html").getAttribute("lang"), locale === "sv" ? "en" : locale)
        }
      )
    }

    inCard("D5: says where the party may only grow", { context: { locale: "en-US" } }, async ({ frame, show }) => {
      await show({}, success({ booking: { ...agreed, terms: { ...agreed.terms, grows_only: true } } }))
      const text = (await frame.locator("main").innerText()).replaceAll(/[\u00a0\u202f]/g, " ")
      assert.include(text, "until Thu, Dec 3, 2:00 PM, but it can’t become smaller.")
      assert.notInclude(text, "the number of children yourself")
    })

    inCard("has no cents where the currency has none, and three decimals where it has three", {}, async (card) => {
      for (const [currency, total] of [
        ["JPY", /24,000$/],
        ["KWD", /24\.000$/],
        ["HUF", /240\.00$/]
      ] as const) {
        await card.show(
          {},
          success({ booking: booking({ price: { total: 24_000, currency, display_total: forTools } }) })
        )
        const shown = card.frame.locator("dl div", { hasText: "Total" }).locator("dd")
        assert.match(await shown.innerText(), total, currency)
      }
    })

    const hostColours = {
      "--color-background-primary": "light-dark(rgb(255,255,255),rgb(48,48,46))",
      "--color-background-secondary": "light-dark(rgb(245,244,237),rgb(38,38,36))",
      "--color-background-inverse": "light-dark(rgb(20,20,19),rgb(250,249,245))",
      "--color-text-primary": "light-dark(rgb(20,20,19),rgb(250,249,245))",
      "--color-text-secondary": "light-dark(rgb(61,61,58),rgb(194,192,182))",
      "--color-text-inverse": "light-dark(rgb(255,255,255),rgb(20,20,19))",
      "--color-text-danger": "light-dark(rgb(127,44,40),rgb(238,136,132))",
      "--color-border-primary": "light-dark(rgb(180,180,175),rgb(110,110,105))",
      "--color-ring-primary": "light-dark(rgb(90,90,88),rgb(190,190,186))"
    }
    for (const [width, theme, variables, buttonColour] of [
      [320, "light", undefined, "rgb(184, 68, 46)"],
      [500, "dark", undefined, "rgb(255, 157, 128)"],
      [800, "light", hostColours, "rgb(20, 20, 19)"],
      [320, "dark", hostColours, "rgb(250, 249, 245)"]
    ] as const) {
      const look = `${width} px, ${theme}, ${variables === undefined ? "its own colours" : "the host's colours"}`
      inCard(
        `fits, can be read, and breaks no rule of axe: ${look}`,
        {
          width,
          answer: playroomName,
          context: { theme },
          ...(variables === undefined ? {} : { variables })
        },
        async (card) => {
          const { frame } = card
          const check = async (what: string) => {
            assert.deepStrictEqual(await card.audit(), [], what)
            // Asked from here: the card's policy forbids what `waitForFunction` evaluates a second time.
            const fits = "innerHeight === Math.ceil(document.querySelector('main').getBoundingClientRect().height)"
            while ((await frame.evaluate(fits)) !== true) await setTimeout(20)
            assert.isAtMost(card.height(), 500, what)
            assert.isAtMost(Number(await frame.evaluate("document.documentElement.scrollWidth")), width, what)
            assert.isAtMost(await frame.locator("button").count(), 2, what)
            for (const button of await frame.locator("button").all()) {
              const box = await button.boundingBox()
              assert.isAtLeast(box?.height ?? 0, 44, what)
            }
          }
          await card.show({ playroom_id: "playroom_1" }, success(page(8)))
          await frame.locator("h1", { hasText: "Den" }).waitFor()
          await check("times")
          await frame.locator(Shown.primary).click()
          await frame.locator("button", { hasText: /^Book$/ }).click()
          await frame.locator("#name-fault", { hasText: "Enter" }).waitFor()
          await check("details")
          await card.show({}, taken)
          await frame.locator(Shown.notice).waitFor()
          await check("alternatives")
          await card.show(
            {},
            success({ booking: booking({ playroom_name: "W".repeat(60), address: "1 High Street ".repeat(9) }) })
          )
          await frame.locator(Shown.state, { hasText: "Held" }).waitFor()
          await check("booking")
          const colour = await frame.evaluate(
            "getComputedStyle(document.querySelector('button.primary')).backgroundColor"
          )
          assert.strictEqual(colour, buttonColour)
        }
      )
    }

    inCard(
      "keeps its own colours where a host names some only, follows a change of theme, and moves nothing for who wants no motion",
      {
        reducedMotion: true,
        variables: { "--color-background-primary": "rgb(0,0,0)" }
      },
      async (card) => {
        await card.show({}, success(page(3)))
        const background = () => card.frame.evaluate("getComputedStyle(document.body).backgroundColor")
        assert.strictEqual(await background(), "rgb(255, 255, 255)")
        card.bridge.setHostContext({ theme: "dark", locale: "de" })
        await card.frame.locator("button", { hasText: "Diese Zeit buchen" }).waitFor()
        assert.strictEqual(await background(), "rgb(34, 31, 28)")
        assert.strictEqual(
          await card.frame.evaluate("getComputedStyle(document.querySelector('.tiles')).scrollBehavior"),
          "auto"
        )
      }
    )

    inCard("answers the host's own requests, and heeds its notices", {}, async (card) => {
      await card.frame.locator("h1", { hasText: "Waiting" }).waitFor()
      await card.bridge.sendToolCancelled({ reason: "stop" })
      await card.frame.locator(Shown.notice, { hasText: "stopped" }).waitFor()
      assert.deepStrictEqual(await card.bridge.teardownResource({}), {})
    })
  })
})
