/**
 * During a rolling upgrade, nodes of the release before run on the tables of this one. A statement that could break them is refused
 * here. Where one is needed all the same, it waits for the release after the one whose code stopped using what it takes away; or,
 * where it does no harm, it is listed below with the reason.
 */
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** Each migration with what it does that could break the release before, and why it does not. */
const accepted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "0007_turning": {
    "makes something unique":
      "refund_once_a_turn refuses no row that refund_once took: rows of the release before have turn 0"
  },
  "0008_one_wish": {
    "replaces a function":
      "lock_holds_of_email and other_bookings take and give what they did; they compare by folded, which equals lower for almost all"
  },
  "0009_search_texts": {
    "replaces a function": "each says what it said before, which test/search/SearchTexts.test.ts tries"
  },
  "0013_import_in_bulk": {
    "replaces a function": "search_learn learns what it learnt, which test/search/SearchTexts.test.ts tries",
    "takes an expression away":
      "the trigger playroom_searched writes the same values for every node, which test/search/SearchTexts.test.ts tries",
    "may refuse writes": "playroom_searched refuses no row: it fills columns that no node writes"
  },
  "0014_guests_bookings": {
    "may refuse writes": "set_by_guest refuses no row: it fills a column that nodes of the release before don't know"
  },
  "0016_shares": {
    "replaces a function":
      "guest_limit takes what it took, and answers nodes of the release before with a limit that they know (`guest`)"
  },
  "0032_others_of_the_day": {
    "replaces a function": "other_bookings takes and gives what it did, those of the visit's day first"
  },
  "0037_guests_of_a_network": {
    "replaces a function":
      "find_booking and earlier_booking count in one more place, and answer as they did; other_bookings gives another entry only where `others` has a name, which nodes of the release before don't send"
  },
  "0038_offer_texts": {
    "replaces a function":
      "search_playroom and search_learn take what they took; they only add the words of what is sold",
    "may refuse writes": "playroom_searched refuses no row: it fills columns that no node of the release before writes"
  },
  "0041_made_today": {
    "replaces a function":
      "other_bookings and make_booking take and give what they did, with confirmed ones of other days that were made within the last day"
  },
  "0042_made_by_name": {
    "replaces a function":
      "other_bookings, digest_of and make_booking take and give what they did; other families' bookings hide no more of one's own"
  },
  "0043_newcomers": {
    "replaces a function": "earlier_booking and make_booking take and give what they did; `none` has one field more"
  },
  "0044_version_of_server": {
    "replaces a function": "catalogue_version gives another version, so a booking of that moment is decided again"
  },
  "0047_texts_learnt_once": {
    "replaces a function": "each says what it said before, which test/search/SearchTexts.test.ts tries"
  },
  "0050_venue_payments": {
    "narrows what is accepted":
      "what the release before writes has the way link, of which is asked what was asked before, and a request as always"
  },
  "0065_booked_by": {
    "replaces a function": "make_booking takes and gives what it did; a call of this release may say who made it"
  },
  "0063_other_calendars": {
    "narrows what is accepted":
      "what the release before writes takes no places for other calendars, and is asked what was asked before"
  },
  "0028_needs": {
    "replaces a function":
      "search_texts, search_playroom and search_learn take what they took; they only add the words of further texts",
    "may refuse writes": "playroom_searched refuses no row: it fills columns that no node of the release before writes"
  },
  "0062_refund_succeeded": {
    "may refuse writes": "refund_succeeds refuses no row: it fills a column that no node of the release before writes"
  },
  "0066_desk_money": {
    "narrows what is accepted": "it accepts what it accepted, and a payment at the venue that was undone"
  },
  "0070_released_to_calendars": {
    "replaces a function":
      "keep_calendar_places takes and gives what it did, and takes the same places, which test/calendars/ReleasedPlaces.test.ts tries"
  },
  "0068_words_by_key": {
    "replaces a function": "search_learn says what it said before, which test/search/SearchTexts.test.ts tries"
  },
  "0069_closed_by_venue": {
    "narrows what is accepted": "it accepts what it accepted, and two more events"
  },
  "0074_shared_stock": {
    "narrows what is accepted":
      "the release before writes only resources of playrooms, without a slug, and is asked what was asked before",
    "makes something unique": "resource_shared is about rows that the release before does not write"
  },
  "0079_no_longer_called": {
    "takes a function away": "the release before calls none of them: it calls those that took their places"
  },
  "0080_staff_in_history": {
    "narrows what is accepted": "it accepts what it accepted, and two more events"
  },
  "0092_role_in_history": {
    "narrows what is accepted": "it accepts what it accepted, and one more event"
  },
  "0081_closures_by_room": {
    "replaces a function": "it takes the same and does the same; only how it is planned differs"
  },
  "0083_no_longer_used": {
    "takes a column away":
      "the release before neither reads nor writes them, and names the columns of a package that it does",
    "takes a function away": "the release before does not call it"
  },
  "0093_versions_at_once": {
    "replaces a function": "catalogue_version gives the same version"
  },
  "0094_places_by_rooms": {
    "takes a function away":
      "the release before does not have it, and the code before this migration calls the one that takes a list"
  },
  "0098_money_that_does_not_fit": {
    "narrows what is accepted":
      "it accepts what it accepted, and one more cause, which only a command of this release writes: it is run when all nodes have it"
  },
  "0100_history_facts": {
    "may refuse writes": "it refuses none: it takes away what the release before never writes"
  }
}

