/** Audits by a running service: one node of the cluster makes each, and the metrics of all nodes tell what it found. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { hourMs } from "../../platform/time/LocalTime.ts"
import { forkRecurring } from "../../platform/time/Recurring.ts"
import { Audit } from "./Audit.ts"

/** Findings in the log. One cause may break thousands of rows; `playroom doctor --audit` lists them. */
const maxLogged = 50

/**
 * Makes an audit if the last one began `everyMs` ago or earlier: the node that stores its beginning makes it. One that
 * was cut off is made again in its time. Returns the number of faults; undefined if none was due.
 */
export const auditIfDue = Effect.fn("auditIfDue")(function* (everyMs: number) {
  const sql = yield* SqlClient.SqlClient
  const audit = yield* Audit
  const began = new Date(yield* Clock.currentTimeMillis)
  const due = new Date(began.getTime() - everyMs)
  const claimed = yield* sql`insert into audit_run as r (started_at) values (${began})
    on conflict (only_one) do update set started_at = excluded.started_at where r.started_at <= ${due} returning 1 as mine`
  if (claimed.length === 0) return undefined
  const found = [...(yield* audit.schema), ...(yield* audit.rows), ...((yield* audit.books) ?? [])]
  for (const { detail, fix, id, what } of found.slice(0, maxLogged))
    yield* Effect.logError("The audit found a fault", { what, id, detail, fix })
  yield* sql`update audit_run set finished_at = ${new Date(yield* Clock.currentTimeMillis)}, faults = ${found.length}::int`
  yield* Effect.logInfo("The audit of the stored data ended", { faults: found.length })
  return found.length
})

/** Looks every few minutes whether an audit is due, if `AUDIT_HOURS` is set. */
export const auditWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const { auditHours } = yield* AppConfig
    if (auditHours === undefined) return
    yield* forkRecurring(auditIfDue(auditHours * hourMs), {
      delay: "5 minutes",
      every: "5 minutes",
      failed: "The audit could not be made; it is made again in its time"
    })
  })
)
