/**
 * Secrets in files, as service managers and container runtimes provide them: `NAME_FILE` is the path of a file that
 * holds `NAME`.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { isAbsolute } from "node:path"
import { Result } from "effect"
import { textOfBytes } from "../text/Text.ts"
import { codeOf } from "../errors/InvalidArguments.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** The largest file that is read, in bytes: room for several webhook secrets or the longest database address. */
const maxBytes = 16_384

const whyNot = (cause: unknown): string => {
  const code = codeOf(cause)
  if (code === "ENOENT" || code === "ENOTDIR") return "does not exist"
  if (code === "EACCES" || code === "EPERM")
    return `can't be read by this user (uid ${process.getuid?.() ?? "unknown"})`
  return `can't be read (${String(code)})`
}

/** The file's trimmed text, or what is wrong with the file, as the end of a sentence. */
const contentOf = (path: string): Result.Result<string, string> => {
  let file: number | undefined
  try {
    // Non-blocking: a pipe without a writer would block the start.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    const about = fstatSync(file)
    if (!about.isFile()) return Result.fail("is no regular file")
    if (about.size > maxBytes) return Result.fail(`is longer than ${maxBytes} bytes`)
    return Result.flatMap(textOfBytes(readFileSync(file)), (text) =>
      text.trim() === "" ? Result.fail("is empty") : Result.succeed(text.trim())
    )
  } catch (cause) {
    return Result.fail(whyNot(cause))
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** The secret that `path` of the variable `file` names. Fails with the fault, which never holds the secret. */
const secretIn = (path: string, file: string, name: string): Result.Result<string, string> => {
  if (path.trim() === "") return Result.fail(`${file} is blank: remove it, or name the file that holds ${name}.`)
  // The value is left out: it may be the secret itself.
  if (!isAbsolute(path)) return Result.fail(`${file} must be the absolute path of the file that holds ${name}.`)
  return Result.mapError(contentOf(path), (why) => `${file} names ${JSON.stringify(path)}, which ${why}.`)
}

/** The environment with the secrets of these names that are in files, and the faults of those files by secret. */
export const readSecretFiles = (
  environment: Environment,
  names: ReadonlyArray<string>
): { readonly texts: Environment; readonly faults: Map<string, string> } => {
  const texts: Record<string, string | undefined> = { ...environment }
  const faults = new Map<string, string>()
  for (const name of names) {
    const file = `${name}_FILE`
    const path = environment[file]
    if (path === undefined) continue
    const secret =
      environment[name] === undefined
        ? secretIn(path, file, name)
        : Result.fail(`${name} and ${file} are both set: remove one of them.`)
    if (Result.isFailure(secret)) faults.set(name, secret.failure)
    texts[name] = Result.getOrUndefined(secret)
  }
  return { texts, faults }
}
