/**
 * Audits the stored data: compares the schema with what the migrations make, and looks for rows that break an invariant
 * of the domain, in pages of bounded size. It writes only marks of what it need not look at again, one short statement
 * at a time, so it can run beside a running service. Each statement sees one commit, and no invariant holds only between
 * commits, so a sound database has no faults at any time.
 */

import { Clock, Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Operator } from "../../domain/catalogue/Operator.ts"
import { Operators } from "../../domain/catalogue/Operators.ts"
import { PaymentGateway } from "../../domain/payment/provider/PaymentGateway.ts"
import { AccountComparison } from "../../domain/payment/recovery/AccountComparison.ts"
import { makeProviderAudit, type ProviderFault } from "../../domain/payment/recovery/ProviderAudit.ts"
import { Disputes } from "../../domain/payment/refunds/Disputes.ts"
import { RefundRecords } from "../../domain/payment/refunds/RefundRecords.ts"
import { PaymentSessions } from "../../domain/payment/sessions/PaymentSessions.ts"
import { attempt } from "../../platform/concurrency/Outcomes.ts"
import { AppConfig } from "../../platform/config/AppConfig.ts"
import { schemaFaults, type SchemaFault } from "../../platform/database/SchemaCatalog.ts"
import { VoucherSales } from "../../domain/payment/settlement/VoucherSales.ts"
import { hourMs, forkRecurring } from "../../platform/time/LocalTime.ts"
import { type Finding, unchecked } from "../attention/ActionItems.ts"
import { firstOf, invariants, type RowFaults, rowFaults, told } from "./RowFaults.ts"

const again = "do what the audit says of its rows first, then what the files of sql/ and sql/functions/ say of it"
const schemaFindings = {
  missing: { what: "missing in the schema", fix: `make it again: ${again}` },
  differs: { what: "differs in the schema", fix: `make it again as it was: ${again}` },
  broken: {
    what: "off in the schema",
    fix: "validate it (alter table … validate constraint), switch it on (alter table … enable trigger), or make the index again (reindex)"
  }
} as const satisfies Record<SchemaFault["what"], { readonly what: string; readonly fix: string }>

const reconcileFix = ({ account, since }: ProviderFault) =>
  `playroom payment reconcile --account ${account} --since ${new Date(since).toISOString()} shows what is to do, and with --apply does it`
const compareFix = ({ account, id }: ProviderFault) =>
  `look at ${id} in the provider's dashboard of ${account}: no path of the service leaves it so`
const checkFix = (fault: ProviderFault) =>
  `${reconcileFix(fault)}; if it is found again, look at ${fault.id} in the provider's dashboard of ${fault.account}`
const bookFindings = {
  unknown_here: { what: "the provider knows more", fix: reconcileFix },
  unpaid_there: { what: "paid here, not at the provider", fix: compareFix },
  not_refunded_there: { what: "refunded here, not at the provider", fix: compareFix },
  dispute_unknown_here: { what: "disputed at the provider, not here", fix: checkFix },
  dispute_differs: { what: "dispute differs at the provider", fix: checkFix },
  not_disputed_there: { what: "disputed here, not at the provider", fix: compareFix }
} as const satisfies Record<
  ProviderFault["kind"],
  { readonly what: string; readonly fix: (fault: ProviderFault) => string }
>

/** The codes of what `schema` and `rows` find, in the order in which they look. */
export const storedCodes: ReadonlyArray<string> = [
  ...Object.values(schemaFindings).map(({ what }) => what),
  ...invariants.map(({ what }) => what)
]

/** The codes of all that the audit finds. */
export const auditCodes: ReadonlyArray<string> = [
  ...storedCodes,
  ...Object.values(bookFindings).map(({ what }) => what)
]

export class Audit extends Context.Service<
  Audit,
  {
    /** How the schema differs from what the migrations make. */
    readonly schema: Effect.Effect<ReadonlyArray<Finding>>
    /** All faults of the stored rows, also of those that are settled. */
    readonly rows: Effect.Effect<ReadonlyArray<Finding>>
    /** The same (`rowFaults`) without what is settled, unless it is to be `full`; and how many bookings that were. */
    readonly look: (full: boolean) => Effect.Effect<RowFaults>
    /**
     * How our books of the last days, and all disputes, differ from the provider's, account by account. Undefined: the
     * provider is the sandbox, and the service that it runs in is not there to be asked.
     */
    readonly books: Effect.Effect<ReadonlyArray<Finding> | undefined, SqlError.SqlError>
  }
>()("playroom/attention/Audit") {
  static readonly layer = Layer.effect(
    Audit,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { provider } = yield* AppConfig
      const operators = yield* Operators
      const gateway = yield* PaymentGateway
      const auditBooks = yield* makeProviderAudit

      const schema = Effect.provideService(schemaFaults, SqlClient.SqlClient, sql).pipe(
        Effect.map((faults) =>
          faults.map(({ detail, name, what }): Finding => ({ ...schemaFindings[what], id: name, detail }))
        ),
        (work) => Effect.map(attempt("the schema", work), (one) => told([one])),
        Effect.withSpan("Audit.schema")
      )

      const look = (full: boolean) => Effect.provideService(rowFaults({ full }), SqlClient.SqlClient, sql)
      const rows = Effect.map(look(true), ({ found }) => found)

      const booksOf = Effect.fnUntraced(function* (operator: Operator) {
        const one = yield* attempt(`books of ${operator.operator_id}`, auditBooks(operator))
        const { failed, faults } = one.outcome === "done" ? one.value : { failed: [one], faults: [] }
        const found = faults.map((fault): Finding => ({
          what: bookFindings[fault.kind].what,
          id: fault.id,
          detail: fault.detail,
          fix: bookFindings[fault.kind].fix(fault)
        }))
        return [...found, ...unchecked(failed)]
      })

      const sandboxIsAway = Effect.fnUntraced(function* (all: ReadonlyArray<Operator>) {
        const account = all.map(({ connected_account_id }) => connected_account_id).find((id) => id !== undefined)
        if (provider.kind !== "sandbox" || account === undefined) return false
        const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
        return yield* gateway.listSessions(account, now).pipe(
          Effect.as(false),
          Effect.catch((error) => Effect.succeed(error._tag === "ProviderUnavailable" && error.kind === "network"))
        )
      })

      const books = Effect.gen(function* () {
        const all = yield* operators.list
        if (yield* sandboxIsAway(all)) return undefined
        const found = yield* Effect.forEach(all, booksOf)
        return [...Map.groupBy(found.flat(), ({ what }) => what).values()].flatMap(firstOf)
      }).pipe(Effect.withSpan("Audit.books"))

      return Audit.of({ schema, rows, look, books })
    })
  ).pipe(
    Layer.provide([
      AccountComparison.layer,
      Disputes.layer,
      Operators.layer,
      PaymentSessions.layer,
      RefundRecords.layer,
      VoucherSales.layer
    ])
  )
}

// Audits by a running service: one node of the cluster makes each, and the metrics of all nodes tell what it found.

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
  const schema = yield* audit.schema
  const { checked, found: rows, settled } = yield* audit.look(false)
  const found = [...schema, ...rows, ...((yield* audit.books) ?? [])]
  for (const { detail, fix, id, what } of found.slice(0, maxLogged))
    yield* Effect.logError("The audit found a fault", { what, id, detail, fix })
  yield* sql`update audit_run set finished_at = ${new Date(yield* Clock.currentTimeMillis)}, faults = ${found.length}::int`
  yield* Effect.logInfo("The audit of the stored data ended", { faults: found.length, checked, settled })
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
