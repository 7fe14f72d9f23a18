/**
 * A venue's second month, three times over: by commands alone, at the desk on a telephone, and on a large screen. Each
 * has a service of its own, and what is done is the same: at the end the books and the places of the three are compared.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readXlsx } from "hucre/xlsx"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { messages } from "../../src/words/Languages.ts"
import { moneyIn, pluralIn, timesIn } from "../../src/words/Localized.ts"
import { hourMs } from "../../src/platform/time/LocalTime.ts"
import { inBrowser, openBrowser } from "../support/Browser.ts"
import { csvRows } from "../support/CommandLine.ts"
import { browserUser, joinDesk, serviceOnClock } from "../support/DeskUser.ts"
import { ask } from "../support/FamilyPages.ts"

/** A Tuesday, at a quarter to eleven in London: the hour of play that began at half past ten goes on. */
const begin = Date.parse("2027-07-20T09:45:00Z")
const { desk } = messages.en
const pounds = (amount: number): string => moneyIn("en", amount * 100, "GBP")
const found = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? assert.fail(`${pattern}: ${text}`)

interface Booked {
  readonly booking_id: string
  readonly reference: string
}

const BookedJson = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({ booking: Schema.Struct({ booking_id: Schema.String, reference: Schema.String }) })
  )
)

/** The venue after its first month: a castle, three parties that were paid for, and then no more parties are sold. */
const venue = Effect.gen(function* () {
  const { folder, playroom, service, sql } = yield* serviceOnClock(begin)
  const file = join(folder, "venue.yaml")
  yield* playroom(`playroom catalogue new ${file}`)
  const text = readFileSync(file, "utf8")
    .replaceAll("my-business", "castle-play")
    .replace("Bubble machine", "Bouncy castle")
    .replace("stock: 2", "stock: 1")
  writeFileSync(file, text)
  yield* playroom(`playroom catalogue import ${file}`)
  yield* ask(found(yield* playroom("playroom operator onboard castle-play"), /(http\S+)/), { method: "POST" })
  yield* playroom("playroom operator onboard castle-play")
  const ids = Object.fromEntries(
    (yield* sql<{ readonly id: string; readonly name: string }>`
      select package_id as id, terms ->> 'name' as name from package union all select add_on_id, name from add_on`).map(
      ({ id, name }) => [name, id] as const
    )
  )
  const id = (name: string): string => ids[name] ?? assert.fail(`no ${name}`)
  const book = (name: string, at: string, extras: ReadonlyArray<string>) =>
    Effect.map(
      playroom(
        `playroom booking make ${id("Birthday party")} --at ${at} --children 8 --adults 2 --name ${name} ` +
          `--email ${name}@exmaple.com --phone 07700900123 --paid card --by Kim --json` +
          extras.map((extra) => ` --add-on ${id(extra)}=1`).join("")
      ),
      (told) => BookedJson(told.slice(told.indexOf("{"), told.lastIndexOf("}") + 1)).booking
    )
  const ada = yield* book("Ada", "2027-08-07T10:15", ["Party host", "Bouncy castle"])
  const ben = yield* book("Ben", "2027-08-07T13:00", ["Bouncy castle"])
  const cem = yield* book("Cem", "2027-08-07T15:45", [])
  const party = text.indexOf("      - slug: birthday-party")
  writeFileSync(file, text.slice(0, party) + text.slice(text.indexOf("      - slug: open-play")))
  yield* playroom(`playroom catalogue import ${file}`)
  return { folder, playroom, service, sql, id, ada, ben, cem }
})
type Venue = Effect.Success<typeof venue>

