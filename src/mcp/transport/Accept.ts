/** Whether a client wants JSON or an event stream, by its `Accept` header (RFC 9110, 12.5.1). */

/** Clients send few different headers, so decisions are cached. These limits bound the cache. */
const maxCached = 200
const maxCachedLength = 200

const events = { type: "text", subtype: "event-stream" } as const
const json = { type: "application", subtype: "json" } as const

interface Range {
  readonly type: string
  readonly subtype: string
  readonly quality: number
}

/** Splits at commas or semicolons outside quoted strings. */
const split = (text: string, separator: "," | ";"): ReadonlyArray<string> =>
  text.match(separator === "," ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []

/** A weight is 0 to 1 with at most three decimals. If it is malformed or missing, it is 1. */
const qualityOf = (parameters: ReadonlyArray<string>): number => {
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameter)
    if (weight !== null) return Number(weight[1])
  }
  return 1
}

const rangesOf = (accept: string): ReadonlyArray<Range> =>
  split(accept, ",").flatMap((item) => {
    const [name = "", ...parameters] = split(item, ";")
    const [type, subtype, more] = name.trim().toLowerCase().split("/")
    if (type === undefined || subtype === undefined || more !== undefined) return []
    return [{ type, subtype, quality: qualityOf(parameters) }]
  })

/** The weight of a media type, from the most specific matching range; 0 if none matches. */
const weightOf = (
  ranges: ReadonlyArray<Range>,
  mediaType: { readonly type: string; readonly subtype: string }
): number => {
  let best = -1
  let quality = 0
  for (const range of ranges) {
    const specific =
      range.type === mediaType.type && range.subtype === mediaType.subtype
        ? 2
        : range.type === mediaType.type && range.subtype === "*"
          ? 1
          : range.type === "*" && range.subtype === "*"
            ? 0
            : -1
    if (specific > best) {
      best = specific
      quality = range.quality
    } else if (specific === best && specific >= 0) quality = Math.max(quality, range.quality)
  }
  return quality
}

const decide = (accept: string): boolean => {
  const ranges = rangesOf(accept)
  return weightOf(ranges, events) > weightOf(ranges, json)
}

const cache = new Map<string, boolean>()

/**
 * Whether a client gives event streams a higher weight than JSON. All others get JSON, even if neither is acceptable:
 * the standard allows servers to ignore the header then.
 */
export const wantsEvents = (accept: string | undefined): boolean => {
  if (accept === undefined) return false
  const cached = cache.get(accept)
  if (cached !== undefined) return cached
  const wanted = decide(accept)
  if (accept.length <= maxCachedLength && cache.size < maxCached) cache.set(accept, wanted)
  return wanted
}
