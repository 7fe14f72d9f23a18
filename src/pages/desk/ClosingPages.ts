/** `/desk/closing`: the form that closes a time, what that does, what is closed from now on, and reopening it. */
import type { HttpServerResponse } from "effect/http"
import type { ClosedRoom, ClosingPlan } from "../../booking/VenueClosures.ts"
import type { PlayroomClosure } from "../../catalogue/Catalogue.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { dateIn, pluralIn, visitTimeIn } from "../../i18n/Localized.ts"
import { html, type Html } from "../../kernel/Html.ts"
import { dayRange, type Instant, localDateOf } from "../../kernel/LocalTime.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { mayDo } from "../../staff/Rights.ts"
import { alertOf } from "../family/ChangeParts.ts"
import { labelled, type PartyFaults } from "../family/PartyForm.ts"
import { actions, buttonLink, dataTable, facts, isolated, links, section, hiddenInputs } from "../Parts.ts"
import { contactOf, whenOf, whoOf } from "./BookingCells.ts"
import { deskPage, type DeskRequest } from "./DeskFrame.ts"

type Response = HttpServerResponse.HttpServerResponse

/** What the form holds, as it was typed. */
export interface ClosingInput {
  readonly playroom: string
  readonly from: string
  readonly to: string
  readonly starts: string
  readonly ends: string
  readonly reason: string
}

/** The fields of the form, with the longest text of each. */
export const closingFields = { playroom: 60, from: 10, to: 10, starts: 5, ends: 5, reason: 200 } as const

/** The address of the page that reopens a closure. */
const reopenAddress = (closure_id: string): string => `${deskPaths.closing}?reopen=${encodeURIComponent(closure_id)}`

/** A closed time: whole days by their dates alone. */
const timeOf = (
  language: Language,
  { end, start, time_zone: zone }: { readonly end: Instant; readonly start: Instant; readonly time_zone: string }
): string => {
  const [first, last] = [localDateOf(zone, start), localDateOf(zone, end - 1)]
  if (dayRange(zone, first).start !== start || dayRange(zone, last).end !== end)
    return visitTimeIn(language, zone, start, end)
  const from = dateIn(language, zone, start)
  return first === last ? from : `${from} – ${dateIn(language, zone, end - 1)}`
}

const closureFacts = (language: Language, rooms: ReadonlyArray<ClosedRoom | PlayroomClosure>): Html => {
  const { desk, words } = messages[language]
  const [first] = rooms
  return facts([
    ...rooms.map((room) => ({ term: room.playroom_name, is: html`<strong>${timeOf(language, room)}</strong>` })),
    ...(first === undefined ? [] : [{ term: desk.reason, is: isolated(first.reason) }]),
    ...(rooms.length === 0 ? [{ term: words.when, is: "–" }] : [])
  ])
}

/** Who closed a time, and the link that reopens it, if the person may. */
export const closureMadeBy = (
  language: Language,
  { closure_id, made_by, playroom_name }: PlayroomClosure,
  mayReopen: boolean
): Html => {
  const { closing } = messages[language].desk
  if (made_by === null) return html`${closing.ofFile}`
  const link = mayReopen
    ? html` <a class="noprint" href="${reopenAddress(closure_id)}">${closing.reopen}<span class="unseen"> ${playroom_name}</span></a>`
    : ""
  return html`${isolated(closing.by(made_by))}${link}`
}

/** A closure with whether the person may reopen it. */
export interface ShownClosure {
  readonly closure: PlayroomClosure
  readonly mayReopen: boolean
}