/** What a venue's people do with their hands, however they do it. */
interface Hands {
  readonly grow: (booking: Booked, children: number, more: number) => Effect.Effect<unknown>
  readonly withoutExtra: (booking: Booked, extra: string) => Effect.Effect<unknown>
  readonly move: (booking: Booked, date: string, time: string) => Effect.Effect<unknown>
  /** It is out of order on a day: whoever has it then gets its price back. */
  readonly broken: (extra: string, date: string, has: Booked) => Effect.Effect<unknown>
  readonly correct: (booking: Booked, email: string) => Effect.Effect<unknown>
  /** Two children and a grown-up stand in the door. */
  readonly walkIn: Effect.Effect<unknown>
  /** What says how much cash was taken today. */
  readonly till: Effect.Effect<string>
  /** What is shown for a telephone, an e-mail address, a name, and a day, in this order. */
  readonly find: Effect.Effect<ReadonlyArray<string>>
  /** Nine children for what is sold to eight at most. */
  readonly exception: (date: string, time: string) => Effect.Effect<unknown>
  readonly figures: Effect.Effect<{ readonly csv: string; readonly xlsx: Uint8Array }>
}

const byCommands = ({ ben, folder, id, playroom }: Venue): Hands => {
  const returned = (of: Booked) =>
    Effect.gen(function* () {
      const refunds = (yield* playroom(`playroom booking show ${of.reference}`)).match(/refund_\w+/g) ?? []
      yield* playroom(`playroom payment returned ${refunds.at(-1) ?? assert.fail("no refund")} --way card --by Kim`)
    }).pipe(Effect.orDie)
  const play = `playroom booking make ${id("Open play")}`
  const accounts = "playroom accounts --month 2027-07 --operator castle-play --offline"
  return {
    grow: ({ reference }, children, more) =>
      Effect.andThen(
        playroom(`playroom booking change ${reference} --children ${children} --by Kim`),
        playroom(`playroom payment record ${reference} ${more}.00 --way cash --by Kim`)
      ).pipe(Effect.orDie),
    withoutExtra: (booking, extra) =>
      Effect.andThen(
        playroom(`playroom booking change ${booking.reference} --add-on ${id(extra)}=0 --by Kim`),
        returned(booking)
      ).pipe(Effect.orDie),
    move: ({ reference }, date, time) => playroom(`playroom booking move ${reference} --to ${date}T${time} --by Kim`),
    broken: (extra, date, has) =>
      Effect.gen(function* () {
        yield* playroom(
          `playroom closure make --add-on ${id(extra)} --from ${date} --to ${date} --reason Broken --by Kim`
        )
        const closed = "playroom booking closed --operator castle-play --by Kim"
        assert.include(yield* playroom(closed), has.reference)
        const preview = yield* playroom(`${closed} --give-back all --preview`)
        yield* playroom(`${closed} --give-back all --as-shown ${found(preview, /--as-shown (\S+?),? /)}`)
        yield* returned(has)
      }).pipe(Effect.orDie),
    correct: ({ reference }, email) => playroom(`playroom booking change ${reference} --email ${email} --by Kim`),
    walkIn: playroom(`${play} --at 2027-07-20T10:30 --children 2 --adults 1 --paid cash --by Kim`),
    till: Effect.map(playroom(accounts), (csv) =>
      pounds(
        csvRows(csv.slice(0, csv.indexOf("\n\n")))
          .filter(({ way }) => way === "cash")
          .reduce((all, { amount }) => all + Number(amount), 0)
      )
    ),
    // A command finds by reference, e-mail address and day.
    find: Effect.all([
      playroom(`playroom booking show ${ben.reference}`),
      playroom("playroom booking list --email ben@exmaple.com"),
      playroom(`playroom booking show ${ben.booking_id}`),
      playroom("playroom booking list --day 2027-08-07")
    ]),
    exception: (date, time) =>
      playroom(
        `${play} --at ${date}T${time} --children 9 --adults 1 --name Dora --email dora@example.com --paid cash ` +
          "--exception --by Kim"
      ),
    figures: Effect.gen(function* () {
      const path = join(folder, "month.xlsx")
      const csv = yield* playroom(accounts)
      yield* playroom(`${accounts} --xlsx ${path}`)
      return { csv, xlsx: readFileSync(path) }
    })
  }
}

