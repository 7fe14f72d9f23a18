/** The largest playroom that an import accepts: 12 packages of 20 rules, a start every 5 minutes round the clock, 12 add-ons. */
import { weekdays } from "../../src/platform/time/LocalTime.ts"
import { idOf, packageJson, playroomJson } from "./catalogues.ts"

const number = 900_000

export const largestPlayroomId = idOf("playroom", number)

const rules = Array.from({ length: 20 }, (_, i) => ({
  label: `Rule ${i} of a long name, so that lines are long`,
  weekdays: [...weekdays],
  from: "00:00",
  until: "24:00",
  change: i % 2 === 0 ? { amount: 10 } : { percent: 1.5 }
}))

export const largestPlayroom = {
  ...playroomJson(number, {
    name: "The largest playroom",
    city: "Largeville",
    description: "Mats, blocks and a slide. ".repeat(69).trim(),
    capacity: 10_000,
    grid_minutes: 5,
    lead_time_minutes: 0,
    max_advance_days: 1095,
    opening_hours: weekdays.map((weekday) => ({ weekday, opens: "00:00", closes: "24:00" })),
    packages: Array.from({ length: 12 }, (_, n) =>
      packageJson(number + n, {
        name: `Package ${n}`,
        max_children: 25,
        pricing: { base: 100, included_children: 0, extra_child: 750, adult: 0, rules }
      })
    )
  }),
  add_ons: Array.from({ length: 12 }, (_, n) => ({
    add_on_id: idOf("addon", number + n),
    name: `Add-on ${n} of a long name`,
    unit: "per_item" as const,
    unit_amount: 100 + n,
    max_quantity: 5
  }))
}
