/** The people at an operator's desk: invited by a one-time link, given another role, removed at once. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { newId, StaffId } from "../../../platform/ids/Ids.ts"
import { dayMs, type Instant } from "../../../platform/time/LocalTime.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { deskPaths, deskSite, ListedStaff, StaffMember, type StaffRole } from "./StaffMember.ts"
import { newToken, tokenDigest } from "./StaffSessions.ts"

/** How long an invitation is open. */
const invitationMs = 3 * dayMs

/** The operator has nobody of this name or id. */
class StaffNotFound extends Schema.TaggedError<StaffNotFound>()("StaffNotFound", { named: Schema.String }) {
  override get message(): string {
    return `There is nobody called ${this.named} at this operator's desk.`
  }
}

/**
 * A manager at the desk can't do this with the staff. `not_manager`: who asks was removed or is no manager any more.
 * `self`: nobody removes themselves, or gives themselves another role, so that a manager is left. `taken`: somebody has
 * the name. `gone`: nobody has the id. `changed`: another invitation was made, or used, since the page, or another role
 * given.
 */
class StaffRefused extends Schema.TaggedError<StaffRefused>()("StaffRefused", {
  reason: Schema.Literals(["not_manager", "self", "taken", "gone", "changed"])
}) {
  override get message(): string {
    return `Nothing was changed: ${this.reason}.`
  }
}

/** An invitation. `url` has a secret, and is shown once. */
export interface Invitation {
  readonly member: StaffMember
  readonly url: string
  readonly desk_url: string
  readonly until: Instant
}

/** Whoever runs the service, where nobody else is named. */
const service = "service"

const members = decodeRows(Schema.Array(StaffMember))
const listed = decodeRows(Schema.Array(ListedStaff))
const removed = decodeRows(Schema.Array(Schema.Struct({ staff_id: StaffId, name: Schema.String })))