const atDesk = (
  { ben, folder, id, service }: Venue,
  person: ReturnType<typeof browserUser>,
  { downloadTo }: { readonly downloadTo: (folder: string) => Effect.Effect<unknown> }
): Hands => {
  const at = (path: string) => `${service.baseUrl.replace("127.0.0.1", "localhost")}/desk${path}`
  const open = ({ booking_id }: Booked, step?: string) =>
    person.open(at(`/b/${booking_id}${step === undefined ? "" : `?step=${step}`}`))
  const change = (booking: Booked, fields: Readonly<Record<string, string>>, step = "party") =>
    Effect.gen(function* () {
      yield* open(booking, step)
      yield* person.enter(fields)
      yield* person.press(desk.goOn)
      yield* person.press(step === "move" ? desk.move.confirm : desk.change.confirm)
    })
  const returned = (booking: Booked) =>
    Effect.gen(function* () {
      yield* open(booking)
      yield* person.enter({ way: "card" })
      yield* person.press(desk.returned.done)
    })
  const search = (words: string) => person.open(at(`?${new URLSearchParams({ find: words }).toString()}`))
  /** What the browser has downloaded that ends so. */
  const download = Effect.fnUntraced(function* (kind: string) {
    yield* person.find(`document.querySelector('main a[href*="month.${kind}"]').click()`)
    const name = Effect.sync(() => readdirSync(folder).find((one) => one === `2027-07.${kind}`))
    while ((yield* name) === undefined) yield* Effect.sleep("50 millis")
    return readFileSync(join(folder, (yield* name) ?? ""))
  })
  return {
    grow: Effect.fnUntraced(function* (booking, children, more) {
      yield* change(booking, { children: String(children) })
      yield* open(booking, "pay")
      yield* person.enter({ way: "cash" })
      assert.include(yield* person.press(desk.goOn), pounds(more))
      yield* person.press(desk.pay.confirm)
    }),
    withoutExtra: Effect.fnUntraced(function* (booking, extra) {
      yield* open(booking, "party")
      yield* person.find(`document.querySelector("[name=extra_${id(extra)}]").checked = false`)
      yield* person.press(desk.goOn)
      yield* person.press(desk.change.confirm)
      yield* returned(booking)
    }),
    move: (booking, date, time) => change(booking, { date, time }, "move"),
    broken: Effect.fnUntraced(function* (extra, date, has) {
      yield* person.open(at(`/closing?day=${date}`))
      yield* person.enter({ playroom: id(extra), reason: "Broken" })
      assert.include(yield* person.press(desk.goOn), has.reference)
      yield* person.press(desk.closing.confirm)
      assert.strictEqual(yield* person.path, "/desk/closed")
      yield* person.enter({ choice: `${has.booking_id}.back` })
      yield* person.press(desk.goOn)
      yield* person.press(pluralIn("en", 1, desk.closed.confirm))
      yield* returned(has)
    }),
    correct: (booking, email) => change(booking, { email }),
    walkIn: Effect.gen(function* () {
      yield* person.open(at(""))
      yield* person.press(desk.walkIn.title, ".actions")
      yield* person.press("2")
      yield* person.press(messages.en.receipt.paidBy.cash)
    }),
    till: person.open(at("/till")),
    find: Effect.all([
      search("+44 7700 900123"),
      search("ben@exmaple.com"),
      search("ben"),
      Effect.andThen(
        person.open(at("")),
        Effect.andThen(person.enter({ day: "2027-08-07" }), person.press(desk.showDay))
      )
    ]).pipe(Effect.tap(() => open(ben))),
    exception: Effect.fnUntraced(function* (date, time) {
      const start = Date.parse(`${date}T${time}:00+01:00`)
      yield* person.open(at(`/book?package=${id("Open play")}&children=8&adults=1&date=${date}`))
      yield* person.press(timesIn("en", "Europe/London", start, start + hourMs))
      yield* person.enter({ children: "9", name: "Dora", email: "dora@example.com" })
      assert.include(yield* person.press(desk.goOn), desk.exceptions.party_too_large)
      yield* person.enter({ pay: "cash" })
      yield* person.press(desk.book.confirm)
    }),
    figures: Effect.gen(function* () {
      yield* downloadTo(folder)
      yield* person.open(at("/month?month=2027-07"))
      return { csv: (yield* download("csv")).toString("utf8"), xlsx: yield* download("xlsx") }
    })
  }
}

