/**
 * `/desk/closed`: bookings affected by a closure, or by less stock than they have. Staff keep, move or cancel each of
 * them. Here are what the pages read, the pages, and the screen; what is done stands in `AffectedBookings.ts` of the
 * domain.
 */
import { Cause, Clock, Effect, Option, Schema, Stream } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { OptionId } from "../../../domain/availability/BookingOption.ts"
import { type AffectedBooking, BookingList, maxAffectedShown } from "../../../domain/booking/BookingList.ts"
import { Bookings } from "../../../domain/booking/Bookings.ts"
import { cleanText } from "../../../domain/catalogue/Operator.ts"
import type { AddOn } from "../../../domain/catalogue/Package.ts"
import type { BookingRow } from "../../../domain/booking/Booking.ts"
import { type ChangedBooking, extrasText, isOtherRoom } from "../../../domain/booking/ChangePlan.ts"
import { LetterOutbox } from "../../../domain/booking/LetterOutbox.ts"
import type { AlternativeStart } from "../../../domain/booking/OtherVisits.ts"
import { planToken, readPlanToken } from "../../../domain/booking/VersionToken.ts"
import {
  affectedBookings,
  lacksExtras,
  type AffectedDeed,
  type AffectedEffect,
  type AffectedRefusal,
  type AffectedWish,
  type ChangedSincePlan,
  type PlannedBooking
} from "../../../domain/payment/changes/AffectedBookings.ts"
import type { Actor } from "../../../domain/payment/changes/BookingChanges.ts"
import { maxWords } from "../../../domain/payment/changes/Presses.ts"
import { VisitOffers } from "../../../domain/payment/changes/VisitChanges.ts"
import { deskPaths, type DeskRight, mayDo } from "../../../domain/people/staff/StaffMember.ts"
import { doneOf } from "../../../platform/concurrency/Outcomes.ts"
import { AddOnId, decodeCursor, encodeCursor, BookingId, type OperatorId } from "../../../platform/ids/Ids.ts"
import { type Money, sumsByCurrency } from "../../../platform/money/Money.ts"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import { secondMs } from "../../../platform/time/LocalTime.ts"
import type { Messages } from "../../../words/en/Messages.ts"
import { type Language, messages } from "../../../words/Languages.ts"
import { moneyIn, pluralIn, shortDateIn, timesIn, visitTimeIn } from "../../../words/Localized.ts"
import {
  type PageAnswer,
  actions,
  buttonLink,
  dataTable,
  facts,
  hiddenInputs,
  isolated,
  notice
} from "../frame/Layout.ts"
import type { PageRequest } from "../frame/PageTable.ts"
import { moneyTold, moveName, whyNotChanged } from "./ChangeActions.ts"
import {
  deskAddress,
  formField,
  staffActor,
  contactOf,
  deskPage,
  type DeskRequest,
  type DeskScreen,
  notAllowedPage,
  whenOf,
  whoOf
} from "./DeskFrame.ts"

/** What can be done with a booking instead. */
interface Proposals {
  /** Free starts that it can be moved to. */
  readonly alternatives: ReadonlyArray<AlternativeStart>
  /** Add-ons that can stand in for those of which there are too few. */
  readonly swaps: ReadonlyArray<Pick<AddOn, "add_on_id" | "name">>
}
const nothingProposed: Proposals = { alternatives: [], swaps: [] }

interface AffectedPage {
  readonly visits: ReadonlyArray<Proposals & { readonly visit: AffectedBooking }>
  /** Whether families can be written to. */
  readonly letters: boolean
  readonly continued: boolean
  readonly next_cursor?: string
}

/** What was chosen for bookings, by id. */
type AffectedChoices = ReadonlyMap<BookingId, AffectedDeed>

/** What the choices would do. */
interface AffectedPlan {
  readonly planned: ReadonlyArray<PlannedBooking>
  /** For the form that does what is not refused; absent if there is nothing of that. */
  readonly shown?: string
  /** Whether families are written to. */
  readonly letters: boolean
}

/**
 * What was done. `gone`: they were no longer affected. `left`: they have changed since the page, or failed, and were
 * left; why, if that is known. `to_do`: there was no time for some of these; the same form goes on with them.
 */
