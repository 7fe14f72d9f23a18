/**
 * The service in a few files, for tests that start processes of it. Finding and linking more than a thousand modules takes most of what a
 * process costs that ends soon; from here it costs a third. Which modules there are, and what they do, stays the same. Tests of how a
 * process starts run the sources, and with TEST_SOURCES=1 all tests do.
 */
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"

const root = fileURLToPath(new URL("../../", import.meta.url))
const sources = join(root, "src")
const main = join(sources, "main.ts")

/** These find files of their own by where they are, or are rarely loaded. */
const apart = /^(@electric-sql\/pglite|oidc-provider|timezones-ical-library)/

/** What the bundle is made of: with any other sources, packages or place it is another one. */
export const sourcesFingerprint = (): string => {
  const hash = createHash("sha256").update(root)
  for (const path of ["package.json", "package-lock.json", "test/support/serviceBundle.ts"])
    hash.update(readFileSync(join(root, path)))
  for (const path of readdirSync(sources, { recursive: true, encoding: "utf8" }).toSorted())
    if (/\.(ts|json)$/.test(path)) hash.update(`\n${path}\n`).update(readFileSync(join(sources, path)))
  return hash.digest("hex").slice(0, 12)
}

const write = async (folder: string): Promise<void> => {
  const bundle = await rolldown({
    input: main,
    platform: "node",
    logLevel: "silent",
    plugins: [
      {
        name: "packages that stay apart",
        resolveId: {
          filter: { id: apart },
          async handler(id, importer) {
            const found = await this.resolve(id, importer, { skipSelf: true })
            return found && { id: pathToFileURL(found.id).href, external: true }
          }
        }
      },
      {
        name: "files beside the sources are found from there",
        transform: {
          filter: { id: /\/src\/.*\.ts$/, code: "import.meta.url" },
          handler: (code, id) => code.replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href))
        }
      }
    ]
  })
  await bundle.write({ dir: folder, format: "esm" })
  await bundle.close()
}

/** The program's path. It is made unless it is there. */
export const serviceProgram = async (): Promise<string> => {
  if (process.env["TEST_SOURCES"]) return main
  const folder = join(tmpdir(), `playroom-test-service-${process.getuid?.() ?? 0}-${sourcesFingerprint()}`)
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`
    await write(unfinished)
    if (existsSync(folder)) rmSync(unfinished, { recursive: true, force: true })
    else renameSync(unfinished, folder)
  }
  return join(folder, "main.js")
}
