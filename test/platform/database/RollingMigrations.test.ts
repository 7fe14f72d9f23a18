/**
 * During a rolling upgrade, nodes of the release before run on the tables of this one. A statement that could break
 * them is refused here. Where one is needed all the same, it waits for the release after the one whose code stopped
 * using what it takes away; or, where it does no harm, it is listed below with the reason.
 */
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { statementsOf } from "../../../src/platform/database/Migrations.ts"

/** Each migration with what it does that could break the release before, and why it does not. */
const accepted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "0010_schema_parts": {
    "takes a function away": "no trigger and no release called it any more"
  },
  "0014_kept_plans": {
    "takes a function away": "only functions of triggers call it, which are made anew in the same transaction"
  },
  "0015_sent_back_letters": {
    "narrows what is accepted": "it takes one kind more than the check that it replaces"
  },
  "0018_corrected_contacts": {
    "narrows what is accepted": "it takes one kind more than the check that it replaces"
  },
  "0024_staff_readmitted": {
    "narrows what is accepted": "it takes more events than the check that it replaces"
  },
  "0026_booked_by_venue": {
    "narrows what is accepted": "one more kind of letter is accepted than before"
  },
  "0027_venue_letters": {
    "narrows what is accepted": "it takes one kind more than the check that it replaces"
  },
  "0035_vouchers": {
    "narrows what is accepted": "one more way to pay is accepted than before"
  },
  "0036_waiting": {
    "narrows what is accepted": "it takes one kind more than the check that it replaces"
  },
  "0038_voucher_sales": {
    "narrows what is accepted": "one more way to pay is accepted than before"
  },
  "0039_order_payments": {
    "narrows what is accepted": "the release before writes neither column, and both are null"
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

const folder = join(import.meta.dirname, "../../../sql")
const filesOf = (path: string) =>
  readdirSync(path)
    .filter((file) => file.endsWith(".sql"))
    .map((file) => ({ name: file.slice(0, -".sql".length), text: readFileSync(join(path, file), "utf8") }))
/** The first release's tables: no node ran before it. */
const first = "0009"
const migrations = filesOf(folder).filter(({ name }) => name.slice(0, first.length) > first)
const functions = filesOf(join(folder, "functions"))

describe("the functions", () => {
  it("are of the newest migration with such a line, by which nodes of the release before know that theirs are older", () => {
    const digest = createHash("sha256")
      .update(functions.map(({ text }) => text).join("\0"))
      .digest("hex")
      .slice(0, 16)
    const told = migrations.flatMap(({ text }) => /^-- Functions: (\w+)$/m.exec(text)?.[1] ?? []).at(-1)
    assert.strictEqual(told, digest, `Add the next sql/NNNN_….sql with the line "-- Functions: ${digest}"`)
  })

  it("stand once, in files that can be applied again", () => {
    const statements = functions.flatMap(({ text }) => statementsOf(text).map(plain))
    const again = /^(create or replace (function|trigger)|drop trigger|create constraint trigger)\b/
    assert.deepStrictEqual(
      statements.filter((statement) => !again.test(statement)),
      []
    )
    const made = statements.flatMap(
      (statement) => /^create or replace function (\w+\([^)]*\))/.exec(statement)?.[1] ?? []
    )
    assert.isAbove(made.length, 30)
    assert.deepStrictEqual(made, [...new Set(made)])
  })
})

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