interface AffectedDone {
  readonly done: ReadonlyArray<{ readonly visit: AffectedBooking; readonly did: AffectedEffect }>
  readonly gone: number
  readonly left: ReadonlyArray<{ readonly visit: AffectedBooking; readonly why?: AffectedRefusal | ChangedSincePlan }>
  readonly to_do: AffectedChoices
  readonly shown: string
  /** What those are told who are written to. */
  readonly words: string
}

/**
 * A page has a few seconds. Each deed is done or not begun. A booking without proposals still has a link that moves
 * it.
 */
const workMs = 4 * secondMs
const proposeMs = 2 * secondMs

const scopeOf = (operator_id: OperatorId) => ["closed", operator_id]
const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Schema.Int, BookingId]))

/** The code of a plan: it stays true while the plan is carried out. */
const codeOf = (through: number, operator_id: OperatorId, choices: AffectedChoices) =>
  planToken(through, {
    operator_id,
    // The words are written on the plan's page.
    choices: [...choices]
      .map(([id, deed]) => [id, deed.action === "write" ? { action: deed.action } : deed] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
  })

export const deskAffected = Effect.gen(function* () {
  const list = yield* BookingList
  const bookings = yield* Bookings
  const offers = yield* VisitOffers
  const { on: letters } = yield* LetterOutbox
  const runner = yield* affectedBookings

  /** The chosen ones that are affected. */
  const chosenOf = (operator_id: OperatorId, choices: AffectedChoices) =>
    Effect.map(
      Effect.forEach(choices.keys(), (booking_id) => list.affected({ operator_id, booking_id, limit: 1 })),
      (found) => found.flat()
    )

  const wishOf =
    (choices: AffectedChoices) =>
    ({ booking_id }: AffectedBooking): AffectedWish =>
      choices.get(booking_id) ?? { action: "keep" }

  /** Free starts; and other add-ons of the same package, if the booking has some of which there are too few. */
  const proposalsFor = (visit: AffectedBooking): Effect.Effect<Proposals, SqlError.SqlError> =>
    bookings.get(visit.booking_id).pipe(
      Effect.flatMap((booking) =>
        Effect.all({
          alternatives: offers.alternatives(booking),
          swaps: lacksExtras(visit)
            ? Effect.map(offers.partyOffer(booking), ({ add_ons }) =>
                add_ons.filter(({ add_on_id }) => !booking.terms.add_ons.some((own) => own.add_on_id === add_on_id))
              )
            : Effect.succeed([])
        })
      ),
      Effect.catchTag("BookingNotFound", () => Effect.succeed(nothingProposed))
    )

  /** The operator's affected bookings, by start. */
  const page = Effect.fn("AffectedBookings.page")(function* (
    operator_id: OperatorId,
    cursor: string | undefined
  ): Effect.fn.Return<AffectedPage, SqlError.SqlError> {
    const scope = scopeOf(operator_id)
    const after = cursor === undefined ? undefined : Option.getOrUndefined(decodePosition(decodeCursor(scope, cursor)))
    const rows = yield* list.affected({
      operator_id,
      limit: maxAffectedShown + 1,
      ...(after === undefined ? {} : { after: { starts_at: after[0], booking_id: after[1] } })
    })
    const shown = rows.slice(0, maxAffectedShown)
    const last = rows.length > maxAffectedShown ? shown.at(-1) : undefined
    const until = (yield* Clock.currentTimeMillis) + proposeMs
    const visits = yield* Effect.forEach(shown, (visit) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(now < until ? proposalsFor(visit) : Effect.succeed(nothingProposed), (found) => ({
          visit,
          ...found
        }))
      )
    )
    return {
      visits,
      letters,
      continued: after !== undefined,
      ...(last === undefined ? {} : { next_cursor: encodeCursor(scope, [last.starts_at, last.booking_id]) })
    }
  })

  /** What the choices would do; bookings that are not this operator's, or not affected, are left out. */
  const plan = Effect.fn("AffectedBookings.plan")(function* (
    operator_id: OperatorId,
    choices: AffectedChoices,
    who: Actor
  ): Effect.fn.Return<AffectedPlan, SqlError.SqlError> {
    const through = yield* list.committedThrough
    const chosen = yield* chosenOf(operator_id, choices)
    const planned = yield* Stream.runCollect(runner.plan(Stream.fromIterable(chosen), wishOf(choices), who))
    const can = new Set(planned.flatMap(({ booking, refused }) => (refused === undefined ? [booking.booking_id] : [])))
    const deeds = new Map([...choices].filter(([booking_id]) => can.has(booking_id)))
    return deeds.size === 0 ? { planned, letters } : { planned, letters, shown: codeOf(through, operator_id, deeds) }
  })

  /** Does what the plan said, each booking by itself. Cut off, the same call goes on with the others. */
  const carryOut = Effect.fn("AffectedBookings.carryOut")(function* (
    operator_id: OperatorId,
    choices: AffectedChoices,
    { shown, who, words = "" }: { readonly shown: string; readonly who: Actor; readonly words?: string }
  ): Effect.fn.Return<AffectedDone | undefined, SqlError.SqlError> {
    const through = readPlanToken(shown)?.through
    if (through === undefined || codeOf(through, operator_id, choices) !== shown) return undefined
    const until = (yield* Clock.currentTimeMillis) + workMs
    const chosen = yield* chosenOf(operator_id, choices)
    const wish = (booking: AffectedBooking): AffectedWish => {
      const chosenWish = wishOf(choices)(booking)
      return chosenWish.action === "write" ? { ...chosenWish, words } : chosenWish
    }
    const outcomes = yield* runner.resolve(Stream.fromIterable(chosen), wish, { through, who }).pipe(
      Stream.takeUntilEffect(() => Effect.map(Clock.currentTimeMillis, (now) => now >= until)),
      Stream.runCollect
    )
    const done = doneOf(outcomes)
    return {
      done: done.flatMap(({ item: visit, value: did }) => (did === undefined ? [] : [{ visit, did }])),
      gone: choices.size - chosen.length + done.filter(({ value }) => value === undefined).length,
      left: outcomes.flatMap((one) => {
        if (one.outcome !== "failed") return []
        const why = Option.getOrUndefined(Cause.findErrorOption(one.cause))
        return [{ visit: one.item, ...(why === undefined || why._tag === "SqlError" ? {} : { why }) }]
      }),
      to_do: outcomes.length === chosen.length ? new Map() : choices,
      shown,
      words
    }
  })

  return { page, plan, carryOut }
})

