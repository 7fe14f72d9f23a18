/** The people at an operator's desk: invited by a one-time link, given another role, removed at once. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { AppConfig } from "../../../platform/config/AppConfig.ts"
import { Operators } from "../../catalogue/Operators.ts"
import { newId, StaffId } from "../../../platform/ids/Ids.ts"
import { dayMs, type Instant, InstantFromDate, minuteMs } from "../../../platform/time/LocalTime.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"
import { deskPaths, deskSite, ListedStaff, StaffMember, type StaffRole } from "./StaffMember.ts"
import { newToken, tokenDigest } from "./StaffSessions.ts"

/**
 * How long an invitation is open. Who has made a passkey before waits for the link at the door: it is made while they
 * are on the telephone, and is nothing to be found later.
 */
export const invitationMs = { first: 3 * dayMs, again: 30 * minuteMs } as const

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
const invitations = decodeRows(Schema.Array(Schema.Struct({ ...StaffMember.fields, until: InstantFromDate })))
const withdrawn = decodeRows(
  Schema.Array(Schema.Struct({ staff_id: StaffId, name: Schema.String, ended: Schema.Boolean }))
)
const listed = decodeRows(Schema.Array(ListedStaff))
const removed = decodeRows(Schema.Array(Schema.Struct({ staff_id: StaffId, name: Schema.String })))

/** Whose invitation ended, and whether there was one. */
interface Withdrawn {
  readonly name: string
  readonly ended: boolean
}

