/** Which of its two forms a client reads an answer in, by the `Accept` header (RFC 9110, 12.5.1). */

/** The headers of real clients are few, so what was made of them is kept; a stranger's are not kept without end. */
const mostKept = 200
const longestKept = 200

const events = { type: "text", subtype: "event-stream" } as const
const json = { type: "application", subtype: "json" } as const

interface Range {
  readonly type: string
  readonly subtype: string
  readonly quality: number
}

/** Commas and semicolons part what they part only outside of quoted strings. */
const parts = (text: string, separator: "," | ";"): ReadonlyArray<string> =>
  text.match(separator === "," ? /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g : /(?:[^;"]|"(?:[^"\\]|\\.)*"?)+/g) ?? []

/** A weight is 0 to 1 with at most three decimals; one that is written otherwise counts as not written. */
const qualityOf = (parameters: ReadonlyArray<string>): number => {
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameter)
    if (weight !== null) return Number(weight[1])
  }
  return 1
}

const rangesOf = (accept: string): ReadonlyArray<Range> =>
  parts(accept, ",").flatMap((item) => {
    const [name = "", ...parameters] = parts(item, ";")
    const [type, subtype, more] = name.trim().toLowerCase().split("/")
    if (type === undefined || subtype === undefined || more !== undefined) return []
    return [{ type, subtype, quality: qualityOf(parameters) }]
  })

/** The weight of a form: that of the most specific range that covers it; 0 where none does. */
const weightOf = (ranges: ReadonlyArray<Range>, form: { readonly type: string; readonly subtype: string }): number => {
  let best = -1
  let quality = 0
  for (const range of ranges) {
    const specific =
      range.type === form.type && range.subtype === form.subtype
        ? 2
        : range.type === form.type && range.subtype === "*"
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

const kept = new Map<string, boolean>()

/**
 * Whether a client wants its answer as an event stream rather than as JSON: where it gives streams the higher weight. JSON is what
 * comes otherwise, also where neither is acceptable: the header is then disregarded, which the standard leaves to the server.
 */
export const wantsEvents = (accept: string | undefined): boolean => {
  if (accept === undefined) return false
  const known = kept.get(accept)
  if (known !== undefined) return known
  const wanted = decide(accept)
  if (accept.length <= longestKept && kept.size < mostKept) kept.set(accept, wanted)
  return wanted
}
