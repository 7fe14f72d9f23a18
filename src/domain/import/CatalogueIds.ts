/**
 * Gives every part of a catalogue file its id. The file names a part by its id, by a slug that the owner chooses, or by
 * both. It can also name a closure by its days alone, and its add-on. The same slug means the same thing in the next import.
 */
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { AddOnId, ClosureId, newId, OperatorId, PackageId, PlayroomId } from "../../platform/ids/Ids.ts"
import { InstantFromDate } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { duplicateIssues } from "./CatalogueChecks.ts"
import {
  addOnOf,
  type CatalogueJson,
  closureRange,
  type FileAddOn,
  type FileClosure,
  type FileOperator,
  type FilePackage,
  type FilePlayroom,
  type Issue
} from "./CatalogueSchema.ts"

type Identified<Part, Name extends keyof Part, Id> = Omit<Part, Name | "slug"> & { readonly [K in Name]: Id }
type IdentifiedOperator = Identified<FileOperator, "operator_id", OperatorId>
export type IdentifiedPackage = Identified<FilePackage, "package_id", PackageId>
type IdentifiedAddOn = Identified<FileAddOn, "add_on_id", AddOnId>
type IdentifiedClosure = Omit<Identified<FileClosure, "closure_id", ClosureId>, "add_on"> & {
  readonly add_on?: AddOnId
}
export type IdentifiedPlayroom = Omit<
  Identified<FilePlayroom, "playroom_id", PlayroomId>,
  "operator" | "operator_id" | "packages" | "add_ons" | "closures"
> & {
  readonly operator_id: OperatorId
  readonly packages: ReadonlyArray<IdentifiedPackage>
  readonly add_ons: ReadonlyArray<IdentifiedAddOn>
  readonly closures: ReadonlyArray<IdentifiedClosure>
}
/** A catalogue file with an id for every part, and without slugs. */
export interface IdentifiedCatalogue {
  readonly operators: ReadonlyArray<IdentifiedOperator>
  readonly playrooms: ReadonlyArray<IdentifiedPlayroom>
}

/** The id of an operator's stock as a resource. It sorts before those of add-ons and playrooms. */
export const sharedStockId = (operator_id: string, slug: string): string => `@${operator_id}/${slug}`

/** What a closure puts out of order, once the units of shared stock are known; undefined: it closes the room. */
export const outOfOrderBy = (
  { add_ons, operator_id }: Pick<IdentifiedPlayroom, "add_ons" | "operator_id">,
  closure: IdentifiedClosure
) => {
  const addOn = addOnOf(add_ons, closure)
  if (addOn?.stock === undefined) return undefined
  const { add_on_id, name, stock, uses } = addOn
  const resource_id = uses === undefined ? String(add_on_id) : sharedStockId(operator_id, uses)
  return { add_on_id, name, resource_id, stock, units: closure.units ?? stock }
}

const Kind = Schema.Literals(["operator", "playroom", "package", "add_on", "closure"])
type Kind = typeof Kind.Type

/** A slug of the file and its id. `within` is the playroom of a package, add-on or closure. `added`: it is new. */
export const NamedBySlug = Schema.Struct({
  kind: Kind,
  slug: Schema.String,
  within: Schema.optionalKey(Schema.String),
  id: Schema.String,
  added: Schema.Boolean
})
export type NamedBySlug = typeof NamedBySlug.Type

const SlugRow = Schema.Struct({ id: Schema.String, kind: Kind, parent_id: Schema.String, slug: Schema.String })
type SlugRow = typeof SlugRow.Type
const slugRows = decodeRows(Schema.Array(SlugRow))
const closureRows = decodeRows(
  Schema.Array(
    Schema.Struct({
      closure_id: ClosureId,
      playroom_id: Schema.String,
      add_on_id: Schema.NullOr(Schema.String),
      start: InstantFromDate,
      end: InstantFromDate,
      slug: Schema.NullOr(Schema.String)
    })
  )
)

/** A part of the file before it has its id. `otherwise`: the id if neither it nor its slug is known. */
interface Part {
  readonly kind: Kind
  readonly path: string
  readonly parent_id: string
  readonly id: string | undefined
  readonly slug: string | undefined
  readonly within?: string
  readonly otherwise?: string | undefined
}

