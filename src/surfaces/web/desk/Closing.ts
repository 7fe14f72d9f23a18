/**
 * `/desk/closing`: staff close a time or days, and reopen them. The form says first what that does; what is booked
 * then is compared again when it is done, so that a booking of that moment is shown, too.
 */
import { Effect, Option, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import { ClosedTimes, ClosingReason, isPartOfADay } from "../../../domain/booking/ClosedTime.ts"
import {
  type ClosedRoom,
  type ClosingPlan,
  type ClosingWish,
  maxClosuresShown,
  makeVenueClosures
} from "../../../domain/booking/VenueClosures.ts"
import type { PlayroomClosure } from "../../../domain/catalogue/Catalogue.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { dateIn, pluralIn, visitTimeIn } from "../../../words/Localized.ts"
import { AddOnId, decodeCursor, encodeCursor, ClosureId, PlayroomId } from "../../../platform/ids/Ids.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { dayRange, type Instant, isLocalDate, localDateOf } from "../../../platform/time/LocalTime.ts"
import { deskPaths, mayDo } from "../../../domain/people/staff/StaffMember.ts"
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
import { contactOf, deskPage, type DeskRequest, type DeskScreen, notAllowedPage, whenOf, whoOf } from "./DeskFrame.ts"

type Response = HttpServerResponse.HttpServerResponse

/** What the form holds, as it was typed. */
interface ClosingInput {
  readonly playroom: string
  readonly from: string
  readonly to: string
  readonly starts: string
  readonly ends: string
  readonly reason: string
}

/** The fields of the form, with the longest text of each. */
const closingFields = { playroom: 60, from: 10, to: 10, starts: 5, ends: 5, reason: 200 } as const

/** So many numbers of one stock are offered: all of it, and fewer. */
const maxUnitsShown = 10

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
    ...rooms.map((room) => ({
      term: room.playroom_name,
      is: html`<strong>${timeOf(language, room)}</strong>`
    })),
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
interface ShownClosure {
  readonly closure: PlayroomClosure
  readonly mayReopen: boolean
}

/** The form, and what is closed from now on. */
const closingForm = (
  desk: DeskRequest,
  of: {
    readonly rooms: ReadonlyArray<{ readonly playroom_id: string; readonly name: string }>
    readonly stock: ReadonlyArray<{ readonly add_on_id: string; readonly name: string; readonly units: number }>
    readonly input: ClosingInput
    readonly upcoming: ReadonlyArray<ShownClosure>
    /** Whether earlier pages of these exist. */
    readonly continued: boolean
    readonly next_cursor?: string
    readonly faults?: PartyFormErrors
    readonly alert?: string
  }
): Response => {
  const { alert, continued, faults = {}, input, next_cursor, rooms, stock, upcoming } = of
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
  // Of several, so many as are chosen.
  const broken = stock.flatMap(({ add_on_id, name, units }) =>
    Array.from({ length: Math.min(units, maxUnitsShown) }, (_, i) => ({
      value: i === 0 ? add_on_id : `${add_on_id}.${units - i}`,
      label: `${units - i} × ${name}`
    }))
  )
  const option = ({ label, value }: { readonly label: string; readonly value: string }) =>
    html`<option value="${value}"${value === input.playroom ? html` selected` : ""}>${label}</option>`
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
    html`<select id="playroom" name="playroom"${described}>${choices.map(option)}${stock.length === 0 ? "" : html`<optgroup label="${closing.outOfOrder}">${broken.map(option)}</optgroup>`}</select>`
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
const closingPlanPage = (desk: DeskRequest, plan: ClosingPlan, input: ClosingInput, alert?: string): Response => {
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
const reopenPage = (desk: DeskRequest, closure: PlayroomClosure): Response => {
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

/** What the address asks for. */
interface AskedClosing {
  readonly day?: string
  readonly reopen?: string
  readonly cursor?: string
}

const decodeTimes = Schema.decodeUnknownOption(ClosedTimes)
const decodeReason = Schema.decodeUnknownOption(ClosingReason)
const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([PlayroomId, Schema.Int, ClosureId]))
const scopeOf = (operator_id: string) => ["closing", operator_id]

const inputIn = (form: URLSearchParams): ClosingInput => {
  const text = (name: keyof typeof closingFields) =>
    (form.get(name) ?? "").normalize("NFC").trim().slice(0, closingFields[name])
  return {
    playroom: text("playroom"),
    from: text("from"),
    to: text("to"),
    starts: text("starts"),
    ends: text("ends"),
    reason: text("reason")
  }
}

const isAddOn = Schema.is(AddOnId)

/** What the form asks to close, or what is wrong with it. */
const wishIn = (
  { ends, from, playroom, reason, starts, to }: ClosingInput,
  operator_id: string,
  language: Language
): { readonly wish: ClosingWish } | { readonly faults: PartyFormErrors } => {
  const { closing } = messages[language].desk
  const last = to === "" ? from : to
  const [what, units] = playroom.split(".")
  const times = decodeTimes({
    from,
    to: last,
    ...(starts === "" ? {} : { starts }),
    // A clock's field has no 24:00.
    ...(ends === "" ? {} : { ends: ends === "00:00" && last === from ? "24:00" : ends })
  })
  const why = decodeReason(reason)
  return Option.isSome(times) && Option.isSome(why)
    ? {
        wish: {
          operator_id,
          ...(playroom === "all" ? {} : isAddOn(what) ? { add_on_id: what } : { playroom_id: playroom }),
          ...(units === undefined ? {} : { units: Number(units) }),
          times: times.value,
          reason: why.value
        }
      }
    : {
        faults: {
          ...(Option.isNone(times) ? { from: closing.timesWrong } : {}),
          ...(Option.isNone(why) ? { reason: closing.reasonWrong } : {})
        }
      }
}

/** Whether a person may reopen a closure: one of the venue's own; of a room's whole days, who may close them. */
export const mayReopen = ({ member }: DeskRequest, closure: PlayroomClosure): boolean =>
  closure.made_by !== null &&
  mayDo(
    member.role,
    closure.resource_id !== null || isPartOfADay(closure.time_zone, closure) ? "close_time" : "close_days"
  )

export const closing = Effect.gen(function* () {
  const closures = yield* makeVenueClosures

  /** A page of what is closed from now on. A cursor that is not ours: from the start. */
  const upcomingFrom = Effect.fnUntraced(function* (desk: DeskRequest, cursor: string | undefined) {
    const { operator_id } = desk.member
    const scope = scopeOf(operator_id)
    const position =
      cursor === undefined ? undefined : Option.getOrUndefined(decodePosition(decodeCursor(scope, cursor)))
    const after = position && { playroom_id: position[0], start: position[1], closure_id: position[2] }
    const found = yield* closures.upcoming({ operator_id, ...(after && { after }) }, maxClosuresShown + 1)
    const shown = found.slice(0, maxClosuresShown)
    const last = found.length > maxClosuresShown ? shown.at(-1) : undefined
    return {
      upcoming: shown.map((closure): ShownClosure => ({
        closure,
        mayReopen: mayReopen(desk, closure)
      })),
      continued: after !== undefined,
      ...(last && { next_cursor: encodeCursor(scope, [last.playroom_id, last.start, last.closure_id]) })
    }
  })

  const formPage = Effect.fnUntraced(function* (
    desk: DeskRequest,
    input: ClosingInput,
    more: { readonly faults?: PartyFormErrors; readonly alert?: string; readonly cursor?: string } = {}
  ) {
    const { cursor, ...wrong } = more
    const rooms = yield* closures.rooms(desk.member.operator_id)
    const stock = yield* closures.stock(desk.member.operator_id)
    return closingForm(desk, { ...wrong, rooms, stock, input, ...(yield* upcomingFrom(desk, cursor)) })
  })

  /** The closure of this operator's venue that a person asks to reopen. */
  const ownClosure = Effect.fnUntraced(function* ({ member: { operator_id } }: DeskRequest, closure_id: string) {
    const [found] = yield* closures.upcoming({ operator_id, closure_id }, 1)
    return Option.filter(Option.fromNullishOr(found), ({ made_by }) => made_by !== null)
  })

  const show = Effect.fnUntraced(function* (desk: DeskRequest, { cursor, day, reopen }: AskedClosing) {
    if (reopen === undefined) {
      const from = isLocalDate(day) ? day : ""
      const empty = { playroom: "", from, to: "", starts: "", ends: "", reason: "" }
      return yield* formPage(desk, empty, cursor === undefined ? {} : { cursor })
    }
    const found = yield* ownClosure(desk, reopen)
    if (Option.isNone(found)) return linkProblemPage("nothing", desk.language)
    return mayReopen(desk, found.value) ? reopenPage(desk, found.value) : notAllowedPage(desk)
  })

  const reopened = Effect.fnUntraced(function* (desk: DeskRequest, closure_id: string) {
    const found = yield* ownClosure(desk, closure_id)
    if (Option.isSome(found)) {
      if (!mayReopen(desk, found.value)) return notAllowedPage(desk)
      const { name, operator_id } = desk.member
      yield* Effect.catchTag(closures.lift({ closure_id, operator_id }, name), "ClosureNotFound", () => Effect.void)
    }
    // A second press, or a colleague's, finds it open: that is what it asked for.
    return redirectAfterPost(deskPaths.closing)
  })

  const closed = (desk: DeskRequest, input: ClosingInput, shown: string | null): PageAnswer =>
    Effect.gen(function* () {
      const { language, member } = desk
      const text = messages[language].desk
      const entered = wishIn(input, member.operator_id, language)
      if ("faults" in entered)
        return yield* formPage(desk, input, { faults: entered.faults, alert: text.closing.wrong })
      const plan = yield* closures.plan(entered.wish)
      const right = (yield* closures.closesDays(plan.rooms)) ? "close_days" : "close_time"
      if (!mayDo(member.role, right)) return notAllowedPage(desk)
      if (shown === null) return closingPlanPage(desk, plan, input)
      return yield* closures.close(entered.wish, { who: member.name, shown }).pipe(
        Effect.map(({ inside_in_all }) =>
          redirectAfterPost(
            inside_in_all > 0 && mayDo(member.role, "move")
              ? deskPaths.closed
              : `${deskPaths.desk}?day=${entered.wish.times.from}`
          )
        ),
        Effect.catchTag("ClosingChanged", () =>
          Effect.map(closures.plan(entered.wish), (now) => closingPlanPage(desk, now, input, text.changed))
        )
      )
    }).pipe(
      Effect.catchTag("ClosingRefused", ({ reason }) => {
        const why = messages[desk.language].desk.closing.problems[reason]
        return formPage(desk, input, {
          faults: { [reason === "no_playroom" || reason === "no_stock" ? "playroom" : "from"]: why },
          alert: why
        })
      })
    )

  const act = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const input = inputIn(form)
    switch (form.get("do")) {
      case "check":
        return closed(desk, input, null)
      case "edit":
        return formPage(desk, input)
      case "close":
        return closed(desk, input, form.get("shown") ?? "")
      case "reopen":
        return reopened(desk, (form.get("closure") ?? "").slice(0, 60))
      case null:
      default:
        return Effect.succeed(linkProblemPage("unreadable", desk.language))
    }
  }

  return { path: deskPaths.closing, show, act } satisfies DeskScreen
})
