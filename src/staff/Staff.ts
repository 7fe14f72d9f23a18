/** The people at an operator's desk: invited by a one-time link, removed at once. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError } from "effect/sql"
import { AppConfig } from "../config/AppConfig.ts"
import { Operators } from "../catalogue/Operators.ts"
import { newId, OperatorId, StaffId } from "../kernel/Ids.ts"
import { dayMs, type Instant, InstantFromDate } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { deskPaths, deskSite } from "./DeskSite.ts"
import { newToken, tokenDigest } from "./Token.ts"

/** `desk`: the day's work. `manager`: also what needs more trust. */
export const StaffRole = Schema.Literals(["desk", "manager"])
export type StaffRole = typeof StaffRole.Type

/** A name as it stands in the history of what the person did. */
export const StaffName = Schema.String.check(
  Schema.isTrimmed(),
  Schema.isPattern(/^[^\p{Cc}\p{Cf}]+$/u, { message: "Expected a name" }),
  Schema.isMaxLength(80)
)

/** A person at the desk of one operator. */
export const StaffMember = Schema.Struct({
  staff_id: StaffId,
  operator_id: OperatorId,
  operator_name: Schema.String,
  name: Schema.String,
  role: StaffRole
})
export type StaffMember = typeof StaffMember.Type

/** A person in the list of an operator's staff. */
export const ListedStaff = Schema.Struct({
  staff_id: StaffId,
  name: Schema.String,
  role: StaffRole,
  created_at: InstantFromDate,
  passkeys: Schema.Int,
  /** When a passkey last signed in. */
  used_at: Schema.NullOr(InstantFromDate),
  /** When the open invitation ends. */
  invited_until: Schema.NullOr(InstantFromDate)
})
export type ListedStaff = typeof ListedStaff.Type

/** How long an invitation is open. */
const invitationMs = 3 * dayMs

/** The operator has nobody of this name or id. */
class StaffNotFound extends Schema.TaggedError<StaffNotFound>()("StaffNotFound", { named: Schema.String }) {
  override get message(): string {
    return `There is nobody called ${this.named} at this operator's desk.`
  }
}

const members = decodeRows(Schema.Array(StaffMember))
const listed = decodeRows(Schema.Array(ListedStaff))
const removed = decodeRows(Schema.Array(Schema.Struct({ staff_id: StaffId, name: Schema.String })))

export class Staff extends Context.Service<
  Staff,
  {
    /**
     * Invites a person. Who is invited already gets a new link, for another passkey, and this role; an earlier link
     * ends. `url` has a secret, and is shown once.
     */
    readonly invite: (
      operator_id: string,
      of: { readonly name: string; readonly role: StaffRole }
    ) => Effect.Effect<
      { readonly member: StaffMember; readonly url: string; readonly desk_url: string; readonly until: Instant },
      Effect.Error<ReturnType<Operators["Service"]["get"]>>
    >
    readonly list: (operator_id: string) => Effect.Effect<ReadonlyArray<ListedStaff>, SqlError.SqlError>
    /** Removes a person with all passkeys and sessions, by name or id. */
    readonly remove: (
      operator_id: string,
      named: string
    ) => Effect.Effect<typeof StaffMember.fields.name.Type, StaffNotFound | SqlError.SqlError>
    /** Who an open invitation invites. */
    readonly invited: (secret: string) => Effect.Effect<Option.Option<StaffMember>, SqlError.SqlError>
    /** Ends an invitation, in the caller's transaction; none if it was used or has ended. Of several callers one gets it. */
    readonly accept: (secret: string) => Effect.Effect<Option.Option<StaffMember>, SqlError.SqlError>
  }
>()("playroom/staff/Staff") {
  static readonly layer = Layer.effect(
    Staff,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const random = yield* SecureRandom.SecureRandom
      const operators = yield* Operators
      const { origin } = deskSite((yield* AppConfig).baseUrl)

      const one = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(members(rows), ([found]) => Option.fromUndefinedOr(found))
      const columns = sql`s.staff_id, s.operator_id, o.name as operator_name, s.name, s.role`

      const invite: Staff["Service"]["invite"] = Effect.fn("Staff.invite")(function* (operator_id, { name, role }) {
        const operator = yield* operators.get(operator_id)
        const now = yield* Clock.currentTimeMillis
        const until = now + invitationMs
        const secret = newToken(yield* random.randomBytes(32))
        const staff_id = yield* Effect.provideService(newId.staff, SecureRandom.SecureRandom, random)
        const [member] = yield* members(sql`
insert into staff (staff_id, operator_id, name, role, created_at, invitation, invited_until)
values (${staff_id}, ${operator_id}, ${name}, ${role}, ${new Date(now)}, ${tokenDigest(secret)}::bytea, ${new Date(until)})
on conflict (operator_id, name) do update
  set role = excluded.role, invitation = excluded.invitation, invited_until = excluded.invited_until
returning staff_id, operator_id, ${operator.name}::text as operator_name, name, role`)
        return {
          member: yield* Effect.orDie(Effect.fromNullishOr(member)),
          url: `${origin}${deskPaths.invitation}${secret}`,
          desk_url: `${origin}${deskPaths.desk}`,
          until
        }
      })

      const list = Effect.fn("Staff.list")((operator_id: string) =>
        listed(sql`
select s.staff_id, s.name, s.role, s.created_at, count(k.credential_id)::int as passkeys, max(k.used_at) as used_at, s.invited_until
from staff s left join staff_passkey k using (staff_id)
where s.operator_id = ${operator_id} group by s.staff_id order by s.name, s.staff_id`)
      )

      const remove = Effect.fn("Staff.remove")(function* (operator_id: string, named: string) {
        const [gone] = yield* removed(sql`delete from staff
          where operator_id = ${operator_id} and (staff_id = ${named} or name = ${named}) returning staff_id, name`)
        return gone === undefined ? yield* new StaffNotFound({ named }) : gone.name
      })

      const invited = Effect.fn("Staff.invited")(function* (secret: string) {
        const now = new Date(yield* Clock.currentTimeMillis)
        return yield* one(sql`select ${columns} from staff s join operator o using (operator_id)
          where s.invitation = ${tokenDigest(secret)}::bytea and s.invited_until > ${now}::timestamptz`)
      })

      const accept = Effect.fn("Staff.accept")(function* (secret: string) {
        const now = new Date(yield* Clock.currentTimeMillis)
        return yield* one(sql`update staff s set invitation = null, invited_until = null from operator o
          where o.operator_id = s.operator_id and s.invitation = ${tokenDigest(secret)}::bytea
            and s.invited_until > ${now}::timestamptz returning ${columns}`)
      })

      return Staff.of({ accept, invite, invited, list, remove })
    })
  ).pipe(Layer.provide(Operators.layer))
}
