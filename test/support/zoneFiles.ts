/** Rules of time zones as a system has them: compiled files (TZif, RFC 9636) in a folder, with their release. */
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { runtimeRules, useZoneRules } from "../../src/platform/time/LocalTime.ts"

/** A file with one offset (in seconds), and a rule for ever. */
export const compiled = (rule: string, offset = 0): Buffer => {
  const head = (types: number) => {
    const part = Buffer.alloc(44)
    part.write("TZif2")
    part.writeUInt32BE(types, 36)
    part.writeUInt32BE(types === 0 ? 0 : 4, 40)
    return part
  }
  const type = Buffer.alloc(6)
  type.writeInt32BE(offset)
  return Buffer.concat([head(0), head(1), type, Buffer.from("LMT\0"), Buffer.from(`\n${rule}\n`)])
}

/** Writes a release's files in the place of those that are there, as an upgrade of the system does. */
export const writeZones = (folder: string, release: string, files: Readonly<Record<string, Buffer>>): void => {
  writeFileSync(join(folder, "tzdata.zi"), `# version ${release}\n`)
  for (const [name, file] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), file)
  }
}

/** A folder for the scope. At its end the clocks of this process go by the runtime's rules again. */
export const zoneFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "zoneinfo-"))),
  (folder) =>
    Effect.sync(() => {
      useZoneRules(runtimeRules)
      rmSync(folder, { recursive: true })
    })
)