/** Why it can't take place as things stand. */
const becauseOf = ({ closed_because, overbooked }: AffectedBooking, language: Language): Html => {
  const { desk, operator } = messages[language]
  if (overbooked !== null)
    return isolated(
      overbooked.because === undefined
        ? desk.closed.only(overbooked.of, overbooked.units)
        : desk.closed.broken(overbooked.of, overbooked.because)
    )
  return closed_because === null || closed_because === "" ? html`${operator.closed}` : isolated(closed_because)
}

/** The field in which a form chooses what happens with bookings; a booking that is kept has an empty one. */
const choiceField = "choice"
/** Chosen for a booking that is cancelled; one that is moved has the option's id. */
const cancelChoice = "cancel"
/** Chosen for extras that are given back; for a swap, the form has the add-on's id. */
const giveBackChoice = "back"
/** Chosen for a family that is written to, with the words of another field. */
const writeChoice = "write"
const wordsField = "words"
const choiceOfAction = { cancel: cancelChoice, give_back: giveBackChoice, write: writeChoice } as const
/** After an add-on's id: the family pays what it costs more. */
const paysChoice = "pays"

const swapChoice = (add_on_id: AddOnId, pays = false): string => (pays ? `${add_on_id}.${paysChoice}` : add_on_id)

const choiceOf = (booking_id: string, what: string): string => `${booking_id}.${what}`

const choiceInputs = (choices: AffectedChoices): ReadonlyArray<Html> =>
  Array.from(choices, ([booking_id, deed]) => {
    const what =
      deed.action === "move"
        ? deed.option_id
        : deed.action === "swap"
          ? swapChoice(deed.add_on_id, deed.pays)
          : choiceOfAction[deed.action]
    return html`<input type="hidden" name="${choiceField}" value="${choiceOf(booking_id, what)}">`
  })

