/**
 * The benches: figures of this service beside those of something known, from one run on one machine.
 *
 *     npm run bench                          all of them (about a quarter of an hour)
 *     npm run bench -- search mcp            some of them
 *     SOAK_MINUTES=60 npm run bench -- soak  so long on each kind of database; only if it is named
 *     npm run bench -- search --explain      with the plans of the queries
 *     npm run bench -- mcp --rounds 9 --seconds 5
 *     npm run bench -- mcp --report docs/bench   with the figures as JSON, and a picture of them
 *     npm run bench -- import --before ../older  with the ratios to another checkout
 *
 * They print and never judge: a figure is worth something only beside the others of its table. Machines are noisy, so
 * competitors take turns (A B A B …), figures are `median (min–max)` over the rounds, and ratios are taken round by
 * round. No other work should run meanwhile; where it must, believe the ratios more than the figures.
 *
 * Needed: a PostgreSQL server whose user may create databases, TEST_DATABASE_URL or
 * postgres://postgres@127.0.0.1:5432/postgres. Every bench works in scratch databases that it drops. `pgbench` on the
 * PATH for the ratios to it. `mcp` installs its competitors into test/bench/peers on its first run, so it needs the npm
 * registry then; together they take up to 128 connections of the server (`max_connections`). Resident memory is read
 * from /proc.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Reactivity } from "effect/reactivity"
import type { Bench } from "./Bench.ts"
import { bench as audit } from "./audit.ts"
import { bench as availability } from "./availability.ts"
import { bench as calendars } from "./calendars.ts"
import { bench as createBooking } from "./createBooking.ts"
import { bench as fairness } from "./fairness.ts"
import { bench as importing } from "./importing.ts"
import { bench as locked } from "./locked.ts"
import { bench as mcp } from "./mcp.ts"
import { bench as memory } from "./memory.ts"
import { bench as overload } from "./overload.ts"
import { bench as search } from "./search.ts"
import { bench as soak } from "./soak.ts"
import { bench as start } from "./start.ts"
import { bench as waits } from "./waits.ts"
import { type Table, Tables } from "./support/Figures.ts"
import { machine, writeReport } from "./support/Report.ts"
import { bench as webhooks } from "./webhooks.ts"

const benches: Readonly<Record<string, Bench>> = {
  availability,
  search,
  "create-booking": createBooking,
  webhooks,
  mcp,
  memory,
  fairness,
  overload,
  locked,
  soak,
  import: importing,
  start,
  waits,
  calendars,
  audit
}

// An hour and more: only if it is named.
const usual = Object.keys(benches).filter((name) => name !== "soak")
const scenarios = Object.entries(benches).map(([name, { about }]) => `${name}: ${about}`)

const command = Command.make(
  "bench",
  {
    names: Argument.Literals("scenario", Object.keys(benches)).pipe(
      Argument.withDescription("Default: all but soak"),
      Argument.variadic()
    ),
    rounds: Flag.Int("rounds").pipe(Flag.withDescription("So often each takes its turn"), Flag.withDefault(5)),
    seconds: Flag.Finite("seconds").pipe(Flag.withDescription("So long each turn lasts"), Flag.withDefault(3)),
    explain: Flag.Boolean("explain").pipe(Flag.withDescription("With the plans of queries"), Flag.withDefault(false)),
    before: Flag.String("before").pipe(
      Flag.withDescription("Another checkout, installed, whose imports take turns with these (import)"),
      Flag.optional
    ),
    playrooms: Flag.Int("playrooms").pipe(
      Flag.withDescription("So many in a catalogue (import)"),
      Flag.withDefault(10_000)
    ),
    report: Flag.String("report").pipe(
      Flag.withDescription("A folder for the figures as JSON, and a picture of them"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ explain, names, report, ...asked }) {
    yield* Console.log(machine)
    const before = Option.getOrUndefined(asked.before)
    const options = {
      ...asked,
      before,
      rounds: Math.max(1, asked.rounds),
      seconds: Math.max(0.5, asked.seconds),
      explain
    }
    for (const name of names.length === 0 ? usual : names) {
      const bench = benches[name]
      if (bench === undefined) continue
      yield* Console.log(`\n== ${name}: ${bench.about}`)
      const tables: Array<Table> = []
      yield* Effect.scoped(bench.run(options)).pipe(Effect.provideService(Tables, tables))
      if (Option.isSome(report))
        yield* writeReport(report.value, { bench: name, about: bench.about, rounds: options.rounds, tables })
    }
  })
).pipe(Command.withDescription(`Figures of this service beside those of something known.\n\n${scenarios.join("\n")}`))

NodeRuntime.runMain(Command.run(command, { version: "0" }).pipe(Effect.provide([Reactivity.layer, NodeServices.layer])))
