/**
 * A script that makes the bundle of `Bundle.ts`, unless it is there, and prints where Node may keep what it compiles.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { bundles, compileCache, fingerprint, forgetCompiled, looksOf, use } from "./Bundle.ts"

const looks = looksOf()
const made = fingerprint()
const folder = join(bundles, made)
if (!existsSync(folder)) {
  const unfinished = `${folder}.${process.pid}`
  // Loaded only where a bundle has to be made.
  const { writeBundle } = await import("./writeBundle.ts")
  await writeBundle(unfinished, { Program: "src/Program.ts" })
  // Sources that were edited meanwhile may be half in it.
  if (fingerprint() === made) {
    forgetCompiled()
    try {
      renameSync(unfinished, folder)
    } catch (error) {
      // Another process made the same at the same time.
      if (!existsSync(folder)) throw error
    }
  }
  rmSync(unfinished, { recursive: true, force: true })
}
if (existsSync(folder)) use(made, looks)

// Two more stay, for processes that still run them.
const age = (name: string): number => statSync(join(bundles, name)).mtimeMs
const others = readdirSync(bundles).filter((name) => /^[0-9a-f]{16}(\.\d+)?$/.test(name) && name !== made)
for (const name of others.toSorted((a, b) => age(b) - age(a)).slice(2))
  rmSync(join(bundles, name), { recursive: true, force: true })

if (compileCache() === undefined) forgetCompiled()
console.log(compileCache() ?? "")
