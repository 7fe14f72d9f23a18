/**
 * The rows of operators, playrooms, packages and add-ons that an import writes. `changesOf` finds which of them differ
 * from the stored ones. An import never changes anything of another operator or playroom.
 */
import { Effect, Schema, Struct } from "effect"
import type { SqlClient } from "effect/sql"
import { PlayroomDetails, PlayroomColumns } from "../catalogue/Playroom.ts"
import type { Instant } from "../../platform/time/LocalTime.ts"
import { decodeRows } from "../../platform/database/Rows.ts"
import { timestamp, type SearchFacts } from "../search/SearchFacts.ts"
import type { CatalogueChange } from "./CatalogueChanges.ts"
import { type IdentifiedCatalogue, type IdentifiedPlayroom, sharedStockId } from "./CatalogueIds.ts"
import type { Issue } from "./CatalogueSchema.ts"
import type { IndexedPlayroom } from "./Imported.ts"

export const idRows = decodeRows(Schema.Array(Schema.Struct({ id: Schema.String })))

interface Claimed {
  readonly id: string
  readonly owner: string
  readonly path: string
  readonly what: string
}

const claims = (sql: SqlClient.SqlClient, these: ReadonlyArray<Claimed>) =>
  sql`unnest(${these.map(({ id }) => id)}::text[], ${these.map(({ owner }) => owner)}::text[]) as x (id, owner)`

const foreignIssues = (these: ReadonlyArray<Claimed>, foreign: ReadonlyArray<{ readonly id: string }>) => {
  const ids = new Set(foreign.map(({ id }) => id))
  return these.flatMap(({ id, path, what }): ReadonlyArray<Issue> => (ids.has(id) ? [{ path, message: what }] : []))
}

/** Accounts in the file that belong to another operator in the database. */
export const accountIssues = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  operators: IdentifiedCatalogue["operators"]
) {
  const accounts = operators.flatMap((operator, i): ReadonlyArray<Claimed> =>
    (["connected_account_id", "billing_customer_id"] as const).flatMap((field) => {
      const id = operator[field]
      return id === undefined
        ? []
        : [{ id, owner: operator.operator_id, path: `operators[${i}].${field}`, what: `${id} is another operator's` }]
    })
  )
  const foreign = yield* idRows(sql`
    select x.id from ${claims(sql, accounts)} join operator o on o.connected_account_id = x.id where o.operator_id <> x.owner
    union all
    select x.id from ${claims(sql, accounts)} join operator o on o.billing_customer_id = x.id where o.operator_id <> x.owner`)
  return foreignIssues(accounts, foreign)
})

/**
 * Ids of some playrooms of the file that belong to another operator or playroom in the database, and operators that
 * neither it nor the file has, which are `operators`.
 */
