import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BookingOptions } from "../../../../src/domain/availability/BookingOptions.ts"
import { BookingRecords } from "../../../../src/domain/booking/BookingRecords.ts"
import type { BookingRow } from "../../../../src/domain/booking/Booking.ts"
import type { Question } from "../../../../src/domain/catalogue/Questions.ts"
import { codeIn } from "../../../../src/domain/catalogue/Pricing.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { PaymentSessions } from "../../../../src/domain/payment/sessions/PaymentSessions.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { changeVisit } from "../../../support/Acts.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { from } from "../../../support/LetterWorld.ts"
import { bookAt, hall, loft, sydney } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"
import { testId } from "../../../support/venues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft, venue))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase, letters: { kind: "sandbox", from } }))
)
/** All is due when booking; a part of it; nothing. */
const packages = { paid: testId.package(701), deposit: testId.package(702), trusted: testId.package(703) }

let people = 0
const atDesk = Effect.gen(function* () {
  const name = `Cleo ${++people}`
  const { url } = yield* Staff.use((staff) => staff.invite(operator_id, { name, role: "desk" }))
  const { session } = yield* join(url)
  return { name, cookie: session }
})

const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""
/** The hidden fields of the form in which it is booked. */
const carried = (text: string) =>
  Object.fromEntries(
    Array.from(text.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g), (m) => [m[1] ?? "", m[2] ?? ""])
  )
/** The links of a page that lead on with this. */
const linksTo = (text: string, step: string) =>
  Array.from(text.matchAll(/href="(\/desk\/book\?[^"]*)"/g), (m) => (m[1] ?? "").replaceAll("&amp;", "&")).filter(
    (href) => href.includes(`${step}=`)
  )

/** Leads from the day to the form of a start, as its links do. */
const chosen = Effect.fnUntraced(function* (cookie: string, package_id: string, date: string, at = 0) {
  const what = yield* request("/desk/book", { cookie })
  assert.include(what.text, `package=${package_id}`)
  // V11: each month is one press away.
  const first = yield* request(`/desk/book?package=${package_id}`, { cookie })
  assert.isDefined(linksTo(first.text, "month").find((href) => href.includes(`month=${date.slice(0, 7)}`)))
  const month = yield* request(`/desk/book?package=${package_id}&children=8&adults=2&month=${date.slice(0, 7)}`, {
    cookie
  })
  const day =
    linksTo(month.text, "date").find((href) => href.includes(`date=${date}`)) ?? assert.fail(`nothing on ${date}`)
  const times = yield* request(day, { cookie })
  const start = linksTo(times.text, "option")[at] ?? assert.fail("no time")
  const form = yield* request(start, { cookie })
  assert.include(readable(form.text), desk.book.emailHint)
  return { form: hidden(form.text, "form"), option: hidden(form.text, "option"), page: form.text }
})

const person = {
  name: "Ida Green",
  email: "ida@example.com",
  phone: "+44 20 7946 0018",
  ages: "",
  notes: "Nuts!",
  children: "8",
  adults: "2"
}

/** Books for this person, up to the page that says what it costs. */
const checked = Effect.fnUntraced(function* (
  cookie: string,
  package_id: string,
  date: string,
  more: Readonly<Record<string, string>> = {},
  at = 0
) {
  const { form, option } = yield* chosen(cookie, package_id, date, at)
  const fields = { ...person, email: `ida.${date}.${people}.${at}@example.com`, ...more }
  const answer = yield* request("/desk/book", { cookie, form: { ...fields, do: "check", form, option } })
  return { ...answer, option, fields: carried(answer.text) }
})

const decodeRow = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ booking_id: Schema.String })))
const bookingsOf = (email: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const records = yield* BookingRecords
    const ids = yield* decodeRow(yield* sql`select booking_id from booking where contact_email = ${email}`)
    const found = yield* Effect.forEach(ids, ({ booking_id }) => records.byId(booking_id))
    return found.flatMap((row): ReadonlyArray<BookingRow> => (row._tag === "Some" ? [row.value] : []))
  })
const lettersTo = (booking_id: string) =>
  SqlClient.SqlClient.use(
    (sql) => sql<{ readonly kind: string }>`select kind from letter where booking_id = ${booking_id}`
  )

