/**
 * The card's script, made of the TypeScript in `browser/`, which `tsc` checks against a browser's library. A bundle has
 * the result (`makeBundle.ts`): making it costs Node 70 ms and 30 MB if it strips no other types.
 */
import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"

/** Each after its imports. */
const sources = ["answers", "texts", "elements", "views", "host", "card"]

const withoutTypes = (source: string): string => {
  // Node 24 warns that the function is experimental. Only the pinned Node calls it, and tests read the result.
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

/**
 * The sources joined. Their top-level names are unique, so imports and exports are removed; comments and the spaces
 * where types were, too. No text of the card has two spaces in a row.
 */
export const cardScript = (): string =>
  sources
    .map((name) => withoutTypes(readFileSync(new URL(`browser/${name}.ts`, import.meta.url), "utf8")))
    .join("\n")
    .replaceAll(/^ *\/\*\*(?:(?!\*\/)[^])*\*\/\n/gm, "")
    .replaceAll(/^ *\/\/.*\n/gm, "")
    .replaceAll(/^import [^"]*"[^"]*"\n/gm, "")
    .replaceAll(/^export /gm, "")
    .replaceAll(/(?<=\S) {2,}/g, " ")
    .replaceAll(/ +$/gm, "")
    .replaceAll(/\n{2,}/g, "\n")
