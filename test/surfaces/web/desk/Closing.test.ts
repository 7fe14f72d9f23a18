import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { makeVenueClosures } from "../../../../src/domain/booking/VenueClosures.ts"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { CatalogueFile } from "../../../../src/domain/import/CatalogueFile.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, loft, sydney } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk, operator: operatorWords } = messages.en
const { closing } = desk
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft, sydney, venue))).pipe(
  Layer.provideMerge(CatalogueFile.layer),
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

let people = 0
const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""

/** Somebody at a desk: the form of the closing page, and what it answers. */
const atDesk = Effect.fnUntraced(function* (role: "desk" | "manager", at: string = operator_id) {
  const { member, url } = yield* Staff.use((staff) => staff.invite(at, { name: `Ana ${++people}`, role }))
  const { session } = yield* join(url)
  const get = (path: string) => request(path, { cookie: session })
  const form = hidden((yield* get("/desk/closing")).text, "form")
  const send = (fields: Readonly<Record<string, string>>) =>
    request("/desk/closing", { cookie: session, form: { form, ...fields } })
  return { get, member, send, session, form }
})

const time = (date: string, starts: string, ends: string, reason = "Broken castle", room = hall) => ({
  playroom: String(room.playroom.playroom_id),
  from: date,
  to: "",
  starts,
  ends,
  reason
})
const days = (from: string, to: string, playroom: string = hall.playroom.playroom_id) => ({
  playroom,
  from,
  to,
  starts: "",
  ends: "",
  reason: "Holidays"
})
const upcoming = (of: { readonly operator_id: string } = { operator_id }) =>
  Effect.map(
    Effect.flatMap(makeVenueClosures, (closures) => closures.upcoming(of, 200)),
    (all) => all.filter(({ made_by }) => made_by !== null)
  )
/** What the operator's history says of its playrooms. */
const history = Effect.map(
  Operators.use((operators) => operators.history(operator_id, 100)),
  (all) =>
    all
      .filter(({ playroom_id }) => playroom_id !== null)
      .map(({ event, playroom_id, who }) => `${event} ${playroom_id} by ${who}`)
)

layer(world, { timeout: "60 seconds" })("closing a time at the desk", (it) => {
  it.effect(
    "says first who is booked then, closes once however often it is sent, and shows it on the day with who did it",
    () =>
      Effect.gen(function* () {
        const booking = yield* bookAt(hall, "2027-02-06", "10:00", "trusted", {
          name: "Inside Doe",
          phone: "+44 20 7946 0007"
        })
        const { get, member, send } = yield* atDesk("desk")
        const wish = time("2027-02-06", "09:00", "13:00")
        const plan = yield* send({ ...wish, do: "check" })
        assert.strictEqual(plan.status, 200)
        for (const words of [
          "Inside Doe",
          "+44 20 7946 0007",
          "1 booking is in this time",
          closing.stays,
          closing.list,
          "Great Hall"
        ])
          assert.include(readable(plan.text), words)
        assert.deepStrictEqual(yield* upcoming(), [], "the page changes nothing")
        // Another wish than the page showed, or no code, closes nothing.
        const shown = hidden(plan.text, "shown")
        for (const other of [{ ...wish, ends: "14:00", shown }, { ...wish, shown: "x" }, { ...wish }]) {
          const answer = yield* send({ ...other, do: "close" })
          assert.strictEqual(answer.status, 409)
          assert.include(readable(answer.text), desk.changed)
        }
        const [first, second] = yield* Effect.all(
          [send({ ...wish, shown, do: "close" }), send({ ...wish, shown, do: "close" })],
          { concurrency: "unbounded" }
        )
        for (const answer of [first, second]) {
          assert.strictEqual(answer?.status, 303)
          assert.strictEqual(answer?.headers.get("location"), "/desk/closed")
        }
        assert.lengthOf(yield* upcoming(), 1)
        assert.deepStrictEqual(yield* history, [`closed ${hall.playroom.playroom_id} by ${member.name}`])
        const day = readable((yield* get("/desk?day=2027-02-06")).text)
        for (const words of ["Broken castle", closing.by(member.name), closing.reopen, operatorWords.blocked.closed])
          assert.include(day, words)
        assert.include(readable((yield* get(`/desk/b/${booking.booking_id}`)).text), "Inside Doe")
        const manager = yield* atDesk("manager")
        assert.include(readable((yield* manager.get("/desk/closed")).text), "Inside Doe")
      })
  )

  it.effect(
    "shows the page again if somebody has booked meanwhile, and leads managers to the bookings to deal with",
    () =>
      Effect.gen(function* () {
        const { send } = yield* atDesk("manager")
        const wish = days("2027-03-06", "2027-03-07")
        const plan = yield* send({ ...wish, do: "check" })
        assert.include(readable(plan.text), closing.nobody)
        yield* bookAt(hall, "2027-03-06", "12:30", "trusted", { name: "Just Now" })
        const late = yield* send({ ...wish, shown: hidden(plan.text, "shown"), do: "close" })
        assert.strictEqual(late.status, 409)
        assert.include(readable(late.text), "Just Now")
        assert.include(readable(late.text), closing.list)
        const done = yield* send({ ...wish, shown: hidden(late.text, "shown"), do: "close" })
        assert.deepStrictEqual([done.status, done.headers.get("location")], [303, "/desk/closed"])
      })
  )

  it.effect("is reopened by a form that says so, twice the same, and whole days only by managers, who close them", () =>
    Effect.gen(function* () {
      const clerk = yield* atDesk("desk")
      const manager = yield* atDesk("manager")
      const week = days("2027-04-05", "2027-04-11", "all")
      // From midnight to midnight is a whole day, too.
      for (const wish of [week, time("2027-04-05", "00:00", "00:00")]) {
        const refused = yield* clerk.send({ ...wish, do: "check" })
        assert.strictEqual(refused.status, 403)
      }
      const plan = yield* manager.send({ ...week, do: "check" })
      for (const name of ["Great Hall", "Attic & Loft", "Sydney Side", "5 April 2027 – Sunday, 11 April 2027"])
        assert.include(readable(plan.text), name)
      const { made_by, ...before } = { made_by: manager.member.name, n: (yield* upcoming()).length }
      yield* manager.send({ ...week, shown: hidden(plan.text, "shown"), do: "close" })
      const made = (yield* upcoming()).filter((one) => one.made_by === made_by)
      assert.deepStrictEqual([made.length, (yield* upcoming()).length], [3, before.n + 3])
      const abroad = made.find(({ time_zone }) => time_zone === "Australia/Sydney")
      assert.strictEqual(abroad?.start, Date.parse("2027-04-05T00:00:00+10:00"), "by each playroom's own clock")
      const closure_id = abroad?.closure_id ?? assert.fail("not closed")
      const path = `/desk/closing?reopen=${closure_id}`
      assert.strictEqual((yield* clerk.get(path)).status, 403)
      assert.strictEqual((yield* clerk.send({ closure: closure_id, do: "reopen" })).status, 403)
      assert.notInclude((yield* clerk.get("/desk/closing")).text, closure_id)
      const page = yield* manager.get(path)
      assert.include(readable(page.text), closing.reopenLead)
      for (const _ of [1, 2]) {
        const answer = yield* manager.send({ closure: closure_id, do: "reopen" })
        assert.deepStrictEqual([answer.status, answer.headers.get("location")], [303, "/desk/closing"])
      }
      assert.lengthOf(
        (yield* upcoming()).filter((one) => one.made_by === made_by),
        2
      )
      assert.lengthOf(
        (yield* history).filter((line) => line.startsWith("reopened")),
        1
      )
      assert.strictEqual((yield* manager.get(path)).status, 404)
    })
  )

  it.effect("S9: nearly all of a day's opening hours, at once or in parts, are for managers to close", () =>
    Effect.gen(function* () {
      const [clerk, manager] = [yield* atDesk("desk"), yield* atDesk("manager")]
      const date = "2027-09-06"
      // It is open from 9 to 17; two hours of these have to stay.
      for (const [starts, ends] of [
        ["00:01", "00:00"],
        ["09:00", "17:00"],
        ["08:00", "16:00"],
        ["10:59", "23:00"]
      ] as const)
        for (const does of ["check", "close"])
          assert.strictEqual((yield* clerk.send({ ...time(date, starts, ends), do: does })).status, 403, starts)
      const close = Effect.fnUntraced(function* (who: typeof clerk, starts: string, ends: string) {
        const plan = yield* who.send({ ...time(date, starts, ends), do: "check" })
        if (plan.status !== 200) return plan.status
        return (yield* who.send({ ...time(date, starts, ends), shown: hidden(plan.text, "shown"), do: "close" })).status
      })
      assert.strictEqual(yield* close(clerk, "09:00", "13:00"), 303)
      assert.strictEqual(yield* close(clerk, "13:00", "16:00"), 403)
      assert.strictEqual(yield* close(clerk, "13:00", "15:00"), 303)
      assert.strictEqual(yield* close(manager, "15:00", "17:00"), 303)
    })
  )

  it.effect(
    "knows nothing of another operator's, nor of the file's, and takes no form of another session or site",
    () =>
      Effect.gen(function* () {
        const ours = yield* atDesk("manager")
        const theirs = yield* atDesk("manager", venue.operator.operator_id)
        const wish = time("2027-05-01", "09:00", "13:00", "Ours alone")
        const plan = yield* ours.send({ ...wish, do: "check" })
        yield* ours.send({ ...wish, shown: hidden(plan.text, "shown"), do: "close" })
        const closure = (yield* upcoming()).find(({ reason }) => reason === "Ours alone")
        const closure_id = closure?.closure_id ?? assert.fail("not closed")
        const foreign = yield* theirs.get(`/desk/closing?reopen=${closure_id}`)
        const nobody = yield* theirs.get("/desk/closing?reopen=closure_none")
        assert.deepStrictEqual([foreign.status, foreign.text], [404, nobody.text])
        yield* theirs.send({ closure: closure_id, do: "reopen" })
        assert.notInclude((yield* theirs.get("/desk/closing")).text, "Ours alone")
        // A playroom of another operator is as if it did not exist.
        for (const step of ["check", "close"]) {
          const answer = yield* theirs.send({ ...wish, shown: hidden(plan.text, "shown"), do: step })
          assert.strictEqual(answer.status, 409)
          assert.include(readable(answer.text), closing.problems.no_playroom)
          assert.notInclude(answer.text, "Great Hall")
        }
        const lifting = { closure: closure_id, do: "reopen" }
        for (const answer of [
          yield* request("/desk/closing", { cookie: ours.session, form: { ...lifting, form: theirs.form } }),
          yield* request("/desk/closing", {
            cookie: ours.session,
            form: { ...lifting, form: ours.form },
            headers: { "sec-fetch-site": "cross-site" }
          })
        ])
          assert.strictEqual(answer.status, 400)
        yield* request("/desk/closing", { form: { ...lifting, form: ours.form } })
        assert.isTrue((yield* upcoming()).some((one) => one.closure_id === closure_id))
        // The file's closures are shown, and not reopened here.
        const { add_ons, operator, packages, playroom } = loft
        const closures = [{ from: "2027-05-03", to: "2027-05-03", reason: "By file" }]
        yield* CatalogueFile.use((file) =>
          file.importFile({
            version: 1,
            operators: [operator],
            playrooms: [{ ...playroom, packages, add_ons, closures }]
          })
        )
        const listed = readable((yield* ours.get("/desk/closing")).text)
        for (const words of ["By file", closing.ofFile, "Ours alone"]) assert.include(listed, words)
        const all = yield* Effect.flatMap(makeVenueClosures, (closures) => closures.upcoming({ operator_id }, 200))
        const ofFile = all.find(({ made_by }) => made_by === null)
        assert.strictEqual((yield* ours.get(`/desk/closing?reopen=${ofFile?.closure_id}`)).status, 404)
      })
  )

  it.effect("says what is wrong with what was entered, and keeps it", () =>
    Effect.gen(function* () {
      const { get, send } = yield* atDesk("manager")
      assert.include((yield* get("/desk/closing?day=2027-06-05")).text, `value="2027-06-05"`)
      const good = time("2027-06-05", "09:00", "13:00")
      const cases: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
        [{ ...good, starts: "14:00" }, closing.timesWrong],
        [{ ...good, ends: "" }, closing.timesWrong],
        [{ ...good, from: "2027-02-30" }, closing.timesWrong],
        [{ ...good, from: "" }, closing.timesWrong],
        [{ ...good, to: "2099-01-01" }, closing.timesWrong],
        [{ ...good, reason: " " }, closing.reasonWrong],
        [{ ...good, reason: "x".repeat(100) }, closing.reasonWrong],
        [{ ...good, from: "2020-06-05" }, closing.problems.over],
        [{ ...good, playroom: "playroom_none" }, closing.problems.no_playroom]
      ]
      for (const [fields, words] of cases) {
        const { status, text } = yield* send({ ...fields, do: "check" })
        assert.strictEqual(status, 409, words)
        assert.include(readable(text), words)
        assert.include(text, `value="09:00"`.replace("09:00", fields["starts"] ?? ""))
      }
      const edited = yield* send({ ...good, do: "edit" })
      assert.include(edited.text, `value="Broken castle"`)
      assert.strictEqual((yield* send({ do: "else" })).status, 400)
    })
  )

  it.effect("lists all that is closed from now on, page by page, and to its own operator alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { playroom_id } = loft.playroom
      // Some begin at the same moment: a page may end between two of these.
      yield* sql`insert into closure (closure_id, operator_id, playroom_id, during, reason, created_at, made_by)
        select 'closure_' || to_char(n, 'FM00000000000000000000000000'), ${loft.operator.operator_id}, ${playroom_id},
          tstzrange('2028-01-01Z'::timestamptz + n / 3 * interval '1 day', '2028-01-01Z'::timestamptz + n / 3 * interval '1 day' + interval '1 hour'),
          'Listed ' || n || '.', now(), 'Ana' from generate_series(1, 230) n`
      const { get } = yield* atDesk("manager")
      const seen: Array<string> = []
      let path: string | undefined = "/desk/closing"
      let pages = 0
      let second = ""
      while (path !== undefined) {
        const { text }: { readonly text: string } = yield* get(path)
        pages += 1
        assert.strictEqual(text.includes(desk.owed.fromStart), pages > 1)
        seen.push(...Array.from(readable(text).matchAll(/Listed (\d+)\./g), ([, n]) => n ?? ""))
        path = /href="(\/desk\/closing\?cursor=[^"]+)"/.exec(text)?.[1]
        if (pages === 1) second = path ?? ""
      }
      assert.isAtLeast(pages, 3)
      assert.lengthOf(seen, 230)
      assert.strictEqual(new Set(seen).size, 230)
      const others = yield* atDesk("manager", venue.operator.operator_id)
      for (const address of [second, "/desk/closing?cursor=x"])
        assert.notInclude((yield* others.get(address)).text, "Listed")
      yield* sql`delete from closure where reason like 'Listed %'`
    })
  )
})
