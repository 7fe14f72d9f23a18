/**
 * Spreadsheets as people write them in our languages: amounts, dates, times, weekdays, yes and no. Each reading gives
 * the text that a catalogue's columns have; what is nothing of the kind stays as it is, and their readers refuse it.
 * What two of these countries read differently is a failure that names both readings. Pure.
 */
import { Result } from "effect"
import { folded } from "../../platform/text/Text.ts"
import { weekdays } from "../../platform/time/LocalTime.ts"

type Reading = Result.Result<string, string>

const languages = ["en", "de", "es", "fr", "ja", "pl"]

/** A number with a comma or a point before its decimals: `51,5` is 51.5. */
export const decimalComma = (cell: string): string => cell.replace(/^(-?\d+),(\d+)(?=\s*%?$)/, "$1.$2")

/** Where months stand before days, or people write both. */
const monthFirst = new Set(["US", "CA", "PH"])

/** A date of any order: `24/12/2026`, `24.12.26`, `2026年12月24日`. `country`: that of the row's playroom. */
export const dateText = (cell: string, country: string): Reading => {
  const text = cell.normalize("NFKC").trim()
  const iso = (year: string, month: string, day: string): string =>
    `${year.length === 2 ? `20${year}` : year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`
  const [, y, m, d] = /^(\d{4})[-/.年]\s*(\d{1,2})[-/.月]\s*(\d{1,2})日?\.?$/u.exec(text) ?? []
  if (y !== undefined && m !== undefined && d !== undefined) return Result.succeed(iso(y, m, d))
  const [, first, mark, second, year] = /^(\d{1,2})([-/.])\s*(\d{1,2})\2\s*(\d{4}|\d{2})$/.exec(text) ?? []
  if (first === undefined || second === undefined || year === undefined) return Result.succeed(cell)
  const [dayFirst, otherwise] = [iso(year, second, first), iso(year, first, second)]
  if (Number(second) > 12) return Result.succeed(otherwise)
  if (Number(first) > 12 || first === second || mark === "." || !monthFirst.has(country))
    return Result.succeed(dayFirst)
  return Result.fail(`Expected ${otherwise} or ${dayFirst}, since "${cell}" may be either`)
}

/** A clock time: `9:00`, `9.30`, `9h30`, `18 Uhr`, `6 pm`. */
export const clockText = (cell: string): string => {
  const [, hour, minute = "00", half] =
    /^(\d{1,2})(?:\s*[:.h時]\s*(\d{2})分?)?(?::00)?\s*(h|uhr|am|pm|a\.m\.|p\.m\.|時)?$/iu.exec(cell.trim()) ?? []
  // A number alone may be anything.
  if (hour === undefined || /^\d+$/.test(cell.trim())) return cell
  const isHalf = /^[ap]/i.test(half ?? "")
  if (isHalf && (Number(hour) < 1 || Number(hour) > 12)) return cell
  const hours = isHalf ? (Number(hour) % 12) + (/^p/i.test(half ?? "") ? 12 : 0) : Number(hour)
  return `${String(hours).padStart(2, "0")}:${minute}`
}

const yes = new Set(
  ["yes", "true", "1", "si", "verdadero", "ja", "wahr", "oui", "vrai", "tak", "prawda", "はい"].map(folded)
)
const no = new Set(["no", "false", "0", "falso", "nein", "falsch", "non", "faux", "nie", "falsz", "いいえ"].map(folded))

/** `yes` or `no` in any of the languages, and as their spreadsheets write it. */
export const yesNoText = (cell: string): string => {
  const word = folded(cell)
  return yes.has(word) ? "yes" : no.has(word) ? "no" : cell
}

interface Week {
  /** The words between the first and the last day, and between single days. */
  readonly to: RegExp
  readonly and: RegExp
  readonly day: (word: string) => number
}

const words: Readonly<Record<string, readonly [to: string, and: string]>> = {
  en: ["to", "and"],
  de: ["bis", "und"],
  es: ["a", "y"],
  fr: ["au|a", "et"],
  // Japanese has no spaces around them.
  ja: ["から", "と"],
  pl: ["do", "i"]
}

/** How a language calls the days: in full, or their beginning of two letters or more, or as its calendars do. */
const weekOf = (language: string): Week => {
  const namesAs = (weekday: "long" | "short" | "narrow") =>
    weekdays.map((_, i) =>
      folded(new Intl.DateTimeFormat(language, { weekday, timeZone: "UTC" }).format(Date.UTC(2024, 0, i + 1))).replace(
        /\.$/,
        ""
      )
    )
  const [long, short, narrow] = [namesAs("long"), namesAs("short"), namesAs("narrow")]
  const [to = "", and = ""] = words[language] ?? []
  const space = language === "ja" ? "\\s*" : "\\s+"
  return {
    to: new RegExp(`${space}(?:${folded(to)})${space}`, "gu"),
    and: new RegExp(`${space}(?:${folded(and)})${space}`, "gu"),
    day: (word) => {
      const exact = [...long.keys()].filter((i) => word === long[i] || word === short[i])
      const begun = [...long.keys()].filter((i) => word.length >= 2 && long[i]?.startsWith(word) === true)
      const letter = [...long.keys()].filter((i) => word === narrow[i])
      return [exact, begun, letter].find((found) => found.length > 0 && found.length < 2)?.[0] ?? -1
    }
  }
}
let weeks: ReadonlyArray<Week> | undefined

/** Weekdays as `mon-fri`: `Lun-Vie`, `L-V`, `Mo bis Fr`, `月〜金`. A failure if languages read them differently. */
const daysText = (cell: string): Reading => {
  const text = folded(cell).replaceAll(/[\u2010-\u2015\u2212~〜]/gu, "-")
  weeks ??= languages.map(weekOf)
  const readings = weeks.flatMap(({ and, day, to }) => {
    const parts = text
      .replaceAll(to, "-")
      .replaceAll(and, ",")
      .replaceAll(/\s*-\s*/g, "-")
      .split(/([-,;\s・、&+]+)/u)
    const found = parts
      .filter((part) => part !== "")
      .map((part) => {
        if (/^[-,;\s・、&+]/u.test(part)) return part.includes("-") ? "-" : " "
        return weekdays[day(part.replace(/\.$/, ""))]
      })
    return found.includes(undefined) ? [] : [found.join("").trim()]
  })
  const [one, other] = new Set(readings)
  if (one === undefined) return Result.succeed(cell)
  return other === undefined
    ? Result.succeed(one)
    : Result.fail(`Expected ${one} or ${other}, since "${cell}" may be either`)
}

/** Days of the week, in parts at semicolons and line ends. */
export const weekdaysText = (cell: string): Reading => daysText(cell.replaceAll("\n", ";"))

/** Opening hours: weekdays and times, in parts at semicolons and line ends. */
export const hoursText = (cell: string): Reading => {
  const parts: Array<string> = []
  for (const part of cell.split(/[;\n]/)) {
    const [, names, times] = /^\s*([^\d]*[^\d\s:]):?\s*(\d.*)$/u.exec(part) ?? []
    if (names === undefined || times === undefined) {
      parts.push(part)
      continue
    }
    const days = daysText(names)
    if (Result.isFailure(days)) return days
    const clock = times
      .split(/(\s*[-\u2010-\u2015\u2212~〜,]\s*)/u)
      .map((one, i) => (i % 2 === 1 ? one.replace(/[~〜]/u, "-") : clockText(one)))
    parts.push(`${days.success} ${clock.join("")}`)
  }
  return Result.succeed(parts.join("; "))
}
