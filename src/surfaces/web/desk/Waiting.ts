/** `/desk/waiting`: the families who wait for places of an operator, by start and by turn. */
import { Clock, Effect } from "effect"
import { unpack } from "../../../domain/availability/OptionId.ts"
import { type Waiting, WaitingList } from "../../../domain/booking/WaitingList.ts"
import { Catalogue } from "../../../domain/catalogue/Catalogue.ts"
import type { Venue } from "../../../domain/catalogue/Playroom.ts"
import { deskPaths } from "../../../domain/people/staff/StaffMember.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { messages } from "../../../words/Languages.ts"
import { dateTimeIn, partyIn, pluralIn } from "../../../words/Localized.ts"
import { buttonForm, dataTable, emailLink, isolated } from "../frame/Layout.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import { deskPage, type DeskRequest, type DeskScreen, formField } from "./DeskFrame.ts"

const entryField = "entry"

const rowOf = (
  { form, language }: DeskRequest,
  venues: ReadonlyArray<Venue>,
  { child_ages, contact_email, contact_name, created_at, option_id, playroom_id, starts_at, waiting_id }: Waiting
): ReadonlyArray<Html> => {
  const { waits } = messages[language].desk
  const venue = venues.find(({ playroom }) => playroom.playroom_id === playroom_id)
  const zone = venue?.playroom.time_zone ?? "UTC"
  const wanted = unpack(option_id)
  const pkg = venue?.packages.find(({ package_id }) => package_id === wanted?.package_id)
  const party = partyIn(language, { children: wanted?.children ?? 0, adults: wanted?.adults ?? 0, child_ages })
  return [
    html`${dateTimeIn(language, zone, starts_at)}<br><span class="soft">${isolated(venue?.playroom.name ?? "–")}</span>`,
    html`${isolated(pkg?.name ?? "–")}<br><span class="soft">${party}</span>`,
    html`${isolated(contact_name)}<br>${emailLink(contact_email)}`,
    html`${dateTimeIn(language, zone, created_at)}`,
    buttonForm(deskPaths.waiting, { [formField]: form, [entryField]: waiting_id }, waits.remove, true)
  ]
}

/** The screen. */
export const waitingLists = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const list = yield* WaitingList

  return {
    path: deskPaths.waiting,
    right: "book",
    show: Effect.fnUntraced(function* (desk: DeskRequest) {
      const { operator_id } = desk.member
      const all = yield* list.ofOperator(operator_id, yield* Clock.currentTimeMillis)
      const venues = all.length === 0 ? [] : yield* catalogue.venuesOfOperator(operator_id)
      const { booking, desk: text, waiting, words } = messages[desk.language]
      const lead = all.length === 0 ? text.waits.none : pluralIn(desk.language, all.length, text.waits.lead)
      return deskPage(desk, {
        title: waiting.title,
        words: "",
        head: html`<header>
<h1>${waiting.title}</h1>
<p class="lead">${lead}</p>
</header>`,
        body: html`${
          all.length === 0
            ? ""
            : dataTable(
                waiting.title,
                [words.visit, booking.what, text.contact, text.waits.since, text.waits.remove],
                all.map((one) => rowOf(desk, venues, one))
              )
        }`
      })
    }),
    act: (desk, form) =>
      Effect.as(
        list.leave((form.get(entryField) ?? "").slice(0, 40), desk.member.operator_id),
        redirectAfterPost(deskPaths.waiting)
      )
  } satisfies DeskScreen
})