const words: Readonly<Record<Kind, string>> = {
  operator: "Operator",
  playroom: "Playroom",
  package: "Package",
  add_on: "Add-on",
  closure: "Closure"
}

const keyOf = ({ kind, parent_id, slug }: Pick<SlugRow, "kind" | "parent_id" | "slug">): string =>
  `${parent_id} ${kind} ${slug}`

const newIdOf = {
  operator: newId.operator,
  playroom: newId.playroom,
  package: newId.package,
  add_on: newId.addOn,
  closure: newId.closure
}

const empty = { operators: [], playrooms: [] }

/**
 * The file with ids, inside the import's transaction and under its lock. New slugs get new ids, and `storeSlugs` stores
 * them. `before`: the same file, whose new things keep the ids that they have there. If there are `issues`, ignore the
 * rest.
 */
export const identify = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  catalogue: CatalogueJson,
  before?: IdentifiedCatalogue
) {
  const issues: Array<Issue> = []
  const slugs: Array<NamedBySlug & Omit<SlugRow, "kind">> = []

  /** The ids of parts of the same level, in order. */
  const idsOf = Effect.fnUntraced(function* (parts: ReadonlyArray<Part>) {
    const given = parts.flatMap(({ slug }) => (slug === undefined ? [] : [slug]))
    const stored =
      given.length === 0
        ? []
        : yield* slugRows(sql`select id, kind, parent_id, slug from slug
            where parent_id = any(${[...new Set(parts.map(({ parent_id }) => parent_id))]}::text[])
              and (slug = any(${[...new Set(given)]}::text[]) or id = any(${parts.flatMap(({ id }) => id ?? [])}::text[]))`)
    // A part with an id and a new slug loses its old slug.
    const renamed = new Map(
      parts.flatMap(({ id, slug }) => (id === undefined || slug === undefined ? [] : [[id, slug] as const]))
    )
    const holders = new Map(
      stored.filter(({ id, slug }) => (renamed.get(id) ?? slug) === slug).map((row) => [keyOf(row), row.id] as const)
    )
    const slugOf = new Map(stored.map(({ id, slug }) => [id, slug]))
    const ids: Array<string> = []
    for (const { id, kind, otherwise, parent_id, path, slug, within } of parts) {
      if (slug === undefined) {
        ids.push(id ?? otherwise ?? (yield* newIdOf[kind]))
        continue
      }
      const key = keyOf({ kind, parent_id, slug })
      const holder = holders.get(key)
      if (id !== undefined && holder !== undefined && holder !== id)
        issues.push({
          path: `${path}.slug`,
          message: `The slug ${slug} is ${holder}, not ${id}: leave one of the two out, or choose another slug`
        })
      const found = id ?? holder ?? otherwise ?? (yield* newIdOf[kind])
      holders.set(key, found)
      ids.push(found)
      const added = slugOf.get(found) !== slug
      slugs.push({ kind, slug, id: found, parent_id, added, ...(within === undefined ? {} : { within }) })
    }
    const repeated = duplicateIssues(
      words[parts[0]?.kind ?? "operator"],
      parts.map(({ path }, i) => [path, ids[i]])
    )
    // One by one: the number of arguments of a call is limited.
    for (const issue of repeated) issues.push(issue)
    return ids
  })

  const operatorIds = yield* idsOf(
    catalogue.operators.map((it, i) => ({
      kind: "operator",
      path: `operators[${i}]`,
      parent_id: "",
      id: it.operator_id,
      slug: it.slug,
      otherwise: before?.operators[i]?.operator_id
    }))
  )
  const operators = catalogue.operators.map(({ slug: _slug, ...operator }, i) => ({
    ...operator,
    operator_id: OperatorId.make(operatorIds[i] ?? "")
  }))
  const operatorIdOf = yield* operatorsBySlug(sql, catalogue, operatorIds)
  const owners = catalogue.playrooms.map(({ operator, operator_id }, i) => {
    const named = operator === undefined ? operator_id : operatorIdOf.get(operator)
    if (named === undefined)
      issues.push({
        path: `playrooms[${i}].operator`,
        message: `No operator with the slug ${operator} in the file or the database`
      })
    else if (operator_id !== undefined && operator_id !== named)
      issues.push({
        path: `playrooms[${i}].operator`,
        message: `The slug ${operator} is ${named}, not ${operator_id}: leave one of the two out`
      })
    return named ?? ""
  })
  if (issues.length > 0) return { catalogue: empty, slugs, issues }

  const playroomIds = yield* idsOf(
    catalogue.playrooms.map((it, i) => ({
      kind: "playroom",
      path: `playrooms[${i}]`,
      parent_id: owners[i] ?? "",
      id: it.playroom_id,
      slug: it.slug,
      otherwise: before?.playrooms[i]?.playroom_id
    }))
  )
  const closureIdOf = yield* closuresByDays(sql, catalogue, playroomIds)
  const within = <P>(
    kind: Kind,
    name: string,
    partsOf: (playroom: FilePlayroom) => ReadonlyArray<P>,
    named: (part: P, playroom: FilePlayroom, i: number) => Pick<Part, "id" | "slug" | "otherwise">,
    idsBefore: (playroom: IdentifiedPlayroom | undefined) => ReadonlyArray<string> | undefined
  ) =>
    Effect.map(
      idsOf(
        catalogue.playrooms.flatMap((playroom, i) => {
          const earlier = idsBefore(before?.playrooms[i])
          return partsOf(playroom).map((part, j) => {
            const { otherwise = earlier?.[j], ...its } = named(part, playroom, i)
            return {
              kind,
              path: `playrooms[${i}].${name}[${j}]`,
              parent_id: playroomIds[i] ?? "",
              within: playroom.slug ?? playroomIds[i] ?? "",
              ...its,
              otherwise
            }
          })
        })
      ),
      (ids) => ids.values()
    )
  const packageIds = yield* within(
    "package",
    "packages",
    (it) => it.packages,
    ({ package_id, slug }) => ({ id: package_id, slug }),
    (it) => it?.packages.map(({ package_id }) => package_id)
  )
  const addOnIds = yield* within(
    "add_on",
    "add_ons",
    (it) => it.add_ons,
    ({ add_on_id, slug }) => ({ id: add_on_id, slug }),
    (it) => it?.add_ons.map(({ add_on_id }) => add_on_id)
  )
  const next = (ids: Iterator<string>): string => ids.next().value ?? ""
  const addOns = catalogue.playrooms.map(({ add_ons }) =>
    add_ons.map((it) => ({ ...it, add_on_id: AddOnId.make(next(addOnIds)) }))
  )
  const addOnIn = (i: number, closure: FileClosure) => addOnOf(addOns[i] ?? [], closure)?.add_on_id
  const closureIds = yield* within(
    "closure",
    "closures",
    (it) => it.closures,
    (closure, { time_zone }, i) => ({
      id: closure.closure_id,
      slug: closure.slug,
      otherwise: closureIdOf(playroomIds[i] ?? "", addOnIn(i, closure), closureRange(time_zone, closure))
    }),
    (it) => it?.closures.map(({ closure_id }) => closure_id)
  )
  // Rest properties: `Struct.omit` takes a tenth of an import's time.
  const playrooms = catalogue.playrooms.map(
    ({ slug: _slug, operator: _operator, ...playroom }, i): IdentifiedPlayroom => ({
      ...playroom,
      playroom_id: PlayroomId.make(playroomIds[i] ?? ""),
      operator_id: OperatorId.make(owners[i] ?? ""),
      packages: playroom.packages.map(({ slug: _slug, ...it }) => ({
        ...it,
        package_id: PackageId.make(next(packageIds))
      })),
      add_ons: (addOns[i] ?? []).map(({ slug: _slug, ...it }) => it),
      closures: playroom.closures.map((closure) => {
        const { add_on: _add_on, slug: _slug, ...it } = closure
        const add_on = addOnIn(i, closure)
        return { ...it, ...(add_on && { add_on }), closure_id: ClosureId.make(next(closureIds)) }
      })
    })
  )
  const identified: IdentifiedCatalogue = { operators, playrooms }
  return { catalogue: identified, slugs, issues }
})

