/**
 * What staff do at the desk with one press: arrived or did not come, given back by hand, the family's link by letter.
 * The press itself stands in `domain/payment/changes/Presses.ts`; here are its button and what is shown after it.
 */
import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { attendanceProblem } from "../../../domain/booking/Lifecycle.ts"
import { Attendance, type BookingRow } from "../../../domain/booking/Booking.ts"
import { bookingLink } from "../../../domain/booking/BookingLinks.ts"
import { LetterOutbox } from "../../../domain/booking/LetterOutbox.ts"
import { wordsIn } from "../../../domain/payment/changes/Act.ts"
import { BookingChanges, refusing } from "../../../domain/payment/changes/BookingChanges.ts"
import {
  giveBackByHand,
  hasLink,
  markAttendance,
  type Press,
  sendLink,
  hasAddress
} from "../../../domain/payment/changes/Presses.ts"
import { OfflinePaymentMethod } from "../../../domain/payment/sessions/PaymentSession.ts"
import { deskPaths, mayDo } from "../../../domain/people/staff/StaffMember.ts"
import { LinkTokens } from "../../../platform/access/LinkTokens.ts"
import { RefundId } from "../../../platform/ids/Ids.ts"
import { html, type Html } from "../../../platform/text/Html.ts"
import { type Instant, localDateOf } from "../../../platform/time/LocalTime.ts"
import { messages } from "../../../words/Languages.ts"
import { moneyIn } from "../../../words/Localized.ts"
import { whenOf } from "../family/Visit.ts"
import { redirectAfterPost } from "../frame/PageTable.ts"
import { linkProblemPage } from "../frame/LinkProblems.ts"
import { actions, buttonForm, buttonLink, facts, hiddenInputs, isolated } from "../frame/Layout.ts"
import { nameOf } from "../operator/OperatorDays.ts"
import { type DeskAction, type DeskOpened, NotDone, seenField } from "./DeskBookingPage.ts"
import { deskAddress, hiddenFields, staffActor, deskPage, type DeskRequest } from "./DeskFrame.ts"
import { choice, notDone } from "./ActForm.ts"

type Response = HttpServerResponse.HttpServerResponse

/**
 * What one press does: it reads the button's fields, does it, and answers. `wish`: undefined if there is nothing to do
 * any longer, as for a second press.
 */
const pressing = <Fields, Encoded, Wish, Decided, Done extends object, E>(
  press: Press<Wish, Decided, Done, E>,
  of: {
    readonly fields: Schema.Codec<Fields, Encoded>
    readonly wish: (fields: Fields, opened: DeskOpened) => { readonly of: Wish } | undefined
    readonly after: (opened: DeskOpened, fields: Fields) => Effect.Effect<Response, SqlError.SqlError>
  }
): Effect.Effect<DeskAction["act"], never, BookingChanges> =>
  Effect.map(BookingChanges, ({ run }): DeskAction["act"] => {
    const decode = Schema.decodeUnknownEffect(of.fields)
    return (opened, form) => {
      const { booking_id } = opened.booking.row
      const { language, member } = opened.desk
      const refusal = (error: E) => new NotDone({ why: press.refused(error, wordsIn(language)) })
      const pressed = (read: Fields) => {
        const wish = of.wish(read, opened)
        const done =
          wish === undefined
            ? Effect.void
            : run(refusing(press, refusal), booking_id, wish.of, { preview: false, who: staffActor(member) })
        return notDone(opened)(Effect.andThen(done, of.after(opened, read)))
      }
      return Effect.matchEffect(decode(Object.fromEntries(form)), {
        onFailure: () => Effect.succeed(linkProblemPage("unreadable", language)),
        onSuccess: pressed
      })
    }
  })

const MarkFields = Schema.Struct({
  mark: Attendance,
  undo: Schema.optionalKey(Schema.Literal("yes")),
  /** Where the button was: on the day, to which it leads back. */
  from: Schema.optionalKey(Schema.Literal("day"))
})

/** The buttons that can be pressed now; undefined if there are none. */
export const markButtons = (
  desk: DeskRequest,
  visit: Pick<BookingRow, "attendance" | "booking_id" | "ends_at" | "starts_at" | "status">,
  now: Instant,
  more: { readonly from: "day" } | { readonly [seenField]: string }
): Html | undefined => {
  const { marks, undo } = messages[desk.language].desk
  const { attendance, booking_id } = visit
  const possible = Attendance.literals.filter((mark) => attendanceProblem(visit, mark, now) === undefined)
  if (!mayDo(desk.member.role, markAttendance.right) || possible.length === 0) return undefined
  const buttons = possible.map((mark) => {
    const fields = { mark, ...(attendance === null ? {} : { undo: "yes" }), ...more }
    const label = attendance === null ? marks[mark] : undo(marks[mark])
    return buttonForm(deskAddress(booking_id), hiddenFields(desk, markAttendance.step, fields), label, true)
  })
  return html`<div class="actions noprint">${buttons}</div>`
}

