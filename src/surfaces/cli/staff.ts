/** `playroom staff …`: who works at an operator's desk. */
import { Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Staff } from "../../domain/people/staff/Staff.ts"
import { type ListedStaff, StaffName, StaffRole } from "../../domain/people/staff/StaffMember.ts"
import { commandUser, idNamed, operatorArgument, operatorMissing } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { instant, json, print, table } from "./Output.ts"

const invite = Command.make(
  "invite",
  {
    operator: operatorArgument,
    name: Argument.String("name").pipe(
      Argument.withDescription("The person, as the bookings' history is to name them"),
      Argument.withSchema(StaffName.check(Schema.isMinLength(1, { message: "Expected a name" })))
    ),
    role: Flag.Literals("role", StaffRole.literals).pipe(
      Flag.withDescription("desk: the day's work; manager: also what needs more trust"),
      Flag.withDefault("desk")
    ),
    json
  },
  Effect.fn(function* ({ operator: named, name, role, json }) {
    const operator_id = yield* idNamed("operator", named)
    const who = yield* commandUser
    const { desk_url, member, until, url } = yield* Staff.use((staff) =>
      staff.invite(operator_id, { name, role }, who)
    ).pipe(Effect.catchTags(operatorMissing(operator_id)))
    yield* print(
      json,
      { ...member, invitation_url: url, open_until: new Date(until).toISOString(), desk_url },
      [
        `${member.name} makes a passkey at this address, once, until ${instant(until)}:`,
        "",
        url,
        "",
        `After that the desk of ${member.operator_name} is at ${desk_url}.`
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Invite a person to an operator's desk, or let one make another passkey"))

const rows = (all: ReadonlyArray<ListedStaff>) =>
  table(
    ["NAME", "ROLE", "PASSKEYS", "LAST SIGNED IN", "INVITED UNTIL", "ID"],
    all.map(({ invited_until, name, passkeys, role, staff_id, used_at }) => [
      name,
      role,
      String(passkeys),
      used_at === null ? "-" : instant(used_at),
      invited_until === null ? "-" : instant(invited_until),
      staff_id
    ])
  )

const list = Command.make(
  "list",
  { operator: operatorArgument, json },
  Effect.fn(function* ({ operator: named, json }) {
    const operator_id = yield* idNamed("operator", named)
    const all = yield* Staff.use((staff) => staff.list(operator_id))
    yield* print(json, all, all.length === 0 ? "Nobody yet: playroom staff invite lets people in." : rows(all))
  })
).pipe(Command.withDescription("List the people at an operator's desk"))

const remove = Command.make(
  "remove",
  {
    operator: operatorArgument,
    person: Argument.String("person").pipe(Argument.withDescription("The name, or staff_…, as staff list shows them")),
    json
  },
  Effect.fn(function* ({ operator: named, person, json }) {
    const operator_id = yield* idNamed("operator", named)
    const who = yield* commandUser
    const name = yield* Staff.use((staff) => staff.remove(operator_id, person, who)).pipe(
      Effect.catchTag("StaffNotFound", failed)
    )
    yield* print(json, { operator_id, name }, `${name} is signed out everywhere, and can't sign in any more.`)
  })
).pipe(Command.withDescription("Remove a person from an operator's desk, at once"))

export const staff = Command.make("staff").pipe(
  Command.withDescription("Invite, list and remove the people at an operator's desk"),
  Command.withSubcommands([invite, list, remove])
)
