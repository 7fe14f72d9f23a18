/**
 * Stock that the playrooms of an operator share. A file gives it a name and a number of units with its operator, and
 * add-ons of any of its playrooms take from it by that name. It is a resource of the operator, so that one constraint
 * guards it across the playrooms.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { lockingInOrder } from "../availability/Occupancy.ts"
import type { Claims } from "../booking/Claims.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { type IdentifiedCatalogue, type IdentifiedPlayroom, sharedStockId } from "./CatalogueIds.ts"
import { conflictsOf, onlyNow } from "./CataloguePlaces.ts"
import { addOnOf, type FileOperator, type FilePlayroom, type Issue } from "./CatalogueSchema.ts"

type Stock = FileOperator["stock"]
type Shared = Stock[number] & { readonly operator_id: string; readonly resource_id: string }

const StockRow = Schema.Struct({
  resource_id: Schema.String,
  operator_id: Schema.String,
  slug: Schema.String,
  units: Schema.Int
})
const stockRows = decodeRows(Schema.Array(StockRow))

const sharedBy = ({ operator_id, stock }: IdentifiedCatalogue["operators"][number]): ReadonlyArray<Shared> =>
  stock.map((one) => ({ ...one, operator_id, resource_id: sharedStockId(operator_id, one.slug) }))

/** Stored shared stock, by operator. */
export const storedStock = (sql: SqlClient.SqlClient, operators: ReadonlyArray<string>) =>
  Effect.map(
    stockRows(sql`select resource_id, operator_id, slug, units from resource
      where slug is not null and operator_id = any(${operators}::text[]) order by operator_id, slug`),
    (rows) => Map.groupBy(rows, ({ operator_id }) => operator_id)
  )

/**
 * What add-ons use that is not there, or have too little of, also to be out of order. `stockOf`: of a playroom's
 * operator; undefined: not known yet.
 */
export const usesIssues = <P extends Pick<FilePlayroom | IdentifiedPlayroom, "add_ons" | "closures">>(
  playrooms: ReadonlyArray<P>,
  stockOf: (playroom: P) => Stock | undefined
): ReadonlyArray<Issue> =>
  playrooms.flatMap((playroom, i) => [
    ...playroom.add_ons.flatMap(({ max_quantity, uses }, j): ReadonlyArray<Issue> => {
      const stock = uses === undefined ? undefined : stockOf(playroom)
      if (uses === undefined || stock === undefined) return []
      const path = `playrooms[${i}].add_ons[${j}]`
      const units = stock.find(({ slug }) => slug === uses)?.units
      if (units === undefined)
        return [{ path: `${path}.uses`, message: `No such stock of its operator: add ${uses} to \`stock\` there` }]
      return max_quantity > units
        ? [{ path: `${path}.max_quantity`, message: `Expected at most the stock, ${units} of ${uses}` }]
        : []
    }),
    ...playroom.closures.flatMap((closure, j): ReadonlyArray<Issue> => {
      const { uses } = addOnOf<(typeof playroom.add_ons)[number]>(playroom.add_ons, closure) ?? {}
      const stock = uses === undefined ? undefined : stockOf(playroom)
      const units = stock?.find(({ slug }) => slug === uses)?.units
      return units !== undefined && (closure.units ?? 0) > units
        ? [{ path: `playrooms[${i}].closures[${j}].units`, message: `Expected at most the stock, ${units} of ${uses}` }]
        : []
    })
  ])

/** The operator of the file whose stock a playroom may use, if the file alone tells. */
export const stockInFile = (operators: ReadonlyArray<FileOperator>) => {
  const bySlug = new Map(operators.flatMap(({ slug, stock }) => (slug === undefined ? [] : [[slug, stock] as const])))
  const byId = new Map(
    operators.flatMap(({ operator_id, stock }) => (operator_id === undefined ? [] : [[operator_id, stock] as const]))
  )
  return ({ operator, operator_id }: FilePlayroom): Stock | undefined =>
    (operator === undefined ? undefined : bySlug.get(operator)) ??
    (operator_id === undefined ? undefined : byId.get(operator_id))
}

const usingRows = decodeRows(
  Schema.Array(Schema.Struct({ resource_id: Schema.String, name: Schema.String, playroom: Schema.String }))
)

/** Stock that left the file, though add-ons take from it that the file does not name. */
const keptUses = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operators, playrooms }: IdentifiedCatalogue,
  removed: ReadonlyArray<Shared>
) {
  if (removed.length === 0) return []
  const ids = playrooms.map(({ playroom_id }) => playroom_id)
  const using = yield* usingRows(sql`select a.uses as resource_id, a.name, p.name as playroom
    from add_on a join playroom p on p.playroom_id = a.playroom_id
    where a.uses = any(${removed.map(({ resource_id }) => resource_id)}::text[]) and a.on_sale
      and not a.playroom_id = any(${ids}::text[]) order by p.name, a.position`)
  return using.map(({ name, playroom, resource_id }): Issue => {
    const stock = removed.find((one) => one.resource_id === resource_id)
    const at = operators.findIndex(({ operator_id }) => operator_id === stock?.operator_id)
    return {
      path: `operators[${at}].stock`,
      message: `${stock?.slug} is used by ${name} of ${playroom}, which is not in the file: keep it, or add that playroom`
    }
  })
})

