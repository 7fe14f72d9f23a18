/**
 * Gives every part of a catalogue file its id. The file names a part by its id, by a slug that the owner chooses, or by
 * both. It can also name a closure by its days alone, and its add-on. The same slug means the same thing in the next import.
 */
import { Array, Effect, Schema } from "effect"
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
const ClosureRow = Schema.Struct({
  closure_id: ClosureId,
  playroom_id: Schema.String,
  add_on_id: Schema.NullOr(Schema.String),
  start: InstantFromDate,
  end: InstantFromDate,
  slug: Schema.NullOr(Schema.String)
})
const closureRows = decodeRows(Schema.Array(ClosureRow))

/** A part of the file before it has its id. `otherwise`: the id if neither it nor its slug is known. */
interface Part {
  readonly kind: Kind
  readonly path: string
  /** The place of its playroom in the file; undefined: an operator. */
  readonly index?: number
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

/** How an import reads what is stored. */
export interface Reading {
  /** Playrooms at once. */
  readonly size: number
  /** What is read at once: a transaction of its own, if others wait for its end. */
  readonly together: <A, E, R>(read: Effect.Effect<A, E, R>) => Effect.Effect<A, E | SqlError.SqlError, R>
}

/** Parts of a playroom, about: its packages, for example. */
const partsOfPlayroom = 4

/** What a file names by ids, with its slugs: a part with an id and a new slug loses its old slug. */
export type Renamed = ReadonlyMap<string, string>

export const renamedIn = ({ operators, playrooms }: CatalogueJson): Renamed => {
  const renamed = new Map<string, string>()
  const note = (id: string | undefined, slug: string | undefined): void => {
    if (id !== undefined && slug !== undefined) renamed.set(id, slug)
  }
  for (const { operator_id, slug } of operators) note(operator_id, slug)
  for (const { add_ons, closures, packages, playroom_id, slug } of playrooms) {
    note(playroom_id, slug)
    for (const it of packages) note(it.package_id, it.slug)
    for (const it of add_ons) note(it.add_on_id, it.slug)
    for (const it of closures) note(it.closure_id, it.slug)
  }
  return renamed
}

/** A slug of the file and the id that it has, or gets. */
export type FileSlug = NamedBySlug & Pick<Part, "path" | "parent_id" | "index">

/** The ids of parts of the same level, in order. */
const idsOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { size, together }: Reading,
  renamed: Renamed,
  parts: ReadonlyArray<Part>
) {
  const issues: Array<Issue> = []
  const slugs: Array<FileSlug> = []
  const stored: Array<SlugRow> = []
  const named = parts.filter(({ slug }) => slug !== undefined)
  for (const some of Array.chunksOf(named, size * partsOfPlayroom)) {
    const rows = yield* together(
      slugRows(sql`select id, kind, parent_id, slug from slug
        where parent_id = any(${[...new Set(some.map(({ parent_id }) => parent_id))]}::text[])
          and (slug = any(${[...new Set(some.flatMap(({ slug }) => slug ?? []))]}::text[])
            or id = any(${some.flatMap(({ id }) => id ?? [])}::text[]))`)
    )
    for (const row of rows) stored.push(row)
  }
  const holders = new Map(
    stored.filter(({ id, slug }) => (renamed.get(id) ?? slug) === slug).map((row) => [keyOf(row), row.id] as const)
  )
  const slugOf = new Map(stored.map(({ id, slug }) => [id, slug]))
  const ids: Array<string> = []
  for (const { id, index, kind, otherwise, parent_id, path, slug, within } of parts) {
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
    const of = { ...(index === undefined ? {} : { index }), ...(within === undefined ? {} : { within }) }
    slugs.push({ kind, slug, id: found, parent_id, path, added, ...of })
  }
  const repeated = duplicateIssues(
    words[parts[0]?.kind ?? "operator"],
    parts.map(({ path }, i) => [path, ids[i]])
  )
  // One by one: the number of arguments of a call is limited.
  for (const issue of repeated) issues.push(issue)
  return { ids, slugs, issues }
})

/**
 * The operators of a file with ids, and the operator of each of its playrooms. `before`: the same operators, whose new
 * ones keep the ids that they have there. If there are `issues`, ignore the rest.
 */
