/** The `operator` table: who sells, who is suspended, and until when whose subscription is paid. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { OperatorId } from "../kernel/Ids.ts"
import type { Instant } from "../kernel/LocalTime.ts"
import { decoded } from "../kernel/Rows.ts"
import type { Operator } from "./Operator.ts"
import { operatorColumn, operatorOf, OperatorRow } from "./VenueRows.ts"

export class OperatorNotFound extends Schema.TaggedError<OperatorNotFound>()("OperatorNotFound", {
  operator_id: Schema.String
}) {
  override get message(): string {
    return `There is no operator ${this.operator_id}.`
  }
}

type Found = Effect.Effect<Option.Option<Operator>, SqlError.SqlError>

export class Operators extends Context.Service<
  Operators,
  {
    readonly get: (operator_id: string) => Effect.Effect<Operator, OperatorNotFound | SqlError.SqlError>
    /** All of them, by name. */
    readonly list: Effect.Effect<ReadonlyArray<Operator>, SqlError.SqlError>
    readonly byBillingCustomer: (billing_customer_id: string) => Found
    readonly byConnectedAccount: (connected_account_id: string) => Found
    /** `paid_through` becomes the later of its old value and `until`: it never goes back. True where it moved. */
    readonly extendPaidThrough: (operator_id: OperatorId, until: Instant) => Effect.Effect<boolean, SqlError.SqlError>
    /** From now on it is not listed and sells nothing; existing bookings stay valid. Suspending twice changes nothing. */
    readonly suspend: (operator_id: string) => Effect.Effect<Operator, OperatorNotFound | SqlError.SqlError>
    readonly resume: (operator_id: string) => Effect.Effect<Operator, OperatorNotFound | SqlError.SqlError>
  }
>()("playroom/catalogue/Operators") {
  static readonly layer = Layer.effect(
    Operators,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const operatorRows = decoded(Schema.Array(OperatorRow))
      const columns = sql.literal(operatorColumn)
      const rows = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.map(operatorRows(query), (found) => found.map(operatorOf))
      const first = (query: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>): Found =>
        Effect.map(rows(query), (found) => Option.fromNullishOr(found[0]))
      const orMissing = (operator_id: string, found: Found) =>
        Effect.flatMap(
          found,
          Option.match({
            onNone: () => Effect.fail(new OperatorNotFound({ operator_id })),
            onSome: (operator) => Effect.succeed(operator)
          })
        )

      return Operators.of({
        get: Effect.fn("Operators.get")((operator_id: string) =>
          orMissing(operator_id, first(sql`select ${columns} from operator o where operator_id = ${operator_id}`))
        ),
        list: Effect.suspend(() => rows(sql`select ${columns} from operator o order by name, operator_id`)),
        byBillingCustomer: Effect.fn("Operators.byBillingCustomer")((id: string) =>
          first(sql`select ${columns} from operator o where billing_customer_id = ${id}`)
        ),
        byConnectedAccount: Effect.fn("Operators.byConnectedAccount")((id: string) =>
          first(sql`select ${columns} from operator o where connected_account_id = ${id}`)
        ),
        extendPaidThrough: Effect.fn("Operators.extendPaidThrough")(function* (
          operator_id: OperatorId,
          until: Instant
        ) {
          const now = yield* Clock.currentTimeMillis
          const moved = yield* sql`
            update operator set paid_through = ${new Date(until)}, updated_at = ${new Date(now)}
            where operator_id = ${operator_id} and (paid_through is null or paid_through < ${new Date(until)})
            returning operator_id`
          return moved.length > 0
        }),
        suspend: Effect.fn("Operators.suspend")(function* (operator_id: string) {
          const now = new Date(yield* Clock.currentTimeMillis)
          return yield* orMissing(
            operator_id,
            first(sql`update operator o set suspended_at = coalesce(suspended_at, ${now}), updated_at = ${now}
              where operator_id = ${operator_id} returning ${columns}`)
          )
        }),
        resume: Effect.fn("Operators.resume")(function* (operator_id: string) {
          const now = new Date(yield* Clock.currentTimeMillis)
          return yield* orMissing(
            operator_id,
            first(sql`update operator o set suspended_at = null, updated_at = ${now}
              where operator_id = ${operator_id} returning ${columns}`)
          )
        })
      })
    })
  )
}