/** The month, and the books and places that it leaves. */
const month = Effect.fnUntraced(function* ({ ada, ben, cem, playroom, sql }: Venue, hands: Hands) {
  yield* hands.withoutExtra(ada, "Party host")
  yield* hands.grow(ada, 12, 30)
  yield* hands.move(ada, "2027-08-14", "10:15")
  yield* hands.broken("Bouncy castle", "2027-08-07", ben)
  yield* hands.correct(cem, "cem@example.com")
  yield* hands.walkIn
  yield* hands.exception("2027-07-21", "14:00")
  for (const told of yield* hands.find) assert.include(told, ben.reference)
  const cash = 30 + 12 + 67.5
  assert.include(yield* hands.till, pounds(cash))
  const { csv, xlsx } = yield* hands.figures
  const rows = csvRows(csv.replace("\uFEFF", "")).filter(({ kind }) => kind === "payment" || kind === "refund")
  const { sheets } = yield* Effect.promise(() => readXlsx(xlsx))
  const [head = [], ...cells] = sheets[0]?.rows ?? []
  const column = (name: string) => head.indexOf(name)
  const inSheet = cells
    .filter((row) => ["payment", "refund"].includes(String(row[column("kind")])))
    .map((row) => row[column("amount")])
  assert.isTrue(
    inSheet.every((amount) => typeof amount === "number"),
    "amounts are numbers"
  )
  assert.deepStrictEqual(
    inSheet,
    rows.map(({ amount }) => Number(amount))
  )
  yield* playroom("playroom doctor --audit")
  return {
    figures: rows
      .map((row) =>
        ["kind", "way", "amount", "currency", "tax_percent", "playroom", "package", "visit"].map((one) => row[one])
      )
      .map((parts) => parts.join(" "))
      .toSorted(),
    bookings: yield* sql`select status, payment_status, children, adults, total, paid, refunded, starts_at,
        case when contact_name in ('Ada', 'Ben', 'Cem', 'Dora') then contact_email end as email
      from booking order by starts_at, total`,
    places: yield* sql`select coalesce(p.name, a.name) as what, o.units::text, o.during::text
      from occupancy o left join playroom p on p.playroom_id = o.resource_id left join add_on a on a.add_on_id = o.resource_id
      order by 1, 3, 2`
  }
})
type Books = Effect.Success<ReturnType<typeof month>>

const title = "goes the same by commands, on a telephone and on a large screen, and the books of the three agree"

describe("a venue's second month", () => {
  let typed: Books | undefined
  const byCommand = Effect.gen(function* () {
    const at = yield* venue
    return (typed ??= yield* month(at, byCommands(at)))
  })

  it.live("goes by commands alone, after the package has left, and the doctor finds nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const books = yield* byCommand
        assert.isAbove(books.figures.length, 6)
        assert.isAbove(books.places.length, 4)
        assert.deepStrictEqual(
          books.bookings.map(({ payment_status }) => payment_status),
          ["paid", "paid", "partially_refunded", "paid", "partially_refunded"]
        )
      })
    )
  )

  inBrowser("a venue's second month, in browsers", title, (command) => {
    for (const width of [360, 1280])
      it.live(`${title}: ${width} px`, () =>
        Effect.scoped(
          Effect.gen(function* () {
            const expected = typed ?? (yield* Effect.scoped(byCommand))
            const at = yield* venue
            const browser = yield* openBrowser(command)
            const tab = yield* browser.another
            const person = { tab, ...browserUser(tab, { width, scheme: "light" }) }
            yield* joinDesk(person, yield* at.playroom("playroom staff invite castle-play Kim --role manager"))
            assert.deepStrictEqual(yield* month(at, atDesk(at, person, tab)), expected)
          })
        )
      )
  })
})