export const ownershipIssues = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  operators: IdentifiedCatalogue["operators"],
  playrooms: ReadonlyArray<IndexedPlayroom>
) {
  const parts = playrooms.flatMap(({ index, playroom }): ReadonlyArray<Claimed> => {
    const within = (id: string, name: string, j: number) => ({
      id,
      owner: playroom.playroom_id,
      path: `playrooms[${index}].${name}[${j}]`,
      what: `${id} belongs to another playroom`
    })
    return [
      {
        id: playroom.playroom_id,
        owner: playroom.operator_id,
        path: `playrooms[${index}].operator_id`,
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
  const of = (kind: string) =>
    claims(
      sql,
      parts.filter(({ id }) => id.startsWith(`${kind}_`))
    )
  const foreign = yield* idRows(sql`
    select x.id from ${of("playroom")} join playroom p on p.playroom_id = x.id where p.operator_id <> x.owner
    union all select x.id from ${of("package")} join package k on k.package_id = x.id where k.playroom_id <> x.owner
    union all select x.id from ${of("addon")} join add_on a on a.add_on_id = x.id where a.playroom_id <> x.owner
    union all select x.id from ${of("closure")} join closure c on c.closure_id = x.id
      where c.playroom_id <> x.owner or c.made_by is not null
    union all select x.id from ${of("closure")} join out_of_order s on s.closure_id = x.id
      where not exists (select from add_on a where a.add_on_id = s.add_on_id and a.playroom_id = x.owner)`)
  const named = [...new Set(playrooms.map(({ playroom }) => playroom.operator_id))]
  const stored = yield* idRows(sql`select operator_id as id from operator where operator_id = any(${named}::text[])`)
  const known = new Set<string>([...stored.map(({ id }) => id), ...operators.map(({ operator_id }) => operator_id)])
  return [
    ...playrooms.flatMap(({ index, playroom: { operator_id } }): ReadonlyArray<Issue> =>
      known.has(operator_id)
        ? []
        : [
            {
              path: `playrooms[${index}].operator_id`,
              message: `No operator ${operator_id} in the file or the database`
            }
          ]
    ),
    ...foreignIssues(parts, foreign)
  ]
})

/** A playroom's columns that are copied from the file. */
export const playroomColumns = [...Struct.keys(Struct.omit(PlayroomColumns.fields, ["playroom_id"])), "listed"]

const packageColumns = ["position", "on_sale", "mode", "duration_minutes", "min_children", "max_children", "terms"]

/** An add-on's columns that come from the file. */
export const addOnColumns = [
  "position",
  "on_sale",
  "name",
  "unit",
  "unit_amount",
  "tax",
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

const playroomRow = (playroom: IdentifiedPlayroom, facts: SearchFacts, at: string) => ({
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
  details: detailsOf(playroom),
  created_at: at,
  updated_at: at
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

/** A table of the catalogue: its columns that an import changes, and those that only a new row gets from it. */
interface Written {
  readonly table: "operator" | "playroom" | "package" | "add_on"
  readonly changing: ReadonlyArray<string>
  readonly once: ReadonlyArray<string>
}
const written = {
  operator: {
    table: "operator",
    changing: [
      "name",
      "support_email",
      "phone",
      "legal_name",
      "tax_number",
      "vouchers",
      "application_fee_percent",
      "updated_at"
    ],
    once: ["paid_through", "suspended_at", "created_at", "connected_account_id", "billing_customer_id"]
  },
  /** `writeDerived` writes the derived columns of existing playrooms: they are not in the file. */
  playroom: {
    table: "playroom",
    changing: [...playroomColumns, "modes", "details", "needs", "offer_texts", "updated_at"],
    once: [
      "from_price",
      "from_price_for",
      "from_price_until",
      "derived_until",
      "least_by_children",
      "prices_told",
      "told_until",
      "created_at"
    ]
  },
  package: { table: "package", changing: packageColumns, once: ["operator_id", "playroom_id"] },
  add_on: { table: "add_on", changing: addOnColumns, once: ["operator_id", "playroom_id"] }
} as const satisfies Record<string, Written>

const columnsOf = ({ changing, once, table }: Written): ReadonlyArray<string> => [`${table}_id`, ...changing, ...once]

/**
 * A row as JSON, without anything else: a playroom of the file has its packages, too, and the database would parse
 * them.
 */
const textOf = (of: Written) => {
  const columns = columnsOf(of)
  return (row: Row): string => JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])))
}
const operatorText = textOf(written.operator)
const playroomText = textOf(written.playroom)
const packageText = textOf(written.package)
const addOnText = textOf(written.add_on)

/** A playroom of the file as it is written. */
interface WrittenPlayroom {
  readonly playroom: IdentifiedPlayroom
  readonly facts: SearchFacts
  readonly lines: ReadonlyArray<CatalogueChange>
}

/** The ids of what a playroom has newly, or otherwise than before. */
const writtenIds = ({ lines }: WrittenPlayroom): ReadonlySet<string> =>
  new Set(lines.flatMap(({ change, id }) => (change === "off_sale" ? [] : (id ?? []))))

/**
 * Statements of one import at `now`, for rows that are new or differ. Run them inside its transaction, operators first.
 * Existing operators keep their `paid_through` and `suspended_at` (payments and commands change those). They also keep
 * their accounts if the file has none.
 */
export const upserts = (sql: SqlClient.SqlClient, now: Instant) => {
  const at = new Date(now).toISOString()
  /** Upserts rows by key. Of an existing row it changes only `changing`. */
  const upsert = Effect.fnUntraced(function* (of: Written, rows: ReadonlyArray<string>) {
    if (rows.length === 0) return
    const columns = columnsOf(of).join(", ")
    const changes = of.changing.map((column) => `${column} = excluded.${column}`)
    yield* sql`insert into ${sql.literal(`${of.table} (${columns}) select ${columns}`)}
      from jsonb_populate_recordset(null::${sql.literal(of.table)}, ${`[${rows.join()}]`}::jsonb)
      on conflict (${sql.literal(`${of.table}_id`)}) do update set ${sql.literal(changes.join(", "))}`
  })
  return {
    operators: (operators: IdentifiedCatalogue["operators"]) =>
      upsert(
        written.operator,
        operators.map((operator) => operatorText({ ...operatorRow(operator), created_at: at, updated_at: at }))
      ),

    /**
     * The accounts of existing operators. They are unique, so a change of them makes bookings of the operator wait,
     * which have locked their playroom: the last statement of an import, which locks no playroom after it.
     */
    accounts: (operators: IdentifiedCatalogue["operators"]) => sql`
update operator o set connected_account_id = coalesce(x.connected_account_id, o.connected_account_id),
  billing_customer_id = coalesce(x.billing_customer_id, o.billing_customer_id)
from jsonb_to_recordset(${JSON.stringify(operators)}::jsonb) as x (operator_id text, connected_account_id text, billing_customer_id text)
where o.operator_id = x.operator_id and (x.connected_account_id <> coalesce(o.connected_account_id, '')
  or x.billing_customer_id <> coalesce(o.billing_customer_id, ''))`,

    playrooms: (all: ReadonlyArray<WrittenPlayroom>) =>
      upsert(
        written.playroom,
        all.map(({ facts, playroom }) => playroomText(playroomRow(playroom, facts, at)))
      ),

    /** Packages and add-ons that are new or differ. */
    parts: Effect.fnUntraced(function* (all: ReadonlyArray<WrittenPlayroom>) {
      const ids = all.map(writtenIds)
      const packages = all.flatMap(({ playroom }, i) =>
        packageRows(playroom).filter(({ package_id }) => ids[i]?.has(package_id))
      )
      const addOns = all.flatMap(({ playroom }, i) =>
        addOnRows(playroom)
          .filter(({ add_on_id }) => ids[i]?.has(add_on_id))
          .map(({ uses, ...row }) =>
            uses === undefined ? row : { ...row, uses: sharedStockId(row.operator_id, uses) }
          )
      )
      yield* upsert(written.package, packages.map(packageText))
      yield* upsert(written.add_on, addOns.map(addOnText))
    }),

    /** Takes packages and add-ons off sale. Their bookings stay. */
    offSale: Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
      if (ids.length === 0) return
      yield* sql`update package set on_sale = false where package_id = any(${ids}::text[])`
      yield* sql`update add_on set on_sale = false where add_on_id = any(${ids}::text[])`
    })
  }
}
