/** Who owns the ids that a catalogue file names: an import never changes what belongs to another operator or playroom. */
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodeRows } from "../kernel/Rows.ts"
import type { IdentifiedCatalogue } from "./CatalogueIds.ts"
import type { Issue } from "./CatalogueSchema.ts"

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
      ...playroom.closures.map(({ closure_id }, j) => within(closure_id, "closures", j))
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
    union all select closure_id, playroom_id from closure where closure_id = any(${of("closure")}::text[])
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
