import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"
import demo from "../../../src/domain/import/demo.json" with { type: "json" }
import { minPrice, listPrice } from "../../../src/domain/catalogue/PriceTimes.ts"
import { quote } from "../../../src/domain/catalogue/Pricing.ts"
import { startsOn } from "../../../src/domain/availability/Starts.ts"
import { AddOnId, OperatorId, PackageId, PlayroomId } from "../../../src/platform/ids/Ids.ts"
import { addDays } from "../../../src/platform/time/LocalTime.ts"

describe("the demo", () => {
  it.effect("is a large, varied and sellable catalogue", () =>
    Effect.gen(function* () {
      const { operators, playrooms } = yield* parseCatalogue(demo)
      const count = (values: ReadonlyArray<string>) => new Set(values).size
      assert.isAtLeast(playrooms.length, 14)
      assert.isAtLeast(operators.length, 6)
      assert.isAtLeast(count(playrooms.map(({ country }) => country)), 5)
      assert.isAtLeast(count(playrooms.map(({ time_zone }) => time_zone)), 4)
      assert.includeMembers(
        playrooms.map(({ currency }) => currency),
        ["GBP", "EUR", "USD", "JPY"]
      )
      assert.isTrue(operators.every((operator) => operator.connected_account_id?.startsWith("acct_sandbox_") ?? false))
      const packages = playrooms.flatMap((playroom) => playroom.packages)
      const some = (holds: (pkg: (typeof packages)[number]) => boolean) => assert.isTrue(packages.some(holds))
      some(({ pricing }) => pricing.base === 0 && pricing.extra_child === 0 && pricing.adult === 0)
      some(({ pricing }) => pricing.min_billed_children === 10)
      some(
        ({ payment: p }) =>
          p.kind === "deposit" &&
          !p.refundable &&
          "amount" in p.deposit &&
          p.deposit.amount === 10_000 &&
          p.balance_due_hours_before === 0
      )
      some(({ payment: p }) => p.kind === "deposit" && p.refundable && "percent" in p.deposit)
      some(({ final_headcount_hours_before }) => final_headcount_hours_before === 48)
      some(({ free_reschedule_hours_before }) => free_reschedule_hours_before === 14 * 24)
      some(
        ({ cancellation: [first, second] }) =>
          first?.hours_before === 30 * 24 &&
          first.refund_percent === 100 &&
          second?.hours_before === 8 * 24 &&
          second.refund_percent === 50
      )
      some(({ setup_minutes, cleanup_minutes }) => setup_minutes === 30 && cleanup_minutes === 15)
      some(
        ({ schedule, duration_minutes }) =>
          duration_minutes === 120 &&
          schedule.weekdays?.join() === "saturday" &&
          schedule.times?.join() === "10:00,12:30,15:00"
      )
      some(
        ({ mode, duration_minutes, pricing: p, max_children }) =>
          mode === "shared" &&
          duration_minutes === 60 &&
          p.extra_child === 750 &&
          p.adult === 0 &&
          max_children === 25 &&
          p.rules.some(({ change }) => "percent" in change && change.percent === -50)
      )
      assert.isTrue(playrooms.some(({ tax }) => tax.included) && playrooms.some(({ tax }) => !tax.included))
      const addOns = playrooms.flatMap(({ add_ons }) => add_ons)
      assert.isTrue(addOns.some(({ stock }) => stock !== undefined) && addOns.some(({ stock }) => stock === undefined))
      assert.isTrue(playrooms.every(({ closures }) => closures.some(({ from }) => from.startsWith("2028"))))
    })
  )

  it.effect("shows prices that agree with what visits cost", () =>
    Effect.gen(function* () {
      const { operators, playrooms } = yield* parseCatalogue(demo)
      const now = Date.parse("2026-11-20T09:00:00Z")
      for (const playroom of playrooms) {
        const operator =
          operators.find(({ operator_id }) => operator_id === playroom.operator_id) ?? assert.fail("no operator")
        const venue = {
          playroom: {
            ...playroom,
            playroom_id: PlayroomId.make(playroom.playroom_id ?? ""),
            operator_id: OperatorId.make(playroom.operator_id ?? "")
          },
          operator: { ...operator, operator_id: OperatorId.make(operator.operator_id ?? "") },
          packages: playroom.packages.map((it) => ({ ...it, package_id: PackageId.make(it.package_id ?? "") })),
          add_ons: playroom.add_ons.map((it) => ({ ...it, add_on_id: AddOnId.make(it.add_on_id ?? "") }))
        }
        for (const pkg of venue.packages) {
          const days = Array.from({ length: 14 }, (_, i) => addDays("2026-11-30", i))
          const starts = days.flatMap((day) => startsOn(venue, pkg, day))
          assert.isNotEmpty(starts)
          const [anyStart = 0] = starts
          const ruleless = { ...pkg, pricing: { ...pkg.pricing, rules: [] } }
          const smallest = { children: pkg.min_children, adults: 0, add_ons: [] }
          assert.strictEqual(listPrice(playroom, pkg), quote(venue, ruleless, smallest, anyStart, now).price.total)
          for (const children of [pkg.min_children, pkg.max_children]) {
            const least = minPrice(playroom, pkg, children, "2026-11-20")
            const party = { children, adults: 0, add_ons: [] }
            for (const start of starts) assert.isAtMost(least, quote(venue, pkg, party, start, now).price.total)
          }
        }
      }
    })
  )
})