export const identifyOperators = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  reading: Reading,
  renamed: Renamed,
  catalogue: CatalogueJson,
  before?: IdentifiedCatalogue["operators"]
) {
  const { ids, issues, slugs } = yield* idsOf(
    sql,
    reading,
    renamed,
    catalogue.operators.map((it, i) => ({
      kind: "operator",
      path: `operators[${i}]`,
      parent_id: "",
      id: it.operator_id,
      slug: it.slug,
      otherwise: before?.[i]?.operator_id
    }))
  )
  const operators = catalogue.operators.map(({ slug: _slug, ...operator }, i) => ({
    ...operator,
    operator_id: OperatorId.make(ids[i] ?? "")
  }))
  const operatorIdOf = yield* operatorsBySlug(sql, reading, catalogue, ids)
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
  return { operators, owners, slugs, issues }
})

/** A playroom of a file before it has its ids. */
interface Unidentified {
  /** Its place in the file. */
  readonly index: number
  readonly file: FilePlayroom
  readonly owner: string
  /** The same, whose new things keep the ids that they have there. */
  readonly before: IdentifiedPlayroom | undefined
}

/**
 * Playrooms of a file with ids. New slugs get new ids, and `storeSlugs` stores them. If there are `issues`, ignore the
 * rest.
 */
