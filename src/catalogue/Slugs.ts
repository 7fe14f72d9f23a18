/** What people call operators and playrooms: their slugs in the catalogue file, beside their ids. Read only; imports write them. */
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { editDistance } from "../kernel/EditDistance.ts"
import { decodeRows } from "../kernel/Rows.ts"

const Named = Schema.Struct({
  id: Schema.String,
  /** Its slug; of a playroom with its operator's before it, where that has one: `sunny-side/clapham`. */
  name: Schema.String
})
type Named = typeof Named.Type

/** What has a slug that commands understand. */
export type SlugKind = "operator" | "playroom"

/** Nothing has this slug, or several things have. `candidates`: the nearest ones, or those several. */
export class SlugUnclear extends Schema.TaggedError<SlugUnclear>()("SlugUnclear", {
  kind: Schema.Literals(["operator", "playroom"]),
  slug: Schema.String,
  found: Schema.Literals(["none", "several"]),
  candidates: Schema.Array(Named)
}) {
  override get message(): string {
    const named = this.candidates.map(({ id, name }) => `  ${name}  ${id}`)
    const shown = this.slug.slice(0, 100)
    if (this.found === "several")
      return [`Several playrooms have the slug ${shown}. Give its operator's before it, or the id:`, ...named].join(
        "\n"
      )
    const said = `There is no ${this.kind} with the slug ${shown}`
    return named.length === 0
      ? `${said}, and none has one: give the id.`
      : [`${said}. The nearest:`, ...named].join("\n")
  }
}

/** So many are named. */
const mostNamed = 5
/** So many slugs are compared with one that is unknown. */
const mostCompared = 5_000

const rows = decodeRows(Schema.Array(Named))

export class Slugs extends Context.Service<
  Slugs,
  {
    /** The id of what is called so: an id is answered as it is, whether it exists or not. */
    readonly idOf: (kind: SlugKind, text: string) => Effect.Effect<string, SlugUnclear | SqlError.SqlError>
  }
>()("playroom/catalogue/Slugs") {
  static readonly layer = Layer.effect(
    Slugs,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const named = (kind: SlugKind) => sql`(
        select s.id, s.slug, case when o.slug is null then s.slug else o.slug || '/' || s.slug end as name
        from slug s left join slug o on o.id = s.parent_id where s.kind = ${kind}) n`

      const idOf = Effect.fn("Slugs.idOf")(function* (kind: SlugKind, text: string) {
        // No slug has an underline.
        if (text.startsWith(`${kind}_`)) return text
        const slug = text.trim().toLowerCase()
        const found = yield* rows(
          sql`select id, name from ${named(kind)} where slug = ${slug} or name = ${slug} order by name limit ${mostNamed}::int`
        )
        const [first] = found
        if (first !== undefined && found.length === 1) return first.id
        if (first !== undefined) return yield* new SlugUnclear({ kind, slug, found: "several", candidates: found })
        const all = yield* rows(sql`select id, name from ${named(kind)} order by name limit ${mostCompared}::int`)
        const short = slug.slice(0, 100)
        const distanceOf = ({ name }: Named) =>
          Math.min(editDistance(short, name), editDistance(short, name.slice(name.indexOf("/") + 1)))
        const candidates = all
          .map((one) => ({ one, distance: distanceOf(one) }))
          .sort((a, b) => a.distance - b.distance)
          .slice(0, mostNamed)
          .map(({ one }) => one)
        return yield* new SlugUnclear({ kind, slug, found: "none", candidates })
      })

      return Slugs.of({ idOf })
    })
  )
}
