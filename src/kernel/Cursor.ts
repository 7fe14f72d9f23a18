/** Opaque cursors of keyset paging: a position, bound to the list (`scope`) that it came from, with a digest of both. */
import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import { boundedText } from "./InvalidArguments.ts"

/** A cursor as a caller sends it back; `decodeCursor` says whether it is one of ours. */
export const Cursor = boundedText(500, 1)

const digest = (scope: unknown): string =>
  createHash("sha256").update(JSON.stringify(scope)).digest("base64url").slice(0, 11)

/** The cursor of `position` in the list that `scope` (its filters, JSON) describes. */
export const encodeCursor = (scope: unknown, position: ReadonlyArray<string | number>): string =>
  Buffer.from(JSON.stringify([digest([scope, position]), ...position])).toString("base64url")

const Contents = Schema.fromJsonString(
  Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Union([Schema.String, Schema.Finite])])
)
const decode = Schema.decodeUnknownOption(Contents)

/** The position in a cursor of ours for this very list; undefined for any other text. */
export const decodeCursor = (scope: unknown, cursor: string): ReadonlyArray<string | number> | undefined => {
  if (!/^[\w-]{1,500}$/.test(cursor)) return undefined
  const bytes = Buffer.from(cursor, "base64url")
  // Several texts decode to the same bytes; only the one that `encodeCursor` makes is accepted.
  if (bytes.toString("base64url") !== cursor) return undefined
  const parts = Option.getOrUndefined(decode(bytes.toString("utf8")))
  if (parts === undefined) return undefined
  const [from, ...position] = parts
  return from === digest([scope, position]) ? position : undefined
}

/** The message for a cursor that `encodeCursor` did not make for this list. */
export const foreignCursor = {
  path: "cursor",
  message:
    "Expected the next_cursor of the previous page, with the same other arguments; leave cursor out for the first page"
}
