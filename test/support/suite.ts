/**
 * Which test files a run on a PostgreSQL server, with processes from the sources, has to repeat: those that could tell
 * the difference. What imports neither the database of tests nor the program has been answered by the run before.
 */
import { globSync, readFileSync, statSync } from "node:fs"
import { dirname, matchesGlob, relative, resolve } from "node:path"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { wholeSystem } from "../../vitest.config.ts"

// Whoever reads where the server is, or starts the program.
const tellsApart = /TEST_DATABASE_URL|TEST_SOURCES|"serviceProgram"|"templateDatabase"|\b(?:main|Program)\.ts/
const imported = /\b(?:from|import)\s*\(?\s*"(\.[^"]+\.ts)"/g

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/**
 * What starts programs that never reach a server: on the embedded database's own folder, or of the bundle; and what is
 * the same over either: how peers and assistants read the protocol, what a provider's answers are taken for, what forms
 * take, signals, and exit codes.
 */
const embeddedAlone: ReadonlySet<string> = new Set([
  "test/platform/database/DataDirectory.test.ts",
  "test/platform/database/PowerCut.test.ts",
  "test/ops/process/Bundle.test.ts",
  "test/ops/process/StandardOutput.test.ts",
  "test/journeys/FirstMinutes.test.ts",
  "test/journeys/Booking.test.ts",
  "test/journeys/Conformance.test.ts",
  "test/journeys/Draining.test.ts",
  "test/journeys/Inspector.test.ts",
  "test/journeys/OutsideOrders.test.ts",
  "test/journeys/SignIn.test.ts",
  "test/assistants/AnswerLengths.test.ts",
  "test/assistants/HastyAssistant.test.ts",
  "test/domain/payment/provider/UnreadableAnswers.test.ts",
  "test/fuzz/Pages.test.ts",
  "test/surfaces/cli/ExitCode.test.ts",
  "test/surfaces/mcp/tools/Loops.test.ts",
  "test/surfaces/mcp/transport/FastPath.test.ts",
  "test/surfaces/mcp/transport/HostReadings.test.ts",
  "test/surfaces/web/family/WhomToAsk.test.ts"
])

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
    (path) => embeddedAlone.has(path) || !reaches(resolve(root, path), new Set())
  )
}

// The order of the test files: one that starts processes or a browser, one that doesn't, and so on until the first are
// used up. Those take longest and wait much: others use the processors meanwhile, and no worker is left alone with one
// of them at the end. Apart from that the order is Vitest's: files that took long come first, or large ones if it
// doesn't know.

const isWholeSystem = ({ moduleId, project }: TestSpecification): boolean =>
  wholeSystem.some((pattern) => matchesGlob(relative(project.config.root, moduleId), pattern))

export class Alternating extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    const whole = sorted.filter(isWholeSystem)
    const others = sorted.filter((file) => !isWholeSystem(file))
    return [...whole.flatMap((file, i) => [file, ...others.slice(i, i + 1)]), ...others.slice(whole.length)]
  }
}
