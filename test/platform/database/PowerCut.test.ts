import { PGlite, type PGliteOptions } from "@electric-sql/pglite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Hash } from "effect"
import { Reactivity } from "effect/reactivity"
import * as PgClient from "@effect/sql-pg/PgClient"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { inject } from "vitest"
import { BackendSessions } from "../../../src/platform/database/BackendSessions.ts"
import { embeddedOptions } from "../../../src/platform/database/EmbeddedPostgres.ts"
import { PrivateFiles } from "../../../src/platform/database/PrivateFiles.ts"
import { runs } from "../../support/runs.ts"

type Files = ReadonlyMap<string, Buffer>

const filesIn = (folder: string): Map<string, Buffer> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name, parentPath }) => join(parentPath, name))
      .map((path) => [relative(folder, path), readFileSync(path)])
  )

interface Runtime {
  readonly NODEFS: {
    readonly realPath: (node: unknown) => string
    readonly stream_ops: { fsync?: (stream: { readonly nfd: number; readonly node: unknown }) => number }
  }
}

/** Files of which it is known how they were when they were last flushed. */
class WatchedFiles extends PrivateFiles {
  readonly flushed: Map<string, Buffer>
  /** No file can be flushed any more. */
  broken = false
  constructor(folder: string) {
    super(folder)
    this.flushed = filesIn(folder)
  }
  override async init(...given: Parameters<PrivateFiles["init"]>): ReturnType<PrivateFiles["init"]> {
    const { emscriptenOpts } = await super.init(...given)
    const watch = ({ NODEFS }: Runtime): void => {
      const { realPath, stream_ops } = NODEFS
      const { fsync } = stream_ops
      stream_ops.fsync = (stream) => {
        const failed = this.broken ? 29 : (fsync?.(stream) ?? 0)
        const path = realPath(stream.node)
        const name = relative(this.rootDir, path)
        if (failed === 0)
          try {
            this.flushed.set(name, readFileSync(path))
          } catch {
            // A folder: files that are no longer in it are gone for good.
            const there = new Set(readdirSync(path).map((entry) => join(name, entry)))
            for (const known of this.flushed.keys())
              if (dirname(known) === name && !there.has(known)) this.flushed.delete(known)
          }
        return failed
      }
    }
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), watch] } }
  }
}

const blockSize = 4096

/** What a disk may have of files: what was flushed, and of what was written since any blocks. */
const afterPowerCut = (seed: number, flushed: Files, written: Files): Files => {
  const found = new Map<string, Buffer>()
  for (const [name, before] of flushed) {
    const now = written.get(name) ?? before
    const length = Hash.string(`${seed} ${name}`) % 2 === 0 ? before.length : Math.max(before.length, now.length)
    const content = Buffer.alloc(length)
    before.copy(content)
    for (let at = 0; at < Math.min(length, now.length); at += blockSize)
      if (Hash.string(`${seed} ${name} ${at}`) % 2 === 0) now.copy(content, at, at, at + blockSize)
    found.set(name, content)
  }
  return found
}

const opened = (options: PGliteOptions) =>
  Effect.acquireRelease(
    Effect.promise(() => PGlite.create(options)),
    (database) => Effect.promise(() => (database.closed ? Promise.resolve() : database.close()))
  )

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "playroom-power-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

describe("after a power cut", () => {
  it.live.each(Array.from({ length: runs(3) }, (_, i) => i + 1))(
    "the embedded database has all that was acknowledged (%i)",
    (seed) =>
      Effect.gen(function* () {
        const folder = join(yield* temporaryFolder, "before")
        cpSync(inject("embeddedTemplate"), folder, { recursive: true })
        const files = new WatchedFiles(folder)
        const database = yield* opened({ ...embeddedOptions(folder), fs: files })
        const run = (statement: string) => Effect.promise(() => database.exec(statement))
        yield* run(
          "create table booked (n int primary key, filler text); create table sold (place int primary key, n int)"
        )
        yield* run("insert into sold select place, 0 from generate_series(1, 5000) place")
        const acknowledged = 10 + seed * 5
        for (let n = 1; n <= acknowledged; n++) {
          yield* run(`begin; insert into booked values (${n}, repeat('x', 3000));
          update sold set n = ${n} where place % 97 = ${n}; commit`)
          if (n === 8) yield* run("checkpoint")
        }
        const left = afterPowerCut(seed, files.flushed, filesIn(folder))
        const after = join(yield* temporaryFolder, "after")
        for (const [name, content] of left) {
          mkdirSync(dirname(join(after, name)), { recursive: true })
          writeFileSync(join(after, name), content)
        }
        // PostgreSQL makes no folder that was empty.
        for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
          if (entry.isDirectory())
            mkdirSync(join(after, relative(folder, join(entry.parentPath, entry.name))), { recursive: true })
        const again = yield* opened(embeddedOptions(after))
        const { rows } = yield* Effect.promise(() =>
          again.query(`select (select array_agg(n order by n) from booked) as booked,
          (select count(*)::int from sold) as places, (select count(*)::int from sold where n > 0) as sold,
          (select count(*)::int from sold where n > 0 and n <> place % 97) as wrong`)
        )
        const sold = Array.from({ length: 5000 }, (_, i) => (i + 1) % 97).filter(
          (n) => n >= 1 && n <= acknowledged
        ).length
        assert.deepStrictEqual(rows, [
          { booked: Array.from({ length: acknowledged }, (_, i) => i + 1), places: 5000, sold, wrong: 0 }
        ])
      })
  )
})

describe("a disk that can't be written to", () => {
  it.live("ends the service, which answers nobody that something is done", () =>
    Effect.gen(function* () {
      const folder = join(yield* temporaryFolder, "cluster")
      cpSync(inject("embeddedTemplate"), folder, { recursive: true })
      const files = new WatchedFiles(folder)
      // It can't be closed any more either.
      const database = yield* Effect.promise(() => PGlite.create({ ...embeddedOptions(folder), fs: files }))
      // A real one may go round for ever after it has said so, and a process that waits for its end hears no signal.
      let wentOn = 0
      const ask = database.execProtocolRawStream.bind(database)
      database.execProtocolRawStream = (messages, options) =>
        ask(messages, {
          ...options,
          onRawData: (part) => {
            options?.onRawData?.(part)
            if (/VPANIC\0.*fsync/s.test(Buffer.from(part).toString("latin1"))) wentOn++
          }
        })
      const ended: Array<string> = []
      const sessions = new BackendSessions(database, undefined, ({ message }) => ended.push(message))
      const clientOf = PgClient.make({
        username: "postgres",
        database: "postgres",
        stream: () => sessions.open(),
        maxConnections: 2
      })
      const sql = yield* Effect.provide(clientOf, Reactivity.layer)
      yield* sql`create table booked (n int)`
      yield* sql`insert into booked values (1)`
      const text = "VPANIC"
      assert.deepStrictEqual(yield* sql`select ${text}::text as text, ${text}::text as again`, [{ text, again: text }])
      files.broken = true
      const failures = yield* Effect.forEach(
        [sql`insert into booked values (2)`, sql`insert into booked values (3)`, sql`select 1`],
        Effect.flip,
        { concurrency: "unbounded" }
      )
      assert.lengthOf(failures, 3)
      assert.lengthOf(ended, 1)
      assert.strictEqual(wentOn, 0)
      assert.match(ended[0] ?? "", /given up, and this process with it: could not fsync file .* once the disk is well/)
    })
  )
})
