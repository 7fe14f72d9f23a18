/**
 * The rules of time zones wherever there are some: Node's, the system's, and the database's, embedded or a server; for
 * all zones and all changes of 2026 to 2037. Clocks show just what the data says by which they go. Where others are of
 * another release, it is known in which zones, and the doctor names those in use.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { AppConfig } from "../../../src/platform/config/AppConfig.ts"
import { decodeRows } from "../../../src/platform/database/Rows.ts"
import {
  dayMs,
  hourMs,
  type Instant,
  minuteMs,
  offsetAt,
  runtimeRules,
  secondMs,
  zoneNamed,
  zoneNames,
  zoneReadAs,
  zoneRules,
  type ZoneRules
} from "../../../src/platform/time/LocalTime.ts"
import { zoneInfoIn } from "../../../src/platform/time/ZoneInfo.ts"
import { importVenue, setClock } from "../../support/BookingWorld.ts"
import { goingBy, lawBefore, lawSince, vancouver } from "../../support/clockLaws.ts"
import { commandWorld, parsed, playroom } from "../../support/CommandLine.ts"
import { now } from "../../support/PaymentWorld.ts"
import { serverUrl } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/testSettings.ts"
import { packageWith, testId, venueWith } from "../../support/venues.ts"

const before2026 =
  "Africa/Casablanca Africa/El_Aaiun America/Edmonton America/Vancouver America/Yellowknife Canada/Mountain " +
  "Canada/Pacific Europe/Chisinau Europe/Tiraspol"
/**
 * The zones in which releases of the tz database differ within these years from the embedded database of the pinned
 * package, which has 2026c. Of Nodes and systems with other releases, it is printed in which zones they do.
 */
const differFromEmbedded: Readonly<Record<string, string>> = {
  "2025b": before2026,
  "2025c": before2026,
  "2026c": "",
  "2026d": "America/Inuvik"
}

const names = zoneNames().filter((name) => zoneNamed(name) === name)
/** One name of each clock of the runtime. */
const clocks = [...new Map(names.map((name) => [zoneReadAs(name), name])).values()]

const [first, last] = [Date.UTC(2026, 0, 1), Date.UTC(2038, 0, 1)]
/** No clock is changed twice within so long. */
const stepMs = 28 * dayMs
const samples = Array.from({ length: Math.ceil((last - first) / stepMs) }, (_, n) => first + n * stepMs)

type Offset = (at: Instant) => number

/** The instants of all changes, and those a second before. */
const aroundChanges = (offset: Offset): ReadonlyArray<Instant> =>
  samples.slice(1).flatMap((at) => {
    let [low, high] = [at - stepMs, at]
    const before = offset(low)
    if (before === offset(high)) return []
    while (high - low > secondMs) {
      const middle = low + Math.floor((high - low) / 2 / secondMs) * secondMs
      if (offset(middle) === before) low = middle
      else high = middle
    }
    return [low, high]
  })

/** The offset by Intl alone, from `GMT-08:00` or `GMT`. */
const byIntl = (zone: string): Offset => {
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset", year: "numeric" })
  return (at) => {
    const [, sign = "", hours = 0, minutes = 0] = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(format.format(at)) ?? []
    const offset = Number(hours) * hourMs + Number(minutes) * minuteMs
    return sign === "-" ? -offset : offset
  }
}

/** When each zone is looked at: two sources that agree at each of these agree always. */
const moments = new Map(
  [...Map.groupBy(names, zoneReadAs).values()].flatMap((same) => {
    const at = [...samples, ...aroundChanges(byIntl(same[0] ?? "UTC"))]
    return same.map((name) => [name, at] as const)
  })
)
const at = (zone: string): ReadonlyArray<Instant> => moments.get(zone) ?? []

const shown = (zone: string, instant: Instant) => `${zone} ${new Date(instant).toISOString()}`
/** The first instant at which a zone has another offset by each; undefined if there is none. */
const firstOther = (zone: string, here: Offset, there: Offset): Instant | undefined =>
  at(zone).find((instant) => here(instant) !== there(instant))

const systemFolder = "/usr/share/zoneinfo"
const system = zoneInfoIn(systemFolder)

/** The changes of zones by the system's own reader of its files: the first offset, then each change with the next. */
const dumped = (zones: ReadonlyArray<string>) => {
  const text = execFileSync("zdump", ["-i", "-c", "2026,2038", ...zones], { encoding: "utf8", maxBuffer: 1e8 })
  const ms = (hms: string) =>
    Number(hms.slice(0, 2)) * hourMs + Number(hms.slice(2, 4)) * minuteMs + Number(hms.slice(4, 6)) * secondMs
  return new Map(
    text
      .split(/^TZ=/m)
      .slice(1)
      .map((part) => {
        const [name = "", ...lines] = part.trim().split("\n")
        const changes = lines.map((line) => {
          const [date = "", time = "", offset = ""] = line.split("\t")
          const east = ms(offset.slice(1).replaceAll(":", "")) * (offset.startsWith("-") ? -1 : 1)
          return { from: date === "-" ? -Infinity : Date.parse(date) + ms(time.replaceAll(":", "")) - east, east }
        })
        return [name.replaceAll('"', ""), (instant: Instant) => changes.findLast(({ from }) => from <= instant)?.east]
      })
  )
}
const hasDump = (() => {
  try {
    return system !== undefined && dumped(["Etc/UTC"]).get("Etc/UTC")?.(0) === 0
  } catch {
    return false
  }
})()

