/** Opaque cursors for keyset paging: a position with a digest that binds it to its list (`scope`). */
import { createHash } from "node:crypto"
import { Option, Schema } from "effect"
import { boundedText } from "../errors/InvalidArguments.ts"

/** A cursor as a caller sends it back. `decodeCursor` checks it. */
export const Cursor = boundedText(500, 1)

const digest = (scope: unknown): string =>
  createHash("sha256").update(JSON.stringify(scope)).digest("base64url").slice(0, 11)

/** The cursor of `position` in the list that `scope` describes (its filters, as JSON). */
export const encodeCursor = (scope: unknown, position: ReadonlyArray<string | number>): string =>
  Buffer.from(JSON.stringify([digest([scope, position]), ...position])).toString("base64url")

const Contents = Schema.fromJsonString(
  Schema.TupleWithRest(Schema.Tuple([Schema.String]), [Schema.Union([Schema.String, Schema.Finite])])
)
const decode = Schema.decodeUnknownOption(Contents)

/**
 * The position of a cursor that `encodeCursor` made for this list; undefined for any other text, as for a cursor that
 * was copied wrongly: it is made again and compared, so it has one spelling.
 */
export const decodeCursor = (scope: unknown, cursor: string): ReadonlyArray<string | number> | undefined => {
  if (!/^[\w-]{1,500}$/.test(cursor)) return undefined
  const parts = Option.getOrUndefined(decode(Buffer.from(cursor, "base64url").toString("utf8")))
  if (parts === undefined) return undefined
  const [, ...position] = parts
  return encodeCursor(scope, position) === cursor ? position : undefined
}

/** The issue to report if `decodeCursor` returns undefined. */
export const invalidCursor = {
  path: "cursor",
  message:
    "Expected the next_cursor of the previous page, with the same other arguments; leave cursor out for the first page"
}
