/** The report of a bench: its figures round by round as JSON, and its tables as a picture. */
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { Console, Effect } from "effect"
import { type Report, reportPicture } from "./TablePicture.ts"

/** The machine of this run, in words. */
export const machine = `Node ${process.version}, ${cpus().length} processors (${cpus()[0]?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GB`

const commit = Effect.sync(() => execFileSync("git", ["describe", "--always", "--dirty"], { encoding: "utf8" }).trim())

/** Writes BENCH.json and BENCH.svg into the folder. */
export const writeReport = Effect.fnUntraced(function* (folder: string, about: Omit<Report, "commit" | "machine">) {
  const report: Report = { ...about, commit: yield* commit, machine }
  mkdirSync(folder, { recursive: true })
  const file = (ending: string) => join(folder, `${report.bench}.${ending}`)
  writeFileSync(file("json"), `${JSON.stringify(report, undefined, 2)}\n`)
  writeFileSync(file("svg"), reportPicture(report))
  yield* Console.log(`The report is in ${file("json")} and ${file("svg")}`)
})
