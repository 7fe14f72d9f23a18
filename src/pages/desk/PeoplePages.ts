/** `/desk/people`: who works at the desk, the address of an invitation, and the pages before somebody is invited again, has another role, or is removed. */
import type { HttpServerResponse } from "effect/http"
import { type Language, messages } from "../../i18n/Languages.ts"
import { dateTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { type Invitation } from "../../staff/Staff.ts"
import { type ListedStaff, StaffRole } from "../../staff/StaffMember.ts"
import { alertOf } from "../family/ChangeParts.ts"
import { labelled, type PartyFaults } from "../family/PartyForm.ts"
import { actions, buttonLink, dataTable, facts, isolated, links, section, hiddenInputs } from "../Parts.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"
import { choice } from "./FormedAction.ts"

type Response = HttpServerResponse.HttpServerResponse

/** What the form that invites holds, as it was typed. */
export interface InviteInput {
  readonly name: string
  readonly role: string
}

/** What a form shows of somebody without an open invitation. */
export const neverInvited = "none"

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

const inviteForm = (desk: DeskRequest, { name, role }: InviteInput, faults: PartyFaults): Html => {
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
export const peoplePage = (
  desk: DeskRequest,
  of: {
    readonly people: ReadonlyArray<ListedStaff>
    readonly zone: string
    readonly input?: InviteInput
    readonly faults?: PartyFaults
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
export const invitedPage = (desk: DeskRequest, { member, until, url }: Invitation, zone: string): Response => {
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
export const inviteAgainPage = (
  desk: DeskRequest,
  { alert, person, zone }: { readonly person: ListedStaff; readonly zone: string; readonly alert?: string }
): Response => {
  const { language } = desk
  const { people: text } = messages[language].desk
  const { invited_until, name, passkeys, role, staff_id, used_at } = person
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
<p>${text.again.ends}</p>
<p>${text.again.lost}</p>
<form method="post" action="${deskPaths.people}">
${hiddenInputs({
  form: desk.form,
  person: staff_id,
  shown: invited_until === null ? neverInvited : String(invited_until)
})}
${actions(html`<button name="do" value="again">${text.again.confirm}</button>`, back(language))}
</form>`
  })
}

/** The form that gives a person another role. */
export const rolePage = (desk: DeskRequest, { name, role, staff_id }: ListedStaff, alert?: string): Response => {
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
export const removePage = (desk: DeskRequest, { name, role, staff_id }: ListedStaff): Response => {
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
