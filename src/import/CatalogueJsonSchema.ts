/**
 * The catalogue file's JSON Schema, for completion and checks in editors. It is made from the schemas of the import,
 * and from the meaning of each field, as in `docs/catalogue.md`. A field without a description does not compile.
 */
import { JsonSchema, Schema } from "effect"
import { CatalogueJson } from "./CatalogueSchema.ts"

type Item<Value> = Value extends ReadonlyArray<infer I> ? I : Value
type Keys<A> = A extends unknown ? keyof A & string : never
type At<A, K> = A extends unknown ? (K extends keyof A ? NonNullable<Item<A[K]>> : never) : never

/**
 * Descriptions for each field of an object, of the cases of a union, or of a list's items; for an object also those of
 * its fields.
 */
type Words<A> = {
  readonly [K in Keys<A>]-?: At<A, K> extends object ? readonly [meaning: string, fields: Words<At<A, K>>] : string
}

type Encoded = typeof CatalogueJson.Encoded
type Operator = Encoded["operators"][number]
type Playroom = Encoded["playrooms"][number]
type Package = Playroom["packages"][number]

const operator: Words<Operator> = {
  operator_id:
    "The id that the import gave it. Leave it out and use `slug`, or keep it beside the slug to rename that.",
  slug: "Your short name for it, in small letters, digits and hyphens: the same slug is the same operator at the next import.",
  name: "Shown to families as the one they book with and pay. Up to 80 characters.",
  support_email: "Where families write to; shown with the playroom and with a booking.",
  phone:
    "Where families call, as you write it on your door: +44 20 7946 0000. Up to 40 characters. Left out: nobody is told to call.",
  legal_name: "Who sells by law, like Hill Play Ltd: beside the name on receipts. Up to 120 characters.",
  tax_number: "Its tax or VAT number, on receipts. Up to 40 characters.",
  connected_account_id:
    "Its account at the payment provider, where its customers' money goes. Leave it out: `playroom operator onboard` makes one. Without an account nothing is on sale.",
  billing_customer_id: "The customer at the payment provider who pays you for the platform. Left out: not billed.",
  application_fee_percent: "Your share of each payment, in percent with up to three decimals. Left out: 0.",
  paid_through:
    "Until when it has paid for the platform (an instant). Read for a new operator only; then invoices move it.",
  suspended_at:
    "Since when it is off sale (an instant). Read for a new operator only; then `playroom operator suspend` and `resume` do it.",
  stock: [
    "What its playrooms share: two bubble machines, one face painter. What one playroom has sold of it for a time, no other sells. Left out: nothing.",
    {
      slug: "Your short name for it, by which add-ons use it.",
      units: "How many there are."
    }
  ]
}

/** When a rule of a package or an add-on holds. */
const ruleTimes = {
  weekdays: "Only for starts on these days.",
  from: "Only for starts from this clock time on.",
  until: "Only for starts before this clock time.",
  date_from: "Only from this date on.",
  date_to: "Only up to this date, which is included."
}

