/** Writes the bundle of some programs. It needs rolldown, which is there for development only. */
import type { SourceMapSegment } from "@jridgewell/sourcemap-codec"
import { mkdirSync, writeFileSync } from "node:fs"
import http from "node:http"
import { join, relative } from "node:path"
import { root } from "./Bundle.ts"

/** Packages that find files of their own by where they are, or are rarely loaded: they stay outside of a bundle. */
export const apart = ["@electric-sql/pglite", "oidc-provider", "timezones-ical-library"] as const
const isApart = new RegExp(`^(${apart.join("|")})`)

/**
 * Modules that import `node:http` evaluate all that it exports. Its `WebSocket` and the like, which are global, too,
 * load all of Node's `fetch`, which no start uses: 30 ms, and 3 MB at rest. Whoever asks for the module itself doesn't.
 */
const httpWithoutFetch = (): string => `const http = process.getBuiltinModule("node:http")
export default http
export const { ${Object.keys(http)
  .filter((name) => !(name in globalThis))
  .join(", ")} } = http`

/** A map to lines, and to the project's sources only. Node keeps it in memory: all that is known would take 30 MB. */
const linesOfSources = async ({
  mappings,
  sources
}: {
  readonly mappings: string
  readonly sources: Array<string>
}): Promise<string> => {
  const { decode, encode } = await import("@jridgewell/sourcemap-codec")
  const ours = new Map(
    sources.flatMap((source, from) => (source.startsWith("../../") ? [[from, source] as const] : []))
  )
  const to = new Map([...ours.keys()].map((from, index) => [from, index]))
  const lines = decode(mappings).map((segments) => {
    const kept: Array<SourceMapSegment> = []
    let last = ""
    for (const [column, from = -1, line = 0] of segments) {
      const index = to.get(from)
      const place = index === undefined ? "a package" : `${index}:${line}`
      // What is a package's stays where it is in the bundle.
      if (place !== last) kept.push(index === undefined ? [column] : [column, index, line, 0])
      last = place
    }
    return kept
  })
  return JSON.stringify({ version: 3, names: [], sources: [...ours.values()], mappings: encode(lines) })
}

/**
 * Writes a bundle into a folder that stands two below `root` or its like. `programs`: its entries by their names.
 * `replaced`: texts of the sources that are others there.
 */
export const writeBundle = async (
  folder: string,
  programs: Readonly<Record<string, string>>,
  replaced: ReadonlyMap<string, string> = new Map()
): Promise<void> => {
  // Both are loaded only where a bundle has to be made.
  const { rolldown } = await import("rolldown")
  const bundle = await rolldown({
    cwd: root,
    input: programs,
    platform: "node",
    logLevel: "silent",
    external: isApart,
    // Of what is linked, the bundle would name the folder where it is.
    resolve: { symlinks: false },
    plugins: [
      {
        name: "node:http without fetch",
        resolveId: { filter: { id: /^(node:)?http$/ }, handler: () => "\0http" },
        load: { filter: { id: /^\0http$/ }, handler: httpWithoutFetch }
      },
      {
        name: "the card's script is made here",
        transform: {
          filter: { id: /\/card\/Script\.ts$/ },
          handler: async (_, id) => {
            const { cardScript }: { cardScript: () => string } = await import(id)
            return { code: `export const cardScript = () => ${JSON.stringify(cardScript())}`, map: null }
          }
        }
      },
      {
        name: "what is another text there",
        transform: {
          filter: { id: /\/src\/.*\.ts$/ },
          handler: (code) => {
            const changed = [...replaced].reduce((text, [from, to]) => text.replaceAll(from, to), code)
            return changed === code ? undefined : { code: changed, map: null }
          }
        }
      },
      {
        name: "files beside the sources are found from there",
        transform: {
          filter: { id: /\/src\/.*\.ts$/, code: "import.meta.url" },
          handler: (code, id) => ({
            code: code.replaceAll(
              "import.meta.url",
              `new URL(${JSON.stringify(`../../${relative(root, id)}`)}, import.meta.url).href`
            ),
            // No line moves.
            map: null
          })
        }
      }
    ]
  })
  const { output } = await bundle.generate({
    dir: folder,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Comments and indentation would be kept in memory, and Node counts the lines at each start. Names stay.
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
    minifyInternalExports: false,
    sourcemap: true
  })
  await bundle.close()
  mkdirSync(folder, { recursive: true })
  for (const file of output) {
    if (file.type !== "chunk") continue
    const to = join(folder, file.fileName)
    const map = `${file.fileName}.map`
    writeFileSync(to, `${file.code.replace(/\n\/\/# sourceMappingURL=.*\n?$/, "")}\n//# sourceMappingURL=${map}\n`)
    if (file.map !== null) writeFileSync(`${to}.map`, await linesOfSources(file.map))
  }
}