/** The sums of what goes back by currency, and that some of it may go back by hand; nothing if nothing goes back. */
const sumsOf = (refunds: ReadonlyArray<Money>, language: Language): Html => {
  const { closed } = messages[language].desk
  const sums = sumsByCurrency(refunds)
  return sums.length === 0
    ? html``
    : html`${facts(
        sums.map(({ amount, currency }) => ({
          term: closed.inAll,
          is: html`<strong>${moneyIn(language, amount, currency)}</strong>`
        }))
      )}
<p>${closed.byHand}</p>`
}

const backToList = (language: Language) => buttonLink(deskPaths.closed, messages[language].desk.toList, true)

/** A free start: when, in which room if it is another one, and the price if it is another one. */
const startOf = (
  visit: AffectedBooking,
  { option, playroom_id, playroom_name, time_zone }: AlternativeStart,
  language: Language
) => {
  const { words } = messages[language]
  const { price } = option
  const start = Date.parse(option.start)
  return [
    // Short, so that a telephone shows the time.
    shortDateIn(language, time_zone, start) + words.comma + timesIn(language, time_zone, start, Date.parse(option.end)),
    ...(playroom_id === visit.playroom_id ? [] : [playroom_name]),
    ...(price.total === visit.total ? [] : [moneyIn(language, price.total, price.currency)])
  ].join(" · ")
}

/**
 * What can happen with a booking; `mayCancel`: whether the person may cancel it with everything going back; `letters`:
 * whether it can be written to.
 */
const choiceInput = (
  { alternatives, swaps, visit }: AffectedPage["visits"][number],
  { letters, mayCancel }: { readonly letters: boolean; readonly mayCancel: boolean },
  language: Language
): Html => {
  const swapGroup = (label: string, pays: boolean) =>
    swaps.length === 0
      ? ""
      : html`<optgroup label="${label}">${swaps.map(({ add_on_id, name }) => html`<option value="${choiceOf(visit.booking_id, swapChoice(add_on_id, pays))}">${name}</option>`)}</optgroup>`
  const { closed, move } = messages[language].desk
  const { booking_id, reference } = visit
  const free = alternatives.map(
    (start) =>
      html`<option value="${choiceOf(booking_id, start.option.option_id)}">${startOf(visit, start, language)}</option>`
  )
  return html`<label><span class="unseen">${closed.what} ${reference}</span><select name="${choiceField}">
<option value="">${closed.keep}</option>
${letters && visit.status === "confirmed" ? html`<option value="${choiceOf(booking_id, writeChoice)}">${closed.write}</option>` : ""}
${lacksExtras(visit) ? html`<option value="${choiceOf(booking_id, giveBackChoice)}">${closed.giveBack}</option>` : ""}
${swapGroup(closed.swapFor, false)}
${swapGroup(closed.swapPays, true)}
${mayCancel ? html`<option value="${choiceOf(booking_id, cancelChoice)}">${closed.cancel}</option>` : ""}
${free.length === 0 ? "" : html`<optgroup label="${closed.moveTo}">${free}</optgroup>`}
</select></label><a href="${deskAddress(booking_id, moveName)}">${move.title}<span class="unseen"> ${reference}</span></a>`
}