/**
 * The operators that the file's playrooms may name by slug: those of the file, and stored ones whose slug the file does
 * not change.
 */
const operatorsBySlug = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operators, playrooms }: CatalogueJson,
  ids: ReadonlyArray<string>
) {
  const named = [...new Set(playrooms.flatMap(({ operator }) => operator ?? []))]
  const stored =
    named.length === 0
      ? []
      : yield* slugRows(sql`select id, kind, parent_id, slug from slug
    where parent_id = '' and kind = 'operator' and slug = any(${named}::text[])`)
  const slugOf = new Map(
    operators.flatMap(({ slug }, i) => (slug === undefined ? [] : [[ids[i] ?? "", slug] as const]))
  )
  return new Map([
    ...stored.flatMap(({ id, slug }) => ((slugOf.get(id) ?? slug) === slug ? [[slug, id] as const] : [])),
    ...[...slugOf].map(([id, slug]) => [slug, id] as const)
  ])
})

/**
 * Closures of a file never overlap within a playroom, nor those of one add-on, so a closure without id and slug is the
 * stored one of the same days.
 */
const closuresByDays = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { playrooms }: CatalogueJson,
  playroomIds: ReadonlyArray<string>
) {
  const all = playrooms.flatMap(({ closures }) => closures)
  const taken = new Set<string>(all.flatMap(({ closure_id }) => closure_id ?? []))
  const slugs = new Set(
    playrooms.flatMap(({ closures }, i) =>
      closures.flatMap(({ slug }) => (slug === undefined ? [] : [`${playroomIds[i]} ${slug}`]))
    )
  )
  const rows = all.every(({ closure_id }) => closure_id !== undefined)
    ? []
    : yield* closureRows(sql`
    select c.closure_id, c.playroom_id, c.add_on_id, lower(c.during) as start, upper(c.during) as "end", s.slug
    from (select closure_id, playroom_id, null as add_on_id, during from closure
        where playroom_id = any(${playroomIds}::text[]) and made_by is null
      union all select o.closure_id, a.playroom_id, o.add_on_id, o.during from out_of_order o join add_on a using (add_on_id)
        where a.playroom_id = any(${playroomIds}::text[])) c left join slug s on s.id = c.closure_id`)
  type Range = ReturnType<typeof closureRange>
  const key = (playroom_id: string, add_on_id: string | null | undefined, { end, start }: Range): string =>
    `${playroom_id} ${add_on_id ?? ""} ${start} ${end}`
  const keyed = new Map(
    rows
      .filter(({ closure_id, playroom_id, slug }) => !taken.has(closure_id) && !slugs.has(`${playroom_id} ${slug}`))
      .map(({ add_on_id, closure_id, playroom_id, ...range }) => [key(playroom_id, add_on_id, range), closure_id])
  )
  return (...of: Parameters<typeof key>): string | undefined => keyed.get(key(...of))
})

