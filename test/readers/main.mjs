/**
 * What other programs read in our calendar files: each reader is installed as its makers publish it, is given the
 * files, and what it finds is compared with the table in docs/calendars.md.
 *
 *     npm run readers                 fails where the table says otherwise; needs the npm registry and Debian 12
 *     npm run readers -- khal         some of them
 *     npm run readers -- --write      writes what was seen into the table
 *     npm run readers -- --show       prints what was read wrong
 *
 * A new reader is an entry of `readers.mjs` and an adapter, a new case one of `cases.mjs`. No test runs this.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { must, root, runWell } from "../../.ci/support.mjs"
import { eventsIn, feedOf, movedTo, sequels, wall, zones } from "./cases.mjs"
import { environmentIn, install } from "./install.mjs"
import { readers } from "./readers.mjs"

const page = join(root, "docs/calendars.md")
const [begin, end] = ["<!-- What `npm run readers` saw -->\n", "<!-- so far -->"]
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, show: { type: "boolean" } }
})

const data = mkdtempSync(join(tmpdir(), "playroom-readers-data-"))
const fileOf = (name, text) => {
  const file = join(data, `${name.replaceAll("/", "-")}.ics`)
  writeFileSync(file, text)
  return file
}

/** What a reader finds in files, for a person in a zone. */
const readIn = async ({ command: [program, script] }, folder, zone, files) => {
  const found = await runWell([program, join(folder, script), ...files], {
    cwd: folder,
    env: { ...environmentIn(folder), TZ: zone }
  })
  return JSON.parse(found)
}

/** Whether a time that was read is this instant: by its offset, or as the wall shows it to that person. */
const isAt = (read, at, zone) =>
  /Z$|[+-]\d\d:?\d\d$/.test(read) ? Date.parse(read) === at : String(read).slice(0, 16) === wall(zone, at)

/** How many events were read with their start and end, and in which zones some were not. */
const timesRead = async (name, folder, homeOf) => {
  const wrong = []
  const read = (home, files) =>
    readIn(readers[name], folder, home, files).catch((error) => {
      if (values.show) console.log(name, home, error.message)
      return []
    })
  const feeds = Object.fromEntries(zones.map((zone) => [zone, fileOf(zone, feedOf(zone))]))
  const all = readers[name].anywhere ? await read("Asia/Tokyo", Object.values(feeds)) : undefined
  for (const zone of zones) {
    const events = eventsIn(zone)
    const home = homeOf(zone)
    const found = all ?? (await read(home, [feeds[zone]]))
    const misread = events.filter((event) => {
      const [read, ...more] = found.filter(({ title }) => title === event.uid)
      const right = more.length === 0 && read && isAt(read.start, event.start, home) && isAt(read.end, event.end, home)
      if (!right && values.show) console.log(name, zone, event.uid, JSON.stringify(read))
      return !right
    })
    if (misread.length > 0)
      wrong.push(
        `${zone.split("/")[1].replaceAll("_", " ")}${misread.length < events.length ? ` ${misread.length}` : ""}`
      )
  }
  return wrong.length === 0 ? "all" : `all but ${wrong.join(", ")}`
}

/** What became of an entry after a second file with the same UID. */
const became = ({ keeps }, found, of) => {
  const [first, second, ...more] = found
  const upper = (text) => String(text ?? "").toUpperCase()
  if (keeps) {
    if (second !== undefined) return "a second entry"
    if (first === undefined) return "gone"
    if (of === "change") return isAt(first.start, movedTo, "Europe/London") ? "moved" : "not moved"
    return upper(first.status).startsWith("CANCEL")
      ? "marked"
      : first.title.startsWith("Cancelled")
        ? "by its title"
        : "stays"
  }
  const told =
    more.length === 0 && first?.uid === second?.uid && Number(second?.sequence) > Number(first?.sequence)
      ? []
      : ["SEQUENCE"]
  if (of !== "page" && upper(second?.method) !== (of === "change" ? "PUBLISH" : "CANCEL")) told.push("METHOD")
  if (of !== "change" && upper(second?.status) !== "CANCELLED") told.push("STATUS")
  return told.length === 0 ? "told" : `no ${told.join(", ")}`
}

const head = [
  "| Reader | Times at home | Times read elsewhere | A change by letter | A cancellation by letter | On the page |",
  "|---|---|---|---|---|---|"
]
const nameIn = (line) => line.slice(2).split(/ \d[^ ]* \|/)[0]

try {
  const chosen = Object.keys(readers).filter((name) => positionals.length === 0 || positionals.includes(name))
  must(chosen.length > 0, `no such reader: ${positionals.join(", ")}`)
  const [before, table, after] = readFileSync(page, "utf8").split(new RegExp(`(?<=${begin})|(?=${end})`))
  const lines = table.split("\n").slice(head.length, -1)
  const rows = new Map(lines.map((line) => [nameIn(line), line]))
  const opened = Object.entries(sequels).map(([name, texts]) => [
    name,
    texts.map((text, index) => fileOf(`${name}-${index}`, text))
  ])
  for (const name of chosen) {
    const reader = readers[name]
    const folder = await install(reader)
    cpSync(join(import.meta.dirname, "adapters"), folder, { recursive: true })
    const [home, elsewhere] = [
      await timesRead(name, folder, (zone) => zone),
      await timesRead(name, folder, () => "Asia/Tokyo")
    ]
    const cells = [home, elsewhere === home && home !== "all" ? "the same" : elsewhere]
    for (const [of, files] of opened) {
      const found = await readIn(reader, folder, "Europe/London", files)
      if (values.show) console.log(name, of, JSON.stringify(found))
      cells.push(became(reader, found, of))
    }
    const [, version] = (reader.npm ?? reader.debian)[0].split(/(?<=.)[@=]/)
    const line = `| ${[`${name} ${version}`, ...cells].join(" | ")} |`
    const known = values.write || rows.get(name) === line
    console.log(known ? line : `${line}\n  The table has: ${rows.get(name) ?? "nothing"}`)
    if (!known) process.exitCode = 1
    rows.set(name, line)
  }
  const written = [...head, ...Object.keys(readers).flatMap((name) => rows.get(name) ?? [])]
  if (values.write) writeFileSync(page, `${before}${written.join("\n")}\n${after}`)
} finally {
  rmSync(data, { recursive: true, force: true })
}