/** The catalogue with the units of what its add-ons use as their stock. If there are `issues`, ignore the rest. */
export const withStock = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, catalogue: IdentifiedCatalogue) {
  const { operators, playrooms } = catalogue
  const stored = yield* storedStock(sql, [
    ...new Set([...operators, ...playrooms].map(({ operator_id }) => String(operator_id)))
  ])
  const inFile = new Map(operators.map((operator) => [String(operator.operator_id), sharedBy(operator)]))
  const sharedIn = ({ operator_id }: Pick<IdentifiedPlayroom, "operator_id">): ReadonlyArray<Shared> =>
    inFile.get(operator_id) ?? stored.get(operator_id) ?? []
  const removed = operators.flatMap(({ operator_id, stock }) =>
    (stored.get(operator_id) ?? []).filter((old) => stock.every(({ slug }) => slug !== old.slug))
  )
  const issues = [...usesIssues(playrooms, sharedIn), ...(yield* keptUses(sql, catalogue, removed))]
  const filled = playrooms.map((playroom): IdentifiedPlayroom => {
    if (playroom.add_ons.every(({ uses }) => uses === undefined)) return playroom
    const shared = new Map(sharedIn(playroom).map((one) => [one.slug, one]))
    const add_ons = playroom.add_ons.map((addOn) => {
      const stock = addOn.uses === undefined ? undefined : shared.get(addOn.uses)
      return stock === undefined ? addOn : { ...addOn, stock: stock.units }
    })
    return { ...playroom, add_ons }
  })
  return { catalogue: { ...catalogue, playrooms: filled }, issues }
})

/** A playroom whose add-ons have the units of shared stock that they had before. */
export const withStockOf = (playroom: IdentifiedPlayroom, before: IdentifiedPlayroom): IdentifiedPlayroom => ({
  ...playroom,
  add_ons: playroom.add_ons.map((addOn, i) => {
    const stock = before.add_ons[i]?.stock
    return addOn.uses === undefined || stock === undefined ? addOn : { ...addOn, stock }
  })
})

/**
 * Locks some stock, and all that playrooms use by the file or used: before any room is locked, as bookings do. Succeeds
 * with its units.
 */
export const lockStock = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  resources: ReadonlyArray<string>,
  playrooms: ReadonlyArray<IdentifiedPlayroom>
) {
  const used = playrooms.flatMap(({ add_ons, operator_id }) =>
    add_ons.flatMap(({ uses }) => (uses === undefined ? [] : [sharedStockId(operator_id, uses)]))
  )
  const locked = yield* stockRows(sql`select resource_id, operator_id, slug, units from resource
    where resource_id = any(${[...new Set([...resources, ...used])]}::text[])
      or resource_id in (select uses from add_on
        where uses is not null and playroom_id = any(${playrooms.map(({ playroom_id }) => playroom_id)}::text[]))
    ${sql.literal(lockingInOrder)}`)
  return locked.map((one) => ({ ...one, was: one.units }))
})

/**
 * Writes the stock of a file's operators that is new or has other units, and locks it with all that these playrooms use
 * or used: before any room is locked, as bookings do. Run it once, before the playrooms are written.
 */
export const writeStock = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operators }: IdentifiedCatalogue,
  playrooms: ReadonlyArray<IdentifiedPlayroom>
) {
  const wanted = operators.flatMap(sharedBy)
  const stored = yield* storedStock(
    sql,
    operators.map(({ operator_id }) => operator_id)
  )
  const before = new Map([...stored.values()].flat().map((one) => [one.resource_id, one]))
  const differing = wanted.filter(({ resource_id, units }) => before.get(resource_id)?.units !== units)
  const kept = new Set(wanted.map(({ resource_id }) => resource_id))
  const removed = [...before.keys()].filter((resource_id) => !kept.has(resource_id))
  if (differing.length > 0)
    yield* sql`insert into resource (resource_id, operator_id, slug, units)
      select x.* from jsonb_to_recordset(${JSON.stringify(differing)}::jsonb) as x (resource_id text, operator_id text, slug text, units int)
      order by 1 on conflict (resource_id) do nothing`
  const locked = yield* lockStock(sql, [...differing.map((one) => one.resource_id), ...removed], playrooms)
  if (differing.length > 0)
    yield* sql`update resource r set units = x.units
      from jsonb_to_recordset(${JSON.stringify(differing)}::jsonb) as x (resource_id text, units int)
      where r.resource_id = x.resource_id and r.units <> x.units`
  const unitsOf = new Map(differing.map(({ resource_id, units }) => [resource_id, units]))
  return {
    removed,
    stock: locked.map((one) => ({ ...one, units: unitsOf.get(one.resource_id) ?? one.units }))
  }
})

/**
 * Finishes what `writeStock` began, once the playrooms are written: other playrooms sell by the new units, and what
 * left the file is no longer a resource. Succeeds with the bookings that have more than there is now. `counted`:
 * resources of which bookings have taken more, because their add-ons use them now.
 */
export const finishStock = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { removed, stock }: Effect.Success<ReturnType<typeof writeStock>>,
  counted: ReadonlySet<string>,
  claims: Claims["Service"],
  now: number
) {
  if (stock.length === 0) return []
  yield* sql`update add_on a set stock = r.units from resource r
    where r.resource_id = any(${stock.map(({ resource_id }) => resource_id)}::text[]) and a.uses = r.resource_id and a.stock <> r.units`
  if (removed.length > 0) {
    yield* sql`update add_on set uses = null, stock = null where uses = any(${removed}::text[])`
    yield* sql`delete from occupancy where resource_id = any(${removed}::text[])`
    yield* sql`delete from resource where resource_id = any(${removed}::text[])`
  }
  const shrunk = stock
    .filter(
      ({ resource_id, units, was }) => (units < was || counted.has(resource_id)) && !removed.includes(resource_id)
    )
    .map((one) => ({ ...one, playroom_id: null, why: onlyNow(one.slug, one.units) }))
  return yield* conflictsOf(sql, [], shrunk, claims, now)
})