export class Staff extends Context.Service<
  Staff,
  {
    /**
     * Invites a person. Who is invited already gets a new link, for another passkey, and the role, if one is named; an
     * earlier link ends. `who` does it, for the operator's history.
     */
    readonly invite: (
      operator_id: string,
      of: { readonly name: string; readonly role?: StaffRole | undefined },
      who?: string
    ) => Effect.Effect<Invitation, Effect.Error<ReturnType<Operators["Service"]["get"]>>>
    /** Lets a person whose device is lost make another passkey, by name or id: the passkeys and sessions end at once. */
    readonly readmit: (
      operator_id: string,
      named: string,
      who?: string
    ) => Effect.Effect<Invitation, StaffNotFound | SqlError.SqlError>
    /** Ends a person's open invitation, by name or id. */
    readonly withdraw: (
      operator_id: string,
      named: string,
      who?: string
    ) => Effect.Effect<Withdrawn, StaffNotFound | SqlError.SqlError>
    /** A manager invites somebody new. */
    readonly inviteBy: (
      manager: StaffMember,
      of: { readonly name: string; readonly role: StaffRole }
    ) => Effect.Effect<Invitation, StaffRefused | SqlError.SqlError>
    /**
     * A manager lets a person make another passkey; an earlier link ends. `shown`: until when the page said that the
     * person is invited. `ends`: the passkeys so far end at once, and so do the sessions, but for the manager's own that
     * asks, so that nobody locks themselves out.
     */
    readonly inviteAgainBy: (
      manager: StaffMember,
      staff_id: string,
      of: { readonly shown: Instant | null; readonly ends?: { readonly but: Uint8Array } | undefined }
    ) => Effect.Effect<Invitation, StaffRefused | SqlError.SqlError>
    /** A manager ends a person's open invitation. */
    readonly withdrawBy: (
      manager: StaffMember,
      staff_id: string
    ) => Effect.Effect<Withdrawn, StaffRefused | SqlError.SqlError>
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
          | { readonly event: "staff_joined"; readonly became: string }
          | { readonly event: "staff_role_changed"; readonly was: string; readonly became: string }
          | {
              readonly event: "staff_invitation_ended" | "staff_passkeys_ended" | "staff_removed"
              readonly was: string
            }
      ) =>
        Effect.flatMap(
          Clock.currentTimeMillis,
          (now) => sql`insert into operator_history (operator_id, at, event, who, was, became)
            values (${operator_id}, ${new Date(now)}, ${line.event}, ${who}, ${"was" in line ? line.was : null}, ${"became" in line ? line.became : null})`
        )

      /** Whether an invitation can be used: in time, and whoever made it is still a manager here. */
      const isOpen = (now: Instant) => sql`(s.invited_until > ${new Date(now)}::timestamptz and (s.invited_by is null
        or exists (select from staff m where m.staff_id = s.invited_by and m.operator_id = s.operator_id
          and m.role = 'manager')))`

      /**
       * The invitation for whom `write` invites with a secret, of which it stores `as`; none if it invites nobody. It
       * is open until `until` for who is new, until `again` for others.
       */
      const inviting = Effect.fnUntraced(function* (
        who: string,
        write: (stored: {
          readonly as: Statement.Fragment
          readonly until: Statement.Fragment
          readonly again: Statement.Fragment
          readonly now: Instant
        }) => Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
      ) {
        const now = yield* Clock.currentTimeMillis
        const secret = newToken(yield* random.randomBytes(32))
        const first = sql`${new Date(now + invitationMs.first)}::timestamptz`
        const [invited] = yield* invitations(
          write({
            as: sql`${tokenDigest(secret)}::bytea`,
            until: first,
            again: sql`case when s.joined_at is null then ${first}
              else ${new Date(now + invitationMs.again)}::timestamptz end`,
            now
          })
        )
        if (invited === undefined) return Option.none<Invitation>()
        const { until, ...member } = invited
        yield* record(member.operator_id, who, { event: "staff_invited", became: `${member.name}, ${member.role}` })
        return Option.some<Invitation>({
          member,
          url: `${origin}${deskPaths.invitation}${secret}`,
          desk_url: `${origin}${deskPaths.desk}`,
          until
        })
      })

      /** Ends a person's passkeys, and the sessions but for one. Who signs in at this moment is out, too. */
      const endPasskeys = Effect.fnUntraced(function* (
        { name, operator_id, staff_id }: StaffMember,
        who: string,
        but?: Uint8Array
      ) {
        yield* sql`delete from staff_passkey where staff_id = ${staff_id}`
        yield* sql`delete from staff_session where staff_id = ${staff_id}
          and token is distinct from ${but ?? null}::bytea`
        yield* record(operator_id, who, { event: "staff_passkeys_ended", was: name })
      })

      const nextId = Effect.provideService(newId.staff, SecureRandom.SecureRandom, random)
      /** An invitation of a name at an operator's desk. `taken`: what happens if somebody has it. */
      const invitingName = (
        operator: { readonly operator_id: string; readonly name: string },
        { name, role = "desk" }: { readonly name: string; readonly role?: StaffRole | undefined },
        who: string,
        { by, taken }: { readonly by?: string; readonly taken: (again: Statement.Fragment) => Statement.Fragment }
      ) =>
        Effect.flatMap(nextId, (staff_id) =>
          inviting(
            who,
            ({ again, as, now, until }) => sql`
insert into staff as s (staff_id, operator_id, name, role, created_at, invitation, invited_until, invited_by)
values (${staff_id}, ${operator.operator_id}, ${name}, ${role}, ${new Date(now)}, ${as}, ${until}, ${by ?? null})
on conflict (operator_id, name) do ${taken(again)}
returning staff_id, operator_id, ${operator.name}::text as operator_name, name, role, invited_until as until`
          )
        )

      /** An invitation of a person who is here already. */
      const invitingAgain = (
        operator_id: string,
        who: string,
        { by, which }: { readonly by?: string; readonly which: (now: Instant) => Statement.Fragment }
      ) =>
        inviting(
          who,
          ({ again, as, now }) => sql`
update staff s set invitation = ${as}, invited_until = ${again}, invited_by = ${by ?? null} from operator o
where o.operator_id = s.operator_id and s.operator_id = ${operator_id} and ${which(now)}
returning ${columns}, s.invited_until as until`
        )

      const called = (named: string) => sql`(s.staff_id = ${named} or s.name = ${named})`

      const invite: Staff["Service"]["invite"] = Effect.fn("Staff.invite")(function* (operator_id, of, who = service) {
        const operator = yield* operators.get(operator_id)
        const taken = (again: Statement.Fragment) => sql`update set role = coalesce(${of.role ?? null}, s.role),
  invitation = excluded.invitation, invited_until = ${again}, invited_by = null`
        return yield* Effect.flatMap(invitingName(operator, of, who, { taken }), (made) =>
          Effect.orDie(Effect.fromOption(made))
        ).pipe(sql.withTransaction)
      })

      const readmit: Staff["Service"]["readmit"] = Effect.fn("Staff.readmit")(function* (
        operator_id,
        named,
        who = service
      ) {
        const made = yield* invitingAgain(operator_id, who, { which: () => called(named) })
        const invitation = yield* Effect.fromOption(made, () => new StaffNotFound({ named }))
        yield* endPasskeys(invitation.member, who)
        return invitation
      }, sql.withTransaction)

      const withdrawing = Effect.fnUntraced(function* (operator_id: string, who: string, which: Statement.Fragment) {
        const now = yield* Clock.currentTimeMillis
        const [found] = yield* withdrawn(sql`select s.staff_id, s.name, coalesce(${isOpen(now)}, false) as ended
          from staff s where s.operator_id = ${operator_id} and ${which} for update`)
        if (found === undefined) return Option.none<Withdrawn>()
        yield* sql`update staff set invitation = null, invited_until = null, invited_by = null
          where staff_id = ${found.staff_id}`
        if (found.ended) yield* record(operator_id, who, { event: "staff_invitation_ended", was: found.name })
        return Option.some<Withdrawn>(found)
      })

      const withdraw: Staff["Service"]["withdraw"] = Effect.fn("Staff.withdraw")(
        (operator_id, named, who = service) =>
          Effect.flatMap(withdrawing(operator_id, who, called(named)), (found) =>
            Effect.fromOption(found, () => new StaffNotFound({ named }))
          ),
        sql.withTransaction
      )

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
          Effect.flatMap(
            invitingName(operator, of, manager.name, { by: manager.staff_id, taken: () => sql`nothing` }),
            (made) => orRefused(made, "taken")
          )
        )
      })

      const inviteAgainBy: Staff["Service"]["inviteAgainBy"] = Effect.fn("Staff.inviteAgainBy")(
        (manager, staff_id, { ends, shown }) =>
          asManager(
            manager,
            Effect.gen(function* () {
              const made = yield* invitingAgain(manager.operator_id, manager.name, {
                by: manager.staff_id,
                which: (now) => sql`s.staff_id = ${staff_id} and (case when ${isOpen(now)} then s.invited_until end)
                  is not distinct from ${shown === null ? null : new Date(shown)}::timestamptz`
              })
              const invitation = yield* orRefused(made, "changed")
              if (ends !== undefined) yield* endPasskeys(invitation.member, manager.name, ends.but)
              return invitation
            })
          )
      )

      const withdrawBy: Staff["Service"]["withdrawBy"] = Effect.fn("Staff.withdrawBy")((manager, staff_id) =>
        asManager(
          manager,
          Effect.flatMap(withdrawing(manager.operator_id, manager.name, sql`s.staff_id = ${staff_id}`), (found) =>
            orRefused(found, "gone")
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

      const list = Effect.fn("Staff.list")(function* (operator_id: string) {
        const now = yield* Clock.currentTimeMillis
        return yield* listed(sql`
select s.staff_id, s.name, s.role, s.created_at, count(k.credential_id)::int as passkeys,
  greatest(max(k.used_at), max(k.created_at)) as used_at, case when ${isOpen(now)} then s.invited_until end as invited_until
from staff s left join staff_passkey k using (staff_id)
where s.operator_id = ${operator_id} group by s.staff_id order by s.name, s.staff_id`)
      })

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
        const now = yield* Clock.currentTimeMillis
        return yield* one(sql`select ${columns} from staff s join operator o using (operator_id)
          where s.invitation = ${tokenDigest(secret)}::bytea and ${isOpen(now)}`)
      })

      const accept = Effect.fn("Staff.accept")(function* (secret: string) {
        const now = yield* Clock.currentTimeMillis
        const accepted = yield* one(sql`update staff s set invitation = null, invited_until = null, invited_by = null,
            joined_at = coalesce(s.joined_at, ${new Date(now)}::timestamptz) from operator o
          where o.operator_id = s.operator_id and s.invitation = ${tokenDigest(secret)}::bytea and ${isOpen(now)}
          returning ${columns}`)
        if (Option.isSome(accepted)) {
          const { name, operator_id, role } = accepted.value
          yield* record(operator_id, name, { event: "staff_joined", became: `${name}, ${role}` })
        }
        return accepted
      })

      return Staff.of({
        accept,
        changeRoleBy,
        invite,
        inviteAgainBy,
        inviteBy,
        invited,
        list,
        readmit,
        remove,
        removeBy,
        withdraw,
        withdrawBy
      })
    })
  ).pipe(Layer.provide(Operators.layer))
}
