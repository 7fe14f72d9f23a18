/** Short digests of values. Equal values have equal digests, whatever the order of their keys. */
import { createHash } from "node:crypto"

/** JSON with sorted keys. Keys without a value are left out. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part
  )

/** The first `bytes` bytes of the SHA-256 of a value's JSON, in hexadecimal digits. */
export const digestOfValue = (value: unknown, bytes: number): string =>
  createHash("sha256").update(canonical(value)).digest().toString("hex", 0, bytes)
