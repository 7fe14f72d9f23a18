/**
 * Passkeys (WebAuthn, https://www.w3.org/TR/webauthn-3/): how staff prove who they are. A challenge is not stored: it
 * carries its end and a code under a secret of the service. Once a passkey has answered it, its digest is stored until
 * that end, so it is answered once, on whichever node. Who has no passkey writes nothing.
 */

import type * as WebAuthn from "@simplewebauthn/server"
import { Clock, Effect, Schema, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { createHmac, timingSafeEqual } from "node:crypto"
import { makeServiceSecret } from "../../../platform/access/LinkTokens.ts"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { StaffId } from "../../../platform/ids/Ids.ts"
import { type Instant, minuteMs } from "../../../platform/time/LocalTime.ts"
import { Staff } from "./Staff.ts"
import { deskSite } from "./StaffMember.ts"
import { makeStaffSessions, tokenDigest } from "./StaffSessions.ts"

/** How long a page with a challenge may wait for its passkey. */
const challengeMs = 10 * minuteMs

/** What a challenge is for: an answer to one serves for no other. */
type ChallengeFor = "sign_in" | `invitation ${string}`

/**
 * Why a passkey was refused. `elsewhere`: it was asked for at another address. `late`: the page was open for too long, or
 * its challenge was answered before. `unknown`: it proves nobody here: it was ended, or never was one of this desk's.
 * Nobody who has no passkey is told more. `noPin`: it did not ask who the person is. `copied`: it was used less often
 * than we know. `unreadable`: the browser sent something else.
 */
const PasskeyFault = Schema.Literals(["elsewhere", "late", "unknown", "noPin", "copied", "unreadable"])
export type PasskeyFault = typeof PasskeyFault.Type

/** The passkey was not accepted. */
export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("PasskeyRefused", { why: PasskeyFault }) {
  override get message(): string {
    return `The passkey was not accepted: ${this.why}.`
  }
}

/** A new passkey, checked. */
interface MadePasskey {
  readonly id: string
  readonly publicKey: Uint8Array
  readonly counter: number
}

const Encoded = Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_-]*$/), Schema.isMaxLength(8192))
const credential = {
  id: Encoded.check(Schema.isMaxLength(1400)),
  rawId: Encoded,
  type: Schema.Literal("public-key")
}
const NewPasskey = Schema.Struct({
  ...credential,
  response: Schema.Struct({ clientDataJSON: Encoded, attestationObject: Encoded })
})
const UsedPasskey = Schema.Struct({
  ...credential,
  response: Schema.Struct({
    clientDataJSON: Encoded,
    authenticatorData: Encoded,
    signature: Encoded,
    userHandle: Schema.optionalKey(Encoded)
  })
})
const decodeNew = Schema.decodeUnknownEffect(Schema.fromJsonString(NewPasskey))
const decodeUsed = Schema.decodeUnknownEffect(Schema.fromJsonString(UsedPasskey))
/** What the browser says of the page that asked (WebAuthn, 5.8.1). */
const decodeClient = Schema.decodeUnknownEffect(
  Schema.fromJsonString(Schema.Struct({ challenge: Schema.String, origin: Schema.String }))
)

const passkeys = decodeRows(
  Schema.Array(Schema.Struct({ staff_id: StaffId, public_key: Schema.Uint8Array, uses: Schema.Int }))
)

const refuse = (why: PasskeyFault) => Effect.fail(new PasskeyRefused({ why }))

/** The library is loaded when a passkey is first checked: most nodes never do. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

/** As many passkeys are named to a device that is not to make another. */
const mostExcluded = 20

const randomBytes = 16
const timeBytes = 6
const codeBytes = 20

