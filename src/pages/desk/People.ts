/** `/desk/people`: managers see who works at their desk, invite, give roles and remove. Who may do what to whom is decided in `staff/Staff.ts`. */
import type { PageAnswer } from "../Layout.ts"
import { Effect, Option, Schema } from "effect"
import { Operators } from "../../catalogue/Operators.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { messages } from "../../i18n/Languages.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { Staff } from "../../staff/Staff.ts"
import { type ListedStaff, StaffName, StaffRole } from "../../staff/StaffMember.ts"
import type { PartyFaults } from "../family/PartyForm.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import type { DeskRequest } from "./DeskFrame.ts"
import {
  invitedPage,
  inviteAgainPage,
  type InviteInput,
  neverInvited,
  peoplePage,
  removePage,
  rolePage
} from "./PeoplePages.ts"
import { leadTo } from "../Forms.ts"

/** What the address asks for. */
interface AskedPeople {
  readonly remove?: string
  readonly again?: string
  readonly role?: string
}

const decodeName = Schema.decodeUnknownOption(StaffName)
const isRole = Schema.is(StaffRole)
/** Until when the page said that somebody is invited; undefined if no page says so. */
const shownIn = (text: string): Instant | null | undefined =>
  text === neverInvited ? null : /^\d{1,15}$/.test(text) ? Number(text) : undefined
/** An id is shorter. */
const maxId = 60

export const people = Effect.gen(function* () {
  const staff = yield* Staff
  const operators = yield* Operators

  /** The clock by which the page tells times. */
  const zoneOf = ({ member }: DeskRequest) =>
    operators.page(member.operator_id).pipe(
      Effect.map(({ time_zone }) => time_zone ?? "UTC"),
      Effect.catchTag("OperatorNotFound", () => Effect.succeed("UTC"))
    )

  const listPage = Effect.fnUntraced(function* (
    desk: DeskRequest,
    of: { readonly input?: InviteInput; readonly faults?: PartyFaults; readonly alert?: string } = {}
  ) {
    const zone = yield* zoneOf(desk)
    return peoplePage(desk, { zone, people: yield* staff.list(desk.member.operator_id), ...of })
  })

  /** Answers with a person of this operator; any other is not there. */
  const withPerson = (desk: DeskRequest, staff_id: string, answer: (person: ListedStaff) => PageAnswer): PageAnswer =>
    Effect.flatMap(staff.list(desk.member.operator_id), (all) => {
      const found = all.find((one) => one.staff_id === staff_id)
      return found === undefined ? Effect.succeed(linkProblemPage("nothing", desk.language)) : answer(found)
    })

  const againPage = (desk: DeskRequest, staff_id: string, alert?: string) =>
    withPerson(desk, staff_id, (person) =>
      Effect.map(zoneOf(desk), (zone) =>
        inviteAgainPage(desk, { person, zone, ...(alert === undefined ? {} : { alert }) })
      )
    )

  const changeRolePage = (desk: DeskRequest, staff_id: string, alert?: string) =>
    withPerson(desk, staff_id, (person) => Effect.succeed(rolePage(desk, person, alert)))

  const show = (desk: DeskRequest, { again, remove, role }: AskedPeople): PageAnswer => {
    if (role !== undefined) return changeRolePage(desk, role)
    if (remove !== undefined) return withPerson(desk, remove, (person) => Effect.succeed(removePage(desk, person)))
    return again === undefined ? listPage(desk) : againPage(desk, again)
  }

  const invite = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const { invite: text, nameWrong } = messages[desk.language].desk.people
    const input = { name: (form.get("name") ?? "").normalize("NFC").trim().slice(0, 200), role: form.get("role") ?? "" }
    const name = decodeName(input.name)
    const { role } = input
    if (Option.isNone(name) || !isRole(role))
      return listPage(desk, { input, faults: Option.isNone(name) ? { name: nameWrong } : {}, alert: text.wrong })
    return staff.inviteBy(desk.member, { name: name.value, role }).pipe(
      Effect.flatMap((made) => Effect.map(zoneOf(desk), (zone) => invitedPage(desk, made, zone))),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "taken"
          ? listPage(desk, { input, faults: { name: text.taken }, alert: text.wrong })
          : Effect.succeed(leadTo(deskPaths.people))
      )
    )
  }

  const inviteAgain = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const person = (form.get("person") ?? "").slice(0, maxId)
    const shown = shownIn(form.get("shown") ?? "")
    if (shown === undefined) return Effect.succeed(linkProblemPage("unreadable", desk.language))
    return staff.inviteAgainBy(desk.member, person, shown).pipe(
      Effect.flatMap((made) => Effect.map(zoneOf(desk), (zone) => invitedPage(desk, made, zone))),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "changed"
          ? againPage(desk, person, messages[desk.language].desk.changed)
          : Effect.succeed(leadTo(deskPaths.people))
      )
    )
  }

  const changeRole = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const person = (form.get("person") ?? "").slice(0, maxId)
    const [role, shown] = [form.get("role"), form.get("shown")]
    if (!isRole(role) || !isRole(shown)) return Effect.succeed(linkProblemPage("unreadable", desk.language))
    const { changed, people: text } = messages[desk.language].desk
    return staff.changeRoleBy(desk.member, person, { role, shown }).pipe(
      Effect.as(leadTo(deskPaths.people)),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "self"
          ? listPage(desk, { alert: text.newRole.self })
          : reason === "changed"
            ? changeRolePage(desk, person, changed)
            : Effect.succeed(leadTo(deskPaths.people))
      )
    )
  }

  // Who is gone was removed by a second press, or by a colleague: that is what it asked for.
  const remove = (desk: DeskRequest, form: URLSearchParams): PageAnswer =>
    staff.removeBy(desk.member, (form.get("person") ?? "").slice(0, maxId)).pipe(
      Effect.as(leadTo(deskPaths.people)),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "self"
          ? listPage(desk, { alert: messages[desk.language].desk.people.remove.self })
          : Effect.succeed(leadTo(deskPaths.people))
      )
    )

  const act = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    switch (form.get("do")) {
      case "invite":
        return invite(desk, form)
      case "again":
        return inviteAgain(desk, form)
      case "role":
        return changeRole(desk, form)
      case "remove":
        return remove(desk, form)
      case null:
      default:
        return Effect.succeed(linkProblemPage("unreadable", desk.language))
    }
  }

  return { show, act }
})
