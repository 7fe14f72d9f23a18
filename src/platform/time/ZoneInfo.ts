/**
 * Rules of time zones from a folder of compiled files (TZif, RFC 9636), as systems have them in `/usr/share/zoneinfo`
 * and keep them up: a law is there weeks before a runtime has it.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dayMs, type Instant, runtimeRules, secondMs, useZoneRules, zoneNames, type ZoneRules } from "./LocalTime.ts"

type LookUp = (instant: Instant) => number

/** A day of the year and a time of it, at which a clock changes in each year: its instant by UTC, in seconds. */
type Change = (year: number) => number

const hms = (text: string): number => {
  const [h = 0, m = 0, s = 0] = text.replace(/^[+-]/, "").split(":").map(Number)
  return (text.startsWith("-") ? -1 : 1) * (h * 3600 + m * 60 + s)
}

/** `M3.2.0/2`, `J60/2`, `59/2`: month, week (5: the last), weekday; day without the leap day; day from 0. */
const changeOf = (text: string): Change => {
  const [day = "", time = "2"] = text.split("/")
  const [month = 1, week = 1, weekday = 0] = day.slice(1).split(".").map(Number)
  const midnight = (year: number): number => {
    if (!day.startsWith("M")) {
      const n = Number(day.replace("J", ""))
      const leap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
      return Date.UTC(year, 0, 1) + (day.startsWith("J") ? n - 1 + (leap && n >= 60 ? 1 : 0) : n) * dayMs
    }
    const first = Date.UTC(year, month - 1, 1)
    const days = ((weekday - new Date(first).getUTCDay() + 7) % 7) + 7 * (week - 1)
    const at = first + days * dayMs
    return new Date(at).getUTCMonth() === month - 1 ? at : at - 7 * dayMs
  }
  return (year) => midnight(year) / secondMs + hms(time)
}

/** The rule after the last change of the file: `PST8PDT,M3.2.0,M11.1.0` (POSIX), in seconds from UTC. */
const ruleOf = (text: string): ((seconds: number) => number) | undefined => {
  const name = String.raw`(?:<[^>]+>|[A-Za-z]+)`
  const parts = new RegExp(`^${name}([+-]?[\\d:]+)(?:${name}([+-]?[\\d:]+)?,([^,]+),([^,]+))?$`).exec(text)
  if (parts === null) return undefined
  const [, std = "0", dst, from, to] = parts
  // POSIX counts hours west of UTC.
  const standard = 0 - hms(std)
  if (from === undefined || to === undefined) return () => standard
  const summer = dst === undefined ? standard + 3600 : 0 - hms(dst)
  const [begins, ends] = [changeOf(from), changeOf(to)]
  return (seconds) => {
    const year = new Date((seconds + standard) * secondMs).getUTCFullYear()
    const [first, last] = [begins(year) - standard, ends(year) - summer]
    const isSummer = first < last ? seconds >= first && seconds < last : seconds >= first || seconds < last
    return isSummer ? summer : standard
  }
}

/** What looks up the offsets of a file from UTC; undefined if it is no such file. */
export const zoneFile = (file: Buffer): LookUp | undefined => {
  const headBytes = 44
  if (file.length < headBytes || file.toString("latin1", 0, 4) !== "TZif" || (file[4] ?? 0) < 0x32) return undefined
  const counts = (at: number) => [0, 4, 8, 12, 16, 20].map((n) => file.readUInt32BE(at + 20 + n))
  const [utc = 0, std = 0, leap = 0, times = 0, types = 0, letters = 0] = counts(0)
  // First comes the same in 32 bits, for old readers.
  const second = headBytes + times * 5 + types * 6 + letters + leap * 8 + std + utc
  const [utc2 = 0, std2 = 0, leap2 = 0, times2 = 0, types2 = 0, letters2 = 0] = counts(second)
  const at = second + headBytes
  const moments = Array.from({ length: times2 }, (_, n) => Number(file.readBigInt64BE(at + 8 * n)))
  const kinds = Array.from({ length: times2 }, (_, n) => file[at + 8 * times2 + n] ?? 0)
  const typesAt = at + 9 * times2
  const offsets = Array.from({ length: types2 }, (_, n) => file.readInt32BE(typesAt + 6 * n))
  const footer = file.toString("latin1", typesAt + 6 * types2 + letters2 + leap2 * 12 + std2 + utc2).trim()
  const rule = footer === "" ? undefined : ruleOf(footer)
  if (offsets.length === 0 || (footer !== "" && rule === undefined)) return undefined
  return (instant) => {
    const seconds = Math.floor(instant / secondMs)
    let low = 0
    let high = moments.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((moments[middle] ?? Infinity) <= seconds) low = middle + 1
      else high = middle
    }
    const found = low === moments.length && rule !== undefined ? rule(seconds) : offsets[kinds[low - 1] ?? 0]
    return (found ?? 0) * secondMs
  }
}

/** The rules of a folder; undefined if it has none. All files are read at once, as the system may replace them. */
export const zoneInfoIn = (folder: string): ZoneRules | undefined => {
  const read = (name: string): Buffer | undefined => {
    try {
      return readFileSync(join(folder, name))
    } catch {
      return undefined
    }
  }
  const release = /^# version (\d{4}[a-z]+)/.exec(read("tzdata.zi")?.toString("latin1", 0, 40) ?? "")?.[1]
  if (release === undefined) return undefined
  let files: ReadonlyMap<string, Buffer | undefined> | undefined
  return {
    release,
    from: folder,
    zone: (name) => {
      files ??= new Map(zoneNames().map((one) => [one, read(one)]))
      const file = files.get(name)
      return file === undefined ? undefined : zoneFile(file)
    }
  }
}

/** From now on the clocks of this process go by the rules of the folder, if these are newer than the runtime's. */
export const useNewerRules = (folder: string): void => {
  const found = folder === "" ? undefined : zoneInfoIn(folder)
  useZoneRules(found !== undefined && found.release > runtimeRules.release ? found : runtimeRules)
}
