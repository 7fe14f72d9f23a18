/**
 * The service in a few files (`dist`), made at set-up by `makeBundle.ts`: finding and linking a thousand modules takes
 * half of a start. It runs only while it was made of just these sources; otherwise the sources run.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { ownFolder, owns } from "../../platform/files/OwnFolder.ts"

export const root = fileURLToPath(new URL("../../../", import.meta.url))
/** A folder for each bundle, named by its fingerprint. A process that runs an older one may still load parts of it. */
export const bundles = join(root, "dist")
const latest = join(bundles, "latest")

/**
 * Where Node keeps what it compiled. It runs what it finds there, whoever wrote it, so the folder is this user's alone
 * and stands beside the bundle, whose writers are believed anyway.
 */
export const compiled = join(bundles, `compiled-${process.getuid?.() ?? "user"}`)

/**
 * That folder, made if need be; undefined where there can be none: nothing is kept then, and starts take a fifth
 * longer.
 */
export const compileCache = (): string | undefined => {
  try {
    if (!existsSync(bundles) && owns(statSync(root))) mkdirSync(bundles)
    ownFolder(compiled)
    return compiled
  } catch {
    return undefined
  }
}

/**
 * Lets Node keep what it compiles from now on. What NODE_COMPILE_CACHE names comes first: Node has begun with that by
 * itself.
 */
export const keepCompiled = (): void => {
  const folder = compileCache()
  if (folder !== undefined) enableCompileCache(folder)
}

/** Forgets what was compiled of other bundles, and what others may have put there. */
export const forgetCompiled = (): void => {
  try {
    rmSync(compiled, { recursive: true, force: true })
  } catch {
    // It is another's, and not used.
  }
}

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
