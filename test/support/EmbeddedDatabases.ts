/**
 * Embedded databases for tests. Opening one costs a quarter of a second, and its first statements are slow, so those of
 * a worker are used again by its next test files: emptied to what the migrations leave, or closed if something else
 * than rows has changed.
 */
import { MemoryFS, PGlite } from "@electric-sql/pglite"
import { Effect, Schema } from "effect"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { inject } from "vitest"
import { embeddedOptions } from "../../src/platform/database/EmbeddedPostgres.ts"
import { optimisedPostgres } from "./optimisedPostgres.ts"

/**
 * A new directory with a copy of the migrated embedded cluster (its folder is the cluster itself), removed with the
 * scope.
 */
const copiedCluster = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = mkdtempSync(join(tmpdir(), "playroom-test-"))
    cpSync(inject("embeddedTemplate"), folder, { recursive: true })
    return folder
  }),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

let optimised: { readonly module: unknown } | undefined

/** Where PGlite has the cluster. */
const cluster = "/pglite/data"

interface Runtime {
  readonly FS: {
    readonly mkdirTree: (path: string) => void
    readonly writeFile: (path: string, content: Uint8Array) => void
  }
}

/**
 * A copy of the migrated cluster in the process's own memory: statements ask the system for no file, which takes a
 * tenth of a test file's processor time.
 */
class CopiedInMemory extends MemoryFS {
  override async init(...given: Parameters<MemoryFS["init"]>): ReturnType<MemoryFS["init"]> {
    const { emscriptenOpts } = await super.init(...given)
    const copy = ({ FS }: Runtime): void => {
      const template = inject("embeddedTemplate")
      for (const entry of readdirSync(template, { recursive: true, withFileTypes: true })) {
        const from = join(entry.parentPath, entry.name)
        const to = join(cluster, relative(template, from))
        FS.mkdirTree(entry.isFile() ? dirname(to) : to)
        if (entry.isFile()) FS.writeFile(to, readFileSync(from))
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), copy] } }
  }
}

/** Opens a cluster as the embedded database does; without a folder, one in memory. */
const openCluster = (folder?: string): Promise<PGlite> => {
  optimised ??= { module: optimisedPostgres(inject("optimisedPostgres")) }
  const { module } = optimised
  return PGlite.create({
    ...embeddedOptions(folder),
    ...(folder === undefined ? { fs: new CopiedInMemory() } : {}),
    ...(module === undefined ? {} : { pgliteWasmModule: module })
  })
}

/** A backend of a copied cluster, for what cuts it off or counts what it keeps: nobody gets it again. */
export const ownBackend = Effect.flatMap(copiedCluster, (folder) =>
  Effect.acquireRelease(
    Effect.promise(() => openCluster(folder)),
    (backend) => Effect.promise(() => backend.close())
  )
)

interface Database {
  readonly backend: PGlite
  /** Rows that a transaction from this one on wrote are not the migrations'. */
  readonly firstTransaction: string
  /** The `left` of a new one. */
  readonly untouched: string
}

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
].map((those) => `(select count(*) || ' ' || max(xmin::text::bigint) from ${those})`)

/**
 * Empties the database, and answers what is left: the definitions, and how many rows the tables have. All tables are
 * looked at once, in one message, because asking for the size of a file costs as much as a statement.
 */
const emptying = (firstTransaction: string): string => `
rollback;
close all; deallocate all; unlisten *; discard temp; reset all; select pg_advisory_unlock_all();
do $$
declare
  filled record;
  rows bigint;
  kept text := '';
  bytes bigint := 0;
begin
  set local session_replication_role = replica;
  for filled in
    select c.oid::regclass as name, relnamespace::regnamespace::text as schema, relname, size
    from pg_class c, pg_relation_size(c.oid) as size where relkind = 'r' and c.oid >= ${own} and size > 0 order by c.oid
  loop
    execute format('delete from %s where xmin::text::bigint >= ${firstTransaction}', filled.name);
    execute format('select count(*) from %s', filled.name) into rows;
    if rows > 0 then kept := format('%s %s %s', kept, filled.name, rows); end if;
    perform pg_clear_relation_stats(filled.schema, filled.relname);
    bytes := bytes + filled.size;
  end loop;
  perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    from pg_sequences where last_value is not null;
  delete from pg_statistic where starelid >= ${own};
  perform set_config('test.kept', kept, true), set_config('test.bytes', bytes::text, true);
end $$;
select concat_ws(', ', current_setting('test.kept'), ${definitions.join(", ")}) as left,
  current_setting('test.bytes')::int as bytes`

const emptied = async (backend: PGlite, firstTransaction: string) => {
  const results = await backend.exec(emptying(firstTransaction))
  return Schema.decodeUnknownSync(Left)(results.at(-1)?.rows[0])
}

const Left = Schema.Struct({ left: Schema.String, bytes: Schema.Int })

/** Tables of more bytes, whose indexes have many times as many, would slow down the test files after them. */
const tooLarge = 2 ** 20

/** Gives back the room of deleted rows: a fifth of what opening another database costs. */
const shrink = async ({ backend, firstTransaction }: Database): Promise<Database> => {
  const { rows } = await backend.query<{ readonly statement: string }>(`
    select format('vacuum full %s', oid::regclass) as statement from pg_class
    where relkind = 'r' and oid >= ${own} and pg_relation_size(oid) > ${tooLarge / 32} order by oid`)
  for (const { statement } of rows) await backend.exec(statement)
  // What is too long for a row has another table now.
  const { bytes, left } = await emptied(backend, firstTransaction)
  if (bytes >= tooLarge) throw new Error("Rows stay that nobody may delete")
  return { backend, firstTransaction, untouched: left }
}

const opened = async (): Promise<Database> => {
  const backend = await openCluster()
  const [first] = (await backend.query<{ readonly xid: string }>("select pg_current_xact_id()::text as xid")).rows
  const firstTransaction = first?.xid ?? "0"
  return { backend, firstTransaction, untouched: (await emptied(backend, firstTransaction)).left }
}

const spare: Array<Database> = []

const giveBack = async (database: Database): Promise<void> => {
  const { backend, firstTransaction, untouched } = database
  // Sessions that were cut off in a transaction roll it back first.
  await new Promise((done) => setImmediate(done))
  try {
    const { bytes, left } = await emptied(backend, firstTransaction)
    if (left === untouched) {
      spare.push(bytes < tooLarge ? database : await shrink(database))
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