const listPage = (request: DeskRequest, found: AffectedPage): HttpServerResponse.HttpServerResponse => {
  const { form, language, member } = request
  const { desk, words } = messages[language]
  const { closed, contact } = desk
  const { continued, letters, next_cursor, visits } = found
  const mayCancel = mayDo(member.role, "cancel_otherwise")
  const rows = visits.map((one) => {
    const { visit } = one
    return [
      whoOf(visit, language),
      contactOf(visit),
      whenOf(visit, language),
      html`${moneyIn(language, visit.paid - visit.refunded, visit.currency)}`,
      becauseOf(visit, language),
      choiceInput(one, { letters, mayCancel }, language)
    ]
  })
  const all = (deed: AffectedDeed, of = visits): AffectedChoices =>
    new Map(of.map(({ visit }) => [visit.booking_id, deed]))
  const writable = visits.filter(({ visit }) => letters && visit.status === "confirmed")
  const further = [
    next_cursor === undefined
      ? undefined
      : buttonLink(`${deskPaths.closed}?cursor=${encodeURIComponent(next_cursor)}`, desk.moreBookings, true),
    continued ? backToList(language) : undefined
  ]
  return deskPage(request, {
    title: closed.title,
    head: html`<header>
<h1>${closed.title}</h1>
<p class="lead">${visits.length === 0 ? closed.none : closed.lead}</p>
</header>`,
    body:
      visits.length === 0
        ? html`${actions(continued ? backToList(language) : undefined)}`
        : html`<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form })}
${dataTable(desk.visits, [closed.who, contact, words.visit, words.paid, closed.because, closed.what], rows)}
${actions(html`<button>${desk.goOn}</button>`, ...(mayCancel ? [] : further))}
</form>
${
  mayCancel
    ? html`<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form })}
${choiceInputs(all({ action: "cancel" }))}
${actions(html`<button class="second">${pluralIn(language, visits.length, closed.all)}</button>`, ...further)}
</form>`
    : ""
}
${
  writable.length === 0
    ? ""
    : html`<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form })}
${choiceInputs(all({ action: "write", words: "" }, writable))}
${actions(html`<button class="second">${pluralIn(language, writable.length, closed.writeAll)}</button>`)}
</form>`
}`
  })
}

/** Whether a booking is still of that room and start: only its extras are others. */
const isVisitAt = (from: BookingRow, { playroom_id, starts_at }: BookingRow): boolean =>
  from.playroom_id === playroom_id && from.starts_at === starts_at

/** Whether it has an extra that it had not. */
const isSwap = ({ booking, from }: Pick<ChangedBooking, "booking" | "from">): boolean => {
  const had = new Set(from.terms.add_ons.map(({ add_on_id }) => add_on_id))
  return booking.terms.add_ons.some(({ add_on_id }) => !had.has(add_on_id))
}

/** What happens with a booking, or did, and what of its money. */
const effectOf = (
  { change, refund, written }: AffectedEffect,
  language: Language
): { readonly does: Html; readonly money: Html } => {
  const { desk, words } = messages[language]
  if (written !== undefined) return { does: html`${desk.closed.write}`, money: html`` }
  if (change === undefined)
    return {
      does: html`${words.cancelled}`,
      money: html`${words.comesBack}: <strong>${moneyIn(language, refund.amount, refund.currency)}</strong>`
    }
  const { booking, from, without } = change
  const { ends_at, starts_at, terms } = booking
  const where = isOtherRoom(from, booking) ? html`<br>${isolated(terms.playroom_name)}` : ""
  const lost = without.length === 0 ? "" : html`<br>${desk.move.without(extrasText(without))}`
  const money = html`${joined(
    moneyTold(change, language).map(({ is, term }) => html`${term}: ${is}`),
    html`<br>`
  )}`
  return isVisitAt(from, booking)
    ? { does: html`${isSwap(change) ? desk.closed.swapFor : desk.closed.giveBack}`, money }
    : {
        does: html`${desk.closed.moveTo}: <strong>${visitTimeIn(language, terms.time_zone, starts_at, ends_at)}</strong>${where}${lost}`,
        money
      }
}

/** What was done with how many bookings. */
const countsOf = (all: ReadonlyArray<AffectedEffect>) => {
  const kindOf = ({ change, written }: AffectedEffect): keyof Messages["desk"]["closed"]["done"] => {
    if (written !== undefined) return "written"
    if (change === undefined) return "cancelled"
    if (!isVisitAt(change.from, change.booking)) return "moved"
    return isSwap(change) ? "swapped" : "givenBack"
  }
  return [...Map.groupBy(all, kindOf)].map(([what, its]) => [what, its.length] as const)
}

