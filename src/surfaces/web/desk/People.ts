/**
 * `/desk/people`: managers see who works at their desk, invite, give roles and remove. Who may do what to whom is
 * decided in `domain/people/staff/Staff.ts`.
 */
import { Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { Operators } from "../../../domain/catalogue/Operators.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateTimeIn } from "../../../words/Localized.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import { deskPaths, type ListedStaff, StaffName, StaffRole } from "../../../domain/people/staff/StaffMember.ts"
import { type Invitation, Staff } from "../../../domain/people/staff/Staff.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import {
  type PageAnswer,
  actions,
  buttonLink,
  dataTable,
  facts,
  hiddenInputs,
  isolated,
  links,
  section
} from "../frame/Layout.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { alertOf } from "../family/BookingStep.ts"
import { labelled, type PartyFormErrors } from "../family/PartyStep.ts"
import { deskPage, type DeskRequest, type DeskScreen } from "./DeskFrame.ts"
import { choice } from "./ActForm.ts"

type Response = HttpServerResponse.HttpServerResponse

/** What the form that invites holds, as it was typed. */
interface InviteInput {
  readonly name: string
  readonly role: string
}

/** What a form shows of somebody without an open invitation. */
const neverInvited = "none"

const addressOf = (what: "again" | "remove" | "role", staff_id: string): string =>
  `${deskPaths.people}?${what}=${encodeURIComponent(staff_id)}`

const timeOf = (language: Language, zone: string, at: Instant | null): string =>
  at === null ? "–" : dateTimeIn(language, zone, at)

const back = (language: Language) => buttonLink(deskPaths.people, messages[language].words.leaveAsItIs, true)

/** What a manager can do with a person. */
const doable = ({ language, member }: DeskRequest, { name, staff_id }: ListedStaff): Html => {
  const { again, newRole, remove } = messages[language].desk.people
  const of = html`<span class="unseen"> ${name}</span>`
  return links([
    html`<a href="${addressOf("again", staff_id)}">${again.title}${of}</a>`,
    ...(staff_id === member.staff_id
      ? []
      : [
          html`<a href="${addressOf("role", staff_id)}">${newRole.link}${of}</a>`,
          html`<a href="${addressOf("remove", staff_id)}">${remove.link}${of}</a>`
        ])
  ])
}

/** The roles to choose from, and what each may do. */
const roleChoice = (language: Language, role: string): Html => {
  const { people: text } = messages[language].desk
  const roles = StaffRole.literals.map((value) => ({
    value,
    label: html`<span><strong>${text.roles[value]}</strong><br>${text.roleMeans[value]}</span>`
  }))
  return choice("role", text.role, roles, role)
}

const inviteForm = (desk: DeskRequest, { name, role }: InviteInput, faults: PartyFormErrors): Html => {
  const { people: text } = messages[desk.language].desk
  return html`<form class="card" method="post" action="${deskPaths.people}" novalidate>
${hiddenInputs({ form: desk.form })}
${labelled(
  "name",
  text.name,
  faults,
  (described) =>
    html`<input id="name" name="name" type="text" autocomplete="off" maxlength="80" required value="${name}"${described}>`,
  text.nameHint
)}
${roleChoice(desk.language, role)}
${actions(html`<button name="do" value="invite">${text.invite.confirm}</button>`)}
</form>`
}

