/** Slugs: short names of operators, playrooms and packages, which commands take instead of ids. Imports write them. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import { editDistance } from "../../platform/text/Text.ts"

const Named = Schema.Struct({
  id: Schema.String,
  /** Its slug, with those of what it belongs to in front, as far as they have one: `sunny-side/clapham/saturday-party`. */
  name: Schema.String
})
type Named = typeof Named.Type

/** The kinds of things that commands accept by slug. */
const SlugKind = Schema.Literals(["operator", "playroom", "package"])
export type SlugKind = typeof SlugKind.Type

/** No thing or several things have this slug. `candidates`: the nearest ones, or those several. */
class SlugUnclear extends Schema.TaggedError<SlugUnclear>()("SlugUnclear", {
  kind: SlugKind,
  slug: Schema.String,
  found: Schema.Literals(["none", "several"]),
  candidates: Schema.Array(Named)
}) {
  override get message(): string {
    const named = this.candidates.map(({ id, name }) => `  ${name}  ${id}`)
    const shown = this.slug.slice(0, 100)
    if (this.found === "several")
      return [
        `Several ${this.kind}s have the slug ${shown}. Put the one of what it belongs to before it, or give the id:`,
        ...named
      ].join("\n")
    const said = `There is no ${this.kind} with the slug ${shown}`
    return named.length === 0
      ? `${said}, and none has one: give the id.`
      : [`${said}. The nearest:`, ...named].join("\n")
  }
}

/** The limit of candidates in the message. */
const maxCandidates = 5
/** The limit of slugs to compare with an unknown one. */
const maxComparedSlugs = 5_000

const namedRows = decodeRows(Schema.Array(Named))

/** The id of what has this slug. Returns an id unchanged, even if it doesn't exist. */
export const idOfSlug = Effect.fn("idOfSlug")(function* (kind: SlugKind, text: string) {
  const sql = yield* SqlClient.SqlClient
  // Ids have an underscore, slugs never do.
  if (text.startsWith(`${kind}_`)) return text
  const slug = text.trim().toLowerCase()
  const named = sql`(select s.id, concat_ws('/', above.slug, parent.slug, s.slug) as name from slug s
    left join slug parent on parent.id = s.parent_id left join slug above on above.id = parent.parent_id
    where s.kind = ${kind}) n`
  const found = yield* namedRows(
    sql`select id, name from ${named} where right('/' || name, length(${slug}::text) + 1) = '/' || ${slug}
      order by name limit ${maxCandidates}::int`
  )
  const [first] = found
  if (first !== undefined && found.length === 1) return first.id
  if (first !== undefined) return yield* new SlugUnclear({ kind, slug, found: "several", candidates: found })
  const all = yield* namedRows(sql`select id, name from ${named} order by name limit ${maxComparedSlugs}::int`)
  const short = slug.slice(0, 100)
  const distanceOf = ({ name }: Named) =>
    Math.min(...name.split("/").map((_, i, parts) => editDistance(short, parts.slice(i).join("/"))))
  const candidates = all
    .map((one) => ({ one, distance: distanceOf(one) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxCandidates)
    .map(({ one }) => one)
  return yield* new SlugUnclear({ kind, slug, found: "none", candidates })
})
