/** Ids in the provider's style: a prefix and random letters and digits. */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

export const randomId = (prefix: string, length: number): Effect.Effect<string, never, SecureRandom.SecureRandom> =>
  Effect.map(
    SecureRandom.SecureRandom.use((random) => random.randomBytes(length)),
    (bytes) => prefix + Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join("")
  )
