/**
 * What is asked of the database once for many: a read for all who want the same (`makeSharedReads`), a statement for
 * all who ask at about the same time (`sharedStatement`), or for the fibers of one transaction (`statementOfFibers`).
 */
import { Array, Context, Deferred, Effect, Exit, Option, Request, RequestResolver, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"

/**
 * Runs work that its caller may not wait for, or shares with others: it is no part of the caller's transaction, whose
 * connection may be another's by then.
 */
export const outsideTransaction =
  ({ transactionService }: Pick<SqlClient.SqlClient, "transactionService">) =>
  <A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.updateContext(work, (context: Context.Context<never>) => Context.omit(transactionService)(context))

interface Asked<A, B, E> extends Request.Request<B, E> {
  readonly value: A
}

/**
 * Returns what answers a request by a statement that at most `most` requests share. There is one statement at a time:
 * what arrives while it is under way shares the next one, so nobody gets what was read before they asked. What arrives
 * alone waits for one turn of the event loop. Its span `name` is in the trace of who asked first, with links to the
 * others. `run` returns the answers in the order of the requests; if it fails, it fails for each of them. Who is
 * interrupted while others are collected is left out. It is no part of a transaction of `sql` that who asks is in.
 */
export const sharedStatement = <A, B, E>(
  {
    most,
    name,
    sql
  }: {
    readonly name: string
    readonly most: number
    readonly sql: Pick<SqlClient.SqlClient, "transactionService">
  },
  run: (requests: Array.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, E>>, E>
): ((request: A) => Effect.Effect<B, E>) => {
  const asked = Request.of<Asked<A, B, E>>()
  const turn = Semaphore.makeUnsafe(1)
  const statement = RequestResolver.make<Asked<A, B, E>>((entries) =>
    Effect.map(
      turn.withPermit(outsideTransaction(sql)(run(Array.map(entries, ({ request }) => request.value)))),
      (answers) => {
        for (const [n, entry] of entries.entries())
          entry.completeUnsafe(answers[n] ?? Exit.die(new Error(`${name} left a request out`)))
      }
    )
  )
  const resolver = RequestResolver.withSpan(statement, name).pipe(
    // The next one is collected until the one under way has ended.
    RequestResolver.setDelayEffect(turn.withPermit(Effect.yieldNow)),
    RequestResolver.batchN(most)
  )
  return (value) => Effect.request(asked({ value }), resolver)
}

/**
 * Returns what answers a request by a statement of the transaction that who asks is in. Its fibers that ask at about
 * the same time share the statement; outside of transactions everybody has their own. `run` makes one statement and no
 * more, and returns the answers in the order of the requests; if it fails, it fails for each of them. Who is
 * interrupted waits for the statement's end, so that none comes after the transaction's.
 */
export const statementOfFibers = <A, B, E>(
  { transactionService }: Pick<SqlClient.SqlClient, "transactionService">,
  run: (requests: Array.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
): ((request: A) => Effect.Effect<B, E>) => {
  const asked = Request.of<Asked<A, B, E>>()
  const answersTo = (requests: Array.NonEmptyReadonlyArray<A>) =>
    Effect.flatMap(run(requests), (answers) =>
      Array.isReadonlyArrayNonEmpty(answers) && answers.length === requests.length
        ? Effect.succeed(answers)
        : Effect.die(new Error("A statement left a request out"))
    )
  const resolver = RequestResolver.makeWith<Asked<A, B, E>>({
    batchKey: ({ context }) => Context.getOrUndefined(context, transactionService),
    delay: Effect.yieldNow,
    collectWhile: () => true,
    runAll: (entries) =>
      Effect.map(answersTo(Array.map(entries, ({ request }) => request.value)), (answers) => {
        for (const [n, answer] of answers.entries()) entries[n]?.completeUnsafe(Exit.succeed(answer))
      })
  })
  return (value) =>
    Effect.flatMap(Effect.serviceOption(transactionService), (mine) =>
      Option.isNone(mine)
        ? Effect.map(answersTo([value]), Array.headNonEmpty)
        : Effect.uninterruptible(Effect.request(asked({ value }), resolver))
    )
}

/** A read for all who asked before it began. Its result is undefined if who reads for them was interrupted. */
interface Turn<A, E> {
  readonly result: Deferred.Deferred<Exit.Exit<A, E> | undefined>
  /** Who waits for this turn's end, to read for all who ask meanwhile. */
  next?: Turn<A, E> | undefined
}

/**
 * Reads by key: all who ask with one key want the same. Who asks while a read runs gets the next one, with all who ask
 * until that begins. Not for transactions: each has to read for itself.
 */
export const makeSharedReads = <A, E>() => {
  /** Of each key, the turn that began last. */
  const begun = new Map<string, Turn<A, E>>()

  const end = (key: string, turn: Turn<A, E>, exit: Exit.Exit<A, E>) => {
    const last = begun.get(key)
    // Interrupted before it began.
    if (last !== undefined && last !== turn) last.next = undefined
    Deferred.doneUnsafe(turn.result, Effect.succeed(Exit.hasInterrupts(exit) ? undefined : exit))
    if (last !== undefined && last.next === undefined && Deferred.isDoneUnsafe(last.result)) begun.delete(key)
  }

  const ask = (key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      const last = begun.get(key)
      if (last?.next !== undefined)
        return Effect.flatMap(restore(Deferred.await(last.next.result)), (told) => told ?? restore(ask(key, read)))
      const turn: Turn<A, E> = { result: Deferred.makeUnsafe() }
      const begin = Effect.suspend(() => {
        begun.set(key, turn)
        return restore(read)
      })
      if (last !== undefined) last.next = turn
      const work = last === undefined ? begin : Effect.andThen(restore(Deferred.await(last.result)), begin)
      return Effect.onExit(work, (exit) => Effect.sync(() => end(key, turn, exit)))
    })
  return ask
}
