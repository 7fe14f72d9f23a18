import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { readCatalogueText, starterFile } from "../../../src/domain/import/CatalogueText.ts"
import { parseCatalogue } from "../../../src/domain/import/ParseCatalogue.ts"

const starter = readFileSync(starterFile, "utf8")

/**
 * What an owner is told about the starter file with one change: the lines below the first one, or why it can't be read.
 */
const told = (from: string, to: string) =>
  Effect.gen(function* () {
    assert.include(starter, from)
    const { content, placed } = yield* readCatalogueText("venue.yaml", starter.replace(from, to))
    return yield* Effect.mapError(parseCatalogue(content), placed)
  }).pipe(
    Effect.flip,
    Effect.map(({ message }) => message.replace("The catalogue file is not valid; nothing was changed.\n", ""))
  )

const mistakes: ReadonlyArray<readonly [what: string, from: string, to: string, message: string]> = [
  [
    "a price in pounds",
    "base: 20000",
    "base: 200.00",
    "is not a catalogue: line 87, column 26: an amount is a whole number of the smallest unit (pence, cents), without decimals: 20000 for 200.00.\n  pricing: { base: 200.00, included_children: 10, extra_child: 1500, adult: 0 }"
  ],
  [
    "a price with decimals",
    "extra_child: 750",
    "extra_child: 7.50",
    "is not a catalogue: line 114, column 24: an amount is a whole number of the smallest unit (pence, cents), without decimals: 20000 for 200.00.\n  extra_child: 7.50"
  ],
  [
    "a price with its currency",
    "base: 20000",
    "base: £200",
    "- line 87, column 26, playrooms[0].packages[0].pricing.base: Expected a number\n    pricing: { base: £200, included_children: 10, extra_child: 1500, adult: 0 }"
  ],
  [
    "a misspelt field",
    "max_children: 20\n",
    "max_childs: 20\n",
    '- line 73, column 9, playrooms[0].packages[0].max_children: This is missing\n    - slug: birthday-party\n- line 81, column 21, playrooms[0].packages[0].max_childs: There is no field "max_childs" here; did you mean "max_children"?\n    max_childs: 20'
  ],
  [
    "a field in another style",
    "max_adults: 20",
    "maxAdults: 20",
    '- line 82, column 20, playrooms[0].packages[0].maxAdults: There is no field "maxAdults" here; did you mean "max_adults"?\n    maxAdults: 20'
  ],
  [
    "a field of another thing",
    "capacity: 25",
    "capacity: 25\n    max_children: 20",
    '- line 36, column 19, playrooms[0].max_children: There is no field "max_children" here\n    max_children: 20'
  ],
  [
    "a field that is left out",
    "    currency: GBP\n",
    "",
    "- line 18, column 5, playrooms[0].currency: This is missing\n    - slug: main-hall"
  ],
  [
    "a value that is left out",
    "    city: London\n",
    "    city:\n",
    "- line 27, column 5, playrooms[0].city: Expected a text (in YAML, a number as a text needs quotes)\n    city:"
  ],
  [
    "a mode of their own word",
    "mode: exclusive",
    "mode: private",
    '- line 76, column 15, playrooms[0].packages[0].mode: Expected one of "exclusive", "shared"\n    mode: private'
  ],
  [
    "a weekday in capitals",
    "weekdays: [saturday]",
    "weekdays: [Sat]",
    '- line 84, column 22, playrooms[0].packages[0].schedule.weekdays[0]: Expected one of "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"\n    weekdays: [Sat]'
  ],
  [
    "a time of one digit",
    'tuesday, opens: "09:00"',
    "tuesday, opens: 9:00",
    '- line 49, column 36, playrooms[0].opening_hours[0].opens: Expected a clock time as HH:MM from 00:00 to 23:59\n    - { weekday: tuesday, opens: 9:00, closes: "18:00" }'
  ],
  [
    "a time of the afternoon",
    'wednesday, opens: "09:00", closes: "18:00"',
    'wednesday, opens: "9am", closes: "6pm"',
    '- line 50, column 38, playrooms[0].opening_hours[1].opens: Expected a clock time as HH:MM from 00:00 to 23:59\n- line 50, column 53, playrooms[0].opening_hours[1].closes: Expected a clock time as HH:MM from 00:00 to 24:00\n    - { weekday: wednesday, opens: "9am", closes: "6pm" }'
  ],
  [
    "a day that the calendar lacks",
    "from: 2027-12-24",
    "from: 2027-12-32",
    "- line 63, column 39, playrooms[0].closures[0].from: Expected a date (2026-12-25, the whole day) or an instant with its offset (2026-12-25T18:00:00+00:00)\n    - { slug: christmas-2027, from: 2027-12-32, to: 2027-12-26, reason: Christmas }"
  ],
  [
    "a day as people write it",
    "from: 2027-12-24",
    "from: 24.12.2027",
    "- line 63, column 39, playrooms[0].closures[0].from: Expected a date (2026-12-25, the whole day) or an instant with its offset (2026-12-25T18:00:00+00:00)\n    - { slug: christmas-2027, from: 24.12.2027, to: 2027-12-26, reason: Christmas }"
  ],
  [
    "days in the wrong order",
    "to: 2027-12-26",
    "to: 2027-12-20",
    "- line 63, column 55, playrooms[0].closures[0].to: Expected an end after 2027-12-24\n    - { slug: christmas-2027, from: 2027-12-24, to: 2027-12-20, reason: Christmas }"
  ],
  [
    "a country's name",
    "country: GB",
    "country: England",
    "- line 28, column 14, playrooms[0].country: Expected an ISO 3166-1 alpha-2 country, like GB\n    country: England"
  ],
  [
    "a zone's abbreviation",
    "time_zone: Europe/London",
    "time_zone: GMT+1",
    "- line 32, column 16, playrooms[0].time_zone: Expected an IANA time zone of GB: Europe/London\n    time_zone: GMT+1"
  ],
  [
    "a time zone in small letters, which calendars and other programs would not know",
    "time_zone: Europe/London",
    "time_zone: europe/london",
    "- line 32, column 16, playrooms[0].time_zone: Expected Europe/London, in just this spelling\n    time_zone: europe/london"
  ],
  [
    "a currency's sign",
    "currency: GBP",
    'currency: "£"',
    '- line 33, column 15, playrooms[0].currency: Expected an ISO 4217 currency code in upper case, like GBP\n    currency: "£"'
  ],
  [
    "yes instead of true",
    "refundable: false",
    "refundable: no",
    "- line 92, column 23, playrooms[0].packages[0].payment.refundable: Expected true or false\n    refundable: no"
  ],
  [
    "a deposit without its terms",
    "          refundable: false\n",
    "",
    "- line 89, column 9, playrooms[0].packages[0].payment.refundable: This is missing\n    payment:"
  ],
  [
    "a payment of another kind",
    "payment: { kind: full }",
    "payment: { kind: cash }",
    "- line 121, column 9, playrooms[0].packages[1].payment: Expected `kind: full`, or `kind: deposit` with `deposit`, `refundable` and `balance_due_hours_before`\n    payment: { kind: cash }"
  ],
  [
    "D5: a deposit that is kept as credit, which no field says",
    "refundable: false\n",
    "refundable: false\n          deposit_as_credit: true\n",
    "- line 93, column 30, playrooms[0].packages[0].payment.deposit_as_credit: There is no credit: what a cancellation does not give back is kept. To let what was paid count for another day, the booking is moved to it: `free_reschedule_hours_before` lets families do that\n    deposit_as_credit: true"
  ],
  [
    "a slug with spaces",
    "slug: main-hall",
    "slug: Main hall",
    "- line 18, column 11, playrooms[0].slug: Expected lower-case letters, digits and single hyphens between them, like soft-play\n    - slug: Main hall"
  ],
  [
    "two things of one slug",
    "slug: open-play",
    "slug: birthday-party",
    "- line 102, column 15, playrooms[0].packages[1].slug: Package birthday-party is already at playrooms[0].packages[0].slug\n    - slug: birthday-party"
  ],
  [
    "a party that is too large",
    "max_children: 20\n",
    "max_children: 30\n",
    "- line 81, column 23, playrooms[0].packages[0].max_children: Expected at most the playroom's capacity, 25\n    max_children: 30"
  ],
  [
    "a start outside the opening hours",
    '"15:45"',
    '"17:00"',
    '- line 85, column 37, playrooms[0].packages[0].schedule.times[2]: A visit of 120 minutes from 17:00 is outside the opening hours of its days\n    times: ["10:15", "13:00", "17:00"]'
  ],
  [
    "coordinates the wrong way round",
    "latitude: 51.4607\n    longitude: -0.1386",
    "latitude: -120.5\n    longitude: 51.46",
    "- line 29, column 15, playrooms[0].latitude: Expected degrees from -90 to 90\n    latitude: -120.5"
  ],
  [
    "a list written as a text",
    "amenities: [soft play, ball pool, cafe, parking]",
    "amenities: soft play, ball pool",
    "- line 38, column 16, playrooms[0].amenities: Expected a list\n    amenities: soft play, ball pool"
  ],
  [
    "a name that is a number",
    "name: My Playroom",
    "name: 2027",
    "- line 20, column 11, playrooms[0].name: Expected a text (in YAML, a number as a text needs quotes)\n    name: 2027"
  ],
  [
    "an empty name",
    "name: My Playroom",
    'name: ""',
    '- line 20, column 11, playrooms[0].name: Expected a text that is not empty\n    name: ""'
  ],
  [
    "a text that is too long",
    "name: My Playroom",
    `name: ${"Play ".repeat(20)}`,
    "- line 20, column 11, playrooms[0].name: Expected at most 80 characters, got 99\n    name: Play Play Play Play Play Play Play Play Play Play Play Play Play Play Play Play Play Play Play Play"
  ],
  [
    "a colon in a text",
    "summary: A bright hall",
    "summary: Play: a bright hall",
    'is not YAML: line 21, column 14: one "name: value" is enough on a line; a text that has ": " in it needs quotes.\n  summary: Play: a bright hall with a play frame, for parties and open play.'
  ],
  [
    "a wrong indentation",
    "    capacity: 25",
    "   capacity: 25",
    "is not YAML: line 35, column 4: this is indented otherwise than the lines beside it.\n  capacity: 25"
  ],
  [
    "a tab",
    "    capacity: 25",
    "\tcapacity: 25",
    "is not YAML: line 35, column 1: a line is indented with spaces, not tabs.\n  capacity: 25"
  ],
  [
    "a field twice",
    "    capacity: 25",
    "    capacity: 25\n    capacity: 30",
    "is not YAML: line 36, column 5: this name stands here twice.\n  capacity: 30"
  ],
  [
    "a bracket without its end",
    "amenities: [soft play, ball pool, cafe, parking]",
    "amenities: [soft play, ball pool",
    "is not YAML: line 42, column 5: a bracket that was opened before this is not closed.\n  house_rules: Socks on the play frame. Grown-ups stay on site."
  ],
  [
    "no owner",
    "    operator: my-business\n",
    "",
    '- line 18, column 5, playrooms[0]: Expected an "operator", by the slug that it has\n    - slug: main-hall'
  ],
  [
    "no packages",
    "    packages:\n",
    "    packages: []\n    products:\n",
    '- line 72, column 5, playrooms[0].products: There is no field "products" here\n    products:'
  ],
  [
    "a photo by http",
    "    # photos:\n    #   - url: https://example.com/hall.jpg\n    #     alt:",
    "    photos:\n      - url: http://example.com/hall.jpg\n        alt:",
    "- line 40, column 14, playrooms[0].photos[0].url: Expected an https:// address\n    - url: http://example.com/hall.jpg"
  ]
]

describe("an owner's mistake in the catalogue file", () => {
  it.effect.each(mistakes.map(([what, from, to, message]) => ({ what, from, to, message })))(
    "is told by its line and what to write: $what",
    ({ from, message, to }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* told(from, to), message)
      })
  )
})
