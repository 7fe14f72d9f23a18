/** Signing in to the desk with a passkey, and making the first one with an invitation. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { type PasskeyRefused, makePasskeys } from "./Passkeys.ts"
import { Staff } from "./Staff.ts"
import { StaffSessions } from "./StaffSessions.ts"
import { tokenDigest } from "./Token.ts"

/** The invitation was used, was replaced by another, or has ended. */
class InvitationEnded extends Schema.TaggedError<InvitationEnded>()("InvitationEnded", {}) {
  override get message(): string {
    return "The invitation was used, was replaced, or has ended."
  }
}

/** What challenges of an invitation's page are for. */
const invitationOf = (secret: string) => `invitation ${Buffer.from(tokenDigest(secret)).toString("base64url")}` as const

export class SignIn extends Context.Service<
  SignIn,
  {
    /** A challenge for the sign-in's page, or for an invitation's. */
    readonly challenge: (invitation?: string) => Effect.Effect<string, SqlError.SqlError>
    /** Signs in by the browser's answer. Succeeds with the session's token. */
    readonly signIn: (answer: string) => Effect.Effect<string, PasskeyRefused | SqlError.SqlError>
    /** Accepts an invitation with a new passkey, and signs in. */
    readonly join: (
      invitation: string,
      answer: string
    ) => Effect.Effect<string, InvitationEnded | PasskeyRefused | SqlError.SqlError>
  }
>()("playroom/staff/SignIn") {
  static readonly layer = Layer.effect(
    SignIn,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const passkeys = yield* makePasskeys
      const sessions = yield* StaffSessions
      const staff = yield* Staff

      const join: SignIn["Service"]["join"] = Effect.fn("SignIn.join")(function* (invitation, answer) {
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

      return SignIn.of({
        challenge: (invitation) => passkeys.challenge(invitation === undefined ? "sign_in" : invitationOf(invitation)),
        signIn: (answer) => Effect.flatMap(passkeys.signedIn(answer), sessions.begin),
        join
      })
    })
  ).pipe(Layer.provide([Staff.layer, StaffSessions.layer]))
}