export const identifyPlayrooms = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  reading: Reading,
  renamed: Renamed,
  all: ReadonlyArray<Unidentified>
) {
  const rooms = yield* idsOf(
    sql,
    reading,
    renamed,
    all.map(({ before, file, index, owner }) => ({
      kind: "playroom",
      path: `playrooms[${index}]`,
      index,
      parent_id: owner,
      id: file.playroom_id,
      slug: file.slug,
      otherwise: before?.playroom_id
    }))
  )
  const closureIdOf = yield* closuresByDays(
    sql,
    reading,
    all.map(({ file: { closures } }, i) => ({ playroom_id: rooms.ids[i] ?? "", closures }))
  )
  const slugs = [rooms.slugs]
  const issues = [rooms.issues]
  const within = Effect.fnUntraced(function* <P>(
    kind: Kind,
    name: string,
    partsOf: (playroom: FilePlayroom) => ReadonlyArray<P>,
    named: (part: P, playroom: FilePlayroom, i: number) => Pick<Part, "id" | "slug" | "otherwise">,
    idsBefore: (playroom: IdentifiedPlayroom | undefined) => ReadonlyArray<string> | undefined
  ) {
    const parts = yield* idsOf(
      sql,
      reading,
      renamed,
      all.flatMap(({ before, file, index }, i) => {
        const earlier = idsBefore(before)
        return partsOf(file).map((part, j) => {
          const { otherwise = earlier?.[j], ...its } = named(part, file, i)
          return {
            kind,
            path: `playrooms[${index}].${name}[${j}]`,
            index,
            parent_id: rooms.ids[i] ?? "",
            within: file.slug ?? rooms.ids[i] ?? "",
            ...its,
            otherwise
          }
        })
      })
    )
    slugs.push(parts.slugs)
    issues.push(parts.issues)
    return parts.ids.values()
  })
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
  const addOns = all.map(({ file: { add_ons } }) =>
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
      otherwise: closureIdOf(rooms.ids[i] ?? "", addOnIn(i, closure), closureRange(time_zone, closure))
    }),
    (it) => it?.closures.map(({ closure_id }) => closure_id)
  )
  // Rest properties: `Struct.omit` takes a tenth of an import's time.
  const playrooms = all.map(
    ({ file: { slug: _slug, operator: _operator, ...playroom }, owner }, i): IdentifiedPlayroom => ({
      ...playroom,
      playroom_id: PlayroomId.make(rooms.ids[i] ?? ""),
      operator_id: OperatorId.make(owner),
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
  return { playrooms, slugs: slugs.flat(), issues: issues.flat() }
})

/**
 * The operators that the file's playrooms may name by slug: those of the file, and stored ones whose slug the file does
 * not change.
 */
const operatorsBySlug = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { size, together }: Reading,
  { operators, playrooms }: CatalogueJson,
  ids: ReadonlyArray<string>
) {
  const named = new Set(playrooms.flatMap(({ operator }) => operator ?? []))
  const stored: Array<SlugRow> = []
  for (const some of Array.chunksOf([...named], size * partsOfPlayroom))
    stored.push(
      ...(yield* together(
        slugRows(sql`select id, kind, parent_id, slug from slug
          where parent_id = '' and kind = 'operator' and slug = any(${some}::text[])`)
      ))
    )
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
  { size, together }: Reading,
  playrooms: ReadonlyArray<{ readonly playroom_id: string; readonly closures: ReadonlyArray<FileClosure> }>
) {
  const taken = new Set<string>(
    playrooms.flatMap(({ closures }) => closures.flatMap(({ closure_id }) => closure_id ?? []))
  )
  const slugs = new Set(
    playrooms.flatMap(({ closures, playroom_id }) =>
      closures.flatMap(({ slug }) => (slug === undefined ? [] : [`${playroom_id} ${slug}`]))
    )
  )
  const asked = playrooms.filter(({ closures }) => closures.some(({ closure_id }) => closure_id === undefined))
  const rows: Array<typeof ClosureRow.Type> = []
  for (const some of Array.chunksOf(asked, size)) {
    const ids = some.map(({ playroom_id }) => playroom_id)
    const found = yield* together(
      closureRows(sql`
    select c.closure_id, c.playroom_id, c.add_on_id, lower(c.during) as start, upper(c.during) as "end", s.slug
    from (select closure_id, playroom_id, null as add_on_id, during from closure
        where playroom_id = any(${ids}::text[]) and made_by is null
      union all select o.closure_id, a.playroom_id, o.add_on_id, o.during from out_of_order o join add_on a using (add_on_id)
        where a.playroom_id = any(${ids}::text[])) c left join slug s on s.id = c.closure_id`)
    )
    for (const row of found) rows.push(row)
  }
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

/** Stores the new slugs of a file, or of some playrooms of it. Run it after the other writes. */
export const storeSlugs = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<Pick<IdentifiedPlayroom, "operator_id" | "playroom_id">>,
  slugs: ReadonlyArray<FileSlug>
): Effect.fn.Return<void, SqlError.SqlError> {
  const operatorOf = new Map(playrooms.map(({ operator_id, playroom_id }) => [String(playroom_id), operator_id]))
  const rows = slugs
    .filter(({ added }) => added)
    .map(({ id, kind, parent_id, slug }) => ({
      id,
      kind,
      parent_id,
      slug,
      operator_id: kind === "operator" ? id : kind === "playroom" ? parent_id : (operatorOf.get(parent_id) ?? "")
    }))
  if (rows.length === 0) return
  const json = JSON.stringify(rows)
  const as = sql.literal("as x (id text, operator_id text, kind text, parent_id text, slug text)")
  // Delete before inserting: two things may have swapped their slugs, also where the other is of a later step.
  yield* sql`delete from slug where id = any(${rows.map(({ id }) => id)}::text[])`
  yield* sql`delete from slug s using jsonb_to_recordset(${json}::jsonb) ${as}
    where s.parent_id = x.parent_id and s.kind = x.kind and s.slug = x.slug`
  yield* sql`insert into slug (id, operator_id, kind, parent_id, slug) select x.* from jsonb_to_recordset(${json}::jsonb) ${as}`
})

/** Deletes the slugs of closures that playrooms no longer have, but for those of the file. */
export const forgetClosureSlugs = (
  sql: SqlClient.SqlClient,
  playrooms: ReadonlyArray<string>,
  slugs: ReadonlyArray<FileSlug>
) =>
  sql`delete from slug where kind = 'closure' and parent_id = any(${playrooms}::text[])
    and not id = any(${slugs.flatMap(({ id, kind }) => (kind === "closure" ? [id] : []))}::text[])
    and not exists (select from closure where closure_id = id) and not exists (select from out_of_order where closure_id = id)`

/** All slugs by their id. */
export const slugsById = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const rows = yield* slugRows(sql`select id, kind, parent_id, slug from slug`)
  return new Map(rows.map(({ id, slug }) => [id, slug]))
})