const offsetRows = decodeRows(Schema.Array(Schema.Struct({ zone: Schema.String, offsets: Schema.Array(Schema.Int) })))
/** The offsets of all zones that the database knows, by one statement. */
const byDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* offsetRows(sql`select z.key as zone, (
      select json_agg(extract(epoch from (m.t at time zone z.key) - (m.t at time zone 'UTC'))::int order by m.n)
      from (select to_timestamp(value::bigint / 1000) as t, n from jsonb_array_elements_text(z.value) with ordinality as e (value, n)) m) as offsets
    from jsonb_each(${JSON.stringify(Object.fromEntries(moments))}::jsonb) z
    where z.key in (select name from pg_timezone_names)`)
  return new Map(
    rows.map(({ offsets, zone }) => {
      const known = new Map(at(zone).map((instant, n) => [instant, (offsets[n] ?? 0) * secondMs]))
      return [zone, (instant: Instant) => known.get(instant) ?? 0]
    })
  )
})

layer(commandWorld)("rules of time zones", (it) => {
  it.effect("Node's are those by which clocks go, in all zones, at all changes", () =>
    Effect.gen(function* () {
      yield* goingBy(runtimeRules)
      for (const zone of clocks) {
        const other = firstOther(zone, (instant) => offsetAt(zone, instant), byIntl(zone))
        assert.isUndefined(other, shown(zone, other ?? 0))
      }
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(!hasDump)("a system's are, too, as its own zdump reads them", () =>
    Effect.gen(function* () {
      const rules: ZoneRules = system ?? assert.fail("no system")
      yield* goingBy(rules)
      const there = clocks.filter((name) => rules.zone(name) !== undefined)
      const dump = dumped(there)
      for (const zone of there) {
        const says = dump.get(zone) ?? assert.fail(`zdump has no ${zone}`)
        const offset = rules.zone(zone) ?? assert.fail(zone)
        const other = [...samples, ...aroundChanges(offset)].find((one) => offsetAt(zone, one) !== says(one))
        assert.isUndefined(other, shown(zone, other ?? 0))
      }
      assert.isAbove(there.length, 300)
    }).pipe(Effect.scoped)
  )

  it.effect.skipIf(serverUrl !== undefined)("the embedded database's differ from other releases in known zones", () =>
    Effect.gen(function* () {
      const embedded = yield* byDatabase
      assert.strictEqual(embedded.size, names.length)
      for (const { from, release, zone } of [runtimeRules, ...(system === undefined ? [] : [system])]) {
        const both = [...embedded].flatMap(([name, there]) => {
          const here = zone(name)
          return here === undefined ? [] : [{ name, here: from === systemFolder ? here : byIntl(name), there }]
        })
        const other = both.filter(({ here, name, there }) => firstOther(name, here, there) !== undefined)
        const found = other.map(({ name }) => name).sort()
        const known = differFromEmbedded[release]?.split(" ")
        if (known === undefined)
          console.info(`tz ${release}, of ${from}, differs from the embedded database's in: ${found.join(", ")}`)
        else
          assert.deepStrictEqual(
            found,
            known.filter((name) => both.some((one) => one.name === name))
          )
      }
    })
  )

  it.effect.skipIf(serverUrl === undefined)(
    "a server's that differ from those in use are a finding: of just the zones in use that differ within two years",
    () =>
      Effect.gen(function* () {
        yield* setClock(now)
        const used = [...new Set(Object.values(differFromEmbedded).flatMap((all) => all.split(" ")))]
          .concat("Europe/London", "Asia/Kolkata", "Pacific/Auckland", "America/New_York")
          .filter((zone) => zone !== "")
        const pkg = packageWith({ package_id: testId.package(880) })
        yield* importVenue(
          ...used.map((time_zone, n) =>
            venueWith({ playroom_id: testId.playroom(880 + n), time_zone }, [
              { ...pkg, package_id: testId.package(880 + n) }
            ])
          )
        )
        const server = yield* byDatabase
        const [from, to] = [Date.parse(now), Date.parse(now) + 2 * 366 * dayMs]
        const vancouvers: Array<boolean> = []
        for (const law of [lawBefore, lawSince]) {
          yield* goingBy(law)
          const expected = used.filter((zone) => {
            const there = server.get(zone)
            return at(zone).some(
              (one) => one >= from && one < to && there !== undefined && offsetAt(zone, one) !== there(one)
            )
          })
          vancouvers.push(expected.includes(vancouver))
          const settings = testSettings({ database: { kind: "server", url: Redacted.make(serverUrl ?? "") } })
          const { out } = yield* Effect.provideService(playroom("doctor", "--json"), AppConfig, settings)
          const found = findings(parsed(out)).filter(({ what }) => what === "time zone differs in the database")
          assert.deepStrictEqual(found.map(({ id }) => id).sort(), expected.sort(), zoneRules().release)
        }
        assert.sameMembers(vancouvers, [true, false])
      }).pipe(Effect.scoped)
  )
})

const findings = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ what: Schema.String, id: Schema.String })))