/** Arrived, did not come, and taking either back. */
export const markAction = Effect.map(
  pressing(markAttendance, {
    fields: MarkFields,
    wish: ({ mark, undo }) => ({ of: { mark, undo: undo !== undefined } }),
    after: ({ booking: { row } }, { from }) =>
      Effect.succeed(
        redirectAfterPost(
          from === undefined
            ? deskAddress(row.booking_id)
            : `${deskPaths.desk}?day=${localDateOf(row.terms.time_zone, row.starts_at)}#${row.reference}`
        )
      )
  }),
  (act): DeskAction => ({
    right: markAttendance.right,
    offer: ({ booking, desk }, now) =>
      markButtons(desk, booking.row, now, { [seenField]: String(booking.history.length) }),
    act
  })
)

/** What was paid at the venue and goes back there by hand: that it was given back, and how. */
export const returnedAction = Effect.map(
  pressing(giveBackByHand, {
    fields: Schema.Struct({ refund: RefundId, way: OfflinePaymentMethod }),
    // A second press finds nothing that is owed. What the provider gives back is not offered here.
    wish: (wish, { booking }) =>
      booking.by_hand.some(({ refund_id }) => refund_id === wish.refund) ? { of: wish } : undefined,
    after: ({ booking }) => Effect.succeed(redirectAfterPost(deskAddress(booking.row.booking_id)))
  }),
  (act): DeskAction => ({
    right: giveBackByHand.right,
    offer: ({ booking, desk }) => {
      if (booking.by_hand.length === 0 || !mayDo(desk.member.role, giveBackByHand.right)) return undefined
      const { booking_id } = booking.row
      const { returned } = messages[desk.language].desk
      const ways = OfflinePaymentMethod.literals.map((value) => ({ value, label: returned.ways[value] }))
      const forms = booking.by_hand.map(
        ({ amount, currency, refund_id }) => html`<form class="card" method="post" action="${deskAddress(booking_id)}">
${hiddenInputs(hiddenFields(desk, giveBackByHand.step, { refund: refund_id }))}
<p><strong>${returned.todo(moneyIn(desk.language, amount, currency))}</strong></p>
${choice("way", returned.how, ways, undefined)}
<button>${returned.done}</button>
</form>`
      )
      return html`${forms}`
    },
    act
  })
)

/** The link of the family's page: to read out, to copy, and to send by letter. */
export const linkAction = Effect.gen(function* () {
  const letters = yield* LetterOutbox
  const tokens = yield* LinkTokens

  const linkPage = Effect.fnUntraced(function* ({ booking: { row: booking }, desk }: DeskOpened, sent: boolean) {
    const { language } = desk
    const { desk: text, words } = messages[language]
    const page_url = yield* tokens.address(bookingLink("booking", booking))
    const { booking_id, contact_email, key_id, operator_id } = booking
    // What the venue books itself is told by letter at once: that it is confirmed, or where it is paid.
    const writable = letters.on && hasAddress(booking)
    const mailed = writable && key_id === operator_id
    const told = sent ? text.family.sent(contact_email) : mailed ? text.family.mailed(contact_email) : undefined
    return deskPage(desk, {
      title: text.family.title,
      head: html`<h1>${text.family.title}</h1>
${told === undefined ? "" : html`<p role="status"><strong>${told}</strong></p>`}
<p class="lead">${text.family.lead}</p>`,
      body: html`<pre tabindex="0"><code>${page_url}</code></pre>
${facts([
  { term: words.visit, is: html`${isolated(nameOf(language, booking))}<br>${isolated(booking.terms.playroom_name)}` },
  { term: words.when, is: whenOf(booking, language) },
  { term: words.reference, is: html`<span class="reference">${booking.reference}</span>` }
])}
${actions(
  writable
    ? buttonForm(deskAddress(booking_id), hiddenFields(desk, sendLink.step), text.family.send(contact_email), true)
    : undefined,
  buttonLink(deskAddress(booking_id), text.toBooking, true)
)}`
    })
  })

  return {
    right: sendLink.right,
    offer: (opened, now) =>
      hasLink(opened.booking.row, now)
        ? buttonLink(
            deskAddress(opened.booking.row.booking_id, sendLink.step),
            messages[opened.desk.language].desk.family.title,
            true
          )
        : undefined,
    show: (opened) =>
      hasLink(opened.booking.row, opened.booking.as.now)
        ? linkPage(opened, false)
        : Effect.succeed(linkProblemPage("nothing", opened.desk.language)),
    act: yield* pressing(sendLink, {
      fields: Schema.Struct({}),
      // Nobody offers it while no letters are sent.
      wish: (_, { booking: { row } }) => (letters.on && hasAddress(row) ? { of: undefined } : undefined),
      after: (opened) => linkPage(opened, letters.on)
    })
  } satisfies DeskAction
})