export class Staff extends Context.Service<
  Staff,
  {
    /**
     * Invites a person. Who is invited already gets a new link, for another passkey, and this role; an earlier link
     * ends. `who` does it, for the operator's history.
     */
    readonly invite: (
      operator_id: string,
      of: { readonly name: string; readonly role: StaffRole },
      who?: string
    ) => Effect.Effect<Invitation, Effect.Error<ReturnType<Operators["Service"]["get"]>>>
    /** A manager invites somebody new. */
    readonly inviteBy: (
      manager: StaffMember,
      of: { readonly name: string; readonly role: StaffRole }
    ) => Effect.Effect<Invitation, StaffRefused | SqlError.SqlError>
    /**
     * A manager lets a person make another passkey; an earlier link ends. `shown`: until when the page said that the
     * person is invited.
     */
    readonly inviteAgainBy: (
      manager: StaffMember,
      staff_id: string,
      shown: Instant | null
    ) => Effect.Effect<Invitation, StaffRefused | SqlError.SqlError>
    /** A manager gives a colleague another role, which holds at once. `shown`: the role that the page said. */
    readonly changeRoleBy: (
      manager: StaffMember,
      staff_id: string,
      change: { readonly shown: StaffRole; readonly role: StaffRole }
    ) => Effect.Effect<void, StaffRefused | SqlError.SqlError>
    readonly list: (operator_id: string) => Effect.Effect<ReadonlyArray<ListedStaff>, SqlError.SqlError>
    /** Removes a person with all passkeys and sessions, by name or id. */
    readonly remove: (
      operator_id: string,
      named: string,
      who?: string
    ) => Effect.Effect<typeof StaffMember.fields.name.Type, StaffNotFound | SqlError.SqlError>
    /** A manager removes a colleague. */
    readonly removeBy: (
      manager: StaffMember,
      staff_id: string
    ) => Effect.Effect<typeof StaffMember.fields.name.Type, StaffRefused | SqlError.SqlError>
    /** Who an open invitation invites. */
    readonly invited: (secret: string) => Effect.Effect<Option.Option<StaffMember>, SqlError.SqlError>
    /**
     * Ends an invitation, in the caller's transaction; none if it was used or has ended. Of several callers one gets
     * it.
     */
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

      /** A line of the operator's history. */
      const record = (
        operator_id: string,
        who: string,
        line:
          | { readonly event: "staff_invited"; readonly became: string }
          | { readonly event: "staff_role_changed"; readonly was: string; readonly became: string }
          | { readonly event: "staff_removed"; readonly was: string }
      ) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => sql`insert into operator_history (operator_id, at, event, who, was, became)
            values (${operator_id}, ${new Date(now)}, ${line.event}, ${who}, ${"was" in line ? line.was : null}, ${"became" in line ? line.became : null})`
        )

      /**
       * A secret, what is stored of it, and the invitation for whom `write` invites with it; none if it invites nobody.
       */
      const inviting = Effect.fnUntraced(function* (
        who: string,
        write: (
          as: Statement.Fragment,
          until: Statement.Fragment,
          now: Date
        ) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
      ) {
        const now = yield* Clock.currentTimeMillis
        const until = now + invitationMs
        const secret = newToken(yield* random.randomBytes(32))
        const invited = yield* one(
          write(sql`${tokenDigest(secret)}::bytea`, sql`${new Date(until)}::timestamptz`, new Date(now))
        )
        if (Option.isNone(invited)) return Option.none<Invitation>()
        const member = invited.value
        yield* record(member.operator_id, who, { event: "staff_invited", became: `${member.name}, ${member.role}` })
        return Option.some<Invitation>({
          member,
          url: `${origin}${deskPaths.invitation}${secret}`,
          desk_url: `${origin}${deskPaths.desk}`,
          until
        })
      })

      const nextId = Effect.provideService(newId.staff, SecureRandom.SecureRandom, random)
      /** An invitation of a name at an operator's desk. `taken`: what happens if somebody has it. */
      const invitingName = (
        operator: { readonly operator_id: string; readonly name: string },
        { name, role }: { readonly name: string; readonly role: StaffRole },
        who: string,
        taken: Statement.Fragment
      ) =>
        Effect.flatMap(nextId, (staff_id) =>
          inviting(
            who,
            (invitation, until, now) => sql`
insert into staff (staff_id, operator_id, name, role, created_at, invitation, invited_until)
values (${staff_id}, ${operator.operator_id}, ${name}, ${role}, ${now}, ${invitation}, ${until})
on conflict (operator_id, name) do ${taken}
returning staff_id, operator_id, ${operator.name}::text as operator_name, name, role`
          )
        )

      const invite: Staff["Service"]["invite"] = Effect.fn("Staff.invite")(function* (operator_id, of, who = service) {
        const operator = yield* operators.get(operator_id)
        const again = sql`update
  set role = excluded.role, invitation = excluded.invitation, invited_until = excluded.invited_until`
        return yield* Effect.flatMap(invitingName(operator, of, who, again), (made) =>
          Effect.orDie(Effect.fromOption(made))
        ).pipe(sql.withTransaction)
      })

      /**
       * What a manager does with the operator's staff, one after the other: of two who remove each other at one moment,
       * the second finds that it is out.
       */
      const asManager = <A>(
        { operator_id, role, staff_id }: StaffMember,
        act: Effect.Effect<A, StaffRefused | SqlError.SqlError>
      ) =>
        Effect.gen(function* () {
          const here = yield* sql<Pick<StaffMember, "role" | "staff_id">>`select staff_id, role from staff
            where operator_id = ${operator_id} order by staff_id for no key update`
          if (!here.some((one) => one.staff_id === staff_id && one.role === role))
            return yield* new StaffRefused({ reason: "not_manager" })
          return yield* act
        }).pipe(sql.withTransaction)

      const orRefused = <A>(found: Option.Option<A>, reason: StaffRefused["reason"]) =>
        Effect.fromOption(found, () => new StaffRefused({ reason }))

      const inviteBy: Staff["Service"]["inviteBy"] = Effect.fn("Staff.inviteBy")((manager, of) => {
        const operator = { operator_id: manager.operator_id, name: manager.operator_name }
        return asManager(
          manager,
          Effect.flatMap(invitingName(operator, of, manager.name, sql`nothing`), (made) => orRefused(made, "taken"))
        )
      })

      const inviteAgainBy: Staff["Service"]["inviteAgainBy"] = Effect.fn("Staff.inviteAgainBy")(
        (manager, staff_id, shown) =>
          asManager(
            manager,
            Effect.flatMap(
              inviting(
                manager.name,
                (
                  invitation,
                  until
                ) => sql`update staff s set invitation = ${invitation}, invited_until = ${until} from operator o
                where o.operator_id = s.operator_id and s.operator_id = ${manager.operator_id} and s.staff_id = ${staff_id}
                  and s.invited_until is not distinct from ${shown === null ? null : new Date(shown)}::timestamptz returning ${columns}`
              ),
              (made) => orRefused(made, "changed")
            )
          )
      )

      const changeRoleBy: Staff["Service"]["changeRoleBy"] = Effect.fn("Staff.changeRoleBy")((
        manager,
        staff_id,
        { role, shown }
      ) => {
        if (staff_id === manager.staff_id) return Effect.fail(new StaffRefused({ reason: "self" }))
        const { operator_id } = manager
        const change = Effect.gen(function* () {
          const [there] = yield* members(sql`select ${columns} from staff s join operator o using (operator_id)
              where s.operator_id = ${operator_id} and s.staff_id = ${staff_id}`)
          if (there === undefined) return yield* new StaffRefused({ reason: "gone" })
          // A second press, or a colleague, has done it.
          if (there.role === role) return undefined
          if (there.role !== shown) return yield* new StaffRefused({ reason: "changed" })
          yield* sql`update staff set role = ${role} where operator_id = ${operator_id} and staff_id = ${staff_id}`
          const line = { was: `${there.name}, ${shown}`, became: `${there.name}, ${role}` }
          yield* record(operator_id, manager.name, { event: "staff_role_changed", ...line })
          return undefined
        })
        return asManager(manager, change)
      })

      const list = Effect.fn("Staff.list")((operator_id: string) =>
        listed(sql`
select s.staff_id, s.name, s.role, s.created_at, count(k.credential_id)::int as passkeys, greatest(max(k.used_at), max(k.created_at)) as used_at, s.invited_until
from staff s left join staff_passkey k using (staff_id)
where s.operator_id = ${operator_id} group by s.staff_id order by s.name, s.staff_id`)
      )

      const removing = Effect.fnUntraced(function* (operator_id: string, who: string, which: Statement.Fragment) {
        const [gone] = yield* removed(sql`delete from staff
          where operator_id = ${operator_id} and ${which} returning staff_id, name`)
        if (gone !== undefined) yield* record(operator_id, who, { event: "staff_removed", was: gone.name })
        return Option.fromUndefinedOr(gone?.name)
      })

      const remove: Staff["Service"]["remove"] = Effect.fn("Staff.remove")(function* (
        operator_id,
        named,
        who = service
      ) {
        const gone = yield* removing(operator_id, who, sql`(staff_id = ${named} or name = ${named})`)
        return yield* Effect.fromOption(gone, () => new StaffNotFound({ named }))
      }, sql.withTransaction)

      const removeBy: Staff["Service"]["removeBy"] = Effect.fn("Staff.removeBy")((manager, staff_id) =>
        staff_id === manager.staff_id
          ? Effect.fail(new StaffRefused({ reason: "self" }))
          : asManager(
              manager,
              Effect.flatMap(removing(manager.operator_id, manager.name, sql`staff_id = ${staff_id}`), (gone) =>
                orRefused(gone, "gone")
              )
            )
      )

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

      return Staff.of({ accept, changeRoleBy, invite, inviteAgainBy, inviteBy, invited, list, remove, removeBy })
    })
  ).pipe(Layer.provide(Operators.layer))
}
