/** Option ids whose check is right and whose content is not, as nobody writes by mistake. */
import { createHash } from "node:crypto"

const checkBytes = 5

/** The bytes of an id before its check. */
export const contentOf = (option_id: string): Buffer =>
  Buffer.from(option_id.slice("option_".length), "base64url").subarray(0, -checkBytes)

/** The id of a content, with the check that belongs to it. */
export const checked = (content: Uint8Array): string => {
  const check = createHash("sha256").update(content).digest().subarray(0, checkBytes)
  return `option_${Buffer.concat([content, check]).toString("base64url")}`
}
