/**
 * The embedded PostgreSQL as machine code, made once and read by each worker. By itself V8 compiles it anew in each,
 * without optimising (`vitest.config.ts` says why), and tests of the database spend a fifth more. Only V8's own tests
 * can keep compiled code otherwise, so this uses their functions, and what can't be kept or read is compiled as ever. A
 * program of its own: it sets options for the whole process.
 */
import { createHash } from "node:crypto"
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInThisContext } from "node:vm"

const source = (): Uint8Array => readFileSync(new URL("pglite.wasm", import.meta.resolve("@electric-sql/pglite")))

/** Calls a function of V8's tests. */
const ofTests = (code: string, ...given: ReadonlyArray<unknown>): unknown => {
  setFlagsFromString("--allow-natives-syntax")
  try {
    const run: unknown = runInThisContext(code)
    return typeof run === "function" ? run(...given) : undefined
  } finally {
    setFlagsFromString("--no-allow-natives-syntax")
  }
}

/** What the code depends on: V8 refuses it where an option of its own differs. */
export const optimisedName = (options: ReadonlyArray<string>): string =>
  createHash("sha256")
    .update(source())
    .update(readFileSync(fileURLToPath(import.meta.url)))
    .update([process.version, process.arch, process.env["NODE_OPTIONS"] ?? "", ...options].join(" "))
    .digest("hex")
    .slice(0, 12)

/** Optimises all functions, which takes a quarter of a minute, and keeps the code. */
const keep = (file: string): void => {
  for (const option of ["--no-liftoff", "--no-wasm-lazy-compilation"]) setFlagsFromString(option)
  const module = ofTests("source => new WebAssembly.Module(source)", source())
  for (const option of ["--liftoff", "--wasm-lazy-compilation"]) setFlagsFromString(option)
  const code = ofTests("module => %SerializeWasmModule(module)", module)
  if (!(code instanceof ArrayBuffer)) throw new Error("V8 gave no code")
  const unfinished = `${file}.${process.pid}`
  writeFileSync(unfinished, new Uint8Array(code), { mode: 0o600 })
  renameSync(unfinished, file)
}

/** The module with the code that a file keeps; undefined where there is none, or V8 refuses it. */
export const optimisedPostgres = (file: string): unknown => {
  if (!existsSync(file)) return undefined
  const code = readFileSync(file)
  return ofTests("(code, source) => %DeserializeWasmModule(code.buffer, source)", code, source())
}

if (import.meta.main) keep(process.argv[2] ?? "")
