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

/** The passkey did not prove anything: unknown, of another site, answered before, or too late. */
export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("PasskeyRefused", {}) {
  override readonly message = "The passkey was not accepted."
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

const passkeys = decodeRows(
  Schema.Array(Schema.Struct({ staff_id: StaffId, public_key: Schema.Uint8Array, uses: Schema.Int }))
)

/** The library is loaded when a passkey is first checked: most nodes never do. */
const library = Effect.promise(() => import("@simplewebauthn/server"))

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

  /** Checks an answer by `verify`, which is told whether a challenge is ours. */
  const checked = Effect.fnUntraced(function* <A>(
    of: ChallengeFor,
    verify: (isOurs: (challenge: string) => boolean, by: typeof WebAuthn) => Promise<A | undefined>
  ) {
    const key = yield* secret
    const now = yield* Clock.currentTimeMillis
    const by = yield* library
    let answered: { readonly text: string; readonly end: Instant } | undefined
    const isOurs = (text: string): boolean => {
      const end = endOf(key, of, text, now)
      answered = end === undefined ? undefined : { text, end }
      return end !== undefined
    }
    // The library fails for each fault in what the browser sent.
    const result = yield* Effect.tryPromise({ try: () => verify(isOurs, by), catch: () => new PasskeyRefused() })
    if (result === undefined || answered === undefined) return yield* new PasskeyRefused()
    // One spelling for each challenge: the bytes decide.
    const digest = tokenDigest(Buffer.from(answered.text, "base64url").toString("base64url"))
    const taken = yield* sql`insert into staff_challenge (challenge, ends_at)
          values (${digest}::bytea, ${new Date(answered.end)}) on conflict do nothing returning 1`
    return taken.length === 0 ? yield* new PasskeyRefused() : result
  })

  const refused = { SchemaError: () => Effect.fail(new PasskeyRefused()) }
  const expected = { expectedOrigin: site.origin, expectedRPID: site.id }

  /** A new passkey that answered a challenge. `answer` is the browser's JSON. Not in a transaction. */
  const made = Effect.fn("Passkeys.made")(function* (of: ChallengeFor, answer: string) {
    const response = { ...(yield* decodeNew(answer)), clientExtensionResults: {} }
    return yield* checked(of, (expectedChallenge, { verifyRegistrationResponse }) =>
      verifyRegistrationResponse({ ...expected, response, expectedChallenge }).then(
        ({ registrationInfo }) => registrationInfo?.credential
      )
    )
  }, Effect.catchTags(refused))

  /** Stores a person's new passkey, in the caller's transaction. */
  const add = Effect.fnUntraced(function* (staff_id: StaffId, { counter, id, publicKey }: MadePasskey) {
    const now = new Date(yield* Clock.currentTimeMillis)
    const added = yield* sql`insert into staff_passkey (credential_id, staff_id, public_key, uses, created_at)
          values (${id}, ${staff_id}, ${publicKey}::bytea, ${counter}, ${now}) on conflict do nothing returning 1`
    // It is another person's already.
    if (added.length === 0) return yield* new PasskeyRefused()
  })

  /** Whose passkey answered the sign-in's challenge. Not in a transaction. */
  const signedIn = Effect.fn("Passkeys.signedIn")(function* (answer: string) {
    const response = { ...(yield* decodeUsed(answer)), clientExtensionResults: {} }
    const [passkey] = yield* passkeys(
      sql`select staff_id, public_key, uses::float8 as uses from staff_passkey where credential_id = ${response.id}`
    )
    if (passkey === undefined) return yield* new PasskeyRefused()
    const { public_key, staff_id, uses } = passkey
    const credential = { id: response.id, publicKey: new Uint8Array(public_key), counter: uses }
    const counter = yield* checked("sign_in", (expectedChallenge, { verifyAuthenticationResponse }) =>
      verifyAuthenticationResponse({ ...expected, response, expectedChallenge, credential }).then(
        ({ authenticationInfo, verified }) => (verified ? authenticationInfo.newCounter : undefined)
      )
    )
    const now = new Date(yield* Clock.currentTimeMillis)
    yield* sql`update staff_passkey set uses = greatest(uses, ${counter}::bigint), used_at = ${now}
          where credential_id = ${response.id}`
    return staff_id
  }, Effect.catchTags(refused))

  return { challenge, made, add, signedIn }
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

  return {
    /** A challenge for the sign-in's page, or for an invitation's. */
    challenge: (invitation?: string) =>
      passkeys.challenge(invitation === undefined ? "sign_in" : invitationOf(invitation)),
    /** Signs in by the browser's answer. Succeeds with the session's token. */
    signIn: (answer: string) => Effect.flatMap(passkeys.signedIn(answer), sessions.begin),
    join
  }
})