/** Stores the new slugs from `identify`, and deletes those of removed closures. Run it after all other writes. */
export const storeSlugs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { catalogue, slugs }: Effect.Success<ReturnType<typeof identify>>
): Effect.fn.Return<void, SqlError.SqlError> {
  const operatorOf = new Map(
    catalogue.playrooms.map(({ operator_id, playroom_id }) => [String(playroom_id), operator_id])
  )
  const rows = slugs
    .filter(({ added }) => added)
    .map(({ id, kind, parent_id, slug }) => ({
      id,
      kind,
      parent_id,
      slug,
      operator_id: kind === "operator" ? id : kind === "playroom" ? parent_id : (operatorOf.get(parent_id) ?? "")
    }))
  const playrooms = catalogue.playrooms.map(({ playroom_id }) => playroom_id)
  const named = slugs.map(({ id }) => id)
  yield* sql`delete from slug where kind = 'closure' and parent_id = any(${playrooms}::text[])
    and not id = any(${named}::text[]) and not exists (select from closure where closure_id = id)
    and not exists (select from out_of_order where closure_id = id)`
  if (rows.length === 0) return
  // Delete before inserting: two things may have swapped their slugs.
  yield* sql`delete from slug where id = any(${rows.map(({ id }) => id)}::text[])`
  yield* sql`insert into slug (id, operator_id, kind, parent_id, slug)
    select x.* from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (id text, operator_id text, kind text, parent_id text, slug text)`
})

/** All slugs by their id. */
export const slugsById = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* slugRows(sql`select id, kind, parent_id, slug from slug`)
  return new Map(rows.map(({ id, slug }) => [id, slug]))
})