const pkg: Words<Package> = {
  package_id: "The id that the import gave it. Leave it out and use `slug`, or keep it beside the slug to rename that.",
  slug: "Your short name for it within the playroom. A package that leaves the file goes off sale; under the same slug it comes back.",
  name: "Shown to families. Up to 80 characters.",
  description: "Shown to families. Up to 220 characters.",
  mode: "`exclusive` sells the whole room, `shared` sells places in it (open play).",
  duration_minutes: "How long a visit is.",
  setup_minutes: "Time before each visit in which the room is taken too. Left out: 0.",
  cleanup_minutes: "Time after each visit in which the room is taken too. Left out: 0.",
  min_children: "The smallest party that can book.",
  max_children: "The largest party that can book, at most the playroom's capacity.",
  max_adults: "How many adults may come along. Left out: no limit of its own.",
  schedule: [
    "When visits start, within the opening hours. `{}`: whenever the playroom is open, on its grid.",
    {
      weekdays: "Only on these days. Left out: every day.",
      times: "At these clock times only. Left out: every `grid_minutes` from opening on.",
      from: "Without `times`: the first start of the day.",
      until: "Without `times`: visits end by then. At or before `from`: on the next day."
    }
  ],
  pricing: [
    "What a visit costs. All amounts are minor units of the playroom's currency: 1250 is £12.50, in yen 1250 is ¥1250.",
    {
      base: "For the visit as such, whoever comes; it includes `included_children`.",
      included_children: "So many children cost nothing beyond `base`.",
      extra_child: "For each further child.",
      adult: "For each adult; 0: adults come free.",
      included_adults: "So many adults cost nothing. Left out: 0.",
      min_billed_children: "Fewer children are billed as so many. Left out: as many as come.",
      rules: [
        "Changes to the price at some times, or always, applied one after the other. Left out: none.",
        {
          label: "Shown on its own line of the price; with `prices`, a name for yourself. Up to 60 characters.",
          ...ruleTimes,
          change: [
            "One of `percent`, `amount` and `prices`. `percent` and `amount` change the sum so far; less than 0 makes it cheaper.",
            {
              percent: "Percent of the sum so far, from -100 to 1000.",
              amount: "Minor units for the visit.",
              prices: [
                "Other amounts than the package's own, before anything is added: prices from a date on. Of several rules that set one, the last in the list counts.",
                {
                  base: "Instead of the package's `base`. Left out: that.",
                  extra_child: "Instead of the package's `extra_child`. Left out: that.",
                  adult: "Instead of the package's `adult`. Left out: that."
                }
              ]
            }
          ]
        }
      ]
    }
  ],
  payment: [
    "When families pay: `{kind: full}` takes all when booking; with `kind: deposit` the fields below say the rest.",
    {
      kind: "`full` or `deposit`.",
      deposit: [
        "What is due when booking: either `amount` or `percent`.",
        { amount: "Minor units.", percent: "Percent of the total." }
      ],
      balance_due_hours_before:
        "The rest is due so many hours before the start; 0: at the start, by link or at the venue, as the family likes.",
      balance:
        "`at_venue`: the rest is paid at the venue only. No link takes it, no reminder asks for it, and your staff record it when it is paid; `balance_due_hours_before` is then 0. Left out: by link.",
      refundable: "`true`: the cancellation tiers hold for the deposit too. `false`: it is kept in any case.",
      release_unpaid_after_hours:
        "If the rest is still unpaid so many hours after it was due, the places are released, and the tiers say what of the deposit comes back. Fewer hours than `balance_due_hours_before`. Left out: the places are kept, and `playroom doctor` names the booking."
    }
  ],
  cancellation: [
    "What comes back when a family cancels, in words that they are shown before they book. `[]`: nothing.",
    {
      hours_before: "Cancelled at least so many hours before the start …",
      refund_percent:
        "… so many percent come back. The tier with the most hours that still fits counts; where none fits, nothing comes back."
    }
  ],
  final_headcount_hours_before:
    "Until when families change their party themselves, on the page of their booking; told to them. Left out: until the visit begins.",
  free_reschedule_hours_before: "Until when a family may move its booking free of charge."
}

