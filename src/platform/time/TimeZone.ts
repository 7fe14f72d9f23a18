/**
 * Names of time zones, as people and outside programs write them. A zone is named by the tz database (IANA): by region
 * and place; some of its older names are a country's.
 */
import { DateTime, Option, Schema } from "effect"
import { tzlib_get_timezones } from "timezones-ical-library"

/**
 * The names without a slash that mean one clock: a country's, or UTC (tz database 2026c, `backward`). The others of
 * that file (GMT, EST, CET, PST8PDT) are abbreviations: people write them for the clock of a place that has summer
 * time, too.
 */
const places = new Set(
  (
    "Cuba Egypt Eire GB GB-Eire Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya NZ NZ-CHAT Navajo PRC Poland " +
    "Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU Zulu"
  ).split(" ")
)

const isAbbreviation = (name: string): boolean => !name.includes("/") && !places.has(name)

/** All names of the tz database, by themselves in lower case. (The library has a few of its own, like "ET".) */
const spellings = new Map(
  [...Intl.supportedValuesOf("timeZone"), ...tzlib_get_timezones()].map((name) => [name.toLowerCase(), name])
)

const known = new Map<string, boolean>()
/** Whether the runtime has rules for a name of the tz database. */
const isKnown = (name: string): boolean => {
  let its = known.get(name)
  if (its === undefined) {
    its = Option.isSome(DateTime.zoneMakeNamed(name))
    known.set(name, its)
  }
  return its
}

const ofDatabase = (name: string): string | undefined => {
  const spelling = spellings.get(name.toLowerCase())
  return spelling !== undefined && isKnown(spelling) ? spelling : undefined
}

/**
 * The zone that a name means, in any case, as the tz database spells it. Undefined if it is none of its names, or an
 * abbreviation. The runtime takes more: "BST" is Dhaka to it, "IST" is Kolkata (CLDR keeps the three letters of Java
 * 1.0).
 */
export const zoneNamed = (name: string): string | undefined => {
  const spelling = ofDatabase(name)
  return spelling === undefined || isAbbreviation(spelling) ? undefined : spelling
}

/** The zone that the tz database has for an abbreviation, which may mean others: EST, CET, GMT; undefined of BST. */
export const zoneAbbreviated = (name: string): string | undefined => {
  const spelling = ofDatabase(name)
  return spelling !== undefined && isAbbreviation(spelling) ? spelling : undefined
}

/** The zones of a country (ISO 3166-1 alpha-2), by CLDR; none if there is no such country. */
export const zonesOfCountry = (country: string): ReadonlyArray<string> =>
  /^[A-Z]{2}$/.test(country) ? (new Intl.Locale(`und-${country}`).getTimeZones() ?? []) : []

/** What to write instead of a name that is no zone. `country`: where the zone should be, if that is known. */
export const zoneWanted = (name: string, country = ""): string => {
  const spelling = zoneNamed(name)
  if (spelling !== undefined) return `Expected ${spelling}, in just this spelling`
  const zones = zonesOfCountry(country)
  const which =
    zones.length === 0
      ? "an IANA time zone, like Europe/London"
      : `an IANA time zone of ${country}: ${zones.join(", ")}`
  return /^[A-Za-z]{2,5}$/.test(name)
    ? `Expected ${which}. Abbreviations like ${name} mean other clocks elsewhere, or in summer`
    : `Expected ${which}`
}

/**
 * A zone by its name in the tz database, in just its spelling, like `Europe/London`. Older names count, too
 * (`Asia/Calcutta`, `Japan`), abbreviations (`BST`, `EST`, `GMT`) don't.
 */
export const TimeZone = Schema.String.check(
  Schema.makeFilter((name: string) => zoneNamed(name) === name || zoneWanted(name), {
    // Without it, a description put on this schema would not reach the JSON Schema.
    toJsonSchema: () => ({})
  })
)
