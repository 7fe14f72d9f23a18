/**
 * What a catalogue file says that it leaves as it is stored (`keep`): price rules, overrides and pictures of which it has none. Files made of
 * spreadsheets say so, which have no columns for them.
 */
import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { playroomIssues } from "./CatalogueChecks.ts"
import type { IdentifiedPackage, IdentifiedPlayroom } from "./CatalogueIds.ts"
import { FilePackage, FilePlayroom, type Issue, type Keep } from "./CatalogueSchema.ts"
import { readStored, type StoredPlayroom } from "./StoredCatalogue.ts"

/** Playrooms a statement. */
const batchSize = 100

const decodeTerms = Schema.decodeUnknownOption(Schema.Struct({ pricing: FilePackage.fields.pricing }))
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

const keptPlayroom = (playroom: IdentifiedPlayroom, stored: StoredPlayroom, keep: Keep): IdentifiedPlayroom => {
  const details = Option.getOrUndefined(decodeDetails(stored.details))
  const of = <K extends "overrides" | "photos">(name: K) =>
    keep.includes(name) && playroom[name].length === 0 ? (details?.[name] ?? []) : playroom[name]
  return {
    ...playroom,
    overrides: of("overrides"),
    photos: of("photos"),
    packages: keep.includes("rules") ? playroom.packages.map((pkg) => keptPackage(pkg, stored)) : playroom.packages
  }
}

/** The playrooms with what they keep, and what is wrong with the two together. */
export const withKept = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<IdentifiedPlayroom>,
  keep: Keep
) {
  const filled: Array<IdentifiedPlayroom> = []
  const issues: Array<Issue> = []
  for (let i = 0; i < playrooms.length; i += batchSize) {
    const batch = playrooms.slice(i, i + batchSize)
    const stored = yield* readStored(
      sql,
      batch.map(({ playroom_id }) => playroom_id)
    )
    for (const playroom of batch) {
      const before = stored.get(playroom.playroom_id)
      const kept = before === undefined ? playroom : keptPlayroom(playroom, before, keep)
      // One by one: a call takes only so many arguments.
      if (before !== undefined)
        for (const { message, path } of playroomIssues(`playrooms[${filled.length}]`, kept))
          issues.push({ path, message: `${message} (with what is kept of it as it is stored)` })
      filled.push(kept)
    }
  }
  return { playrooms: filled, issues }
})