const playroom: Words<Playroom> = {
  playroom_id:
    "The id that the import gave it. Leave it out and use `slug`, or keep it beside the slug to rename that.",
  slug: "Your short name for it within its operator, in small letters, digits and hyphens.",
  operator_id: "Whose it is, by id; or use `operator`.",
  operator: "Whose it is, by the operator's slug: one of this file, or one that was imported before.",
  name: "Shown to families. Up to 80 characters.",
  summary: "One sentence for lists. Up to 240 characters.",
  description: "Shown to those who look closer. Up to 1,800 characters, in paragraphs.",
  address: "Street and number, postcode: as a taxi driver needs it. Up to 160 characters.",
  city: "For search. Up to 60 characters.",
  city_aliases: "The city's names in other languages, for search. Left out: none.",
  country: "Two capital letters (ISO 3166-1): GB, DE, US.",
  latitude: "Degrees, north positive; for distances and the map.",
  longitude: "Degrees, east positive.",
  time_zone:
    "An IANA zone like Europe/London, no abbreviation like GMT or EST. All dates and clock times of the playroom are its own.",
  currency: "Three capital letters (ISO 4217): GBP, EUR, JPY. All its amounts are in it.",
  capacity: "How many children fit in at the same time, over all packages.",
  age_min: "The youngest whom it is for, in years.",
  age_max: "The oldest whom it is for, in years.",
  amenities: 'What it has, as families look for it ("soft play", "parking"). Left out: none.',
  photos: [
    "Pictures; the first one stands in lists and on the family's page. Left out: none.",
    {
      url: "An https:// address that anyone can open.",
      alt: "What it shows, for those who can't see it. Up to 120 characters."
    }
  ],
  house_rules: "Shown before booking and on the family's page. Up to 900 characters. Left out: none.",
  bring:
    "What each family must bring or sign: socks, a waiver. Told before booking and with each booking. Up to 240 characters. Left out: nothing.",
  accessibility: "For people with disabilities, in your words. Up to 800 characters. Left out: nothing is said.",
  accessibility_features: "What it has, by the words of a fixed list that search knows.",
  accessibility_lacks: "What it is known to lack, by the same words; what is in neither list is not known.",
  opening_hours: [
    "The common week. A weekday may have several; one without any is closed.",
    {
      weekday: "The day on which it opens.",
      opens: "HH:MM.",
      closes: "HH:MM up to 24:00. At or before `opens`: on the next day."
    }
  ],
  quiet_hours: [
    "When it is kept quiet each week, within the opening hours; `accessibility_features` then names `quiet_hours`. Left out: no times are told.",
    {
      weekday: "The day on which they begin.",
      opens: "HH:MM.",
      closes: "HH:MM up to 24:00. At or before `opens`: on the next day."
    }
  ],
  overrides: [
    "Dates with other hours than their weekday's: single ones, and ranges. A single date goes before a range that it lies in; ranges may not overlap. At most 1,100 days in all. Left out: none.",
    {
      date: "One day, YYYY-MM-DD.",
      from: "Instead of `date`: the first of several days, like all of the summer holidays.",
      to: "With `from`: the last of them, which is included; at most 366 days.",
      intervals: [
        "The hours of that day, or of each of these days; `[]`: closed.",
        { opens: "HH:MM.", closes: "HH:MM up to 24:00. At or before `opens`: on the next day." }
      ]
    }
  ],
  calendars: [
    "Other calendars in which the playroom is booked, up to 4: what is busy there is not sold here, within minutes. Left out: none.",
    {
      name: "For your own people: where it is, like Phone bookings. Up to 60 characters.",
      url: "Its https:// address as an .ics file, often called a secret or private address: nobody else is shown it."
    }
  ],
  grid_minutes: "Visits start every so many minutes from opening on, where a package has no `times`.",
  lead_time_minutes: "So long before the start booking ends.",
  max_advance_days: "So many days ahead booking begins.",
  tax: [
    "The tax on everything that is sold.",
    {
      rate_percent: "Percent, with up to three decimals.",
      included: "`true`: prices include it. `false`: it is added to them."
    }
  ],
  listed: "`false` hides the playroom and takes it off sale; its bookings stay. Left out: `true`.",
  packages: ["What is sold; at least one.", pkg],
  add_ons: [
    "Extras that go with any package. Left out: none.",
    {
      add_on_id:
        "The id that the import gave it. Leave it out and use `slug`, or keep it beside the slug to rename that.",
      slug: "Your short name for it within the playroom.",
      name: "Shown to families. Up to 80 characters.",
      unit: "What `unit_amount` is for: `per_booking`, `per_child`, or `per_item` that is ordered.",
      unit_amount: "Minor units.",
      rules: [
        "Other prices at some times, as a package has them: prices from a date on. Of several rules that hold, the last in the list counts. Left out: none.",
        {
          label: "A name for yourself. Up to 60 characters.",
          ...ruleTimes,
          change: [
            "What the rule sets.",
            {
              prices: [
                "Another price than the add-on's own.",
                { unit_amount: "Instead of the add-on's `unit_amount`." }
              ]
            }
          ]
        }
      ],
      max_quantity: "The most that one booking may have.",
      stock: "How many there are: no more are sold for the same time. Left out: no limit.",
      uses: "Instead of `stock`: which of its operator's `stock` it takes from, together with other add-ons and playrooms."
    }
  ],
  closures: [
    "Days or hours in which nothing is sold. Left out: none. An import names bookings that are in the way, and changes nothing then.",
    {
      closure_id: "The id that the import gave it. Leave it out: a closure is known by its slug, or by its days.",
      slug: "Your short name for it within the playroom: with one, its days may be changed.",
      from: "The first day (2026-12-24), or an instant with its offset (2026-12-24T18:00:00+00:00).",
      to: "The last day, included; or an instant.",
      reason: "Shown to families. Up to 80 characters."
    }
  ]
}

