/**
 * The rows of operators, playrooms, packages and add-ons that an import writes. `changesOf` finds which of them differ
 * from the stored ones. An import never changes anything of another operator or playroom.
 */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { PlayroomDetails } from "../catalogue/Playroom.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decodeRows } from "../kernel/Rows.ts"
import { type PlayroomFacts, timestamp } from "../search/SearchFactRows.ts"
import type { IdentifiedCatalogue, IdentifiedPlayroom } from "./CatalogueIds.ts"
import type { Issue } from "./CatalogueSchema.ts"
import { sharedStockId } from "./SharedStock.ts"

export const ownerRows = decodeRows(Schema.Array(Schema.Struct({ id: Schema.String, owner: Schema.String })))

/** Ids in the file that belong to another operator or playroom in the database. */
export const ownershipIssues = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { operators, playrooms }: IdentifiedCatalogue
) {
  type Part = { readonly id: string; readonly owner: string; readonly path: string; readonly what: string }
  const parts: Array<Part> = playrooms.flatMap((playroom, i) => {
    const within = (id: string, name: string, j: number) => ({
      id,
      owner: playroom.playroom_id,
      path: `playrooms[${i}].${name}[${j}]`,
      what: `${id} belongs to another playroom`
    })
    return [
      {
        id: playroom.playroom_id,
        owner: playroom.operator_id,
        path: `playrooms[${i}].operator_id`,
        what: `${playroom.playroom_id} belongs to another operator`
      },
      ...playroom.packages.map(({ package_id }, j) => within(package_id, "packages", j)),
      ...playroom.add_ons.map(({ add_on_id }, j) => within(add_on_id, "add_ons", j)),
      ...playroom.closures.map(({ closure_id }, j) => ({
        ...within(closure_id, "closures", j),
        what: `${closure_id} is of another playroom, or was made at the desk or by command: leave the id out`
      }))
    ]
  })
  const accounts: Array<Part> = operators.flatMap((operator, i) =>
    (["connected_account_id", "billing_customer_id"] as const).flatMap((field) => {
      const id = operator[field]
      return id === undefined
        ? []
        : [{ id, owner: operator.operator_id, path: `operators[${i}].${field}`, what: `${id} is another operator's` }]
    })
  )
  const ids = parts.map(({ id }) => id)
  const of = (kind: string) => ids.filter((id) => id.startsWith(`${kind}_`))
  const accountIds = accounts.map(({ id }) => id)
  const owners = yield* ownerRows(sql`
    select playroom_id as id, operator_id as owner from playroom where playroom_id = any(${of("playroom")}::text[])
    union all select package_id, playroom_id from package where package_id = any(${of("package")}::text[])
    union all select add_on_id, playroom_id from add_on where add_on_id = any(${of("addon")}::text[])
    union all select closure_id, case when made_by is null then playroom_id else '' end from closure where closure_id = any(${of("closure")}::text[])
    union all select connected_account_id, operator_id from operator where connected_account_id = any(${accountIds}::text[])
    union all select billing_customer_id, operator_id from operator where billing_customer_id = any(${accountIds}::text[])`)
  const ownerOf = new Map(owners.map(({ id, owner }) => [id, owner]))
  const named = [...new Set(playrooms.map(({ operator_id }) => operator_id))]
  const stored = yield* ownerRows(
    sql`select operator_id as id, operator_id as owner from operator where operator_id = any(${named}::text[])`
  )
  const known = new Set<string>([...stored.map(({ id }) => id), ...operators.map(({ operator_id }) => operator_id)])
  return [
    ...playrooms.flatMap(({ operator_id }, i): ReadonlyArray<Issue> =>
      known.has(operator_id)
        ? []
        : [{ path: `playrooms[${i}].operator_id`, message: `No operator ${operator_id} in the file or the database` }]
    ),
    ...[...parts, ...accounts].flatMap(({ id, owner, path, what }): ReadonlyArray<Issue> =>
      (ownerOf.get(id) ?? owner) === owner ? [] : [{ path, message: what }]
    )
  ]
})

/** A playroom's columns that are copied from the file. */
export const playroomColumns = [
  "operator_id",
  "name",
  "summary",
  "description",
  "address",
  "city",
  "country",
  "latitude",
  "longitude",
  "time_zone",
  "currency",
  "capacity",
  "age_min",
  "age_max",
  "amenities",
  "listed"
] as const satisfies ReadonlyArray<keyof IdentifiedPlayroom>

const packageColumns = ["position", "on_sale", "mode", "duration_minutes", "min_children", "max_children", "terms"]

/** An add-on's columns that come from the file. */
export const addOnColumns = [
  "position",
  "on_sale",
  "name",
  "unit",
  "unit_amount",
  "max_quantity",
  "rules",
  "stock",
  "uses"
]

/** The content of the `details` column of a playroom. */
export const detailsOf = Schema.encodeSync(PlayroomDetails)

const operatorRow = (operator: IdentifiedCatalogue["operators"][number]) => ({
  ...operator,
  paid_through: operator.paid_through === undefined ? null : new Date(operator.paid_through).toISOString(),
  suspended_at: operator.suspended_at === undefined ? null : new Date(operator.suspended_at).toISOString()
})

