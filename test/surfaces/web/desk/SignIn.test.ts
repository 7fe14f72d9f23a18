import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { removeEndedChallenges } from "../../../../src/domain/people/staff/Passkeys.ts"
import { removeEndedSessions, sessionLimits } from "../../../../src/domain/people/staff/StaffSessions.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { messages } from "../../../../src/words/Languages.ts"
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
import { bookAt, hall, loft } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { venue } from "../../../support/paymentVenues.ts"

const { operator_id } = hall.operator
const { desk } = messages.en
const faults = desk.passkeyFaults
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall, loft))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase }))
)

let people = 0
/** Invites a person to this desk. */
const invite = (role: "desk" | "manager" = "desk", at = operator_id) =>
  Staff.use((staff) => staff.invite(at, { name: `Ana ${++people}`, role }))
/** A person who is signed in. */
const newcomer = Effect.gen(function* () {
  const { member, url } = yield* invite()
  return { ...(yield* join(url)), member }
})
/** Whether this cookie opens the desk. */
const isIn = (cookie: string) =>
  Effect.map(request("/desk", { cookie }), ({ text }) => !readable(text).includes(desk.signIn))

layer(world)("signing in to the desk", (it) => {
  it.effect("takes an invitation, then the passkey that it made", () =>
    Effect.gen(function* () {
      const { member, url } = yield* invite("manager")
      assert.match(url, /^https:\/\/book\.example\.com\/desk\/invitation\/[\w-]{43}$/)
      const page = yield* request(new URL(url).pathname)
      assert.include(readable(page.text), desk.invitationTitle("Bounce & Co"))
      assert.include(readable(page.text), desk.invitationLead(member.name))
      const { authenticator, session } = yield* join(url)
      const day = yield* request("/desk", { cookie: session })
      assert.include(readable(day.text), desk.signedInAs(member.name))
      assert.isFalse(yield* isIn("x".repeat(43)))
      const again = yield* signIn(authenticator)
      assert.deepStrictEqual([again.status, again.headers.get("location")], [303, "/desk"])
      assert.isTrue(yield* isIn(again.session ?? ""))
      assert.notStrictEqual(again.session, session)
      const listed = (yield* Staff.use((staff) => staff.list(operator_id))).find(({ name }) => name === member.name)
      assert.deepInclude(listed, { role: "manager", passkeys: 1, invited_until: null })
      assert.isNotNull(listed?.used_at)
    })
  )

  it.effect("sets a cookie for this host alone, which no script and no other site can use", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* newcomer
      const { set } = yield* signIn(authenticator)
      for (const part of ["__Host-desk=", "HttpOnly", "Secure", "SameSite=Strict", "Path=/", "Max-Age=604800"])
        assert.include(set, part)
      assert.notInclude(set, "Domain")
    })
  )

  it.effect("allows no frame and no script but its own, and is kept nowhere", () =>
    Effect.gen(function* () {
      const { session } = yield* newcomer
      for (const { headers } of [yield* request("/desk"), yield* request("/desk", { cookie: session })]) {
        const policy = headers.get("content-security-policy") ?? ""
        assert.include(policy, "frame-ancestors 'none'")
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "form-action 'self'")
        assert.notInclude(policy, "unsafe")
        assert.deepStrictEqual(
          [headers.get("cache-control"), headers.get("referrer-policy")],
          ["no-store", "no-referrer"]
        )
      }
      assert.notInclude(
        (yield* request("/desk", { cookie: session })).headers.get("content-security-policy") ?? "",
        "script-src"
      )
    })
  )

  it.effect("refuses an invitation that was used, was replaced or has ended, like one that never was", () =>
    Effect.gen(function* () {
      const { member, url } = yield* invite()
      const first = new URL(url).pathname
      const page = yield* request(first)
      // Read twice, used once.
      yield* request(first)
      const asked = askedBy(page.text)
      const [one, other] = yield* Effect.all(
        [0, 1].map(() => request(first, { form: { passkey: softwareAuthenticator().made(asked) } })),
        { concurrency: 2 }
      )
      assert.sameMembers(
        [one?.status, other?.status].map((status) => status === 303),
        [true, false]
      )
      const staff = yield* Staff
      const next = yield* staff.invite(operator_id, { name: member.name, role: "desk" })
      const replaced = new URL(next.url).pathname
      const last = new URL((yield* staff.invite(operator_id, { name: member.name, role: "desk" })).url).pathname
      const dead = yield* Effect.forEach(
        [first, replaced, `${last.slice(0, -1)}${last.endsWith("A") ? "B" : "A"}`, "/desk/invitation/x"],
        (path) => Effect.all([request(path), request(path, { form: { passkey: softwareAuthenticator().made(asked) } })])
      )
      assert.strictEqual(new Set(dead.flat().map(({ status, text }) => `${status} ${text}`)).size, 1)
      assert.strictEqual(dead[0]?.[0].status, 404)
      assert.strictEqual((yield* request(last)).status, 200)
      yield* TestClock.adjust("3 days")
      assert.strictEqual((yield* request(last)).status, 404)
    })
  )

  it.effect("answers a challenge once, in time, and for what it is for", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* newcomer
      const post = (passkey: string) => request("/desk/sign-in", { form: { passkey } })
      const asked = askedBy((yield* request("/desk")).text)
      const answer = authenticator.used(asked)
      assert.strictEqual((yield* post(answer)).status, 303)
      assert.strictEqual((yield* post(answer)).status, 403)
      assert.strictEqual((yield* post(authenticator.used(asked))).status, 403, "another answer to the same")
      const { url } = yield* invite()
      const invitation = new URL(url).pathname
      const foreign = askedBy((yield* request(invitation)).text)
      assert.strictEqual((yield* post(authenticator.used(foreign))).status, 403, "of an invitation")
      const signInAsked = askedBy((yield* request("/desk")).text)
      const made = softwareAuthenticator().made(signInAsked)
      assert.strictEqual((yield* request(invitation, { form: { passkey: made } })).status, 403, "of the sign-in")
      assert.strictEqual((yield* request(invitation)).status, 200, "the invitation is still open")
      const late = askedBy((yield* request("/desk")).text)
      yield* TestClock.adjust("10 minutes")
      const refused = yield* post(authenticator.used(late))
      assert.strictEqual(refused.status, 403)
      assert.strictEqual(refusalIn(refused.text), desk.passkeyFaults.late)
      // The page that refuses asks anew.
      assert.strictEqual((yield* post(authenticator.used(askedBy(refused.text)))).status, 303)
    })
  )

  it.effect("refuses each changed letter of a challenge", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* newcomer
      const asked = askedBy((yield* request("/desk")).text)
      for (let at = 0; at < asked.challenge.length; at += 1) {
        const letter = asked.challenge[at] === "A" ? "B" : "A"
        const challenge = asked.challenge.slice(0, at) + letter + asked.challenge.slice(at + 1)
        const { status } = yield* request("/desk/sign-in", {
          form: { passkey: authenticator.used({ ...asked, challenge }) }
        })
        assert.strictEqual(status, 403, String(at))
      }
      assert.strictEqual(
        (yield* request("/desk/sign-in", { form: { passkey: authenticator.used(asked) } })).status,
        303
      )
    })
  )

  it.effect(
    "says why it refuses a passkey: another address, too late, no PIN, copied, none; and to who proves nothing only that",
    () =>
      Effect.gen(function* () {
        const { authenticator } = yield* newcomer
        const asking = Effect.map(request("/desk"), ({ text }) => askedBy(text))
        const odd = (response: object) =>
          JSON.stringify({ id: authenticator.id, rawId: "", type: "public-key", response })
        const stranger = softwareAuthenticator()
        // Another's answer under the id of a passkey that is known here.
        const forged = (passkey: string) => passkey.replaceAll(stranger.id, authenticator.id)
        const elsewhere = `${faults.elsewhere} ${deskBase}/desk`
        const answers: ReadonlyArray<readonly [passkey: string, why: string]> = [
          [stranger.used(yield* asking), faults.unknown],
          [forged(stranger.used(yield* asking)), faults.unknown],
          [authenticator.used({ ...(yield* asking), site: "evil.example" }), faults.unknown],
          [authenticator.used({ ...(yield* asking), origin: "https://evil.example" }), elsewhere],
          [stranger.used({ ...(yield* asking), origin: "https://evil.example" }), elsewhere],
          [authenticator.used({ ...(yield* asking), challenge: "AAAA" }), faults.late],
          [stranger.used({ ...(yield* asking), challenge: "AAAA" }), faults.late],
          [authenticator.used(yield* asking, { verified: false }), faults.noPin],
          [forged(stranger.used(yield* asking, { verified: false })), faults.unknown],
          [authenticator.used(yield* asking, { at: 0 }), faults.copied],
          [forged(stranger.used(yield* asking, { at: 0 })), faults.unknown],
          ["", faults.unreadable],
          ["{}", faults.unreadable],
          ["null", faults.unreadable],
          [JSON.stringify({ id: "a", rawId: "a", type: "public-key", response: {} }), faults.unreadable],
          [odd({ clientDataJSON: "", authenticatorData: "", signature: "" }), faults.unreadable]
        ]
        // The last use was at a count of uses: a lower one is a copy's.
        yield* signIn(authenticator)
        for (const [passkey, why] of answers) {
          const { session, status, text } = yield* request("/desk/sign-in", { form: { passkey } })
          assert.deepStrictEqual([status, session, refusalIn(text)], [403, undefined, why], passkey.slice(0, 80))
        }
        assert.strictEqual((yield* request("/desk/sign-in", { form: { passkey: "x".repeat(20_000) } })).status, 413)
      })
  )

  it.effect("says why a new passkey was refused, and keeps the invitation open; it names the passkeys so far", () =>
    Effect.gen(function* () {
      const { member, url } = yield* invite()
      const path = new URL(url).pathname
      const asking = Effect.map(request(path), ({ text }) => askedBy(text))
      const authenticator = softwareAuthenticator()
      const answers: ReadonlyArray<readonly [passkey: string, why: string]> = [
        [authenticator.made(yield* asking, { verified: false }), faults.noPin],
        [
          authenticator.made({ ...(yield* asking), origin: "http://book.example.com" }),
          `${faults.elsewhere} ${deskBase}${path}`
        ],
        [authenticator.made({ ...(yield* asking), challenge: "AAAA" }), faults.late],
        ["{}", faults.unreadable]
      ]
      for (const [passkey, why] of answers) {
        const { session, status, text } = yield* request(path, { form: { passkey } })
        assert.deepStrictEqual([status, session, refusalIn(text)], [403, undefined, why])
      }
      assert.include((yield* request(path)).text, 'data-known=""')
      const made = yield* join(url)
      const next = yield* Staff.use((staff) => staff.invite(operator_id, { name: member.name }))
      const page = yield* request(new URL(next.url).pathname)
      assert.include(page.text, `data-known="${made.authenticator.id}"`)
    })
  )

  it.effect("opens for no cookie that differs in a letter", () =>
    Effect.gen(function* () {
      const { session } = yield* newcomer
      assert.isTrue(yield* isIn(session))
      for (let at = 0; at < session.length; at += 1) {
        for (const letter of [session[at] === "A" ? "B" : "A", session[at] === "_" ? "-" : "_"]) {
          const changed = session.slice(0, at) + letter + session.slice(at + 1)
          if (changed !== session) assert.isFalse(yield* isIn(changed), `${at} ${letter}`)
        }
      }
      for (const wrong of ["", `${session}A`, session.slice(1), session.toLowerCase()])
        assert.isFalse(yield* isIn(wrong))
      assert.isTrue(yield* isIn(session))
    })
  )

  it.effect("ends when a person signs out, was idle, or the longest time is over; and at once when removed", () =>
    Effect.gen(function* () {
      const leaving = yield* newcomer
      const out = yield* request("/desk/sign-out", { cookie: leaving.session, form: {} })
      assert.strictEqual(out.status, 303)
      assert.match(out.set, /^__Host-desk=;.*Secure/)
      assert.isFalse(yield* isIn(leaving.session))

      const removed = yield* newcomer
      assert.isTrue(yield* isIn(removed.session))
      yield* Staff.use((staff) => staff.remove(operator_id, removed.member.name))
      assert.isFalse(yield* isIn(removed.session))
      assert.strictEqual((yield* signIn(removed.authenticator)).status, 403)

      const idle = yield* newcomer
      yield* TestClock.adjust(sessionLimits.idleMs - 1)
      assert.isTrue(yield* isIn(idle.session))
      yield* TestClock.adjust(sessionLimits.idleMs)
      assert.isFalse(yield* isIn(idle.session))

      const { session } = yield* newcomer
      for (let used = 0; used < sessionLimits.longestMs; used += sessionLimits.idleMs / 2) {
        assert.isTrue(yield* isIn(session), String(used))
        yield* TestClock.adjust(sessionLimits.idleMs / 2)
      }
      assert.isFalse(yield* isIn(session))
    })
  )

  it.effect("takes no form of another site", () =>
    Effect.gen(function* () {
      const { authenticator, session } = yield* newcomer
      const { url } = yield* invite()
      const invitation = new URL(url).pathname
      for (const headers of [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "", origin: "https://evil.example" }
      ]) {
        const passkey = authenticator.used(askedBy((yield* request("/desk")).text))
        const made = softwareAuthenticator().made(askedBy((yield* request(invitation)).text))
        for (const [path, form] of [
          ["/desk/sign-in", { passkey }],
          [invitation, { passkey: made }],
          ["/desk/sign-out", {}]
        ] as const) {
          const { set, status } = yield* request(path, { cookie: session, form, headers })
          assert.deepStrictEqual([status, set], [400, ""], `${path} ${JSON.stringify(headers)}`)
        }
      }
      assert.isTrue(yield* isIn(session))
    })
  )

  it.effect("shows an operator's bookings to its own staff: another's are as if they did not exist", () =>
    Effect.gen(function* () {
      const ours = yield* bookAt(hall, "2027-02-06", "12:30", "trusted", {
        name: "Our Guest",
        phone: "+44 20 7946 0123"
      })
      const { session } = yield* newcomer
      const { url } = yield* invite("manager", venue.operator.operator_id)
      const stranger = yield* join(url)
      const path = `/desk/b/${ours.booking_id}`
      const shown = yield* request(path, { cookie: session })
      assert.strictEqual(shown.status, 200)
      assert.include(readable(shown.text), "Our Guest")
      const found = yield* request("/desk?find=guest", { cookie: session })
      assert.include(found.text, `href="${path}"`)
      const never = yield* request("/desk/b/booking_01h40000000000000000000000", { cookie: stranger.session })
      const foreign = yield* request(path, { cookie: stranger.session })
      assert.deepStrictEqual([foreign.status, foreign.text], [404, never.text])
      for (const words of ["guest", ours.reference, "7946 0123"]) {
        const { text } = yield* request(`/desk?find=${encodeURIComponent(words)}`, { cookie: stranger.session })
        assert.include(readable(text), desk.nothingFound, words)
        assert.notInclude(text, ours.booking_id)
      }
      assert.notInclude((yield* request("/desk?day=2027-02-06", { cookie: stranger.session })).text, "Our Guest")
      const outside = yield* request(path)
      assert.include(readable(outside.text), desk.signIn)
      assert.notInclude(outside.text, "Our Guest")
      yield* Staff.use((staff) => Effect.flip(staff.remove(operator_id, stranger.pathname)))
    })
  )

  it.effect("keeps what has ended for no longer than needed", () =>
    Effect.gen(function* () {
      const { authenticator } = yield* newcomer
      yield* signIn(authenticator)
      yield* TestClock.adjust(sessionLimits.longestMs)
      const sql = yield* SqlClient.SqlClient
      const now = yield* Clock.currentTimeMillis
      assert.isAtLeast(yield* removeEndedSessions(now, 1000), 2)
      assert.isAtLeast(yield* removeEndedChallenges(now, 1000), 2)
      const left = yield* sql`select 1 from staff_session union all select 1 from staff_challenge`
      assert.strictEqual(left.length, 0)
    })
  )
})