/** What is done with passkeys. */
const makePasskeys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const random = yield* SecureRandom.SecureRandom
  const secret = yield* makeServiceSecret("passkeys")
  const { baseUrl } = yield* AppConfig
  const site = deskSite(baseUrl)

  const codeOf = (key: Uint8Array, of: ChallengeFor, nonce: Uint8Array): Buffer =>
    createHmac("sha256", key).update(of).update("\0").update(nonce).digest().subarray(0, codeBytes)

  /** A new challenge, in base64url. */
  const challenge = Effect.fnUntraced(function* (of: ChallengeFor) {
    const end = Buffer.alloc(timeBytes)
    end.writeUIntBE((yield* Clock.currentTimeMillis) + challengeMs, 0, timeBytes)
    const nonce = Buffer.concat([yield* random.randomBytes(randomBytes), end])
    return Buffer.concat([nonce, codeOf(yield* secret, of, nonce)]).toString("base64url")
  })

  /** When a challenge ends; undefined if it is not ours, for something else, or has ended. */
  const endOf = (key: Uint8Array, of: ChallengeFor, text: string, now: Instant): Instant | undefined => {
    const bytes = Buffer.from(text, "base64url")
    if (bytes.length !== randomBytes + timeBytes + codeBytes) return undefined
    const nonce = bytes.subarray(0, randomBytes + timeBytes)
    if (!timingSafeEqual(codeOf(key, of, nonce), bytes.subarray(nonce.length))) return undefined
    const end = nonce.readUIntBE(randomBytes, timeBytes)
    return end > now ? end : undefined
  }

  /** The challenge that was answered, in time and at our address. Nothing of this depends on whose passkey it is. */
  const answered = Effect.fnUntraced(function* (of: ChallengeFor, { clientDataJSON }: { clientDataJSON: string }) {
    const { challenge, origin } = yield* decodeClient(Buffer.from(clientDataJSON, "base64url").toString())
    if (origin !== site.origin) return yield* refuse("elsewhere")
    const end = endOf(yield* secret, of, challenge, yield* Clock.currentTimeMillis)
    return end === undefined ? yield* refuse("late") : { challenge, end }
  })

  /** What `verify` finds. The library fails for each fault in what the browser sent: that is `otherwise`. */
  const verified = Effect.fnUntraced(function* <A>(
    otherwise: PasskeyFault,
    verify: (by: typeof WebAuthn) => Promise<A | undefined>
  ) {
    const by = yield* library
    const found = yield* Effect.tryPromise({
      try: () => verify(by),
      catch: () => new PasskeyRefused({ why: otherwise })
    })
    return found ?? (yield* refuse(otherwise))
  })

  /** Takes a challenge: it is answered once. */
  const take = Effect.fnUntraced(function* ({ challenge, end }: { readonly challenge: string; readonly end: Instant }) {
    // One spelling for each challenge: the bytes decide.
    const digest = tokenDigest(Buffer.from(challenge, "base64url").toString("base64url"))
    const taken = yield* sql`insert into staff_challenge (challenge, ends_at)
          values (${digest}::bytea, ${new Date(end)}) on conflict do nothing returning 1`
    if (taken.length === 0) return yield* refuse("late")
  })

  const refused = { SchemaError: () => refuse("unreadable") }
  // Whether the person was verified, and how often the passkey was used, is judged here, by names.
  const expected = { expectedOrigin: site.origin, expectedRPID: site.id, requireUserVerification: false }

  /** A new passkey that answered a challenge. `answer` is the browser's JSON. Not in a transaction. */
  const made = Effect.fn("Passkeys.made")(function* (of: ChallengeFor, answer: string) {
    const response = { ...(yield* decodeNew(answer)), clientExtensionResults: {} }
    const asked = yield* answered(of, response.response)
    const { credential, userVerified } = yield* verified("unreadable", ({ verifyRegistrationResponse }) =>
      verifyRegistrationResponse({ ...expected, response, expectedChallenge: asked.challenge }).then(
        ({ registrationInfo }) => registrationInfo
      )
    )
    if (!userVerified) return yield* refuse("noPin")
    yield* take(asked)
    return credential
  }, Effect.catchTags(refused))

  /** Stores a person's new passkey, in the caller's transaction. */
  const add = Effect.fnUntraced(function* (staff_id: StaffId, { counter, id, publicKey }: MadePasskey) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const added = yield* sql`insert into staff_passkey (credential_id, staff_id, public_key, uses, created_at)
          values (${id}, ${staff_id}, ${publicKey}::bytea, ${counter}, ${now}) on conflict do nothing returning 1`
    // It is another person's already.
    if (added.length === 0) return yield* refuse("unreadable")
  })

  /** Whose passkey answered the sign-in's challenge, to be noted by `used`. Not in a transaction. */
  const proven = Effect.fn("Passkeys.proven")(function* (answer: string) {
    const response = { ...(yield* decodeUsed(answer)), clientExtensionResults: {} }
    const asked = yield* answered("sign_in", response.response)
    const [passkey] = yield* passkeys(
      sql`select staff_id, public_key, uses::float8 as uses from staff_passkey where credential_id = ${response.id}`
    )
    if (passkey === undefined) return yield* refuse("unknown")
    const { public_key, staff_id, uses } = passkey
    const credential = { id: response.id, publicKey: new Uint8Array(public_key), counter: 0 }
    // Who can't sign learns nothing of a passkey: it is as unknown as one that never was.
    const { newCounter, userVerified } = yield* verified("unknown", ({ verifyAuthenticationResponse }) =>
      verifyAuthenticationResponse({ ...expected, response, expectedChallenge: asked.challenge, credential }).then(
        ({ authenticationInfo, verified }) => (verified ? authenticationInfo : undefined)
      )
    )
    if (!userVerified) return yield* refuse("noPin")
    // Zero: it does not count.
    if ((newCounter > 0 || uses > 0) && newCounter <= uses) return yield* refuse("copied")
    yield* take(asked)
    return { staff_id, credential_id: response.id, uses: newCounter }
  }, Effect.catchTags(refused))

  /**
   * Notes that a passkey was used, in the caller's transaction. It is refused if it was ended meanwhile; who ends it
   * from now on waits for the caller, and finds the session that begins.
   */
  const used = Effect.fnUntraced(function* ({
    credential_id,
    staff_id,
    uses
  }: Effect.Success<ReturnType<typeof proven>>) {
    const now = new Date(yield* Clock.currentTimeMillis)
    // In the order of who ends passkeys.
    yield* sql`select 1 from staff where staff_id = ${staff_id} for key share`
    const noted = yield* sql`update staff_passkey set uses = greatest(uses, ${uses}::bigint), used_at = ${now}
          where credential_id = ${credential_id} returning 1`
    if (noted.length === 0) return yield* refuse("unknown")
  })

  /** The ids of a person's passkeys. */
  const of = (staff_id: StaffId) =>
    Effect.map(
      sql<{ readonly credential_id: string }>`select credential_id from staff_passkey where staff_id = ${staff_id}
        order by created_at desc limit ${mostExcluded}`,
      (found) => found.map(({ credential_id }) => credential_id)
    )

  return { challenge, made, add, of, proven, used }
})