/** Why something is not done; undefined where the booking has changed. */
const whyNot = (
  why: AffectedRefusal | ChangedSincePlan,
  { time_zone }: AffectedBooking,
  language: Language
): string | undefined => {
  const { booking, desk } = messages[language]
  switch (why._tag) {
    case "SlotConflict":
      return desk.closed.twice
    case "CostsMore":
      return desk.closed.costsMore(moneyIn(language, why.difference.amount, why.difference.currency))
    case "NotWrittenTo":
      return desk.closed.notWritten
    case "NotAllowed":
      return desk.managersOnly
    case "ChangeUnderWay":
      return booking.underWay
    case "BookingNotFound":
    case "ChangedSincePlan":
    case "ChangedSinceShown":
      return undefined
    default:
      return whyNotChanged(why, language, time_zone)
  }
}

/** Where the venue writes what those whom it chose are told. */
const wordsInput = (language: Language): Html => {
  const { closed } = messages[language].desk
  return html`<label for="${wordsField}">${closed.words}</label>
<p class="hint" id="${wordsField}-hint">${closed.wordsHint}</p>
<textarea id="${wordsField}" name="${wordsField}" rows="6" maxlength="${maxWords}" required aria-describedby="${wordsField}-hint"></textarea>`
}

const planPage = (
  request: DeskRequest,
  { letters, planned, shown }: AffectedPlan,
  alert?: string
): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, words } = messages[language]
  const { closed } = desk
  const rows = planned.map(({ booking, refused, wish, would }) => {
    const { does, money } = would === undefined ? { does: html``, money: html`` } : effectOf(would, language)
    const why = refused === undefined || wish.action === "cancel" ? closed.cant : whyNot(refused, booking, language)
    return [
      whoOf(booking, language),
      contactOf(booking),
      whenOf(booking, language),
      refused === undefined ? does : html`<b class="due">${why ?? closed.cant}</b>`,
      money
    ]
  })
  const can = planned.filter(({ refused }) => refused === undefined)
  const deeds: AffectedChoices = new Map(
    can.flatMap(({ booking, wish }) => (wish.action === "keep" ? [] : [[booking.booking_id, wish] as const]))
  )
  return deskPage(request, {
    title: closed.planTitle,
    status: shown === undefined || alert !== undefined ? 409 : 200,
    head: html`<h1>${closed.planTitle}</h1>
${alert === undefined ? "" : html`<p role="alert">${alert}</p>`}
${planned.length === 0 ? html`<p role="alert">${closed.nothingChosen}</p>` : ""}`,
    body: html`${
      planned.length === 0
        ? ""
        : dataTable(desk.visits, [closed.who, desk.contact, words.visit, closed.what, closed.money], rows)
    }
${
  shown === undefined
    ? ""
    : html`${sumsOf(
        can.flatMap(({ would }) => would?.refund ?? []),
        language
      )}
${can.some(({ wish }) => wish.action === "cancel") ? html`<p>${desk.cancel.places}</p>` : ""}
<p>${letters ? closed.told : closed.notTold}</p>`
}
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form, ...(shown === undefined ? {} : { shown }) })}
${choiceInputs(deeds)}
${can.some(({ wish }) => wish.action === "write") ? wordsInput(language) : ""}
${actions(shown === undefined ? undefined : html`<button>${pluralIn(language, can.length, closed.confirm)}</button>`, backToList(language))}
</form>`
  })
}

