/**
 * `/desk/closing`: staff close a time or days, and reopen them. The form says first what that does; what is booked then is
 * compared again when it is done, so that a booking of that moment is shown, too.
 */
import type { PageAnswer } from "../Layout.ts"
import { Effect, Option, Schema } from "effect"
import { ClosedTimes, ClosingReason, isPartOfADay } from "../../booking/Closing.ts"
import { type ClosingWish, maxClosuresShown, VenueClosures } from "../../booking/VenueClosures.ts"
import { type Language, messages } from "../../i18n/Languages.ts"
import { decodeCursor, encodeCursor } from "../../kernel/Cursor.ts"
import { ClosureId, PlayroomId } from "../../kernel/Ids.ts"
import { isLocalDate } from "../../kernel/LocalTime.ts"
import { deskPaths } from "../../staff/DeskSite.ts"
import { type DeskRight, mayDo } from "../../staff/Rights.ts"
import type { PartyFaults } from "../family/PartyForm.ts"
import { linkProblemPage } from "../LinkProblems.ts"
import {
  closingFields,
  closingForm,
  type ClosingInput,
  closingPlanPage,
  reopenPage,
  type ShownClosure
} from "./ClosingPages.ts"
import type { DeskRequest } from "./DeskFrame.ts"
import { notAllowedPage } from "./NotAllowedPage.ts"
import { leadTo } from "../Forms.ts"

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

/** What the form asks to close, or what is wrong with it. */
const wishIn = (
  { ends, from, playroom, reason, starts, to }: ClosingInput,
  operator_id: string,
  language: Language
): { readonly wish: ClosingWish } | { readonly faults: PartyFaults } => {
  const { closing } = messages[language].desk
  const last = to === "" ? from : to
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
          ...(playroom === "all" ? {} : { playroom_id: playroom }),
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

/** What the role has to allow for this time to be closed or reopened. */
const rightFor = ({
  end,
  start,
  time_zone
}: {
  readonly end: number
  readonly start: number
  readonly time_zone: string
}): DeskRight => (isPartOfADay(time_zone, { start, end }) ? "close_time" : "close_days")

/** Whether a person may reopen a closure: one of the venue's own, that they might have made. */
export const mayReopen = (
  { member }: DeskRequest,
  closure: Parameters<typeof rightFor>[0] & { readonly made_by: string | null }
): boolean => closure.made_by !== null && mayDo(member.role, rightFor(closure))

export const closing = Effect.gen(function* () {
  const closures = yield* VenueClosures

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
      upcoming: shown.map((closure): ShownClosure => ({ closure, mayReopen: mayReopen(desk, closure) })),
      continued: after !== undefined,
      ...(last && { next_cursor: encodeCursor(scope, [last.playroom_id, last.start, last.closure_id]) })
    }
  })

  const formPage = Effect.fnUntraced(function* (
    desk: DeskRequest,
    input: ClosingInput,
    more: { readonly faults?: PartyFaults; readonly alert?: string; readonly cursor?: string } = {}
  ) {
    const { cursor, ...wrong } = more
    const rooms = yield* closures.rooms(desk.member.operator_id)
    return closingForm(desk, { ...wrong, rooms, input, ...(yield* upcomingFrom(desk, cursor)) })
  })

  /** The closure of this operator's venue that a person asks to reopen. */
  const ownClosure = Effect.fnUntraced(function* ({ member: { operator_id } }: DeskRequest, closure_id: string) {
    const found = yield* closures.upcoming({ operator_id, closure_id }, 1)
    return Option.filter(Option.fromNullishOr(found[0]), ({ made_by }) => made_by !== null)
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
    return leadTo(deskPaths.closing)
  })

  const closed = (desk: DeskRequest, input: ClosingInput, shown: string | null): PageAnswer =>
    Effect.gen(function* () {
      const { language, member } = desk
      const text = messages[language].desk
      const entered = wishIn(input, member.operator_id, language)
      if ("faults" in entered)
        return yield* formPage(desk, input, { faults: entered.faults, alert: text.closing.wrong })
      const plan = yield* closures.plan(entered.wish)
      if (!plan.rooms.every((room) => mayDo(member.role, rightFor(room)))) return notAllowedPage(desk)
      if (shown === null) return closingPlanPage(desk, plan, input)
      return yield* closures.close(entered.wish, { who: member.name, shown }).pipe(
        Effect.map(({ inside_in_all }) =>
          leadTo(
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
        return formPage(desk, input, { faults: { [reason === "no_playroom" ? "playroom" : "from"]: why }, alert: why })
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

  return { show, act }
})
