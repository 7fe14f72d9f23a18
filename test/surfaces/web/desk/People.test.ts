import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request, signIn } from "../../../support/DeskClient.ts"
import { hall, loft } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const { people } = desk
const path = "/desk/people"
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

let count = 0
/** Somebody at the desk. */
const newcomer = (role: "desk" | "manager" = "manager", at = operator_id) =>
  Effect.gen(function* () {
    const { member, url } = yield* Staff.use((staff) => staff.invite(at, { name: `Pat ${++count}`, role }))
    const { authenticator, session } = yield* join(url)
    const { text } = yield* request("/desk/closing", { cookie: session })
    const form = /name="form" value="([^"]*)"/.exec(text)?.[1] ?? assert.fail("the page has no form")
    return {
      member,
      session,
      authenticator,
      open: (query = "") => request(path + query, { cookie: session }),
      send: (fields: Readonly<Record<string, string>>) => request(path, { cookie: session, form: { form, ...fields } }),
      isIn: Effect.map(request("/desk", { cookie: session }), ({ text }) => !readable(text).includes(desk.signIn))
    }
  })
const listed = (name: string, at = operator_id) =>
  Effect.map(
    Staff.use((staff) => staff.list(at)),
    (all) => all.find((one) => one.name === name)
  )
const shown = (text: string) => /name="shown" value="([^"]*)"/.exec(text)?.[1] ?? assert.fail("no state is shown")
/** The address of an invitation that a page shows. */
const addressIn = (text: string) => /https:\/\/\S+\/desk\/invitation\/[\w-]{43}/.exec(text)?.[0]
const lastLine = Effect.map(
  Operators.use((operators) => operators.history(operator_id, 1)),
  ([line]) => line
)

