import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Tracer } from "effect"
import { Staff } from "../../../../src/domain/people/staff/Staff.ts"
import { importVenue } from "../../../support/BookingWorld.ts"
import { deskBase, join, request } from "../../../support/DeskClient.ts"
import { bookAt, hall, payAt } from "../../../support/operatorVenues.ts"
import { pageWorld } from "../../../support/FamilyPages.ts"
import { recordingTracer } from "../../../support/recordedSpans.ts"

const recorded = recordingTracer()
const world = Layer.effectDiscard(Effect.suspend(() => importVenue(hall))).pipe(
  Layer.provideMerge(pageWorld({ baseUrl: deskBase })),
  Layer.provide(Layer.succeed(Tracer.Tracer, recorded.tracer))
)
const hidden = (text: string, name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ""

/** Walks an act's form, its page and itself; answers the statements of each. */
const walked = Effect.fnUntraced(function* (
  step: string,
  { from, ...wish }: Readonly<Record<string, string>> & { readonly from: string }
) {
  const { operator_id } = hall.operator
  const { url } = yield* Staff.use((staff) => staff.invite(operator_id, { name: "Counts", role: "manager" }))
  const { session: cookie } = yield* join(url)
  const booking = yield* bookAt(hall, from, "10:00", "paid", { name: `Counted ${step}` })
  yield* payAt(booking)
  const path = `/desk/b/${booking.booking_id}`
  const counts: Array<number> = []
  const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = recorded.statements().length
      const done = yield* effect
      counts.push(recorded.statements().length - before)
      return done
    })
  const shown = yield* counted(request(`${path}?step=${step}`, { cookie }))
  const fields = { step, ...wish, form: hidden(shown.text, "form") }
  const preview = yield* counted(request(path, { cookie, form: fields }))
  const form = { ...fields, shown: hidden(preview.text, "shown") }
  assert.strictEqual((yield* counted(request(path, { cookie, form }))).status, 303, step)
  return counts
})

layer(world)("an act at the desk", (it) => {
  it.effect("reads what it is decided by, and not the booking's page", () =>
    Effect.gen(function* () {
      // Of the form, of the page that says what is done, and of the act.
      const most = {
        move: [10, 15, 27],
        party: [9, 15, 27],
        // With the whole page read before each, these were 18, 26 and 35.
        cancel: [6, 16, 22]
      }
      const wishes = {
        move: { from: "2027-02-06", date: "2027-02-07", time: "15:00", reason: "They asked" },
        party: { from: "2027-02-13", children: "6", adults: "3", reason: "They asked" },
        cancel: { from: "2027-02-20", refund: "terms", reason: "" }
      }
      for (const step of ["move", "party", "cancel"] as const) {
        const counts = yield* walked(step, wishes[step])
        counts.forEach((count, i) => assert.isAtMost(count, most[step][i] ?? 0, `${step}: ${counts.join(", ")}`))
      }
    })
  )
})
