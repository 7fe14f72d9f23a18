/** Random tokens for invitations and sessions. The database has their digests only. */
import { createHash } from "node:crypto"

/** 32 random bytes as text. */
export const newToken = (random: Uint8Array): string => Buffer.from(random).toString("base64url")

/** What a session's forms carry, so that no page of another session can send them. It opens nothing. */
export const formTokenOf = (token: string): string =>
  createHash("sha256").update("form\0").update(token).digest("base64url")

/** The digest of the text, so that each token has one spelling. */
export const tokenDigest = (token: string): Uint8Array => createHash("sha256").update(token).digest()