layer(world)("the people of a desk", (it) => {
  it.effect("are listed for a manager, with role, passkeys, and until when they are invited", () =>
    Effect.gen(function* () {
      const mira = yield* newcomer()
      const open = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Not Yet <b>", role: "desk" }))
      const stranger = yield* newcomer("manager", venue.operator.operator_id)
      const day = yield* request("/desk", { cookie: mira.session })
      assert.include(day.text, `href="${path}"`)
      const { status, text } = yield* mira.open()
      assert.strictEqual(status, 200)
      const seen = readable(text)
      for (const words of [mira.member.name, people.you, people.roles.manager, people.roles.desk])
        assert.include(seen, words)
      assert.include(text, "Not Yet &lt;b&gt;")
      assert.isNotNull((yield* listed(mira.member.name))?.used_at, "making a passkey signs in")
      assert.isNull((yield* listed("Not Yet <b>"))?.used_at)
      assert.notInclude(seen, stranger.member.name)
      assert.include(text, `?remove=${open.member.staff_id}`)
      assert.notInclude(text, `?remove=${mira.member.staff_id}`, "nobody is offered to remove themselves")
      assert.notInclude(text, "<script")
    })
  )

  it.effect(
    "are removed after a page that says what happens: signed out everywhere, invitation and passkeys gone",
    () =>
      Effect.gen(function* () {
        const mira = yield* newcomer()
        const joe = yield* newcomer("desk")
        const page = yield* mira.open(`?remove=${joe.member.staff_id}`)
        assert.strictEqual(page.status, 200)
        assert.include(readable(page.text), people.remove.title(joe.member.name))
        assert.include(readable(page.text), people.remove.lead)
        assert.isTrue(yield* joe.isIn, "reading removes nobody")
        const again = yield* mira.open(`?again=${joe.member.staff_id}`)
        const invitation = addressIn(
          (yield* mira.send({ do: "again", person: joe.member.staff_id, shown: shown(again.text) })).text
        )
        const form = { do: "remove", person: joe.member.staff_id }
        const done = yield* mira.send(form)
        assert.deepStrictEqual([done.status, done.headers.get("location")], [303, path])
        assert.isFalse(yield* joe.isIn)
        assert.strictEqual((yield* signIn(joe.authenticator)).status, 403)
        assert.strictEqual((yield* request(new URL(invitation ?? "").pathname)).status, 404)
        assert.deepInclude(yield* lastLine, { event: "staff_removed", who: mira.member.name, was: joe.member.name })
        // Sent again, or by a colleague who had the page open: that is what it asked for.
        assert.strictEqual((yield* mira.send(form)).status, 303)
        assert.strictEqual((yield* mira.open(`?remove=${joe.member.staff_id}`)).status, 404)
        // Somebody of the same name is another person: a form of before removes nobody.
        yield* Staff.use((staff) => staff.invite(operator_id, { name: joe.member.name, role: "desk" }))
        yield* mira.send(form)
        assert.isDefined(yield* listed(joe.member.name))
      })
  )

  it.effect("never remove themselves, so that a manager is left", () =>
    Effect.gen(function* () {
      const mira = yield* newcomer()
      const page = yield* mira.open(`?remove=${mira.member.staff_id}`)
      assert.strictEqual(page.status, 409)
      assert.include(readable(page.text), people.remove.self)
      assert.notInclude(page.text, 'value="remove"')
      const done = yield* mira.send({ do: "remove", person: mira.member.staff_id })
      assert.strictEqual(done.status, 409)
      assert.include(readable(done.text), people.remove.self)
      assert.isTrue(yield* mira.isIn)
    })
  )

  it.effect(
    "have another role at once, after a page that says what it may do; the history says which, and who gave it",
    () =>
      Effect.gen(function* () {
        const [mira, kim] = [yield* newcomer(), yield* newcomer()]
        const joe = yield* newcomer("desk")
        const person = joe.member.staff_id
        assert.include((yield* mira.open()).text, `?role=${person}`)
        const page = yield* mira.open(`?role=${person}`)
        assert.strictEqual(page.status, 200)
        for (const words of [people.newRole.title(joe.member.name), people.newRole.lead, people.roleMeans.manager])
          assert.include(readable(page.text), words)
        assert.strictEqual((yield* joe.open()).status, 403, "reading gives nobody a role")
        const form = { do: "role", person, shown: shown(page.text), role: "manager" }
        const done = yield* mira.send(form)
        assert.deepStrictEqual([done.status, done.headers.get("location")], [303, path])
        assert.strictEqual((yield* joe.open()).status, 200, "the same session has it")
        const { name } = joe.member
        const given = {
          event: "staff_role_changed" as const,
          who: mira.member.name,
          was: `${name}, desk`,
          became: `${name}, manager`
        }
        assert.deepInclude(yield* lastLine, given)
        assert.isNull((yield* listed(name))?.invited_until, "nobody is invited for it")
        // Sent again, or by a colleague who chose the same: it is done already, and told once.
        assert.strictEqual((yield* mira.send(form)).status, 303)
        assert.strictEqual((yield* kim.send(form)).status, 303)
        assert.deepInclude(yield* lastLine, given)
        // A page of before that leaves it as it was says that it is another by now.
        const stale = yield* kim.send({ ...form, role: "desk" })
        assert.strictEqual(stale.status, 409)
        assert.include(readable(stale.text), desk.changed)
        assert.strictEqual(shown(stale.text), "manager")
        assert.strictEqual((yield* kim.send({ ...form, shown: shown(stale.text), role: "desk" })).status, 303)
        assert.strictEqual((yield* joe.open()).status, 403)
        yield* Staff.use((staff) => staff.remove(operator_id, name))
        assert.strictEqual((yield* mira.send(form)).status, 303)
        assert.isUndefined(yield* listed(name))
      })
  )

  it.effect("never change their own role, and of two who change each other's at one moment one stays a manager", () =>
    Effect.gen(function* () {
      for (let time = 0; time < 5; time += 1) {
        const [one, other] = [yield* newcomer(), yield* newcomer()]
        const to = (person: string) => ({ do: "role", person, shown: "manager", role: "desk" })
        const page = yield* one.open(`?role=${one.member.staff_id}`)
        const own = yield* one.send(to(one.member.staff_id))
        for (const { status, text } of [page, own]) {
          assert.strictEqual(status, 409)
          assert.include(readable(text), people.newRole.self)
          assert.notInclude(text, 'value="role"')
        }
        yield* Effect.all([one.send(to(other.member.staff_id)), other.send(to(one.member.staff_id))], {
          concurrency: 2
        })
        const roles = [yield* listed(one.member.name), yield* listed(other.member.name)].map((found) => found?.role)
        assert.sameMembers(roles, ["manager", "desk"])
      }
    })
  )

  it.effect("removing each other at one moment: one is out, and the other stays", () =>
    Effect.gen(function* () {
      for (let time = 0; time < 5; time += 1) {
        const [one, other] = [yield* newcomer(), yield* newcomer()]
        yield* Effect.all(
          [
            one.send({ do: "remove", person: other.member.staff_id }),
            other.send({ do: "remove", person: one.member.staff_id })
          ],
          { concurrency: 2 }
        )
        assert.sameMembers([yield* one.isIn, yield* other.isIn], [true, false])
      }
      // The service alone: nobody who was removed, or is a manager no more, does anything.
      const staff = yield* Staff
      const [gone, demoted, joe] = [yield* newcomer(), yield* newcomer(), yield* newcomer("desk")]
      yield* staff.remove(operator_id, gone.member.name)
      yield* staff.invite(operator_id, { name: demoted.member.name, role: "desk" })
      for (const { member } of [gone, demoted]) {
        const refused = [
          yield* Effect.flip(staff.removeBy(member, joe.member.staff_id)),
          yield* Effect.flip(staff.inviteBy(member, { name: "Back Door", role: "manager" })),
          yield* Effect.flip(staff.inviteAgainBy(member, joe.member.staff_id, { shown: null })),
          yield* Effect.flip(staff.changeRoleBy(member, joe.member.staff_id, { shown: "desk", role: "manager" }))
        ]
        for (const why of refused) assert.deepInclude(why, { _tag: "StaffRefused", reason: "not_manager" })
      }
      assert.isUndefined(yield* listed("Back Door"))
      assert.isTrue(yield* joe.isIn)
    })
  )

  it.effect("are nothing for who is no manager, nor for another operator's", () =>
    Effect.gen(function* () {
      const [joe, other] = [yield* newcomer("desk"), yield* newcomer("desk")]
      assert.notInclude((yield* request("/desk", { cookie: joe.session })).text, path)
      const person = other.member.staff_id
      const answers = [
        yield* joe.open(),
        yield* joe.open(`?remove=${person}`),
        yield* joe.open(`?again=${person}`),
        yield* joe.open(`?role=${person}`),
        yield* joe.send({ do: "role", person, shown: "desk", role: "manager" }),
        yield* joe.send({ do: "role", person: joe.member.staff_id, shown: "desk", role: "manager" }),
        yield* joe.send({ do: "remove", person }),
        yield* joe.send({ do: "again", person, shown: "none" }),
        yield* joe.send({ do: "invite", name: "Guessed", role: "manager" })
      ]
      for (const { status, text } of answers) {
        assert.strictEqual(status, 403)
        assert.include(readable(text), desk.managersOnly)
        assert.notInclude(text, other.member.name)
      }
      const stranger = yield* newcomer("manager", venue.operator.operator_id)
      const never = yield* stranger.open("?remove=staff_01h40000000000000000000000")
      for (const query of [`?remove=${person}`, `?again=${person}`, `?role=${person}`]) {
        const { status, text } = yield* stranger.open(query)
        assert.deepStrictEqual([status, text], [404, never.text])
      }
      yield* stranger.send({ do: "remove", person })
      yield* stranger.send({ do: "role", person, shown: "desk", role: "manager" })
      assert.strictEqual((yield* listed(other.member.name))?.role, "desk")
      assert.notInclude((yield* stranger.send({ do: "again", person, shown: "none" })).text, "/desk/invitation/")
      assert.isTrue(yield* other.isIn)
      assert.isNull((yield* listed(other.member.name))?.invited_until)
      assert.isUndefined(yield* listed("Guessed"))
      const mira = yield* newcomer()
      for (const form of [
        { do: "remove", form: "x", person },
        { do: "steal" },
        {},
        { do: "again", person, shown: "x" },
        { do: "role", person, shown: "x", role: "desk" },
        { do: "role", person, shown: "desk", role: "owner" }
      ])
        assert.strictEqual((yield* mira.send(form)).status, 400)
      const foreign = { "sec-fetch-site": "cross-site" }
      const sent = yield* request(path, { cookie: mira.session, form: { do: "remove", person }, headers: foreign })
      assert.strictEqual(sent.status, 400)
      assert.isTrue(yield* other.isIn)
    })
  )

  it.effect("are invited by a manager, with an address that is shown once", () =>
    Effect.gen(function* () {
      const mira = yield* newcomer()
      const form = { do: "invite", name: "  Jo\u0065\u0301 Till ", role: "manager" }
      const made = yield* mira.send(form)
      assert.strictEqual(made.status, 200)
      assert.include(readable(made.text), people.address.lead("Joé Till"))
      const address = addressIn(made.text) ?? assert.fail("no address")
      assert.deepInclude(yield* lastLine, {
        event: "staff_invited",
        who: mira.member.name,
        became: "Joé Till, manager"
      })
      // A reload sends the form again: the address that was passed on stays good.
      const again = yield* mira.send(form)
      assert.strictEqual(again.status, 409)
      assert.include(readable(again.text), people.invite.taken)
      assert.isUndefined(addressIn(again.text))
      assert.notInclude((yield* mira.open()).text, "/desk/invitation/")
      const joined = yield* join(address)
      assert.include(readable((yield* request(path, { cookie: joined.session })).text), "Joé Till")
      for (const wrong of [
        { ...form, name: "" },
        { ...form, name: "x".repeat(81) },
        { ...form, name: "\u202e" },
        { ...form, name: "New One", role: "owner" }
      ]) {
        const { status, text } = yield* mira.send(wrong)
        assert.strictEqual(status, 409)
        assert.include(readable(text), people.invite.wrong)
      }
      assert.isUndefined(yield* listed("New One"))
    })
  )

  it.effect("get another invitation for another passkey, which a form that is sent twice does not end", () =>
    Effect.gen(function* () {
      const mira = yield* newcomer()
      const joe = yield* newcomer("desk")
      const person = joe.member.staff_id
      const page = yield* mira.open(`?again=${person}`)
      assert.include(readable(page.text), people.again.lost)
      const form = { do: "again", person, shown: shown(page.text) }
      const made = yield* mira.send(form)
      const address = addressIn(made.text) ?? assert.fail("no address")
      const twice = yield* mira.send(form)
      assert.strictEqual(twice.status, 409)
      assert.include(readable(twice.text), desk.changed)
      yield* join(address)
      assert.deepInclude(yield* listed(joe.member.name), { role: "desk", passkeys: 2, invited_until: null })
      assert.isTrue(yield* joe.isIn)
      // Of two at one moment one makes an invitation.
      const other = yield* newcomer()
      const both = yield* Effect.all([mira.send(form), other.send(form)], { concurrency: 2 })
      assert.sameMembers(
        both.map(({ status }) => status),
        [200, 409]
      )
      const good = both.map(({ text }) => addressIn(text)).find((found) => found !== undefined)
      assert.strictEqual((yield* request(new URL(good ?? "").pathname)).status, 200)
      yield* TestClock.adjust("3 days")
      assert.strictEqual((yield* request(new URL(good ?? "").pathname)).status, 404)
    })
  )
})
