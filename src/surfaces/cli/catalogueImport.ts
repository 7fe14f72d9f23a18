/** The output of `playroom catalogue import`: counts, planned changes and progress. */
import { Console, Effect } from "effect"
import type { CatalogueChange } from "../../domain/import/CatalogueChanges.ts"
import type { Imported } from "../../domain/import/Imported.ts"
import type { Operator } from "../../domain/catalogue/Operator.ts"
import { shortDateTime } from "../../platform/time/LocalTime.ts"
import { display } from "../../platform/money/Money.ts"
import { plain, table } from "./Output.ts"
import { monotonicMs } from "../../platform/time/Elapsed.ts"
import { counted } from "../../platform/text/Text.ts"

const kinds = { operator: "operator", playroom: "playroom", package: "package", add_on: "add-on", closure: "closure" }
const words = { added: "added", changed: "changed", off_sale: "goes off sale", removed: "removed" }

/** Lines of the plan in the text output; `--json` has all. */
const maxLines = 50
const maxNames = 20

const cut = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

const value = (text: string | undefined): string => (text === undefined || text === "" ? "(none)" : cut(text))

const rowsOf = ({ change, fields, kind, name, playroom }: CatalogueChange): ReadonlyArray<ReadonlyArray<string>> => {
  const what = [words[change], kinds[kind], cut(playroom === undefined ? name : `${playroom}: ${name}`)]
  return fields.length === 0
    ? [[...what, ""]]
    : fields.map(({ becomes, field, was }, i) => [
        ...(i === 0 ? what : ["", "", ""]),
        `${field}: ${value(was)} → ${value(becomes)}`
      ])
}

/** The first names of a list, and the number of others. */
const some = (names: ReadonlyArray<string>): string =>
  names.slice(0, maxNames).join(", ") +
  (names.length > maxNames ? ` and ${names.length - maxNames} more (--json names them)` : "")

/** Bookings in the way, by the clock of their playroom, and whom to call. */
const bookings = (all: Imported["in_the_way"]): string =>
  all
    .slice(0, maxLines)
    .map((one) =>
      plain(
        `- ${shortDateTime(one.time_zone, one.starts_at)} ${one.reference}, ${one.contact_name}, ${one.contact_phone ?? one.contact_email}, ${one.children}+${one.adults}, ${display(one.paid, one.currency)} paid (${one.status}): ${one.why}`
      )
    )
    .map((line) => `\n${line}`)
    .join("") + (all.length > maxLines ? `\n- and ${all.length - maxLines} more (--json names them)` : "")

const forced =
  "--force imports all the same, and they keep their places. Then playroom booking closed --operator OPERATOR cancels or moves them, all at once or one by one."

/** Why a file was not imported. */
export const inTheWayText = (all: Imported["in_the_way"]): string =>
  `Bookings are in the way:${bookings(all)}\n${forced}`

/** The plan of a dry run, cut to a readable length. */
export const planText = ({ changes }: Imported): string => {
  if (changes.length === 0) return "Nothing would change.\n"
  const rows: Array<ReadonlyArray<string>> = []
  let shown = 0
  for (const change of changes) {
    const its = rowsOf(change)
    if (rows.length > 0 && rows.length + its.length > maxLines) break
    rows.push(...its.slice(0, maxLines))
    shown += 1
  }
  const more = changes.length - shown
  return (
    table(["", "", "WHAT", rows.some(([, , , fields]) => fields !== "") ? "FROM → TO" : ""], rows) +
    (more === 0 ? "\n" : `\n… and ${more} more (--json has all of them)\n`)
  )
}

/** New ids in the text output; `--json` and the export have all. */
const maxIds = 50

/** What happened to the demo; undefined if nothing did. */
export const demoRemoved = ({ removed, unlisted }: Imported["demo"]): string | undefined => {
  const kept = `${counted(unlisted, "playroom")} of the demo with bookings: no longer listed, nothing more is sold there, the bookings stay`
  if (removed === 0) return unlisted === 0 ? undefined : `${kept}.`
  return `The demo (${counted(removed, "playroom")}) was removed.${unlisted === 0 ? "" : ` ${kept}.`}`
}

const demoNote = (demo: Imported["demo"], dryRun: boolean): string => {
  const text = demoRemoved(demo)
  if (text === undefined) return ""
  return `\n${dryRun ? text.replace("was removed", "would be removed") : text} ${dryRun ? "--keep-demo would keep it." : "`playroom catalogue demo` brings it back."}`
}

const newIds = (slugs: Imported["slugs"]): string => {
  const added = slugs.filter((it) => it.added)
  if (added.length === 0) return ""
  const rows = added
    .slice(0, maxIds)
    .map(({ id, slug, within }) => [within === undefined ? slug : `${within} / ${slug}`, id])
  const more = added.length > maxIds ? `\n… and ${added.length - maxIds} more: --json shows all` : ""
  return `\n\n${table(["SLUG", "ID"], rows)}${more}`
}

/** What an import changed, as counts, and what it kept. */
export const importedText = (done: Imported, dryRun: boolean): string => {
  const row = (
    name: string,
    counts: {
      readonly added: number
      readonly changed: number
      readonly unchanged?: number
      readonly removed?: number
    }
  ) => [name, counts.added, counts.changed, counts.unchanged ?? "-", counts.removed ?? "-"].map(String)
  const notes = [
    done.off_sale.length === 0 ? "" : `\nNo longer on sale: ${some(done.off_sale)}`,
    done.playrooms_not_in_file.length === 0
      ? ""
      : `\nNot in the file, left as they are: ${some(done.playrooms_not_in_file)}`,
    done.overridden.length === 0
      ? ""
      : `\nBookings that keep their places:${bookings(done.overridden)}\nplayroom booking closed --operator OPERATOR cancels or moves them, all at once or one by one.`,
    done.in_the_way.length === 0 ? "" : `\nThe import would be refused. ${inTheWayText(done.in_the_way)}`,
    demoNote(done.demo, dryRun),
    dryRun ? "\nIt was a dry run: nothing was written." : newIds(done.slugs)
  ]
  return (
    table(
      ["", "ADDED", "CHANGED", "UNCHANGED", "REMOVED"],
      [
        row("operators", done.operators),
        row("playrooms", done.playrooms),
        row("packages", done.packages),
        row("add-ons", done.add_ons),
        row("closures", done.closures)
      ]
    ) + notes.join("")
  )
}

/** Operators without an account that are named. */
const maxOperators = 5

/**
 * The operators that can't sell without an account, with the command that creates one: the step after a first import.
 */
export const withoutAccountText = (
  operators: ReadonlyArray<Pick<Operator, "connected_account_id" | "name" | "operator_id">>
): string => {
  const without = operators.filter(({ connected_account_id }) => connected_account_id === undefined)
  const lines = without
    .slice(0, maxOperators)
    .map(({ name, operator_id }) => `\n- ${plain(cut(name))}: playroom operator onboard ${operator_id}`)
  const more = without.length - lines.length
  return lines.length === 0
    ? ""
    : `\n\nNot on sale until they can take payments:${lines.join("")}${more === 0 ? "" : `\n- and ${more} more: playroom operator list`}`
}

const progressIntervalMs = 3000

/** Prints the progress of a long import to standard error. */
export const progressLines = Effect.map(monotonicMs, (start) => {
  let last = start
  return Effect.fnUntraced(function* (done: number, of: number) {
    const now = yield* monotonicMs
    if (now - last < progressIntervalMs || done === of) return
    last = now
    yield* Console.error(`${done} of ${of} playrooms (${Math.round((now - start) / 1000)} s)`)
  })
})