/** Who works at the desk, and the form that invites somebody. */
const peoplePage = (
  desk: DeskRequest,
  of: {
    readonly people: ReadonlyArray<ListedStaff>
    readonly zone: string
    readonly input?: InviteInput
    readonly faults?: PartyFormErrors
    readonly alert?: string
  }
): Response => {
  const { alert, faults = {}, input = { name: "", role: "desk" }, people, zone } = of
  const { language, member } = desk
  const { people: text } = messages[language].desk
  return deskPage(desk, {
    title: text.title,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${text.title}</h1>
${alertOf(alert)}<p class="lead">${text.lead}</p>`,
    body: html`${dataTable(
      text.title,
      [text.name, text.role, text.passkeys, text.signedIn, text.invitedUntil, text.change],
      people.map((person) => [
        person.staff_id === member.staff_id
          ? html`${isolated(person.name)} <span class="soft">${text.you}</span>`
          : isolated(person.name),
        text.roles[person.role],
        String(person.passkeys),
        timeOf(language, zone, person.used_at),
        timeOf(language, zone, person.invited_until),
        doable(desk, person)
      ])
    )}
${section(text.invite.title, [inviteForm(desk, input, faults)])}`
  })
}

/** The address of an invitation: nobody can read it a second time. */
const invitedPage = (desk: DeskRequest, { member, until, url }: Invitation, zone: string): Response => {
  const { language } = desk
  const { people: text } = messages[language].desk
  const { name } = member
  return deskPage(desk, {
    title: text.address.title(name),
    head: html`<h1>${text.address.title(name)}</h1>
<p role="status">${text.address.lead(name)}</p>`,
    body: html`<pre tabindex="0"><code>${url}</code></pre>
${facts([
  { term: text.role, is: text.roles[member.role] },
  { term: text.invitedUntil, is: html`<strong>${timeOf(language, zone, until)}</strong>` }
])}
<p>${text.address.once}</p>
${actions(buttonLink(deskPaths.people, messages[language].desk.toList, true))}`
  })
}

/** What another invitation of a person does. */
const inviteAgainPage = (
  desk: DeskRequest,
  { alert, person, zone }: { readonly person: ListedStaff; readonly zone: string; readonly alert?: string }
): Response => {
  const { language } = desk
  const { people: text } = messages[language].desk
  const { invited_until, name, passkeys, role, staff_id, used_at } = person
  const self = staff_id === desk.member.staff_id
  const { ends, stays } = text.again.passkeys
  const passkeysSoFar = choice(
    "passkeys",
    text.again.passkeys.legend,
    [
      { value: "end", label: html`<span><strong>${ends.label}</strong><br>${self ? ends.own : ends.means}</span>` },
      { value: "keep", label: html`<span><strong>${stays.label}</strong><br>${stays.means}</span>` }
    ],
    self ? "keep" : "end"
  )
  return deskPage(desk, {
    title: `${text.again.title}: ${name}`,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${text.again.title}: ${isolated(name)}</h1>
${alertOf(alert)}<p class="lead">${text.again.lead}</p>`,
    body: html`${facts([
      { term: text.role, is: text.roles[role] },
      { term: text.passkeys, is: String(passkeys) },
      { term: text.signedIn, is: timeOf(language, zone, used_at) },
      { term: text.invitedUntil, is: timeOf(language, zone, invited_until) }
    ])}
<p>${text.again.works}</p>
<form method="post" action="${deskPaths.people}">
${hiddenInputs({
  form: desk.form,
  person: staff_id,
  shown: invited_until === null ? neverInvited : String(invited_until)
})}
${passkeys === 0 ? "" : passkeysSoFar}
${actions(
  html`<button name="do" value="again">${text.again.confirm}</button>`,
  invited_until === null
    ? undefined
    : html`<button class="second" name="do" value="withdraw" formnovalidate>${text.again.withdraw}</button>`,
  back(language)
)}
</form>`
  })
}

/** The form that gives a person another role. */
const rolePage = (desk: DeskRequest, { name, role, staff_id }: ListedStaff, alert?: string): Response => {
  const { language, member } = desk
  const { people: text } = messages[language].desk
  const { newRole } = text
  const self = staff_id === member.staff_id
  const why = self ? newRole.self : alert
  return deskPage(desk, {
    title: newRole.title(name),
    status: why === undefined ? 200 : 409,
    head: html`<h1>${newRole.title(name)}</h1>
${alertOf(why)}`,
    body: self
      ? html`${actions(buttonLink(deskPaths.people, messages[language].desk.toList, true))}`
      : html`<p class="lead">${newRole.lead}</p>
<form method="post" action="${deskPaths.people}">
${hiddenInputs({ form: desk.form, person: staff_id, shown: role })}
${roleChoice(language, role)}
${actions(html`<button name="do" value="role">${newRole.confirm}</button>`, back(language))}
</form>`
  })
}

