/** What families answered to the venue's questions, at its desk. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { addGuest } from "../../../../src/domain/booking/InvitedGuests.ts"
import type { Question } from "../../../../src/domain/catalogue/Questions.ts"
import type { Venue } from "../../../../src/domain/catalogue/Playroom.ts"
import { answerQuestions } from "../../../../src/domain/payment/changes/AnsweredQuestions.ts"
import { BookingChanges } from "../../../../src/domain/payment/changes/BookingChanges.ts"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { messages } from "../../../../src/words/Languages.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, readable, request } from "../../../support/DeskClient.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { bookAt, hall, loft } from "../../../support/operatorVenues.ts"

const questions: ReadonlyArray<Question> = [
  { slug: "allergies", text: "Any allergies?", required: true },
  { slug: "child", text: "Whose birthday is it?" },
  { slug: "cake", text: "Which cake?", options: ["chocolate", "carrot"] }
]
const asking = (venue: Venue): Venue => ({
  ...venue,
  packages: venue.packages.map((pkg) => ({ ...pkg, questions }))
})
const { desk, operator, venueAsks } = messages.en

layer(pageWorld({ baseUrl: deskBase }))("answers at the desk", (it) => {
  it.effect("stand with the visit, and what is needed and missing, and its day counts what was chosen", () =>
    Effect.gen(function* () {
      yield* importVenue(asking(hall), asking(loft))
      const { operator_id } = hall.operator
      const { url } = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Cleo", role: "desk" }))
      const { session: cookie } = yield* join(url)
      const day = "2026-12-05"
      const first = yield* bookAt(hall, day, "10:00", "trusted", { name: "Rosa" })
      const others = [
        yield* bookAt(hall, day, "12:30", "trusted", { name: "Ben" }),
        yield* bookAt(loft, day, "12:30", "trusted", { name: "Mia" })
      ]
      const answered = (booking: { readonly booking_id: string }, given: Readonly<Record<string, string>>) =>
        BookingChanges.use(({ run }) =>
          run(answerQuestions, booking.booking_id, { questions, given }, { preview: false, who: { as: "family" } })
        )
      yield* answered(first, { allergies: "", child: "Ida <3", cake: "carrot" })
      for (const other of others) yield* answered(other, { allergies: "eggs", child: "", cake: "chocolate" })
      for (const [i, [name, allergies]] of [
        ["Tom", ""],
        ["Mia", "no <eggs>"]
      ].entries())
        yield* addGuest(first.booking_id, { guest_id: `${i}`, name: name ?? "", allergies: allergies ?? "" }, 9, 0)
      const page = yield* request(`/desk/b/${first.booking_id}`, { cookie })
      assert.include(
        page.text,
        `<dt>${messages.en.invitation.guests}</dt><dd><p>2</p><p><strong><bdi>Mia</bdi></strong>: <bdi>no &lt;eggs&gt;</bdi></p></dd>`
      )
      assert.notInclude(page.text, "Tom")
      assert.include(page.text, "Ida &lt;3")
      for (const text of ["Whose birthday is it?", "carrot", venueAsks.unanswered, desk.events.answered])
        assert.include(readable(page.text), text)
      assert.notInclude(
        readable((yield* request(`/desk/b/${others[0]?.booking_id}`, { cookie })).text),
        venueAsks.unanswered
      )
      const { text: today } = yield* request(`/desk?day=${day}`, { cookie })
      const chosen = (n: number, answer: string) =>
        `<li>${n} × <bdi>${answer}</bdi> <span class="soft">(<bdi>Which cake?</bdi>)</span></li>`
      for (const text of [operator.prepare, chosen(2, "chocolate"), chosen(1, "carrot")]) assert.include(today, text)
      assert.include(readable(today), "Any allergies? eggs")
      assert.include(today, `${venueAsks.unanswered}</b>: <bdi>Any allergies?</bdi>`)
    })
  )
})
