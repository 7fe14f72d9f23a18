/** Catalogue files for tests: one playroom to vary, and thousands of them. */
import { CatalogueFile } from "../../src/domain/import/CatalogueFile.ts"
import type { ImportOptions } from "../../src/domain/import/Imported.ts"
import type { CatalogueJson } from "../../src/domain/import/CatalogueSchema.ts"

type Json = typeof CatalogueJson.Encoded
export type PlayroomJson = Json["playrooms"][number] & { readonly playroom_id: string }
type Package = Json["playrooms"][number]["packages"][number]
type PackageJson = Package & { readonly pricing: { readonly rules: NonNullable<Package["pricing"]["rules"]> } }

/** The n-th id of a kind; they sort by n. */
export const idOf = (kind: "operator" | "playroom" | "package" | "addon" | "closure", n: number): string =>
  `${kind}_01kb${String(n).padStart(22, "0")}`

const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const

/** An hour of shared play at 7.50 for 1 to 10 children, all day. */
export const packageJson = (n: number, changes: Partial<PackageJson> = {}): PackageJson => ({
  package_id: idOf("package", n),
  name: "Open play",
  description: "An hour of play.",
  mode: "shared",
  duration_minutes: 60,
  setup_minutes: 0,
  cleanup_minutes: 0,
  min_children: 1,
  max_children: 10,
  schedule: {},
  pricing: { base: 0, included_children: 0, extra_child: 750, adult: 0, rules: [] },
  payment: { kind: "full" },
  cancellation: [{ hours_before: 24, refund_percent: 100 }],
  ...changes
})

/** A playroom of operator 1 in London with 20 places, open from 9 to 17 every day, one package (of the same number). */
export const playroomJson = (n: number, changes: Partial<PlayroomJson> = {}): PlayroomJson => ({
  playroom_id: idOf("playroom", n),
  operator_id: idOf("operator", 1),
  name: `Playroom ${n}`,
  summary: "A room to play in.",
  description: "Mats, blocks and a slide.",
  address: "1 High Street",
  city: "London",
  country: "GB",
  latitude: 51.5,
  longitude: -0.1,
  time_zone: "Europe/London",
  currency: "GBP",
  capacity: 20,
  age_min: 0,
  age_max: 12,
  amenities: ["soft play"],
  photos: [],
  house_rules: "Socks on.",
  accessibility: "Step-free.",
  opening_hours: days.map((weekday) => ({ weekday, opens: "09:00", closes: "17:00" })),
  overrides: [],
  grid_minutes: 60,
  lead_time_minutes: 60,
  max_advance_days: 365,
  tax: { rate_percent: 20, included: true },
  packages: [packageJson(n)],
  add_ons: [],
  closures: [],
  ...changes
})

export const operatorJson = (
  n: number,
  changes: Partial<Json["operators"][number]> = {}
): Json["operators"][number] => ({
  operator_id: idOf("operator", n),
  name: `Operator ${n}`,
  connected_account_id: `acct_${n}`,
  application_fee_percent: 5,
  ...changes
})

export const catalogueJson = (
  playrooms: Json["playrooms"],
  operators: Json["operators"] = [operatorJson(1)]
): Json => ({ version: 1, operators, playrooms })

/** Imports a file. */
export const importJson = (json: unknown, options?: ImportOptions) =>
  CatalogueFile.use((file) => file.importFile(json, options))

/** Imports a file of these playrooms, which are operator 1's. */
export const importRooms = (...playrooms: ReadonlyArray<PlayroomJson>) => importJson(catalogueJson(playrooms))

/** The same beside the demo, which would step aside. */
export const importRoomsBesideDemo = (...playrooms: ReadonlyArray<PlayroomJson>) =>
  importJson(catalogueJson(playrooms), { keepDemo: true })

const cities = ["London", "Leeds", "Bristol", "Cardiff", "Glasgow", "York", "Bath", "Derby", "Exeter", "Hull"]
const themes = ["Pirate", "Jungle", "Space", "Castle", "Ocean", "Circus", "Dinosaur", "Rainbow", "Forest", "Robot"]
const features = ["soft play", "ball pool", "trampoline", "cafe", "parking", "climbing wall", "slide", "garden"]

/** The n-th of many that differ in name, city, place, price, ages and amenities. */
const oneOfMany = (n: number): PlayroomJson => {
  const city = cities[n % 10] ?? ""
  const [row, column] = [Math.floor(n / 100) % 100, n % 100]
  return playroomJson(n, {
    name: `${themes[Math.floor(n / 10) % 10]} playroom ${n}`,
    description: `Playroom number ${n}: mats, blocks and a ${features[n % 8]} for small parties.`,
    city,
    latitude: 50 + row * 0.06,
    longitude: -5 + column * 0.06,
    capacity: 10 + (n % 20),
    age_max: 5 + (n % 10),
    amenities: features.filter((_, i) => (n + i) % 3 === 0),
    packages: [
      packageJson(2 * n, {
        pricing: { base: 0, included_children: 0, extra_child: 500 + (n % 700), adult: 0, rules: [] }
      }),
      packageJson(2 * n + 1, {
        name: "Party",
        mode: "exclusive",
        duration_minutes: 120,
        setup_minutes: 15,
        cleanup_minutes: 15,
        pricing: { base: 15_000 + (n % 9000), included_children: 10, extra_child: 900, adult: 0, rules: [] }
      })
    ]
  })
}

/** Many playrooms from the n-th on, of ten operators, on a grid over southern Britain. */
export const manyPlayrooms = (count: number, first = 1): Json =>
  catalogueJson(
    Array.from({ length: count }, (_, i) => ({ ...oneOfMany(first + i), operator_id: idOf("operator", (i % 10) + 1) })),
    Array.from({ length: 10 }, (_, i) => operatorJson(i + 1))
  )
