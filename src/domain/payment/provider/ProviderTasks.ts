/**
 * The outbox of side effects at the provider. A task is stored in the transaction that decides it, executed outside,
 * and retried with backoff. It becomes a dead letter if all retries fail. `ProviderTaskWorker.ts` executes each kind.
 */
import { Cause, Context, Effect, Layer, Option, Schedule, Schema } from "effect"
import { PersistedQueue } from "effect/persistence"
import { SqlClient, SqlError, type Statement } from "effect/sql"
import { InstantFromDate } from "../../../platform/time/LocalTime.ts"
import { PaymentSessionId, RefundId } from "../../../platform/ids/Ids.ts"
import { decodeRows } from "../../../platform/database/Rows.ts"

/**
 * The kinds of tasks. `expire_session` closes an obsolete payment page; `refund` sends a refund. A new kind needs a
 * case here, its id in `taskId`, and its line in `ProviderTaskWorker.ts`.
 */
export const ProviderTask = Schema.TaggedUnion({
  expire_session: { payment_session_id: PaymentSessionId },
  /** `again`: the idempotency key of a new attempt, after an earlier one failed for good. */
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

/**
 * A stored task that this release does not know: a newer one made it. Its run fails, so that it stays for a node that
 * knows it. The queue itself would give up at once what it can't decode (effect 4.1.0).
 */
export class UnknownProviderTask extends Schema.TaggedError<UnknownProviderTask>()("UnknownProviderTask", {
  why: Schema.String
}) {
  override get message(): string {
    return `This release does not know the task; a newer one does, and runs it: ${this.why}`
  }
}

const encodeTask = Schema.encodeEffect(Schema.toCodecJson(ProviderTask))
const decodeTask = Schema.decodeUnknownEffect(Schema.toCodecJson(ProviderTask))

const tableName = "provider_task"
/** If a node dies, another one takes over its task after ten seconds; a live node renews its lock. */
const locks = { lockRefreshInterval: "3 seconds", lockExpiration: "10 seconds" } as const
/** Spans about five hours. */
const maxAttempts = 40

/** The id of a task. Offering the same task again adds no second one. */
export const taskId: (task: ProviderTask) => string = ProviderTask.match({
  expire_session: ({ payment_session_id }) => `expire_${payment_session_id}`,
  refund: ({ again, refund_id }) => again ?? refund_id
})

// The queue wraps database failures; callers expect `SqlError`.
const sqlErrorIn = (cause: unknown): Option.Option<SqlError.SqlError> => {
  if (SqlError.isSqlError(cause)) return Option.some(cause)
  if (!Cause.isCause(cause)) return Option.none()
  return Option.filter(Cause.findErrorOption(cause), SqlError.isSqlError)
}

/** The queue's table, which its library makes where it is first used. */
export const taskTable = {
  name: tableName,
  make: Effect.asVoid(Effect.scoped(PersistedQueue.makeStoreSql({ tableName })))
} as const

// The store creates its own table. Nodes that start together may collide; a retry finds the table.
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
    /** Stores the task, in the caller's transaction if there is one: it is executed only if that commits. */
    readonly offer: (task: ProviderTask) => Effect.Effect<void, SqlError.SqlError>
    /**
     * Waits for the next task and runs it with `run`. A task whose run fails is retried later, as is what a newer
     * release has stored.
     */
    readonly take: <A, E, R>(
      run: (task: ProviderTask) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | PersistedQueue.PersistedQueueError | UnknownProviderTask, R>
    /** Tasks that failed for good, newest first; an operator has to look at them. */
    readonly dead: Effect.Effect<ReadonlyArray<ListedTask>, SqlError.SqlError>
    /** The tasks of these payment sessions and refunds, oldest first. Completed ones are deleted after a month. */
    readonly about: (
      ids: ReadonlyArray<PaymentSessionId | RefundId>
    ) => Effect.Effect<ReadonlyArray<ListedTask>, SqlError.SqlError>
    /** Puts a dead task back in the queue; false if none has that id. */
    readonly revive: (id: string) => Effect.Effect<boolean, SqlError.SqlError>
  }
>()("playroom/payment/provider/ProviderTasks") {
  static readonly layer = Layer.effect(
    ProviderTasks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const queue = yield* PersistedQueue.make({
        name: "provider",
        schema: Schema.Json,
        maxAttempts,
        retrySchedule: Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("10 minutes")])
      })
      const listedTasks = decodeRows(Schema.Array(ListedTask))

      return ProviderTasks.of({
        offer: Effect.fn("ProviderTasks.offer")((task: ProviderTask) =>
          encodeTask(task).pipe(
            Effect.flatMap((element) => queue.offer(element, { id: taskId(task) })),
            Effect.catchTag("SchemaError", Effect.die),
            Effect.catchTag("PersistedQueueError", (error) =>
              Option.match(sqlErrorIn(error.cause), { onNone: () => Effect.die(error), onSome: Effect.fail })
            ),
            Effect.andThen(Effect.annotateCurrentSpan("task_id", taskId(task)))
          )
        ),
        take: (run) =>
          queue.take((element) =>
            decodeTask(element).pipe(
              Effect.mapError(({ message }) => new UnknownProviderTask({ why: message })),
              Effect.tapError((unknown) => Effect.logWarning("A provider task is left to another release", unknown)),
              Effect.flatMap(run)
            )
          ),
        dead: Effect.suspend(() =>
          listedTasks(sql`select id, state, attempts, last_failure, updated_at::timestamptz as updated_at from ${deadTasks(sql)}
            order by updated_at desc`)
        ),
        // A task's id begins with the id of its session or refund (`taskId`); a new attempt appends its time.
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

  /** Deletes tasks completed a month ago; dead ones stay. */
  static readonly cleanup = PersistedQueue.layerCleanup().pipe(Layer.provide(store))
}