/** The form, and what is closed from now on. */
export const closingForm = (
  desk: DeskRequest,
  of: {
    readonly rooms: ReadonlyArray<{ readonly playroom_id: string; readonly name: string }>
    readonly input: ClosingInput
    readonly upcoming: ReadonlyArray<ShownClosure>
    /** Whether earlier pages of these exist. */
    readonly continued: boolean
    readonly next_cursor?: string
    readonly faults?: PartyFaults
    readonly alert?: string
  }
): Response => {
  const { alert, continued, faults = {}, input, next_cursor, rooms, upcoming } = of
  const { language, member } = desk
  const { desk: text, operator, words } = messages[language]
  const { closing } = text
  const days = mayDo(member.role, "close_days")
  const field = (name: "ends" | "from" | "starts" | "to", type: "date" | "time", label: string, hint?: string) =>
    labelled(
      name,
      label,
      faults,
      (described) =>
        html`<input id="${name}" name="${name}" type="${type}" autocomplete="off" value="${input[name]}"${name === "from" || (type === "time" && !days) ? html` required` : ""}${described}>`,
      hint
    )
  const choices = [
    ...rooms.map(({ name, playroom_id }) => ({ value: playroom_id, label: name })),
    ...(rooms.length > 1 ? [{ value: "all", label: closing.all }] : [])
  ]
  return deskPage(desk, {
    title: closing.title,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${closing.title}</h1>
${alertOf(alert)}<p class="lead">${closing.lead}</p>`,
    body: html`<form class="card" method="post" action="${deskPaths.closing}" novalidate>
${hiddenInputs({ form: desk.form })}
${labelled(
  "playroom",
  text.room,
  faults,
  (described) =>
    html`<select id="playroom" name="playroom"${described}>${choices.map(({ label, value }) => html`<option value="${value}"${value === input.playroom ? html` selected` : ""}>${label}</option>`)}</select>`
)}
${field("from", "date", closing.from)}
${days ? field("to", "date", closing.to, closing.toHint) : ""}
${field("starts", "time", closing.starts, days ? closing.timesHint : closing.managersDays)}
${field("ends", "time", closing.ends)}
${labelled(
  "reason",
  text.reason,
  faults,
  (described) =>
    html`<input id="reason" name="reason" type="text" autocomplete="off" maxlength="80" required value="${input.reason}"${described}>`,
  closing.reasonHint
)}
${actions(html`<button name="do" value="check">${text.goOn}</button>`)}
</form>
${
  upcoming.length === 0
    ? ""
    : section(closing.upcoming, [
        dataTable(
          closing.upcoming,
          [text.room, words.when, text.reason, operator.closed],
          upcoming.map(({ closure, mayReopen }) => [
            isolated(closure.playroom_name),
            timeOf(language, closure),
            isolated(closure.reason),
            closureMadeBy(language, closure, mayReopen)
          ])
        )
      ])
}
${actions(
  next_cursor === undefined
    ? undefined
    : buttonLink(`${deskPaths.closing}?cursor=${encodeURIComponent(next_cursor)}`, closing.furtherTimes, true),
  continued ? buttonLink(deskPaths.closing, text.owed.fromStart, true) : undefined
)}`
  })
}

/** What will be closed, and who is booked then. */
export const closingPlanPage = (
  desk: DeskRequest,
  plan: ClosingPlan,
  input: ClosingInput,
  alert?: string
): Response => {
  const { language, member } = desk
  const { desk: text, words } = messages[language]
  const { closing } = text
  const { inside, inside_in_all, rooms, shown } = plan
  const further = inside_in_all - inside.length
  return deskPage(desk, {
    title: closing.checkTitle,
    status: alert === undefined ? 200 : 409,
    head: html`<h1>${closing.checkTitle}</h1>
${alertOf(alert)}<p class="lead">${inside_in_all === 0 ? closing.nobody : pluralIn(language, inside_in_all, closing.inside)}</p>`,
    body: html`${closureFacts(language, rooms)}
${
  inside.length === 0
    ? ""
    : html`<p>${closing.stays}</p>
${mayDo(member.role, "move") ? html`<p>${closing.list}</p>` : ""}
${dataTable(
  text.visits,
  [text.closed.who, text.contact, words.visit],
  inside.map((visit) => [whoOf(visit, language), contactOf(visit), whenOf(visit, language)])
)}
${further === 0 ? "" : html`<p>${closing.more(further)}</p>`}`
}
<form method="post" action="${deskPaths.closing}">
${hiddenInputs({ form: desk.form, ...input, shown })}
${actions(
  html`<button name="do" value="close">${closing.confirm}</button>`,
  html`<button class="second" name="do" value="edit">${text.book.edit}</button>`
)}
</form>`
  })
}

/** What reopening does. */
export const reopenPage = (desk: DeskRequest, closure: PlayroomClosure): Response => {
  const { language } = desk
  const { desk: text } = messages[language]
  const { closing } = text
  return deskPage(desk, {
    title: closing.reopenTitle,
    head: html`<h1>${closing.reopenTitle}</h1>
<p class="lead">${closing.reopenLead}</p>`,
    body: html`${closureFacts(language, [closure])}
<form method="post" action="${deskPaths.closing}">
${hiddenInputs({ form: desk.form, closure: closure.closure_id })}
${actions(
  html`<button name="do" value="reopen">${closing.reopen}</button>`,
  buttonLink(deskPaths.closing, text.closing.title, true)
)}
</form>
${links([html`<a href="${deskPaths.desk}">${text.toDay}</a>`])}`
  })
}
