/** Forms and addresses as pages have them, and what nobody types into them. */
import type { Chance } from "./Chance.ts"
import { bent, clock, day, type FuzzRequest, numbers, repeated, text } from "./Requests.ts"

type Entries = ReadonlyArray<readonly [name: string, value: string]>

/** A form that posts, or an address with its query: each field has one of its values. */
export interface Asked {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly fields: ReadonlyArray<readonly [name: string, values: readonly [string, ...ReadonlyArray<string>]]>
}

const characters: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" }
const plain = (html: string): string =>
  html.replaceAll(/&(amp|lt|gt|quot|#39);/g, (all, name) => characters[name] ?? all)
const attribute = (tag: string, name: string): string | undefined => {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : plain(value)
}

/** What a person types where a page has nothing yet. */
const typed: Readonly<Record<string, string>> = {
  email: "ana@example.com",
  text: "Ana Fuzz",
  tel: "+44 20 7946 0123",
  number: "4",
  date: "2027-01-09",
  time: "10:30",
  checkbox: "on"
}

/** The fields of a form: boxes and buttons of one name are values to choose from. */
const fieldsIn = (form: string): Asked["fields"] => {
  const fields = new Map<string, [string, ...Array<string>]>()
  for (const [tag, kind = "", rest = ""] of form.matchAll(/<(input|button|select|textarea)\b[^>]*>([^<]*)/g)) {
    const name = attribute(tag.slice(0, tag.length - rest.length), "name")
    if (name === undefined) continue
    const type = attribute(tag, "type") ?? "text"
    const options = kind === "select" ? form.slice(form.indexOf(tag)).split("</select>")[0] : undefined
    const all = Array.from((options ?? "").matchAll(/<option value="([^"]*)"/g), ([, value = ""]) => plain(value))
    const given = kind === "textarea" ? plain(rest.trim()) : attribute(tag, "value")
    const [value = "", ...others] =
      all.length > 0 ? all : [given === undefined || given === "" ? (typed[type] ?? "") : given]
    const known = fields.get(name)
    if (known === undefined) fields.set(name, [value, ...others])
    else known.push(value, ...others)
  }
  return [...fields]
}

/** The forms of a page at `at`, and its links within the service. */
export const askedBy = (html: string, at: string): ReadonlyArray<Asked> => {
  const found: Array<Asked> = []
  for (const [all, tag = ""] of html.matchAll(/(<form\b[^>]*>).*?<\/form>/gs)) {
    const { pathname } = new URL(attribute(tag, "action") ?? at, `http://localhost${at}`)
    const method = attribute(tag, "method") === "post" ? "POST" : "GET"
    found.push({ method, path: pathname, fields: fieldsIn(all) })
  }
  for (const [, href = ""] of html.matchAll(/<a\b[^>]*\shref="(\/[^"#]*)/g)) found.push(addressIn(plain(href)))
  return found
}

/** An address with its query. */
export const addressIn = (href: string): Asked => {
  const { pathname, searchParams } = new URL(href, "http://localhost")
  const fields = Array.from(searchParams, ([name, value]) => [name, [value]] as const)
  return { method: "GET", path: pathname, fields }
}

/** What tells one form or address from another: tokens and ids in the path do not, what a step is does. */
export const kindOf = ({ fields, method, path }: Asked): string => {
  const names = fields.map(([name, [value]]) => (name === "step" || name === "do" ? `${name}=${value}` : name))
  return `${method} ${path.replaceAll(/[\w-]{20,}/g, "*")} ${[...new Set(names)].toSorted().join(" ")}`
}

/** As a person sends it. */
export const entriesOf = (chance: Chance, { fields }: Asked): Entries =>
  fields.map(([name, values]) => [name, chance.one(values)])

const odd = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\r\nx-fuzz: 1\r\n\r\n",
  "\u202Eabc\u2066\u200B",
  "\ud800",
  '"><fuzz x="',
  "'; drop table booking --",
  "${1+1}{{1}}",
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "null",
  "NaN",
  "-Infinity",
  "1e9",
  "-1",
  "0x10",
  "1,5",
  "٣",
  "9".repeat(40),
  "2027-02-29",
  "-271821-04-20",
  "+275760-09-13",
  "10000-01-01",
  "2027-01-09T10:30:00Z",
  "2027-13",
  "[]",
  "{}"
] as const

/** Any value: of another field, of this one with a slip, or one that fits nowhere. */
const oddValue = (chance: Chance, known: ReadonlyArray<string>, value: string, today: number): string => {
  switch (chance.below(7)) {
    case 0:
      return bent(chance, value)
    case 1:
      return known[chance.below(known.length)] ?? ""
    case 2:
      return text(chance, 15_000)
    case 3:
      return String(chance.one(numbers))
    case 4:
      return chance.once(2) ? day(chance, today) : chance.one(clock)
    default:
      return chance.one(odd)
  }
}

/** The same with a field that is missing, doubled, of another name or of another value. */
const changed = (chance: Chance, entries: Entries, known: ReadonlyArray<string>, today: number): Entries => {
  const at = chance.below(entries.length + 1)
  const [name, value] = entries[at] ?? [chance.one(odd), ""]
  const other = [name, oddValue(chance, known, value, today)] as const
  switch (chance.below(8)) {
    case 0:
      return entries.toSpliced(at, 1)
    case 1:
      return entries.toSpliced(at, 0, [name, value])
    case 2:
      return [...entries, ...repeated(chance.size(400), () => other)]
    case 3:
      return [...entries, [chance.one(odd), value]]
    default:
      return entries.toSpliced(at, 1, other)
  }
}

const written = (entries: Entries): string => new URLSearchParams(entries.map(([...entry]) => entry)).toString()
const garbage = [
  "%",
  "%zz",
  "%FF%FE",
  "%ED%A0%80",
  "%00",
  "%E2%80%AE",
  "&&==&",
  ";",
  "+",
  "%C0%AF",
  "%25",
  "?",
  "\xff"
] as const
const withGarbage = (chance: Chance, query: string): string => {
  const at = chance.below(query.length + 1)
  return query.slice(0, at) + chance.one(garbage) + query.slice(at + chance.below(3))
}

const formType = "application/x-www-form-urlencoded"
const types = ["text/plain", "application/json", "multipart/form-data; boundary=x", `${formType}; charset=utf-16`, "a"]
const languages = ["de", "fr", "ja", "en-US,en;q=0.5", "*", "x".repeat(200), ";;q=,", "\xff"] as const

/** A body that is no form, or says that it is none. */
const otherBody = (chance: Chance, entries: Entries): { readonly type: string; readonly body: string | Buffer } => {
  const form = written(entries)
  const json = JSON.stringify(Object.fromEntries(entries))
  const parts = entries.map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}`)
  return {
    type: types[chance.below(types.length)] ?? formType,
    body: chance.one([
      form,
      "",
      json,
      `${parts.join("\r\n")}\r\n--x--`,
      form.slice(0, chance.below(form.length + 1)),
      Buffer.from(form, "utf16le"),
      `${form}&x=${"y".repeat(chance.size(40_000))}`
    ])
  }
}

/** A request for it: as a person sends it, or with up to three changes. `known` are values that stand in pages. */
export const aRequestFor = (
  chance: Chance,
  asked: Asked,
  of: { readonly known: ReadonlyArray<string>; readonly today: number; readonly cookie: string }
): FuzzRequest => {
  let entries = entriesOf(chance, asked)
  const honest = chance.once(4)
  for (let changes = honest ? 0 : chance.below(4); changes > 0; changes--)
    entries = changed(chance, entries, of.known, of.today)
  const odd = !honest && chance.once(4)
  const query = odd ? withGarbage(chance, written(entries)) : written(entries)
  const path = !honest && chance.once(12) ? withGarbage(chance, asked.path).replace("?", "%3F") : asked.path
  const headers: Record<string, string> = {}
  if (honest || !chance.once(12)) headers["cookie"] = of.cookie
  else headers["cookie"] = bent(chance, of.cookie).replaceAll(/[^\x20-\x7e]/g, "")
  if (chance.once(3)) headers["accept-language"] = chance.one(languages)
  if (asked.method === "GET") {
    // Node reads no more of an address with its headers.
    return { method: chance.once(20) ? "HEAD" : "GET", path: `${path}?${query}`.slice(0, 15_000), headers, body: "" }
  }
  if (!chance.once(15)) headers["sec-fetch-site"] = "same-origin"
  else headers["origin"] = chance.one(["null", "https://evil.example", "http://", "\xff"] as const)
  const { body, type } = odd && chance.once(2) ? otherBody(chance, entries) : { type: formType, body: query }
  if (honest || !chance.once(20)) headers["content-type"] = type
  return { method: "POST", path, headers, body }
}