layer(world)("booking at the desk", (it) => {
  it.effect(
    "holds a free start for a caller, with a link to pay that is sent to them once, and says who booked it",
    () =>
      Effect.gen(function* () {
        const { cookie, name } = yield* atDesk
        const page = yield* checked(cookie, packages.deposit, "2027-04-03")
        assert.strictEqual(page.status, 200, readable(page.text))
        const words = readable(page.text)
        for (const said of [desk.book.how, messages.en.words.dueNow, messages.en.words.balance, "£50.00", "Nuts!"])
          assert.include(words, said)
        const email = page.fields["email"] ?? ""
        assert.deepStrictEqual(yield* bookingsOf(email), [], "a page that says it books nothing")
        const unsaid = yield* request("/desk/book", { cookie, form: { ...page.fields, do: "book" } })
        assert.strictEqual(unsaid.status, 409)
        assert.include(readable(unsaid.text), desk.book.which)
        const send = request("/desk/book", { cookie, form: { ...page.fields, do: "book", pay: "link" } })
        const [one, other] = yield* Effect.all([send, send], { concurrency: 2 })
        assert.deepStrictEqual([one.status, other.status], [303, 303])
        const third = yield* send
        const [row, ...more] = yield* bookingsOf(email)
        assert.lengthOf(more, 0)
        if (row === undefined) return assert.fail("nothing was booked")
        const link = `/desk/b/${row.booking_id}?step=link`
        assert.deepStrictEqual(
          [one, other, third].map(({ headers }) => headers.get("location")),
          [link, link, link]
        )
        assert.deepInclude(row, {
          status: "held",
          children: 8,
          adults: 2,
          notes: "Nuts!",
          contact_phone: person.phone,
          key_id: operator_id
        })
        const history = yield* BookingRecords.use((records) => records.venueHistory(row))
        assert.deepStrictEqual(
          history.map(({ done_by, event }) => [event, done_by]),
          [["held", name]]
        )
        assert.deepStrictEqual(yield* lettersTo(row.booking_id), [{ kind: "booked" }])
        const told = yield* request(link, { cookie })
        const url = /<code>(https[^<]+)<\/code>/.exec(told.text)?.[1] ?? ""
        assert.include(readable(told.text), desk.family.mailed(email))
        const family = yield* request(new URL(url).pathname)
        assert.include(readable(family.text), row.reference)
        // Asked for again, it is sent again.
        const again = yield* request(`/desk/b/${row.booking_id}`, {
          cookie,
          form: { form: hidden(told.text, "form"), step: "link" }
        })
        assert.include(readable(again.text), desk.family.sent(email))
        assert.lengthOf(yield* lettersTo(row.booking_id), 2)
        const since = yield* request(`/desk/b/${row.booking_id}`, { cookie })
        assert.include(readable(since.text), `${desk.events.link_sent} · ${name}`)
      })
  )

  it.effect("records what is paid at the counter with the booking, once, as the deposit or as all of it", () =>
    Effect.gen(function* () {
      const { cookie, name } = yield* atDesk
      for (const [amount, way, at] of [
        ["due_now", "cash", 0],
        ["total", "card", 1]
      ] as const) {
        const page = yield* checked(cookie, packages.deposit, "2027-04-10", {}, at)
        const send = request("/desk/book", { cookie, form: { ...page.fields, do: "book", pay: way, amount } })
        const answers = yield* Effect.all([send, send, send], { concurrency: 3 })
        const [row, ...more] = yield* bookingsOf(page.fields["email"] ?? "")
        assert.lengthOf(more, 0)
        if (row === undefined) return assert.fail("nothing was booked")
        assert.isTrue(answers.every(({ status }) => status === 303))
        yield* send
        const [now] = yield* bookingsOf(page.fields["email"] ?? "")
        assert.strictEqual(now?.status, "confirmed")
        assert.strictEqual(now?.paid, amount === "total" ? row.total : 5000)
        const taken = yield* PaymentSessions.use((sessions) => sessions.ofBooking(row.booking_id))
        assert.deepStrictEqual(
          taken.map((one) => [one.way, one.taken_by]),
          [[way, name]]
        )
        const letters = yield* lettersTo(row.booking_id)
        assert.deepStrictEqual(letters, [{ kind: "confirmed" }])
      }
    })
  )

  it.effect(
    "books what is paid at the counter while the operator's account takes no payments, and nothing by link (D1)",
    () =>
      Effect.gen(function* () {
        const { cookie } = yield* atDesk
        const operators = yield* Operators
        const { connected_account_id = "" } = yield* operators.get(operator_id)
        const before = yield* checked(cookie, packages.paid, "2027-04-24")
        assert.include(before.text, 'value="link"')
        yield* operators.closeAccount(connected_account_id, "it asks for external_account")
        const page = yield* checked(cookie, packages.paid, "2027-04-24", {}, 1)
        assert.notInclude(page.text, 'value="link"')
        assert.include(page.text, 'value="cash"')
        const paid = yield* request("/desk/book", { cookie, form: { ...page.fields, do: "book", pay: "cash" } })
        assert.strictEqual(paid.status, 303, readable(paid.text))
        const [row] = yield* bookingsOf(page.fields["email"] ?? "")
        assert.deepInclude(row, { status: "confirmed", payment_status: "paid", paid: row?.total ?? -1 })
        // Nothing is due now: it needs nobody's account.
        const free = yield* checked(cookie, packages.trusted, "2027-04-25")
        assert.strictEqual((yield* request("/desk/book", { cookie, form: { ...free.fields, do: "book" } })).status, 303)
        assert.deepInclude((yield* bookingsOf(free.fields["email"] ?? ""))[0], { status: "confirmed" })
        // A page from before offers the link still, which nobody could pay by.
        const link = yield* request("/desk/book", { cookie, form: { ...before.fields, do: "book", pay: "link" } })
        assert.strictEqual(link.status, 409)
        assert.deepStrictEqual(yield* bookingsOf(before.fields["email"] ?? ""), [])
        // Families and their assistants are offered nothing.
        const { playroom_id } = hall.playroom
        const offered = yield* Effect.result(
          BookingOptions.use((options) => options.list({ playroom_id, date: "2027-04-24", children: 8 }))
        )
        assert.strictEqual(offered._tag, "Failure")
        yield* operators.openAccount(connected_account_id)
      })
  )

  it.effect("confirms at once what costs nothing now, with the extras and the size that were entered", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      const extra = `extra_${hall.add_ons[0]?.add_on_id ?? ""}`
      const page = yield* checked(cookie, packages.trusted, "2027-04-17", { [extra]: "2", children: "10" })
      assert.include(readable(page.text), desk.book.free)
      const done = yield* request("/desk/book", { cookie, form: { ...page.fields, do: "book" } })
      assert.strictEqual(done.status, 303, readable(done.text))
      const [row] = yield* bookingsOf(page.fields["email"] ?? "")
      assert.deepInclude(row, { status: "confirmed", children: 10 })
      assert.deepStrictEqual(
        row?.terms.add_ons.map(({ quantity }) => quantity),
        [2]
      )
      // Going back keeps what was typed.
      const edit = yield* request("/desk/book", { cookie, form: { ...page.fields, do: "edit" } })
      for (const value of ['value="10"', 'value="Ida Green"', "Nuts!"]) assert.include(edit.text, value)
    })
  )

  it.effect("says before it books that the family has another booking then, and names it on the day of both (V9)", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      const also = messages.en.operator.alsoBooked
      const first = yield* checked(cookie, packages.trusted, "2027-05-15")
      assert.notInclude(readable(first.text), also(""))
      yield* request("/desk/book", { cookie, form: { ...first.fields, do: "book" } })
      const email = first.fields["email"] ?? ""
      const [row] = yield* bookingsOf(email)
      const reference = row?.reference ?? assert.fail("nothing was booked")
      // The other room, at the same hour; in another spelling, too.
      const there = loft.packages[2]?.package_id ?? ""
      const second = yield* checked(cookie, there, "2027-05-15", { email: email.toUpperCase() })
      assert.include(readable(second.text), also(reference))
      const later = yield* checked(cookie, there, "2027-05-22", { email })
      assert.notInclude(readable(later.text), also(""))
      yield* request("/desk/book", { cookie, form: { ...second.fields, do: "book" } })
      const both = (yield* bookingsOf(email.toUpperCase())).concat(yield* bookingsOf(email))
      const day = readable((yield* request("/desk?day=2027-05-15", { cookie })).text)
      for (const one of both) assert.include(day, also(one.reference))
    })
  )

  it.effect("V9: makes an exception that only the venue can make, once it was told, and the history names it", () =>
    Effect.gen(function* () {
      const { cookie, name } = yield* atDesk
      const strict = {
        ...hall,
        playroom: { ...hall.playroom, age_min: 4, age_max: 9, lead_time_minutes: 365 * 24 * 60 },
        packages: hall.packages.map((pkg) => ({ ...pkg, min_children: 6 }))
      }
      yield* importVenue(strict)
      const told = { ages: "1, 5, 5", children: "3" }
      const page = yield* checked(cookie, packages.trusted, "2027-05-29", told)
      assert.strictEqual(page.status, 200, readable(page.text))
      assert.include(readable(page.text), desk.unusual)
      const { ages, party_too_large, party_too_small, too_soon } = desk.exceptions
      for (const said of [ages, party_too_small, too_soon]) assert.include(readable(page.text), said)
      assert.notInclude(readable(page.text), party_too_large)
      assert.notInclude(page.text, "search_playrooms")
      // A page that did not tell them books nothing.
      const untold = { ...page.fields, unusual: "ages", do: "book" }
      assert.strictEqual((yield* request("/desk/book", { cookie, form: untold })).status, 409)
      const email = page.fields["email"] ?? ""
      assert.deepStrictEqual(yield* bookingsOf(email), [])
      assert.strictEqual((yield* request("/desk/book", { cookie, form: { ...page.fields, do: "book" } })).status, 303)
      const row = (yield* bookingsOf(email))[0] ?? assert.fail("nothing was booked")
      assert.deepInclude(row, { children: 3, child_ages: [1, 5, 5], status: "confirmed" })
      const history = yield* BookingRecords.use((records) => records.venueHistory(row))
      assert.deepStrictEqual(
        history.map(({ done_by, event, facts }) => [event, done_by, facts?.exceptions]),
        [
          ["confirmed", name, undefined],
          ["exception", name, ["ages", "party_too_small", "too_soon"]]
        ]
      )
      const shown = readable((yield* request(`/desk/b/${row.booking_id}`, { cookie })).text)
      assert.include(shown, `${desk.events.exception} · ${name} ${ages}`)
      // What was allowed stays: another party keeps the ages and its size.
      const { booking } = yield* changeVisit(row.booking_id, {
        preview: false,
        by: "operator",
        reason: "Asked",
        party: { adults: 3 }
      })
      assert.deepInclude(booking, { children: 3, adults: 3, child_ages: [1, 5, 5] })
      // Another party may be an exception, too.
      const path = `/desk/b/${row.booking_id}`
      const open = yield* request(`${path}?step=party`, { cookie })
      const party = {
        ...person,
        email,
        form: hidden(open.text, "form"),
        step: "party",
        children: "2",
        ages: "0, 5",
        reason: "Asked"
      }
      const change = yield* request(path, { cookie, form: party })
      for (const said of [desk.unusual, ages, party_too_small]) assert.include(readable(change.text), said)
      const shown2 = { ...party, shown: hidden(change.text, "shown") }
      assert.strictEqual((yield* request(path, { cookie, form: shown2 })).status, 303)
      const lines = yield* BookingRecords.use((records) => records.venueHistory(row))
      assert.deepStrictEqual(lines.at(-1)?.facts?.exceptions, ["ages", "party_too_small"])
      // Places are nobody's to waive.
      const full = yield* checked(cookie, packages.trusted, "2027-05-29", { children: "900" }, 1)
      assert.strictEqual(full.status, 409)
      yield* importVenue(hall)
    })
  )

  it.effect("says what is wrong with what was entered, and books nothing", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      const { form, option } = yield* chosen(cookie, packages.deposit, "2027-04-24")
      const wrong = [
        [{ name: " " }, messages.en.party.errors.name],
        [{ email: "ida at home" }, messages.en.party.errors.email],
        [{ phone: "x" }, messages.en.party.errors.phone],
        [{ children: "0" }, desk.partyErrors.children(1, 20).slice(0, 18)],
        [{ children: "9999" }, desk.partyErrors.children(1, 20).slice(0, 18)],
        [{ ages: "40" }, desk.partyErrors.ageRange(0, 17)],
        [{ notes: "x".repeat(1001) }, messages.en.party.errors.notes]
      ] as const
      for (const [fields, said] of wrong) {
        const answer = yield* request("/desk/book", {
          cookie,
          form: { ...person, ...fields, do: "check", form, option }
        })
        assert.strictEqual(answer.status, 409, said)
        assert.include(readable(answer.text), said)
        assert.include(answer.text, 'aria-invalid="true"')
      }
      assert.deepStrictEqual(yield* bookingsOf(person.email), [])
    })
  )

  it.effect("takes a code, says one that does not hold, and the month has what it took off", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      const spring = { label: "Spring", code: "SPRING10", change: { percent: -10 }, max_uses: 1 }
      const withCode = hall.packages.map((pkg) => ({ ...pkg, pricing: { ...pkg.pricing, codes: [spring] } }))
      yield* importVenue({ ...hall, packages: withCode }, loft, venue)
      const wrong = yield* checked(cookie, packages.paid, "2027-04-17", { code: "WINTER" })
      assert.include(readable(wrong.text), desk.book.noCode)
      assert.include(wrong.text, 'name="code" autocomplete="off" maxlength="100" value="WINTER"')
      const page = yield* checked(cookie, packages.paid, "2027-04-17", { code: " spring-10 " })
      assert.include(readable(page.text), "Spring (SPRING10)")
      const { fields } = page
      const edit = yield* request("/desk/book", { cookie, form: { ...fields, do: "edit" } })
      assert.include(edit.text, 'value=" spring-10 "')
      const booked = yield* request("/desk/book", {
        cookie,
        form: { ...fields, do: "book", pay: "cash", amount: "total" }
      })
      assert.strictEqual(booked.status, 303, readable(booked.text))
      const [booking] = yield* bookingsOf(fields["email"] ?? "")
      const taken = codeIn(booking?.terms.price ?? assert.fail("not booked"))
      assert.deepStrictEqual([taken, booking?.total], [{ code: "SPRING10", amount: 1200 }, 10_800])
      // Its last use: who wants it now is told the full price before anything is booked.
      const late = yield* checked(cookie, packages.paid, "2027-04-24", { code: "SPRING10" })
      const full = yield* request("/desk/book", {
        cookie,
        form: { ...late.fields, do: "book", pay: "cash", amount: "total" }
      })
      assert.include(readable(full.text), desk.changed)
      assert.notInclude(readable(full.text), "SPRING10")
      const manager = yield* Staff.use((staff) => staff.invite(operator_id, { name: `Max ${people}`, role: "manager" }))
      const { session } = yield* join(manager.url)
      const month = readable((yield* request("/desk/month", { cookie: session })).text)
      assert.include(
        month,
        `${desk.month.codes} ${desk.month.code} ${desk.month.uses} ${desk.month.takenOff} SPRING10 1`
      )
      assert.include((yield* request("/desk/month.csv", { cookie: session })).text, ',"SPRING10"')
      yield* importVenue(hall, loft, venue)
    })
  )

  it.effect("tells of a start that was taken meanwhile, and of a price that changed, and books neither", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      const page = yield* checked(cookie, packages.deposit, "2027-05-01")
      yield* bookAt(hall, "2027-05-01", "10:00", "trusted", { name: "Was Faster" })
      const late = yield* request("/desk/book", {
        cookie,
        form: { ...page.fields, do: "book", pay: "cash", amount: "due_now" }
      })
      assert.strictEqual(late.status, 409)
      assert.include(readable(late.text), desk.change.taken)
      const dearer = yield* checked(cookie, packages.deposit, "2027-05-08")
      yield* importVenue({
        ...hall,
        packages: hall.packages.map((pkg) => ({ ...pkg, pricing: { ...pkg.pricing, base: pkg.pricing.base + 1000 } }))
      })
      const changed = yield* request("/desk/book", { cookie, form: { ...dearer.fields, do: "book", pay: "link" } })
      assert.strictEqual(changed.status, 409)
      assert.include(readable(changed.text), desk.changed)
      assert.deepStrictEqual(yield* bookingsOf(dearer.fields["email"] ?? ""), [])
      // What it shows now can be booked.
      const now = yield* request("/desk/book", { cookie, form: { ...carried(changed.text), do: "book", pay: "link" } })
      assert.strictEqual(now.status, 303, readable(now.text))
      yield* importVenue(hall)
    })
  )

  it.effect(
    "knows no other operator's rooms, takes no other site's and no other session's forms, and nobody who was removed",
    () =>
      Effect.gen(function* () {
        const { cookie, name } = yield* atDesk
        const foreign = venue.packages[0]?.package_id ?? ""
        assert.notInclude((yield* request("/desk/book", { cookie })).text, foreign)
        const { options } = yield* BookingOptions.use((service) =>
          service.list({
            playroom_id: venue.playroom.playroom_id,
            date: "2027-05-15",
            date_to: "2027-05-30",
            children: 8,
            limit: 1
          })
        )
        const theirs = options[0]?.option_id ?? assert.fail("the other operator sells nothing")
        const nowhere = yield* request("/desk/book?package=package_nowhere", { cookie })
        const { form, option } = yield* chosen(cookie, packages.paid, "2027-05-15")
        const foreigners = [
          yield* request(`/desk/book?package=${foreign}`, { cookie }),
          yield* request(`/desk/book?option=${theirs}`, { cookie }),
          yield* request("/desk/book?option=option_x", { cookie }),
          yield* request("/desk/book", { cookie, form: { ...person, do: "check", form, option: theirs } })
        ]
        for (const { status, text } of foreigners)
          assert.deepStrictEqual([status, text], [nowhere.status, nowhere.text])
        assert.strictEqual(nowhere.status, 404)
        const page = yield* checked(cookie, packages.paid, "2027-05-15")
        const swapped = yield* request("/desk/book", {
          cookie,
          form: { ...page.fields, agreed: theirs, do: "book", pay: "link" }
        })
        const other = yield* atDesk
        const fields = { ...page.fields, do: "book", pay: "link" }
        const refused = [
          swapped,
          yield* request("/desk/book", { cookie: other.cookie, form: fields }),
          yield* request("/desk/book", { cookie, form: fields, headers: { "sec-fetch-site": "cross-site" } }),
          yield* request("/desk/book", { cookie, form: { ...fields, key: "" } }),
          yield* request("/desk/book", { cookie, form: { ...fields, pay: "crypto" } })
        ]
        for (const { status } of refused) assert.strictEqual(status, 400)
        yield* Staff.use((staff) => staff.remove(operator_id, name))
        const gone = yield* request("/desk/book", { cookie, form: fields })
        assert.include(readable(gone.text), desk.signIn)
        assert.deepStrictEqual(yield* bookingsOf(page.fields["email"] ?? ""), [])
        assert.strictEqual(option.startsWith("option_"), true)
      })
  )

  it.effect("leads from the free days to a time for a move, which is then moved to", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      const booking = yield* bookAt(hall, "2027-06-05", "10:00", "trusted", { name: "Wants Later" })
      const path = `/desk/b/${booking.booking_id}`
      const links = (text: string) =>
        Array.from(text.matchAll(/href="([^"]*step=move[^"]*)"/g), (m) => (m[1] ?? "").replaceAll("&amp;", "&"))
      const month = yield* request(`${path}?step=move`, { cookie })
      const day = links(month.text).find((href) => href.includes("date=2027-06-12")) ?? assert.fail("no day")
      const times = yield* request(day, { cookie })
      const time = links(times.text).find((href) => href.includes("15%3A00")) ?? assert.fail("no time")
      const form = yield* request(time, { cookie })
      assert.include(form.text, 'value="2027-06-12"')
      assert.include(form.text, 'value="15:00"')
      const later = links(month.text).find((href) => href.includes("month=2027-07")) ?? assert.fail("no next month")
      assert.include((yield* request(later, { cookie })).text, "date=2027-07-03")
      const fields = {
        form: hidden(form.text, "form"),
        step: "move",
        date: "2027-06-12",
        time: "15:00",
        reason: "They asked"
      }
      const told = yield* request(path, { cookie, form: fields })
      const done = yield* request(path, { cookie, form: { ...fields, shown: hidden(told.text, "shown") } })
      assert.strictEqual(done.status, 303, readable(told.text))
    })
  )

  it.effect("shows the free starts of another room at its own clock, and none of another operator's", () =>
    Effect.gen(function* () {
      const { cookie } = yield* atDesk
      yield* importVenue(sydney)
      const booking = yield* bookAt(hall, "2027-07-03", "10:00", "trusted", { name: "Wants Elsewhere" })
      yield* bookAt(loft, "2027-07-03", "12:30", "trusted", { name: "Is There" })
      yield* bookAt(hall, "2027-07-03", "15:00", "trusted", { name: "Is Here" })
      const path = `/desk/b/${booking.booking_id}`
      /** The page with a choice of room and day: its text, the times that it leads to, and what its form would send. */
      const at = (room: typeof loft | undefined, date: string) =>
        Effect.map(
          request(`${path}?step=move&date=${date}${room === undefined ? "" : `&package=${roomOf(room)}`}`, { cookie }),
          ({ text }) => ({
            text,
            times: Array.from(
              text.matchAll(/href="[^"]*step=move&amp;([^"]*)time=([^"]*)"/g),
              ([, before = "", time = ""]) => [decodeURIComponent(time), before.includes("package=")]
            ),
            sent: hidden(text.slice(text.indexOf('method="post" action="/desk/b/')), "package")
          })
        )
      const roomOf = (room: typeof loft) => room.packages[2]?.package_id ?? ""
      const here = yield* at(undefined, "2027-07-03")
      assert.deepStrictEqual(here.times, [["12:30", false]])
      assert.strictEqual(here.sent, "")
      const there = yield* at(loft, "2027-07-03")
      assert.deepStrictEqual(there.times, [
        ["10:00", true],
        ["15:00", true]
      ])
      assert.strictEqual(there.sent, roomOf(loft))
      assert.include(readable(there.text), `${desk.move.room}: Attic & Loft · `)
      const far = yield* at(sydney, "2027-07-05")
      assert.deepStrictEqual(
        far.times.map(([time]) => time),
        ["10:00", "12:30", "15:00"]
      )
      // Another operator's room is as if it did not exist.
      const foreign = yield* at(venue, "2027-07-03")
      assert.deepStrictEqual([foreign.times, foreign.sent], [here.times, ""])
      const fields = {
        form: hidden(far.text, "form"),
        step: "move",
        package: far.sent,
        date: "2027-07-05",
        time: "12:30",
        reason: "They moved house"
      }
      const told = yield* request(path, { cookie, form: fields })
      assert.include(readable(told.text), "Sydney Side")
      const done = yield* request(path, { cookie, form: { ...fields, shown: hidden(told.text, "shown") } })
      assert.strictEqual(done.status, 303, readable(told.text))
      const moved = yield* request(path, { cookie })
      assert.include(readable(moved.text), "5 July 2027 12:30")
    })
  )

  it.effect("asks what the venue asks first: on the form, on the page that says what it costs, and it is kept", () =>
    Effect.gen(function* () {
      const questions: ReadonlyArray<Question> = [
        { slug: "theme", text: "Which theme & cake?", options: ["Pirates", "Space"], before: true, required: true },
        { slug: "child", text: "Whose birthday?", before: true },
        { slug: "allergies", text: "Any allergies?" }
      ]
      yield* importVenue({ ...hall, packages: hall.packages.map((pkg) => ({ ...pkg, questions })) })
      const { cookie } = yield* atDesk
      const { page: form } = yield* chosen(cookie, packages.trusted, "2027-05-08")
      assert.include(form, "Which theme &amp; cake?")
      assert.include(form, `name="answer_child"`)
      assert.notInclude(form, "answer_allergies")
      const odd = yield* checked(cookie, packages.trusted, "2027-05-08", { answer_theme: "Fairies" })
      assert.include(readable(odd.text), messages.en.venueAsks.notOffered)
      const given = { answer_theme: "Space", answer_child: "Ida <3" }
      const page = yield* checked(cookie, packages.trusted, "2027-05-08", given)
      assert.include(page.text, "Ida &lt;3")
      const edit = yield* request("/desk/book", { cookie, form: { ...page.fields, do: "edit" } })
      assert.include(edit.text, `<option value="Space" selected>`)
      const booked = yield* request("/desk/book", {
        cookie,
        form: { ...page.fields, answer_child: "Ida <3", do: "book" }
      })
      assert.strictEqual(booked.status, 303, readable(booked.text))
      const [row] = yield* bookingsOf(page.fields["email"] ?? "")
      assert.deepStrictEqual(
        row?.answers?.map(({ answer, slug }) => [slug, answer]),
        [
          ["theme", "Space"],
          ["child", "Ida <3"]
        ]
      )
      // Who leaves it open on the telephone is asked by link.
      const open = yield* checked(cookie, packages.trusted, "2027-05-15")
      assert.strictEqual(open.status, 200, readable(open.text))
    })
  )
})