/** What a statement could break, for tables and functions that the migration has not made itself. */
const hazards: ReadonlyArray<readonly [kind: string, statement: RegExp]> = [
  ["takes a table away", /^drop (table|view|schema|type|sequence)\b/],
  ["takes a column away", /^alter table .*\bdrop column\b/],
  ["renames", /^alter .*\brename\b/],
  ["changes a type", /^alter table .*\balter (column )?\w+ (set data )?type\b/],
  ["takes a default away", /^alter table .*\bdrop default\b/],
  ["takes an expression away", /^alter table .*\bdrop expression\b/],
  ["asks for a value", /^alter table .*\bset not null\b/],
  [
    "asks for a value",
    /^alter table .*\badd (column )?(?!constraint)\w+ [^,]*\bnot null\b(?![^,]*\b(default|generated)\b)(?<!default [^,]*)/
  ],
  [
    "relies on the default of a column of booking",
    /^alter table (only )?booking\b.*\badd (column )?\w+ [^,]*\bnot null\b/
  ],
  [
    "narrows what is accepted",
    /^alter table .*\badd (constraint\b|check\b|unique\b|primary key\b|foreign key\b|exclude\b)/
  ],
  ["makes something unique", /^create unique index\b/],
  ["takes a function away", /^drop (function|procedure)\b/],
  ["replaces a function", /^create or replace (function|procedure)\b/],
  ["may refuse writes", /^create (or replace )?(constraint )?trigger .*\bbefore\b/],
  ["empties a table", /^(truncate|delete from)\b/],
  ["may hide rows", /^(alter table .*\brow level security|create policy)\b/]
]

/** A statement in small letters, without comments, texts and the bodies of functions. */
const plain = (statement: string): string =>
  statement
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/--.*$/gm, "")
    .replaceAll(/\/\*[\s\S]*?\*\//g, "")
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (if (not )?exists|concurrently|only)(?= )/g, "")
    .trim()

/** What a migration could break. */
const hazardsOf = (text: string): ReadonlySet<string> => {
  const statements = plain(text)
    .split(";")
    .map((part) => part.trim())
  const made = new Set(statements.flatMap((statement) => statement.match(/^create table (\w+)/)?.[1] ?? []))
  const target = (statement: string) =>
    statement.match(/^(?:alter table|truncate(?: table)?|delete from) (\w+)/)?.[1] ??
    statement.match(/^create .*? on (\w+)/)?.[1]
  return new Set(
    statements
      .filter((statement) => !made.has(target(statement) ?? ""))
      .flatMap((statement) => hazards.flatMap(([kind, pattern]) => (pattern.test(statement) ? [kind] : [])))
  )
}

const folder = join(import.meta.dirname, "../../sql")
/** The first release's tables: no node ran before it. */
const first = "0006"
const migrations = readdirSync(folder)
  .filter((file) => file.endsWith(".sql") && file.slice(0, first.length) > first)
  .map((file) => ({ name: file.slice(0, -".sql".length), text: readFileSync(join(folder, file), "utf8") }))

describe("a migration", () => {
  it("has a number of its own", () => {
    for (const folder of ["sql", "sql/sandbox"]) {
      const numbers = readdirSync(folder).flatMap((file) => /^\d{4}(?=_.+\.sql$)/.exec(file) ?? [])
      assert.isAbove(numbers.length, 0)
      assert.deepStrictEqual(numbers, [...new Set(numbers)])
    }
  })

  it("does nothing that could break a node of the release before, but for what is listed with its reason", () => {
    const found = migrations.flatMap(({ name, text }) => [...hazardsOf(text)].map((kind) => `${name} ${kind}`))
    const listed = Object.entries(accepted).flatMap(([name, kinds]) =>
      Object.keys(kinds).map((kind) => `${name} ${kind}`)
    )
    assert.sameMembers(found, listed)
  })

  it.each([
    ["takes a table away", "drop table if exists slug"],
    ["takes a column away", "alter table booking\n  add column a int, drop column notes"],
    ["renames", "ALTER TABLE booking RENAME COLUMN notes TO remarks"],
    ["changes a type", "alter table booking alter column total type bigint"],
    ["takes an expression away", "alter table playroom alter column city_key drop expression"],
    ["asks for a value", "alter table refund add column why text not null"],
    ["asks for a value", "alter table refund add column a int default 0, add column why text not null"],
    ["asks for a value", "alter table refund alter column owed set not null"],
    ["relies on the default of a column of booking", "alter table booking add column n int not null default 0"],
    ["narrows what is accepted", "alter table booking add constraint few check (children < 10)"],
    ["makes something unique", "create unique index concurrently one on booking (contact_email)"],
    ["takes a function away", "-- why\ndrop function make_booking(jsonb)"],
    ["replaces a function", "create or replace function f() returns int language sql as $$ select 1; $$"],
    ["may refuse writes", "create trigger t before insert on booking for each row execute function f()"],
    ["empties a table", "select 1;\n\ndelete from idempotency;"]
  ])("is noticed where it %s", (kind, text) => {
    assert.include([...hazardsOf(text)], kind)
  })

  it.each([
    "alter table booking add column erased_at timestamptz",
    "alter table refund add column n int not null default 0",
    "alter table playroom add column v tsvector not null generated always as (f(name)) stored",
    "create table t (id text primary key, n int not null);\ncreate unique index t_n on t (n)",
    "create index booking_over on booking (starts_at) where erased_at is not null",
    "create function make_booking(a jsonb, b jsonb) returns int language sql as $$ delete from x; $$",
    "-- drop table booking\nalter table booking add column why text check (why <> 'drop table')"
  ])("may do this: %s", (text) => {
    assert.deepStrictEqual([...hazardsOf(text)], [])
  })
})
