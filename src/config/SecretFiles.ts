/**
 * Secrets in files, as service managers and container runtimes provide them: `NAME_FILE` is the path of a file that
 * holds `NAME`.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"
import { isAbsolute } from "node:path"
import { Result } from "effect"
import { textOfBytes } from "../kernel/TextBytes.ts"
import { codeOf } from "../kernel/ErrorCode.ts"

/** The settings that a file may hold. `docs/settings.md` lists their `…_FILE` too. */
export const secretVariables = [
  "DATABASE_URL",
  "DATABASE_REPLICA_URL",
  "API_KEY",
  "STRIPE_SECRET_KEY",
  "PAYMENT_WEBHOOK_SECRETS",
  "PAYMENT_CONNECT_WEBHOOK_SECRETS",
  "MAIL_URL"
] as const
type SecretVariable = (typeof secretVariables)[number]

const fileVariable = (name: SecretVariable): `${SecretVariable}_FILE` => `${name}_FILE`

/** The variables with the paths of those files. */
export const fileVariables = secretVariables.map(fileVariable)

export const isSecretVariable = (name: string): name is SecretVariable =>
  secretVariables.some((known) => known === name)

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
    if (!fstatSync(file).isFile()) return Result.fail("is no regular file")
    const room = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (;;) {
      const read = readSync(file, room, length, room.length - length, null)
      length += read
      if (read === 0 || length > maxBytes) break
    }
    if (length > maxBytes) return Result.fail(`is longer than ${maxBytes} bytes`)
    return Result.flatMap(textOfBytes(room.subarray(0, length)), (text) =>
      text.trim() === "" ? Result.fail("is empty") : Result.succeed(text.trim())
    )
  } catch (cause) {
    return Result.fail(whyNot(cause))
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/**
 * The secret from the variable or from the file of its `…_FILE`. Fails with the fault, which never holds the secret.
 */
export const secretValue = (
  environment: Readonly<Record<string, string | undefined>>,
  name: SecretVariable
): Result.Result<string | undefined, string> => {
  const variable = fileVariable(name)
  const path = environment[variable]
  if (path === undefined) return Result.succeed(environment[name])
  if (environment[name] !== undefined) return Result.fail(`${name} and ${variable} are both set: remove one of them.`)
  if (path.trim() === "") return Result.fail(`${variable} is blank: remove it, or name the file that holds ${name}.`)
  // The value is left out: it may be the secret itself.
  if (!isAbsolute(path)) return Result.fail(`${variable} must be the absolute path of the file that holds ${name}.`)
  return Result.mapError(contentOf(path), (why) => `${variable} names ${JSON.stringify(path)}, which ${why}.`)
}
