/** What a catalogue file leaves as it is stored. */
import { Array, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { batchSize, readStored, type StoredPlayroom } from "./CatalogueChanges.ts"
import { playroomIssues } from "./CatalogueChecks.ts"
import type { IdentifiedPackage, IdentifiedPlayroom } from "./CatalogueIds.ts"
import { FileAddOn, FilePackage, FilePlayroom, type Issue, type Keep } from "./CatalogueSchema.ts"

const decodeTerms = Schema.decodeUnknownOption(Schema.Struct({ pricing: FilePackage.fields.pricing }))
const decodeAddOn = Schema.decodeUnknownOption(Schema.Struct({ rules: FileAddOn.fields.rules }))
const { overrides, photos } = FilePlayroom.fields
const decodeDetails = Schema.decodeUnknownOption(Schema.Struct({ overrides, photos }))

const keptPackage = (pkg: IdentifiedPackage, stored: StoredPlayroom): IdentifiedPackage => {
  const terms = stored.packages.find(({ package_id }) => package_id === pkg.package_id)?.terms
  const { pricing } = pkg
  if (terms === undefined || pricing.rules.length > 0) return pkg
  return Option.match(decodeTerms(terms), {
    onNone: () => pkg,
    onSome: ({ pricing: { rules } }) => ({ ...pkg, pricing: { ...pricing, rules } })
  })
}

type FileAddOns = IdentifiedPlayroom["add_ons"]

const keptAddOn = (addOn: FileAddOns[number], stored: StoredPlayroom): FileAddOns[number] => {
  const before = stored.add_ons.find(({ add_on_id }) => add_on_id === addOn.add_on_id)
  if (before === undefined || addOn.rules.length > 0) return addOn
  return Option.match(decodeAddOn(before), { onNone: () => addOn, onSome: ({ rules }) => ({ ...addOn, rules }) })
}

const keptPlayroom = (playroom: IdentifiedPlayroom, stored: StoredPlayroom, keep: Keep): IdentifiedPlayroom => {
  const details = Option.getOrUndefined(decodeDetails(stored.details))
  const of = <K extends "overrides" | "photos">(name: K) =>
    keep.includes(name) && playroom[name].length === 0 ? (details?.[name] ?? []) : playroom[name]
  return {
    ...playroom,
    overrides: of("overrides"),
    photos: of("photos"),
    ...(keep.includes("rules") && {
      packages: playroom.packages.map((pkg) => keptPackage(pkg, stored)),
      add_ons: playroom.add_ons.map((addOn) => keptAddOn(addOn, stored))
    })
  }
}

/**
 * The playrooms of a file with the stored parts that it keeps: price rules, overrides and pictures, if it has none of its own. Files
 * from spreadsheets, which have no columns for them, set `keep`. Issues are what can't be in one playroom with what is kept.
 */
export const withKept = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  keep: Keep
) {
  const filled: Array<IdentifiedPlayroom> = []
  const issues: Array<Issue> = []
  for (const batch of Array.chunksOf(playrooms, batchSize)) {
    const stored = yield* readStored(sql, batch)
    for (const playroom of batch) {
      const before = stored.get(playroom.playroom_id)
      const kept = before === undefined ? playroom : keptPlayroom(playroom, before, keep)
      // One by one: the number of arguments of a call is limited.
      if (before !== undefined)
        for (const { message, path } of playroomIssues(`playrooms[${filled.length}]`, kept))
          issues.push({ path, message: `${message} (with what is kept of it as it is stored)` })
      filled.push(kept)
    }
  }
  return { playrooms: filled, issues }
})