/** The modes of its packages, in order. */
export const modesOf = ({ packages }: Pick<IdentifiedPlayroom, "packages">) =>
  [...new Set(packages.map(({ mode }) => mode))].sort()

const playroomRow = ({ playroom, facts }: PlayroomFacts<IdentifiedPlayroom>) => ({
  ...playroom,
  from_price: facts.from_price,
  from_price_for: facts.from_price_for,
  from_price_until: timestamp(facts.from_price_until),
  derived_until: timestamp(facts.derived_until),
  needs: facts.needs,
  least_by_children: facts.least_by_children,
  offer_texts: facts.offer_texts,
  prices_told: facts.prices_told,
  told_until: timestamp(facts.derived_until),
  modes: modesOf(playroom),
  details: detailsOf(playroom)
})

export const packageRows = (playroom: IdentifiedPlayroom) =>
  playroom.packages.map((pkg, position) => ({
    ...pkg,
    operator_id: playroom.operator_id,
    playroom_id: playroom.playroom_id,
    position,
    on_sale: true,
    terms: pkg
  }))

export const addOnRows = (playroom: IdentifiedPlayroom) =>
  playroom.add_ons.map((addOn, position) => ({
    ...addOn,
    operator_id: playroom.operator_id,
    playroom_id: playroom.playroom_id,
    position,
    on_sale: true
  }))

/** The values of a row by column, and others. */
type Row = Readonly<Record<string, unknown>>

/**
 * Statements of one import at `now`, for rows that are new or differ. Run them inside its transaction, operators first.
 * Existing operators keep their `paid_through` and `suspended_at` (payments and commands change those). They also keep
 * their accounts if the file has none.
 */
export const upserts = (sql: SqlClient.SqlClient, now: Instant) => {
  const at = new Date(now).toISOString()
  /** Upserts rows by key. Of an existing row it changes only `changing`. */
  const upsert = (
    table: string,
    rows: ReadonlyArray<Row>,
    changing: ReadonlyArray<string>,
    once: ReadonlyArray<string>
  ) => {
    const key = `${table}_id`
    const names = [key, ...changing, ...once]
    const columns = names.join(", ")
    // Nothing else: a playroom of the file has its packages and details, too, and the database would parse them.
    const values = rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
    const changes = changing.map((column) => `${column} = excluded.${column}`)
    return sql`insert into ${sql.literal(`${table} (${columns}) select ${columns}`)}
      from jsonb_populate_recordset(null::${sql.literal(table)}, ${JSON.stringify(values)}::jsonb)
      on conflict (${sql.literal(key)}) do update set ${sql.literal(changes.join(", "))}`
  }
  return {
    operators: (operators: IdentifiedCatalogue["operators"]) =>
      upsert(
        "operator",
        operators.map((operator) => ({ ...operatorRow(operator), created_at: at, updated_at: at })),
        ["name", "support_email", "phone", "legal_name", "tax_number", "application_fee_percent", "updated_at"],
        ["paid_through", "suspended_at", "created_at", "connected_account_id", "billing_customer_id"]
      ),

    /**
     * The accounts of existing operators. They are unique, so a change of them makes bookings of the operator wait, which
     * have locked their playroom: the last statement of an import, which locks no playroom after it.
     */
    accounts: (operators: IdentifiedCatalogue["operators"]) => sql`
update operator o set connected_account_id = coalesce(x.connected_account_id, o.connected_account_id),
  billing_customer_id = coalesce(x.billing_customer_id, o.billing_customer_id)
from jsonb_to_recordset(${JSON.stringify(operators)}::jsonb) as x (operator_id text, connected_account_id text, billing_customer_id text)
where o.operator_id = x.operator_id and (x.connected_account_id <> coalesce(o.connected_account_id, '')
  or x.billing_customer_id <> coalesce(o.billing_customer_id, ''))`,

    /** `writeFacts` writes the derived columns of existing playrooms: they are not in the file. */
    playrooms: (playrooms: ReadonlyArray<PlayroomFacts<IdentifiedPlayroom>>) =>
      upsert(
        "playroom",
        playrooms.map((playroom) => ({ ...playroomRow(playroom), created_at: at, updated_at: at })),
        [...playroomColumns, "modes", "details", "needs", "offer_texts", "updated_at"],
        [
          "from_price",
          "from_price_for",
          "from_price_until",
          "derived_until",
          "least_by_children",
          "prices_told",
          "told_until",
          "created_at"
        ]
      ),

    packages: (rows: ReturnType<typeof packageRows>) =>
      upsert("package", rows, packageColumns, ["operator_id", "playroom_id"]),

    addOns: (rows: ReturnType<typeof addOnRows>) =>
      upsert(
        "add_on",
        rows.map(({ uses, ...row }) => ({
          ...row,
          ...(uses !== undefined && { uses: sharedStockId(row.operator_id, uses) })
        })),
        addOnColumns,
        ["operator_id", "playroom_id"]
      ),

    /** Takes packages and add-ons off sale. Their bookings stay. */
    offSale: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      if (ids.length === 0) return
      yield* sql`update package set on_sale = false where package_id = any(${ids}::text[])`
      yield* sql`update add_on set on_sale = false where add_on_id = any(${ids}::text[])`
    })
  }
}
