/** Where the pages of an order by price begin, as a cursor carries it. */
import { Option, Schema } from "effect"
import { PlayroomId } from "../kernel/Ids.ts"
import { Currency, MinorUnits } from "../kernel/Money.ts"
import type { PriceKey } from "./PriceRows.ts"

/** Where a page begins. */
export type PricePosition =
  /** Among free playrooms, after an id. */
  { readonly part: "free"; readonly after?: string } | PricedPosition
export type PricedPosition =
  /**
   * In the true order, after `last`. Rows before `low` are done, and rows whose bound is before `bound`. Without them,
   * from the start.
   */
  | { readonly part: "price"; readonly low?: PriceKey; readonly bound?: PriceKey; readonly last?: PriceKey }
  /** Within one currency, after the row `low`. `last` was the last in the true order. */
  | { readonly part: "window"; readonly low: PriceKey; readonly last?: PriceKey }

const keyFrom = Schema.decodeUnknownOption(Schema.Tuple([Currency, MinorUnits, PlayroomId]))
const isId = Schema.is(PlayroomId)

/** A position as a list, for a cursor. */
export const encodePosition = (position: PricePosition): ReadonlyArray<string | number> => {
  const { part } = position
  if (part === "free") return [part, ...(position.after === undefined ? [] : [position.after])]
  const keys = part === "window" ? [position.low, position.last] : [position.low, position.bound, position.last]
  return [part, ...keys.flatMap((key) => key ?? [])]
}

/** The position of a list; undefined if it is none. */
export const decodePosition = ([part, ...rest]: ReadonlyArray<string | number>): PricePosition | undefined => {
  if (part === "free") {
    const [after] = rest
    if (after === undefined) return { part }
    return rest.length === 1 && typeof after === "string" && isId(after) ? { part, after } : undefined
  }
  if (part !== "price" && part !== "window") return undefined
  const count = Math.ceil(rest.length / 3)
  const keys = Array.from({ length: count }, (_, i) => Option.getOrUndefined(keyFrom(rest.slice(3 * i, 3 * i + 3))))
  const [low, second, third] = keys
  if (keys.includes(undefined) || count > 3) return undefined
  if (part === "price") {
    if (low === undefined) return { part }
    return second === undefined
      ? undefined
      : { part, low, bound: second, ...(third === undefined ? {} : { last: third }) }
  }
  return low === undefined || third !== undefined
    ? undefined
    : { part, low, ...(second === undefined ? {} : { last: second }) }
}
