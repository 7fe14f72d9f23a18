/**
 * The service in a few files (`dist`), made at set-up by `makeBundle.ts`: finding and linking a thousand modules takes half of a start.
 * It runs only while it was made of just these sources; otherwise the sources run.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

export const root = fileURLToPath(new URL("../../", import.meta.url))
/** A folder for each bundle, named by its fingerprint. A process that runs an older one may still load parts of it. */
export const bundles = join(root, "dist")
const latest = join(bundles, "latest")

/** All that a bundle is made of; the lock file stands for the packages. */
const madeOf = (): ReadonlyArray<string> => [
  "package.json",
  "package-lock.json",
  ...readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.includes("."))
    .toSorted()
    .map((path) => join("src", path))
]

/** What changes with each write to a file, whatever the clock says; a tenth of the time of reading them all. */
export const looksOf = (): string =>
  madeOf()
    .map((path) => {
      const { ctimeMs, ino, mtimeMs, size } = statSync(join(root, path))
      return `${path} ${ino} ${size} ${mtimeMs} ${ctimeMs}`
    })
    .join("\n")

/** Of the contents: the same in a copy. */
export const fingerprint = (): string => {
  const hash = createHash("sha256")
  for (const path of madeOf()) hash.update(`\n${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest("hex").slice(0, 16)
}

/** Makes the bundle of that fingerprint the one that runs, for sources that look like this. */
export const use = (made: string, looks: string): void => {
  writeFileSync(`${latest}.${process.pid}`, `${made}\n${looks}`)
  renameSync(`${latest}.${process.pid}`, latest)
}

/** The address of a program of the bundle; undefined if there is none of these sources. */
export const bundled = (program: string): string | undefined => {
  try {
    const [made = "", ...looks] = readFileSync(latest, "utf8").split("\n")
    const file = join(bundles, made, `${program}.js`)
    const fresh = existsSync(file) && (looks.join("\n") === looksOf() || made === fingerprint())
    return fresh ? pathToFileURL(file).href : undefined
  } catch {
    // None was made, or this user may not read it.
    return undefined
  }
}
