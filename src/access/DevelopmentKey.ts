/** The key that the embedded default makes for itself, so that a newcomer has one to copy. */
import { Effect, FileSystem, type PlatformError, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

/** A new secret: `playroom_key_` and 32 random bytes in url-safe base 64. */
export const newSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(`playroom_key_${Buffer.from(bytes).toString("base64url")}`, { label: "API key" })
)

const isAbsent = (error: PlatformError.PlatformError): boolean => error.reason._tag === "NotFound"

/**
 * The development key kept in `dataDir` (file `development-key`, mode 0600): made at the first call, the same ever after. A
 * file that is blank is written anew.
 */
export const developmentKey = (
  dataDir: string
): Effect.Effect<Redacted.Redacted, PlatformError.PlatformError, FileSystem.FileSystem | SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = `${dataDir}/development-key`
    const kept = yield* files.readFileString(path).pipe(
      Effect.map((text) => text.trim()),
      Effect.catchIf(isAbsent, () => Effect.succeed(""))
    )
    if (kept !== "") return Redacted.make(kept, { label: "API key" })
    const secret = yield* newSecret
    yield* files.makeDirectory(dataDir, { recursive: true, mode: 0o700 })
    yield* files.writeFileString(path, `${Redacted.value(secret)}\n`, { mode: 0o600 })
    // The mode above counts for a new file only.
    yield* files.chmod(path, 0o600)
    return secret
  })
