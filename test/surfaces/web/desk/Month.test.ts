import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { messages } from "../../../../src/words/Languages.ts"
import { accountColumns, type AccountRow, accountRows } from "../../../../src/domain/payment/accounts/AccountLine.ts"
import { csvHead, csvText, xlsxType } from "../../../../src/platform/files/Spreadsheet.ts"
import { recordPayment } from "../../../support/Acts.ts"
import { makeMonthAccounts } from "../../../../src/domain/payment/accounts/MonthAccounts.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft, payAt } from "../../../support/operatorVenues.ts"
import { now } from "../../../support/PaymentWorld.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const month = now.slice(0, 7)
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

let people = 0
const atDesk = (role: "desk" | "manager", at = operator_id) =>
  Effect.gen(function* () {
    const { url } = yield* Staff.use((staff) => staff.invite(at, { name: `Mia ${++people}`, role }))
    return (yield* join(url)).session
  })

layer(world)("the month's figures at the desk", (it) => {
  it.effect("are the sums and the lines of the command, of this operator alone", () =>
    Effect.gen(function* () {
      const booking = yield* bookAt(hall, "2027-02-06", "10:00", "deposit", { name: "Pays Twice" })
      yield* payAt(booking)
      yield* recordPayment(booking.booking_id, { amount: 12_500, way: "cash", done_by: "Mia" }, { preview: false })
      const session = yield* atDesk("manager")
      assert.include((yield* request("/desk", { cookie: session })).text, 'href="/desk/month"')
      const page = yield* request("/desk/month", { cookie: session })
      const text = readable(page.text)
      assert.include(text, `${desk.month.sums.payment} £50.00`)
      assert.include(text, `${desk.month.sums.venue_payment} £125.00`)
      assert.include(page.text, `href="/desk/month.csv?month=${month}"`)
      const file = yield* request(`/desk/month.csv?month=${month}`, { cookie: session })
      assert.strictEqual(file.headers.get("content-type"), "text/csv; charset=utf-8")
      assert.include(file.headers.get("content-disposition") ?? "", `filename="${month}.csv"`)
      const rows: Array<AccountRow> = []
      yield* (yield* makeMonthAccounts).own({ period: month, operator_id }, (line) =>
        Effect.sync(() => void rows.push(...accountRows(line)))
      )
      assert.lengthOf(rows, 2)
      // fetch takes the mark of UTF-8 away, as spreadsheets do.
      assert.strictEqual(`\uFEFF${file.text}`, csvText(accountColumns, rows, "\r\n"))
      assert.include(page.text, `href="/desk/month.xlsx?month=${month}"`)
      const sheet = yield* request(`/desk/month.xlsx?month=${month}`, { cookie: session })
      assert.strictEqual(sheet.headers.get("content-type"), xlsxType)
      assert.include(sheet.headers.get("content-disposition") ?? "", `filename="${month}.xlsx"`)
      yield* importVenue(venue)
      const elsewhere = yield* atDesk("manager", venue.operator.operator_id)
      assert.include(readable((yield* request("/desk/month", { cookie: elsewhere })).text), desk.month.nothing)
      assert.strictEqual(
        (yield* request(`/desk/month.csv?month=${month}`, { cookie: elsewhere })).text.trim(),
        csvHead(accountColumns).slice(1)
      )
      for (const odd of ["2027-13", "", "x", "%00"]) {
        const { status, text } = yield* request(`/desk/month?month=${odd}`, { cookie: session })
        assert.strictEqual(status, 200)
        assert.include(text, `value="${month}"`, odd)
      }
    })
  )

  it.effect("V7: are of a month or a year, with room, package, date of visit, way and rate in the files", () =>
    Effect.gen(function* () {
      const session = yield* atDesk("manager")
      const year = month.slice(0, 4)
      const page = yield* request(`/desk/month?year=${year}`, { cookie: session })
      assert.include(readable(page.text), desk.month.ofYear.title)
      assert.include(readable(page.text), `${desk.month.sums.venue_payment} £125.00`)
      assert.include(page.text, `href="/desk/month?year=${Number(year) - 1}"`)
      assert.notInclude(page.text, "provider=yes")
      const { text } = yield* request(`/desk/month.csv?year=${year}`, { cookie: session })
      const [head = "", ...lines] = text.trim().split("\r\n")
      const columns = head.split(",").map((name) => name.replaceAll('"', ""))
      const rows = lines.map((line) => {
        const cells = line.split(",").map((cell) => cell.replaceAll('"', ""))
        return ["way", "playroom", "package", "visit", "tax_percent"].map((name) => cells[columns.indexOf(name)])
      })
      const visit = ["Great Hall", hall.packages[1]?.name, "2027-02-06 10:00"]
      assert.deepStrictEqual(rows.map(([way, ...rest]) => [way, ...rest.slice(0, 3)]).toSorted(), [
        ["cash", ...visit],
        ["link", ...visit]
      ])
      const sheet = yield* request(`/desk/month.xlsx?year=${year}`, { cookie: session })
      assert.include(sheet.headers.get("content-disposition") ?? "", `filename="${year}.xlsx"`)
      for (const odd of ["1999", "2027-01", "x"])
        assert.include((yield* request(`/desk/month?year=${odd}`, { cookie: session })).text, desk.month.title)
    })
  )

  it.effect("are for managers alone", () =>
    Effect.gen(function* () {
      const clerk = yield* atDesk("desk")
      assert.notInclude((yield* request("/desk", { cookie: clerk })).text, 'href="/desk/month"')
      for (const path of [
        "/desk/month",
        "/desk/month.csv",
        "/desk/month.xlsx",
        `/desk/month.csv?month=${month}&provider=yes`
      ]) {
        const refused = yield* request(path, { cookie: clerk })
        assert.strictEqual(refused.status, 403, path)
        assert.notInclude(refused.text, "125.00")
        const nobody = yield* request(path)
        assert.include(nobody.text, desk.signInTitle)
        assert.notInclude(nobody.text, "125.00")
      }
    })
  )

  it.effect("are told by the bookings alone, and say so, if the provider does not answer", () =>
    Effect.gen(function* () {
      const session = yield* atDesk("manager")
      for (const path of [
        "/desk/month?provider=yes",
        "/desk/month.csv?provider=yes",
        "/desk/month.xlsx?provider=yes"
      ]) {
        const away = yield* request(path, { cookie: session })
        assert.include(readable(away.text), desk.month.away)
        assert.include(readable(away.text), `${desk.month.sums.venue_payment} £125.00`)
      }
    })
  )
})
