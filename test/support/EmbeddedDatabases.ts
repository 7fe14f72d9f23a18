/**
 * Embedded databases for tests. Opening one costs a quarter of a second, and its first statements are slow, so those of a worker are
 * used again by its next test files: emptied to what the migrations leave, or closed if something else than rows has changed.
 */
import { PGlite } from "@electric-sql/pglite"
import { Effect } from "effect"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { inject } from "vitest"
import { embeddedOptions } from "../../src/database/EmbeddedPostgres.ts"

/** A new directory with a copy of the migrated embedded cluster (its folder is the cluster itself), removed with the scope. */
export const copiedCluster = Effect.acquireRelease(
  Effect.sync(() => copyCluster(tmpdir())),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const copyCluster = (into: string): string => {
  const folder = mkdtempSync(join(into, "playroom-test-"))
  cpSync(inject("embeddedTemplate"), folder, { recursive: true })
  return folder
}

interface Database {
  readonly backend: PGlite
  /** Rows that a transaction from this one on wrote are not the migrations'. */
  readonly firstTransaction: string
  /** The `state` of a new one. */
  readonly untouched: string
}

const tables = `select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and pg_relation_size(c.oid) > 0`

// The first object id that is not PostgreSQL's own.
const own = 16_384

/** How many definitions there are, and which transaction wrote the newest. */
const definitions = [
  `pg_namespace where oid >= ${own}`,
  `pg_attribute where attrelid >= ${own}`,
  `pg_proc where oid >= ${own}`,
  `pg_trigger where tgrelid >= ${own}`,
  `pg_constraint where oid >= ${own}`,
  `pg_index where indrelid >= ${own}`
].map((those) => `select '${those}' as what, count(*) as rows, max(xmin::text::bigint) as newest from ${those}`)

/** What is defined, and the tables that have rows. */
const state = async (backend: PGlite): Promise<string> => {
  const names = (await backend.query<{ readonly name: string }>(tables)).rows.map(({ name }) => name)
  const filled = names.map((name) => `select '${name}', count(*), 0 from ${name}`)
  const { rows } = await backend.query(
    `select * from (${[...definitions, ...filled].join(" union all ")}) as all_of_it where rows > 0 order by what`
  )
  return inspect(rows, { maxArrayLength: null })
}

/** Larger ones would slow down the test files after them. */
const tooLarge = 8 * 2 ** 20

const emptied = ({ firstTransaction }: Database): string => `
rollback;
drop schema if exists sandbox cascade;
close all; deallocate all; unlisten *; discard temp; reset all; select pg_advisory_unlock_all();
do $$
declare found regclass;
begin
  set local session_replication_role = replica;
  for found in ${tables} loop
    execute format('delete from %s where xmin::text::bigint >= ${firstTransaction}', found);
    perform pg_clear_relation_stats(n.nspname, c.relname)
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = found;
  end loop;
  perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    from pg_sequences where last_value is not null;
  delete from pg_statistic where starelid >= ${own};
end $$`

const opened = async (): Promise<Database> => {
  const backend = await PGlite.create(embeddedOptions(copyCluster(inject("runFolder"))))
  const [first] = (await backend.query<{ readonly xid: string }>("select pg_current_xact_id()::text as xid")).rows
  return { backend, firstTransaction: first?.xid ?? "0", untouched: await state(backend) }
}

const spare: Array<Database> = []

const giveBack = async (database: Database): Promise<void> => {
  const { backend, untouched } = database
  // Sessions that were cut off in a transaction roll it back first.
  await new Promise((done) => setImmediate(done))
  try {
    await backend.exec(emptied(database))
    const [size] = (
      await backend.query<{ readonly bytes: number }>(
        `select sum(pg_total_relation_size(name))::int as bytes from (${tables}) as found`
      )
    ).rows
    if ((size?.bytes ?? 0) < tooLarge && (await state(backend)) === untouched) {
      spare.push(database)
      return
    }
  } catch {
    // It can't be emptied, so nobody gets it again.
  }
  await backend.close()
}

/** An embedded database that holds what the migrations leave, for the scope. */
export const embeddedBackend = Effect.map(
  Effect.acquireRelease(
    Effect.promise(async () => spare.pop() ?? (await opened())),
    (database) => Effect.promise(() => giveBack(database))
  ),
  ({ backend }) => backend
)
