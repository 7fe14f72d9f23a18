import { assert, it } from "@effect/vitest"
import { tzlib_get_timezones } from "timezones-ical-library"
import { zoneAbbreviated, zoneNamed, zonesOfCountry, zoneWanted } from "../../../src/platform/time/LocalTime.ts"

/** What the runtime takes beside IANA's names: CLDR 48 keeps the abbreviations of Java 1.0 (Node 24.21, ICU 78.3). */
const javas =
  "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" ")
/** IANA's abbreviations (tz database 2026c, `backward` and `etcetera`). */
const abbreviations =
  "CET CST6CDT EET EST EST5EDT GMT GMT+0 GMT-0 GMT0 Greenwich HST MET MST MST7MDT PST8PDT WET".split(" ")
/** Names of the library alone, for whole countries. */
const librarys = new Set(["CT", "ET", "MT", "PT"])

it("a zone is named by the tz database's names of places, old ones, too, and by no abbreviation", () => {
  for (const name of [
    ...javas,
    ...abbreviations,
    ...librarys,
    "GMT+1",
    "+01:00",
    "SystemV/EST5",
    "Europe/Atlantis",
    ""
  ])
    assert.strictEqual(zoneNamed(name), undefined, name)
  for (const name of [
    "UTC",
    "Etc/UTC",
    "Asia/Calcutta",
    "Asia/Kolkata",
    "Europe/Kiev",
    "US/Pacific",
    "Japan",
    "GB",
    "NZ",
    "Eire"
  ])
    assert.strictEqual(zoneNamed(name), name)
  assert.deepStrictEqual(["asia/kolkata", "europe/LONDON", "utc"].map(zoneNamed), [
    "Asia/Kolkata",
    "Europe/London",
    "UTC"
  ])
})

it("every name of the tz database is a zone's or an abbreviation, so that a new one is noticed", () => {
  const others = [tzlib_get_timezones()].flat().filter((name) => zoneNamed(name) === undefined && !librarys.has(name))
  assert.deepStrictEqual(
    others.sort(),
    abbreviations.filter((name) => others.includes(name))
  )
  for (const name of abbreviations)
    assert.strictEqual(zoneAbbreviated(name), [tzlib_get_timezones()].flat().includes(name) ? name : undefined)
  for (const name of [...javas, "Europe/London"]) assert.strictEqual(zoneAbbreviated(name), undefined, name)
  for (const name of Intl.supportedValuesOf("timeZone")) assert.strictEqual(zoneNamed(name), name)
})

it("what is no zone is answered with those of the country, or with the spelling", () => {
  assert.strictEqual(
    zoneWanted("BST", "GB"),
    "Expected an IANA time zone of GB: Europe/London. Abbreviations like BST mean other clocks elsewhere, or in summer"
  )
  assert.strictEqual(zoneWanted("Europe/Leeds", "GB"), "Expected an IANA time zone of GB: Europe/London")
  assert.strictEqual(zoneWanted("europe/london", "GB"), "Expected Europe/London, in just this spelling")
  assert.strictEqual(zoneWanted("GMT+1", "xx"), "Expected an IANA time zone, like Europe/London")
  assert.include(zonesOfCountry("US"), "America/New_York")
  assert.deepStrictEqual(["", "gb", "Great Britain", "QQ"].flatMap(zonesOfCountry), [])
})