/** All descriptions of the file. */
const catalogueWords: Words<Encoded> = {
  $schema: "Where an editor finds this schema; the import does not look at it.",
  version: "The format: 1.",
  keep: "Which lists stay as they are stored where the file has no items of them: `rules` of packages and add-ons, `overrides` and `photos` of playrooms. Left out: none, the file says all. `catalogue from-csv` writes it, since spreadsheets have no columns for them.",
  operators: ["The businesses that rent playrooms out. Those that the file does not name stay as they are.", operator],
  playrooms: ["The playrooms. Those that the file does not name stay as they are.", playroom]
}

type Node = JsonSchema.JsonSchema

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const nodesIn = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

type AnyWords = { readonly [name: string]: string | readonly [meaning: string, fields: AnyWords] }

/** The same schema with these descriptions at its fields, in any case of a union or item of a list. */
const withWords = (node: Node, words: AnyWords): Node => {
  const out: Record<string, unknown> = { ...node }
  if (isNode(node.properties)) {
    out.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, field]) => {
        const given = words[name]
        if (!isNode(field) || given === undefined) throw new Error(`the field ${name} has no words`)
        const [meaning, fields] = typeof given === "string" ? [given, undefined] : given
        return [name, { ...(fields === undefined ? field : withWords(field, fields)), description: meaning }]
      })
    )
  }
  if (isNode(node.items)) out.items = withWords(node.items, words)
  if (Array.isArray(node.anyOf)) out.anyOf = nodesIn(node.anyOf).map((part) => withWords(part, words))
  return out
}

const made = () => {
  const { schema } = Schema.toJsonSchemaDocument(CatalogueJson, {
    onExcessProperty: "error",
    referencePolicy: () => undefined
  })
  return {
    // All its keywords mean the same in this draft, and editors support it best.
    $schema: JsonSchema.META_SCHEMA_URI_DRAFT_07,
    title: "Catalogue of a playroom booking service",
    ...withWords(schema, catalogueWords)
  }
}

let document: ReturnType<typeof made> | undefined

/** The JSON Schema (draft 7) of the catalogue file. */
export const catalogueJsonSchema = (): Node => (document ??= made())

const fieldsOf = (node: Node): ReadonlyArray<readonly [name: string, field: Node]> => [
  ...(isNode(node.properties)
    ? Object.entries(node.properties).flatMap(([name, field]) => (isNode(field) ? [[name, field] as const] : []))
    : []),
  ...(isNode(node.items) ? fieldsOf(node.items) : []),
  ...nodesIn(node.anyOf).flatMap(fieldsOf)
]

/** The field names of the object at `path`. List positions in the path are ignored. */
export const fieldNames = (path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  const at = path
    .filter((step) => typeof step === "string")
    .reduce<ReadonlyArray<Node>>(
      (nodes, step) =>
        nodes.flatMap((node) => fieldsOf(node).flatMap(([name, field]) => (name === step ? [field] : []))),
      [catalogueJsonSchema()]
    )
  return [...new Set(at.flatMap(fieldsOf).map(([name]) => name))]
}