/** What removing a person does. */
const removePage = (desk: DeskRequest, { name, role, staff_id }: ListedStaff): Response => {
  const { language, member } = desk
  const { people: text } = messages[language].desk
  const { remove } = text
  const self = staff_id === member.staff_id
  return deskPage(desk, {
    title: remove.title(name),
    status: self ? 409 : 200,
    head: html`<h1>${remove.title(name)}</h1>
${alertOf(self ? remove.self : undefined)}`,
    body: self
      ? html`${actions(buttonLink(deskPaths.people, messages[language].desk.toList, true))}`
      : html`${facts([
          { term: text.name, is: isolated(name) },
          { term: text.role, is: text.roles[role] }
        ])}
<p>${remove.lead}</p>
<p>${remove.stays}</p>
<form method="post" action="${deskPaths.people}">
${hiddenInputs({ form: desk.form, person: staff_id })}
${actions(html`<button name="do" value="remove">${remove.confirm}</button>`, back(language))}
</form>`
  })
}

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
    of: { readonly input?: InviteInput; readonly faults?: PartyFormErrors; readonly alert?: string } = {}
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
          : Effect.succeed(redirectAfterPost(deskPaths.people))
      )
    )
  }

  const inviteAgain = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const person = (form.get("person") ?? "").slice(0, maxId)
    const shown = shownIn(form.get("shown") ?? "")
    const passkeys = form.get("passkeys")
    if (shown === undefined || !(passkeys === null || passkeys === "end" || passkeys === "keep"))
      return Effect.succeed(linkProblemPage("unreadable", desk.language))
    const ends = passkeys === "end" ? { but: desk.session } : undefined
    return staff.inviteAgainBy(desk.member, person, { shown, ends }).pipe(
      Effect.flatMap((made) => Effect.map(zoneOf(desk), (zone) => invitedPage(desk, made, zone))),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "changed"
          ? againPage(desk, person, messages[desk.language].desk.changed)
          : Effect.succeed(redirectAfterPost(deskPaths.people))
      )
    )
  }

  // Without an open one there is nothing to end, and that is what it asked for.
  const withdraw = (desk: DeskRequest, form: URLSearchParams): PageAnswer =>
    staff.withdrawBy(desk.member, (form.get("person") ?? "").slice(0, maxId)).pipe(
      Effect.catchTag("StaffRefused", () => Effect.void),
      Effect.as(redirectAfterPost(deskPaths.people))
    )

  const changeRole = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const person = (form.get("person") ?? "").slice(0, maxId)
    const [role, shown] = [form.get("role"), form.get("shown")]
    if (!isRole(role) || !isRole(shown)) return Effect.succeed(linkProblemPage("unreadable", desk.language))
    const { changed, people: text } = messages[desk.language].desk
    return staff.changeRoleBy(desk.member, person, { role, shown }).pipe(
      Effect.as(redirectAfterPost(deskPaths.people)),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "self"
          ? listPage(desk, { alert: text.newRole.self })
          : reason === "changed"
            ? changeRolePage(desk, person, changed)
            : Effect.succeed(redirectAfterPost(deskPaths.people))
      )
    )
  }

  // Who is gone was removed by a second press, or by a colleague: that is what it asked for.
  const remove = (desk: DeskRequest, form: URLSearchParams): PageAnswer =>
    staff.removeBy(desk.member, (form.get("person") ?? "").slice(0, maxId)).pipe(
      Effect.as(redirectAfterPost(deskPaths.people)),
      Effect.catchTag("StaffRefused", ({ reason }) =>
        reason === "self"
          ? listPage(desk, { alert: messages[desk.language].desk.people.remove.self })
          : Effect.succeed(redirectAfterPost(deskPaths.people))
      )
    )

  const act = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    switch (form.get("do")) {
      case "invite":
        return invite(desk, form)
      case "again":
        return inviteAgain(desk, form)
      case "withdraw":
        return withdraw(desk, form)
      case "role":
        return changeRole(desk, form)
      case "remove":
        return remove(desk, form)
      case null:
      default:
        return Effect.succeed(linkProblemPage("unreadable", desk.language))
    }
  }

  return { path: deskPaths.people, right: "manage_staff", show, act } satisfies DeskScreen
})
