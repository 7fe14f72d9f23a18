import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Operators } from "../../../../src/domain/catalogue/Operators.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import {
  askedBy,
  deskBase,
  join,
  readable,
  refusalIn,
  request,
  signIn,
  softwareAuthenticator
} from "../../../support/DeskClient.ts"
import { hall, loft } from "../../../support/operatorVenues.ts"
import { anotherPageServer, PageAddress, pageWorld } from "../../../support/FamilyPages.ts"
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
      assert.match(page.text, /value="end" required checked/)
      assert.notInclude(page.text, 'value="withdraw"', "no invitation is open")
      const form = { do: "again", person, shown: shown(page.text), passkeys: "keep" }
      const made = yield* mira.send(form)
      const address = addressIn(made.text) ?? assert.fail("no address")
      const twice = yield* mira.send(form)
      assert.strictEqual(twice.status, 409)
      assert.include(readable(twice.text), desk.changed)
      yield* join(address)
      assert.deepInclude(yield* listed(joe.member.name), { role: "desk", passkeys: 2, invited_until: null })
      assert.isTrue(yield* joe.isIn)
      assert.strictEqual((yield* signIn(joe.authenticator)).status, 303)
      // Of two at one moment one makes an invitation.
      const other = yield* newcomer()
      const both = yield* Effect.all([mira.send(form), other.send(form)], { concurrency: 2 })
      assert.sameMembers(
        both.map(({ status }) => status),
        [200, 409]
      )
      const good = both.map(({ text }) => addressIn(text)).find((found) => found !== undefined)
      assert.strictEqual((yield* request(new URL(good ?? "").pathname)).status, 200)
      yield* TestClock.adjust("30 minutes")
      assert.strictEqual((yield* request(new URL(good ?? "").pathname)).status, 404)
      assert.isNull((yield* listed(joe.member.name))?.invited_until, "what is over is open no more")
    })
  )

  it.effect("are in again within minutes after a loss: the old passkey and sessions end at once, the name stays", () =>
    Effect.gen(function* () {
      const mira = yield* newcomer()
      const joe = yield* newcomer("desk")
      const { name, staff_id: person } = joe.member
      const { session: elsewhere = "" } = yield* signIn(joe.authenticator)
      const page = yield* mira.open(`?again=${person}`)
      const made = yield* mira.send({ do: "again", person, shown: shown(page.text), passkeys: "end" })
      const address = addressIn(made.text) ?? assert.fail("no address")
      // Before the link is used.
      for (const session of [joe.session, elsewhere])
        assert.include(readable((yield* request("/desk", { cookie: session })).text), desk.signIn)
      const old = yield* signIn(joe.authenticator)
      assert.deepStrictEqual([old.status, refusalIn(old.text)], [403, desk.passkeyFaults.unknown])
      assert.isTrue(yield* mira.isIn)
      const open = yield* listed(name)
      assert.deepInclude(open, { passkeys: 0 })
      assert.strictEqual((open?.invited_until ?? 0) - (yield* Clock.currentTimeMillis), 30 * 60_000)
      // Each changed letter is a link that never was.
      const { pathname } = new URL(address)
      const never = yield* request("/desk/invitation/x")
      assert.strictEqual(never.status, 404)
      assert.include(readable(never.text), messages.en.linkProblems.deskInvitation.more)
      const start = pathname.lastIndexOf("/") + 1
      for (let at = start; at < pathname.length; at += 1) {
        const changed = pathname.slice(0, at) + (pathname[at] === "A" ? "B" : "A") + pathname.slice(at + 1)
        assert.strictEqual((yield* request(changed)).text, never.text, String(at))
      }
      const { authenticator, session } = yield* join(address)
      assert.include(readable((yield* request("/desk", { cookie: session })).text), desk.signedInAs(name))
      assert.deepInclude(yield* listed(name), { staff_id: person, role: "desk", passkeys: 1, invited_until: null })
      assert.strictEqual((yield* signIn(authenticator)).status, 303)
      assert.strictEqual((yield* signIn(joe.authenticator)).status, 403)
      assert.strictEqual((yield* request(pathname)).text, never.text, "it works once")
      const lines = yield* Operators.use((operators) => operators.history(operator_id, 3))
      assert.deepStrictEqual(
        lines.map(({ became, event, was, who }) => [event, who, was, became]),
        [
          ["staff_invited", mira.member.name, null, `${name}, desk`],
          ["staff_passkeys_ended", mira.member.name, name, null],
          ["staff_joined", name, null, `${name}, desk`]
        ]
      )
    })
  )

  it.effect("end their own lost passkey and stay signed in where they do it", () =>
    Effect.gen(function* () {
      const mira = yield* newcomer()
      const { session: stolen } = yield* signIn(mira.authenticator)
      const page = yield* mira.open(`?again=${mira.member.staff_id}`)
      assert.match(page.text, /value="keep" required checked/)
      assert.include(readable(page.text), people.again.passkeys.ends.own)
      const form = { do: "again", person: mira.member.staff_id, shown: shown(page.text) }
      assert.strictEqual((yield* mira.send({ ...form, passkeys: "all" })).status, 400)
      const made = yield* mira.send({ ...form, passkeys: "end" })
      assert.isTrue(yield* mira.isIn)
      assert.include(readable((yield* request("/desk", { cookie: stolen })).text), desk.signIn)
      assert.strictEqual((yield* signIn(mira.authenticator)).status, 403)
      yield* join(addressIn(made.text) ?? assert.fail("no address"))
    })
  )

  it.effect("lose an open invitation when it is withdrawn, or whoever made it is removed or no manager any more", () =>
    Effect.gen(function* () {
      const [mira, kim] = [yield* newcomer(), yield* newcomer()]
      const joe = yield* newcomer("desk")
      const person = joe.member.staff_id
      const linkBy = Effect.fnUntraced(function* (by: typeof mira) {
        const page = yield* by.open(`?again=${person}`)
        const made = yield* by.send({ do: "again", person, shown: shown(page.text), passkeys: "keep" })
        return new URL(addressIn(made.text) ?? assert.fail(readable(made.text))).pathname
      })
      const withdrawn = yield* linkBy(kim)
      assert.include((yield* mira.open(`?again=${person}`)).text, 'value="withdraw"')
      assert.strictEqual((yield* mira.send({ do: "withdraw", person })).status, 303)
      assert.strictEqual((yield* request(withdrawn)).status, 404)
      const ended = { event: "staff_invitation_ended" as const, who: mira.member.name, was: joe.member.name }
      assert.deepInclude(yield* lastLine, ended)
      // A second press ends nothing, and is no line.
      yield* mira.send({ do: "withdraw", person })
      const [before] = yield* Operators.use((operators) => operators.history(operator_id, 2))
      assert.notStrictEqual(before?.event, "staff_invitation_ended")
      assert.strictEqual((yield* joe.send({ do: "withdraw", person })).status, 403)

      const ofDemoted = yield* linkBy(kim)
      const asked = askedBy((yield* request(ofDemoted)).text)
      yield* mira.send({ do: "role", person: kim.member.staff_id, shown: "manager", role: "desk" })
      const passkey = softwareAuthenticator().made(asked)
      for (const sent of [request(ofDemoted), request(ofDemoted, { form: { passkey } })])
        assert.strictEqual((yield* sent).status, 404)
      assert.isNull((yield* listed(joe.member.name))?.invited_until)
      const eva = yield* newcomer()
      const ofRemoved = yield* linkBy(eva)
      assert.strictEqual((yield* request(ofRemoved)).status, 200)
      yield* mira.send({ do: "remove", person: eva.member.staff_id })
      assert.strictEqual((yield* request(ofRemoved)).status, 404)
      assert.deepInclude(yield* listed(joe.member.name), { passkeys: 1, invited_until: null })
      // What whoever runs the service made stays open; the next link ends it.
      const staff = yield* Staff
      const ofService = new URL((yield* staff.invite(operator_id, { name: joe.member.name })).url).pathname
      assert.strictEqual((yield* request(ofService)).status, 200)
      yield* linkBy(mira)
      assert.strictEqual((yield* request(ofService)).status, 404)
    })
  )

  it.effect("are let in again by whoever runs the service, by name, with the role that they have", () =>
    Effect.gen(function* () {
      const staff = yield* Staff
      const mira = yield* newcomer()
      const { name } = mira.member
      const made = yield* staff.readmit(operator_id, name, "root (command line)")
      assert.isFalse(yield* mira.isIn)
      assert.strictEqual(made.member.role, "manager")
      assert.deepInclude(yield* lastLine, { event: "staff_passkeys_ended", who: "root (command line)", was: name })
      yield* join(made.url)
      assert.deepInclude(yield* listed(name), { role: "manager", passkeys: 1 })
      // Without a role it stays, too; a name that nobody has makes nobody.
      assert.strictEqual((yield* staff.invite(operator_id, { name })).member.role, "manager")
      assert.deepInclude(yield* staff.withdraw(operator_id, name), { name, ended: true })
      assert.deepInclude(yield* staff.withdraw(operator_id, name), { name, ended: false })
      for (const [at, named] of [
        [operator_id, "Nobody Here"],
        [venue.operator.operator_id, name]
      ] as const)
        for (const refused of [Effect.flip(staff.readmit(at, named)), Effect.flip(staff.withdraw(at, named))])
          assert.strictEqual((yield* refused)._tag, "StaffNotFound")
      assert.isUndefined(yield* listed("Nobody Here"))
    })
  )

  it.effect(
    "on two nodes: a link is used once, and a passkey that has ended opens neither, at the same moment too",
    () =>
      Effect.gen(function* () {
        const staff = yield* Staff
        const other = yield* anotherPageServer({ baseUrl: deskBase })
        const there = Effect.provideService(PageAddress, other)
        for (let time = 0; time < 5; time += 1) {
          const joe = yield* newcomer("desk")
          const [{ url }, entered] = yield* Effect.all(
            [staff.readmit(operator_id, joe.member.name), there(signIn(joe.authenticator))],
            { concurrency: 2 }
          )
          for (const cookie of [joe.session, entered.session ?? ""])
            for (const page of [request("/desk", { cookie }), there(request("/desk", { cookie }))])
              assert.include(readable((yield* page).text), desk.signIn)
          assert.strictEqual((yield* there(signIn(joe.authenticator))).status, 403)
          const { pathname } = new URL(url)
          const asked = askedBy((yield* request(pathname)).text)
          const using = request(pathname, { form: { passkey: softwareAuthenticator().made(asked) } })
          const again = request(pathname, { form: { passkey: softwareAuthenticator().made(asked) } })
          const both = yield* Effect.all([using, there(again)], { concurrency: 2 })
          assert.strictEqual(both.filter(({ status }) => status === 303).length, 1)
          assert.deepInclude(yield* listed(joe.member.name), { passkeys: 1 })
        }
      })
  )
})
