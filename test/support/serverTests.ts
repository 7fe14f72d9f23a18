/**
 * Which test files a run on a PostgreSQL server, with processes from the sources, has to repeat: those that could tell the difference.
 * What imports neither the database of tests nor the program has been answered by the run before.
 */
import { globSync, readFileSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"

// Whoever reads where the server is, or starts the program.
const tellsApart = /TEST_DATABASE_URL|TEST_SOURCES|"serviceProgram"|"templateDatabase"|\b(?:main|Program)\.ts/
const imported = /\b(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** The test files below `root` that nothing on a server is different for, by their paths from there. */
export const sameOnServer = (root: string): ReadonlyArray<string> => {
  const files = new Map<string, { readonly apart: boolean; readonly imports: ReadonlyArray<string> }>()
  const read = (path: string) => {
    const known = files.get(path)
    if (known !== undefined) return known
    const text = readFileSync(path, "utf8")
    const imports = [...text.matchAll(imported)].map(([, to = ""]) => resolve(dirname(path), to)).filter(isFile)
    const file = { apart: tellsApart.test(text), imports }
    files.set(path, file)
    return file
  }
  const reaches = (path: string, seen: Set<string>): boolean => {
    if (seen.has(path)) return false
    seen.add(path)
    const { apart, imports } = read(path)
    return apart || imports.some((to) => reaches(to, seen))
  }
  // The benches' peers have packages of their own, and these have tests.
  return globSync("test/**/*.test.ts", { cwd: root, exclude: ["test/bench/**"] }).filter(
    (path) => !reaches(resolve(root, path), new Set())
  )
}