/** Removes up to `limit` challenges that have ended. Returns how many. */
export const removeEndedChallenges = Effect.fnUntraced(function* (now: Instant, limit: number) {
  const sql = yield* SqlClient.SqlClient
  const gone = yield* sql`delete from staff_challenge where challenge in (
    select challenge from staff_challenge where ends_at <= ${new Date(now)} limit ${limit} for update skip locked) returning 1`
  return gone.length
})

// Signing in to the desk with a passkey, and making the first one with an invitation.

/** The invitation was used, was replaced by another, or has ended. */
class InvitationEnded extends Schema.TaggedError<InvitationEnded>()("InvitationEnded", {}) {
  override readonly message = "The invitation was used, was replaced, or has ended."
}

/** What challenges of an invitation's page are for. */
const invitationOf = (secret: string) => `invitation ${Buffer.from(tokenDigest(secret)).toString("base64url")}` as const

/** Signs staff in to the desk, and accepts invitations. */
export const makeSignIn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const passkeys = yield* makePasskeys
  const sessions = yield* makeStaffSessions
  const staff = yield* Staff

  /** Accepts an invitation with a new passkey, and signs in. */
  const join = Effect.fn("SignIn.join")(function* (invitation: string, answer: string) {
    if (Option.isNone(yield* staff.invited(invitation))) return yield* new InvitationEnded()
    const made = yield* passkeys.made(invitationOf(invitation), answer)
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const accepted = yield* staff.accept(invitation)
        if (Option.isNone(accepted)) return yield* new InvitationEnded()
        const { staff_id } = accepted.value
        yield* passkeys.add(staff_id, made)
        return yield* sessions.begin(staff_id)
      })
    )
  })

  /** Signs in by the browser's answer. Succeeds with the session's token. */
  const signIn = Effect.fn("SignIn.signIn")(function* (answer: string) {
    const proven = yield* passkeys.proven(answer)
    return yield* Effect.andThen(passkeys.used(proven), sessions.begin(proven.staff_id)).pipe(sql.withTransaction)
  })

  return {
    /** A challenge for the sign-in's page, or for an invitation's. */
    challenge: (invitation?: string) =>
      passkeys.challenge(invitation === undefined ? "sign_in" : invitationOf(invitation)),
    /** The passkeys of who is invited: a device that has one makes no second. */
    known: passkeys.of,
    signIn,
    join
  }
})