/** `undefined`: the form is not the one that the plan's page had. */
const donePage = (request: DeskRequest, found: AffectedDone | undefined): HttpServerResponse.HttpServerResponse => {
  const { form, language } = request
  const { desk, words } = messages[language]
  const { closed } = desk
  if (found === undefined) {
    return deskPage(request, {
      title: closed.title,
      status: 409,
      head: html`<h1>${closed.title}</h1>\n<p role="alert">${closed.changed}</p>`,
      body: html`${actions(backToList(language))}`
    })
  }
  const { done, gone, left, shown, to_do, words: written } = found
  const counts = countsOf(done.map(({ did }) => did))
  const rows = done.map(({ did, visit }) => {
    const { does, money } = effectOf(did, language)
    return [whoOf(visit, language), whenOf(visit, language), does, money]
  })
  const named = left.map(({ visit, why }) => {
    const text = why === undefined ? undefined : whyNot(why, visit, language)
    return html`<li>${whoOf(visit, language)}${text === undefined ? "" : html`<br>${text}`}</li>`
  })
  return deskPage(request, {
    title: closed.doneTitle,
    head: html`<h1>${closed.doneTitle}</h1>
<p class="lead">${
      done.length === 0
        ? closed.nothingDone
        : joined(
            counts.map(([what, number]) => html`${pluralIn(language, number, closed.done[what])}`),
            html`<br>`
          )
    }</p>
${gone === 0 ? "" : html`<p>${pluralIn(language, gone, closed.gone)}</p>`}
${to_do.size === 0 ? "" : html`<p role="alert">${closed.notAll}</p>`}`,
    body: html`${
      done.length === 0
        ? ""
        : html`${dataTable(desk.visits, [closed.who, words.visit, closed.what, closed.money], rows)}
${sumsOf(
  done.map(({ did }) => did.refund),
  language
)}`
    }
${
  left.length === 0
    ? ""
    : notice(html`<p>${closed.left}</p>
<ul class="plain">${named}</ul>`)
}
<form method="post" action="${deskPaths.closed}">
${hiddenInputs({ [formField]: form, shown, ...(written === "" ? {} : { [wordsField]: written }) })}
${choiceInputs(to_do)}
${actions(to_do.size === 0 ? undefined : html`<button>${desk.goOn}</button>`, backToList(language))}
</form>`
  })
}

const isBooking = Schema.is(BookingId)
const isAddOn = Schema.is(AddOnId)
const isOption = Schema.is(OptionId)

/**
 * What a form chooses: `BOOKING.cancel`, `BOOKING.back`, `BOOKING.write`, `BOOKING.OPTION`, `BOOKING.ADDON` or
 * `BOOKING.ADDON.pays`; anything else, as what is kept, is no choice.
 */
const choicesIn = (form: URLSearchParams): AffectedChoices => {
  const chosen = new Map<BookingId, AffectedDeed>()
  for (const text of form.getAll(choiceField).slice(0, maxAffectedShown)) {
    const [booking_id, what, how] = text.split(".")
    if (!isBooking(booking_id)) continue
    if (what === cancelChoice) chosen.set(booking_id, { action: "cancel" })
    else if (what === giveBackChoice) chosen.set(booking_id, { action: "give_back" })
    else if (what === writeChoice) chosen.set(booking_id, { action: "write", words: "" })
    else if (isAddOn(what)) chosen.set(booking_id, { action: "swap", add_on_id: what, pays: how === paysChoice })
    else if (isOption(what)) chosen.set(booking_id, { action: "move", option_id: what })
  }
  return chosen
}

/** What the role has to allow: the same as for one booking. */
const rights = {
  cancel: "cancel_otherwise",
  move: "move",
  give_back: "change_party",
  swap: "change_party",
  write: "give_link"
} as const satisfies Record<AffectedDeed["action"], DeskRight>

/** The screen. */
export const affected = Effect.gen(function* () {
  const bookings = yield* deskAffected

  const show = (desk: DeskRequest, { cursor }: PageRequest["query"]): PageAnswer =>
    Effect.map(bookings.page(desk.member.operator_id, cursor), (found) => listPage(desk, found))

  const act = (desk: DeskRequest, form: URLSearchParams): PageAnswer => {
    const { operator_id, role } = desk.member
    const who = staffActor(desk.member)
    const choices = choicesIn(form)
    const shown = form.get("shown")
    const words = cleanText(form.get(wordsField) ?? "").slice(0, maxWords)
    if (![...choices.values()].every((deed) => mayDo(role, rights[deed.action])))
      return Effect.succeed(notAllowedPage(desk))
    const plan = bookings.plan(operator_id, choices, who)
    if (shown === null) return Effect.map(plan, (found) => planPage(desk, found))
    if (words === "" && [...choices.values()].some(({ action }) => action === "write"))
      return Effect.map(plan, (found) => planPage(desk, found, messages[desk.language].desk.closed.noWords))
    return Effect.map(bookings.carryOut(operator_id, choices, { shown, who, words }), (done) => donePage(desk, done))
  }

  return { path: deskPaths.closed, show, act } satisfies DeskScreen
})
