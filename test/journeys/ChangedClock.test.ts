/**
 * A law changes a clock after a family has booked: the system's rules of time zones are upgraded, one node is restarted
 * after the other, and the visit is at its hour again.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { serviceOnClock } from "../support/DeskUser.ts"
import { ask } from "../support/FamilyPages.ts"
import { connect } from "../support/McpClients.ts"
import { Options } from "../support/McpRequests.ts"
import type { Service } from "../support/Service.ts"
import { serverUrl } from "../support/TestDatabase.ts"
import { compiled, writeZones, zoneFolder } from "../support/zoneFiles.ts"

const zone = "America/Vancouver"
const date = "2027-01-16"

const Ready = Schema.Struct({ time_zone_rules: Schema.String })
/** By which release a node's clocks go, as its probe says. */
const rulesOf = ({ baseUrl }: Service) =>
  Effect.map(
    ask(`${baseUrl}/readyz`),
    ({ text }) => Schema.decodeUnknownSync(Schema.fromJsonString(Ready))(text).time_zone_rules
  )

/** The starts that a node offers on a day, by the clock. */
const startsOn = Effect.fnUntraced(function* (node: Service, package_id: string, playroom_id: string, day: string) {
  const client = yield* connect("v2 auto", node.baseUrl, node.apiKey)
  const { content } = yield* client.call("get_booking_options", {
    playroom_id,
    package_id,
    date: day,
    children: 8,
    limit: 50
  })
  return Schema.decodeUnknownSync(Options)(content).options.map(({ start }) => start.slice(11, 16))
})

const venueFile = (text: string): string =>
  text
    .replace("time_zone: Europe/London", `time_zone: ${zone}`)
    .replace("country: GB", "country: CA")
    .replace("currency: GBP", "currency: CAD")
    .replace('times: ["10:15", "13:00", "15:45"]', 'times: ["10:15", "13:00", "14:00", "17:00"]')
    .replace('weekday: saturday, opens: "09:30", closes: "18:00"', 'weekday: saturday, opens: "09:30", closes: "19:00"')

it.live("a visit booked for 14:00 is at 14:00 when a law has changed the clock, and all nodes know of it", () =>
  Effect.gen(function* () {
    const rules = yield* zoneFolder
    writeZones(rules, "2099a", { [zone]: compiled("PST8PDT,M3.2.0,M11.1.0") })
    const { anotherNode, folder, playroom, refused, service, sql } = yield* serviceOnClock(
      Date.parse("2026-11-20T18:00:00Z"),
      { TIME_ZONE_DATA: rules }
    )
    const nodes = serverUrl === undefined ? [service] : [service, yield* anotherNode]
    for (const node of nodes) assert.strictEqual(yield* rulesOf(node), "2099a")

    const file = join(folder, "venue.yaml")
    yield* playroom(`playroom catalogue new ${file}`)
    writeFileSync(file, venueFile(readFileSync(file, "utf8")))
    yield* playroom(`playroom catalogue import ${file}`)
    const onboarded = yield* playroom("playroom operator onboard my-business")
    yield* ask(/(http\S+)/.exec(onboarded)?.[1] ?? assert.fail(onboarded), { method: "POST" })
    yield* playroom("playroom operator onboard my-business")
    const named = yield* sql<{ readonly id: string; readonly room: string; readonly name: string }>`
      select package_id as id, playroom_id as room, terms ->> 'name' as name from package
      where playroom_id = (select playroom_id from playroom where time_zone = ${zone})`
    const idOf = (name: string) => named.find((one) => one.name === name)?.id ?? assert.fail(`no ${name}`)
    const room = named[0]?.room ?? assert.fail("no room")

    const booked = yield* playroom(
      `playroom booking make ${idOf("Birthday party")} --at ${date}T14:00 --children 8 --adults 2 --name Ada ` +
        "--email ada@exmaple.com --phone 07700900123 --paid card --by Kim --json"
    )
    const reference = /"reference": "(\S+)"/.exec(booked)?.[1] ?? assert.fail(booked)
    const shown = Effect.map(playroom(`playroom booking show ${reference}`), (text) => /^start +(\S+)/m.exec(text)?.[1])
    assert.strictEqual(yield* shown, `${date}T14:00:00-08:00`)
    yield* playroom(
      `playroom closure make --playroom ${room} --from 2027-01-03T09:00 --to 2027-01-03T13:00 --reason Floor`
    )
    const letters = Effect.map(ask(`${service.sandboxUrl}/letters`), ({ text }) =>
      [...text.matchAll(/href="(\/letters\/[^"]+)"/g)].map(([, path = ""]) => path)
    )
    while ((yield* letters).length === 0) yield* Effect.sleep("100 millis")
    const sent = yield* letters

    // The system has the law. A node that runs has not: nothing is moved until all have been restarted.
    writeZones(rules, "2099b", { [zone]: compiled("MST7") })
    for (const node of nodes.slice(1)) {
      yield* node.stop()
      yield* node.start
      assert.strictEqual(yield* rulesOf(node), "2099b")
      assert.strictEqual(yield* rulesOf(service), "2099a")
    }
    const early = yield* refused("playroom clocks --apply")
    assert.include(early, "Running nodes have other rules of time zones (tz 2099a) than this command (tz 2099b, of ")
    assert.include(early, "Nothing was moved")
    assert.strictEqual(yield* shown, `${date}T15:00:00-07:00`)

    assert.match((yield* service.playroom("doctor")).stdout, /nodes have other time zones +2099a/)

    // A node that was killed has not said that it ended. It is taken for one that runs, for three minutes.
    yield* service.stop("SIGKILL")
    yield* service.start
    for (const node of nodes) assert.strictEqual(yield* rulesOf(node), "2099b")
    assert.include(yield* refused("playroom clocks --apply"), "tz 2099a")
    yield* sql`update node_zone_rules set seen_at = now() - interval '4 minutes' where release = '2099a'`
    assert.include(yield* playroom("playroom clocks"), "1 booking and 2 closed times to move, by tz 2099b")
    assert.include(yield* playroom("playroom clocks --apply"), "1 booking and 2 closed times at their hour again")

    assert.strictEqual(yield* shown, `${date}T14:00:00-07:00`)
    const taken = yield* sql<{
      readonly from: Date
      readonly to: Date
    }>`select lower(during) as from, upper(during) as to
      from occupancy where resource_id = ${room} and booking_id is not null`
    assert.deepStrictEqual(
      taken.map(({ from, to }) => [from.toISOString(), to.toISOString()]),
      [["2027-01-16T20:30:00.000Z", "2027-01-16T23:15:00.000Z"]]
    )
    const link = yield* playroom(`playroom booking link ${reference}`)
    const page = new URL(/(http\S+)/.exec(link)?.[1] ?? assert.fail(link)).pathname
    for (const node of nodes) {
      assert.deepStrictEqual(yield* startsOn(node, idOf("Birthday party"), room, date), ["10:15", "17:00"])
      assert.strictEqual((yield* startsOn(node, idOf("Open play"), room, "2027-01-03"))[0], "13:00")
      assert.match((yield* ask(node.baseUrl + page)).text, /\b14:00|2:00\s?p/)
    }
    // What was written to the family is true again, and nothing more is written.
    assert.deepStrictEqual(yield* letters, sent)
    assert.match((yield* ask(service.sandboxUrl + (sent[0] ?? ""))).text, /\b14:00|2:00\s?p/)
  }).pipe(Effect.scoped)
)
