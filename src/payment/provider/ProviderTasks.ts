/**
 * Side effects at the provider that a transaction decides: written down in that very transaction, done outside it, retried
 * with backoff, and kept as dead letters where all retries failed. `ProviderTaskWorker.ts` says what is done for each kind.
 */
import { Cause, Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { InstantFromDate } from "../../kernel/LocalTime.ts"
import { PaymentSessionId, RefundId } from "../../kernel/Ids.ts"
import { decodeRows } from "../../kernel/Rows.ts"

/**
 * The kinds of tasks. `expire_session` closes a payment page that nobody should pay on any more; `refund` gives money back. A new kind
 * is a case here, its id in `taskId`, and its line in `ProviderTaskWorker.ts`.
 */
export const ProviderTask = Schema.TaggedUnion({
  expire_session: { payment_session_id: PaymentSessionId },
  /** `again`: the idempotency key of a further try, after an earlier one had failed for good. */
  refund: { refund_id: RefundId, again: Schema.optionalKey(Schema.String) }
})
export type ProviderTask = typeof ProviderTask.Type

/** A task as the command line shows it. `state`: pending, completed, or failed for good. */
export const ListedTask = Schema.Struct({
  id: Schema.String,
  state: Schema.String,
  attempts: Schema.Int,
  last_failure: Schema.NullOr(Schema.String),
  updated_at: InstantFromDate
})
export type ListedTask = typeof ListedTask.Type

const tableName = "provider_task"
/** A task in the hands of a node that died is another's after ten seconds; a living one renews its lock. */
const locks = { lockRefreshInterval: "3 seconds", lockExpiration: "10 seconds" } as const
/** Attempts over about five hours. */
const maxAttempts = 40

/** The one id of a task: offering it again is no second task. */
export const taskId: (task: ProviderTask) => string = ProviderTask.match({
  expire_session: ({ payment_session_id }) => `expire_${payment_session_id}`,
  refund: ({ again, refund_id }) => again ?? refund_id
})

// The queue reports failures of the database in a wrapper of its own; the callers know them as `SqlError`.
const sqlErrorIn = (cause: unknown): Option.Option<SqlError.SqlError> => {
  if (SqlError.isSqlError(cause)) return Option.some(cause)
  if (!Cause.isCause(cause)) return Option.none()
  return Option.filter(Cause.findErrorOption(cause), SqlError.isSqlError)
}

// The store makes its own table. Nodes that start at the same moment may collide over that; the next try finds it made.
const store = Layer.effect(
  PersistedQueue.PersistedQueueStore,
  PersistedQueue.makeStoreSql({ tableName, ...locks }).pipe(
    Effect.sandbox,
    Effect.retry({ times: 5, schedule: Schedule.spaced("200 millis") }),
    Effect.catch(Effect.failCause)
  )
)

/** Tasks that failed for good. */
export const deadTasks = (sql: SqlClient.SqlClient): Statement.Fragment => sql`${sql(tableName)} where state = 'failed'`

export class ProviderTasks extends Context.Service<
  ProviderTasks,
  {
    /** Writes the task down, in the caller's transaction where there is one: it is done only if that commits. */
    readonly offer: (task: ProviderTask) => Effect.Effect<void, SqlError.SqlError>
    /** Waits for the next task and gives it to `run`: done where that succeeds, retried later where it fails. */
    readonly take: <A, E, R>(
      run: (task: ProviderTask) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | PersistedQueue.PersistedQueueError, R>
    /** Tasks that failed for good, newest first; an operator has to look at them. */
    readonly dead: Effect.Effect<ReadonlyArray<ListedTask>, SqlError.SqlError>
    /** The tasks about these payment sessions and refunds, oldest first; done ones are gone after a month. */
    readonly about: (
      ids: ReadonlyArray<PaymentSessionId | RefundId>
    ) => Effect.Effect<ReadonlyArray<ListedTask>, SqlError.SqlError>
    /** Puts a dead task back in the queue; false where there is none of that id. */
    readonly revive: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/ProviderTasks") {
  static readonly layer = Layer.effect(
    ProviderTasks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queue = yield* PersistedQueue.make({
        name: "provider",
        schema: ProviderTask,
        maxAttempts,
        retrySchedule: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("10 minutes")])
      })
      const listedTasks = decodeRows(Schema.Array(ListedTask))

      return ProviderTasks.of({
        offer: Effect.fn("ProviderTasks.offer")((task: ProviderTask) =>
          queue.offer(task, { id: taskId(task) }).pipe(
            Effect.catchTag("SchemaError", Effect.die),
            Effect.catchTag("PersistedQueueError", (error) =>
              Option.match(sqlErrorIn(error.cause), { onNone: () => Effect.die(error), onSome: Effect.fail })
            ),
            Effect.andThen(Effect.annotateCurrentSpan("task_id", taskId(task)))
          )
        ),
        take: (run) => queue.take(run),
        dead: Effect.suspend(() =>
          listedTasks(sql`select id, state, attempts, last_failure, updated_at::timestamptz as updated_at from ${deadTasks(sql)}
            order by updated_at desc`)
        ),
        // A task's id begins with what it is about (`taskId`); a further try adds its own time.
        about: Effect.fn("ProviderTasks.about")(function* (ids) {
          const named = ids.map((id) => (id.startsWith("payment_") ? `expire_${id}` : id))
          const again = named.map((id) => `${id.replaceAll("_", "\\_")}\\_%`)
          return yield* listedTasks(sql`select id, state, attempts, last_failure, updated_at::timestamptz as updated_at
            from ${sql(tableName)} where id = any(${named}::text[]) or id like any(${again}::text[])
            order by sequence limit 200`)
        }),
        revive: Effect.fn("ProviderTasks.revive")((id: string) =>
          Effect.map(
            sql`update ${sql(tableName)} set state = 'pending', attempts = 0, visible_at = now(), updated_at = now()
              where id = ${id} and state = 'failed' returning id`,
            (rows) => rows.length > 0
          )
        )
      })
    })
  ).pipe(Layer.provide(PersistedQueue.layer), Layer.provide(store))

  /** Removes tasks that were done a month ago; dead ones stay. */
  static readonly cleanup = PersistedQueue.layerCleanup().pipe(Layer.provide(store))
}
