/** The key that the embedded default generates, so that a newcomer has one to copy. */
import { Effect, FileSystem, type PlatformError, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

/** A new secret: `playroom_key_` and 32 random bytes in url-safe base 64. */
export const newSecret: Effect.Effect<Redacted.Redacted, never, SecureRandom.SecureRandom> = Effect.map(
  SecureRandom.SecureRandom.use((random) => random.randomBytes(32)),
  (bytes) => Redacted.make(`playroom_key_${Buffer.from(bytes).toString("base64url")}`, { label: "API key" })
)

/**
 * The development key in `dataDir` (file `development-key`, mode 0600). The first call creates it; a blank file is
 * replaced.
 */
export const developmentKey = (
  dataDir: string
): Effect.Effect<Redacted.Redacted, PlatformError.PlatformError, FileSystem.FileSystem | SecureRandom.SecureRandom> =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = `${dataDir}/development-key`
    const stored = yield* files.readFileString(path).pipe(
      Effect.map((text) => text.trim()),
      Effect.catchReason("PlatformError", "NotFound", () => Effect.succeed(""))
    )
    if (stored !== "") return Redacted.make(stored, { label: "API key" })
    const secret = yield* newSecret
    yield* files.makeDirectory(dataDir, { recursive: true, mode: 0o700 })
    yield* files.writeFileString(path, `${Redacted.value(secret)}\n`, { mode: 0o600 })
    // The mode above applies only to a new file.
    yield* files.chmod(path, 0o600)
    return secret
  })
