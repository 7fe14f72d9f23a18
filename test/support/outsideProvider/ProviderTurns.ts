/** What the outside provider corrects later: disputes are decided, appealed and won after all, refunds that had succeeded fail. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { openOrMoveDispute } from "../../../src/extras/sandbox/Disputes.ts"
import { turnRefund } from "../../../src/extras/sandbox/Refunds.ts"
import type { Chance } from "../../fuzz/Chance.ts"
import { hasFailed, readRecord } from "./ProviderRecord.ts"

export const inTransaction = <A, E, R>(act: Effect.Effect<A, E, R>) =>
  SqlClient.SqlClient.use((sql) => sql.withTransaction(act))

/** Opens a dispute, or moves the one that `form` names, with its events. */
export const moveDispute = (form: Record<string, string>) =>
  inTransaction(openOrMoveDispute(new URLSearchParams(form).toString()))

const record = readRecord(new Map())

/** The controls that correct things by chance. */
export const makeTurns = (chance: Chance) => {
  const counts = {
    disputes_appealed: 0,
    disputes_won_on_appeal: 0,
    refunds_failed: 0,
    refunds_succeeded_after_all: 0
  }
  /** Refunds that chance has decided about: most of earlier rounds stay as they are. */
  const thrown = new Set<string>()

  return {
    counts,

    /** The banks decide all disputes, also those that were appealed; without `as`, each by chance. */
    decideDisputes: Effect.fnUntraced(function* (as: "won" | "lost" | undefined) {
      for (const { id: dispute, payment_intent, status } of (yield* record).disputes) {
        const appealed = status.startsWith("appeal_")
        if (!/_response$|_review$/.test(status)) continue
        const won = as === undefined ? (appealed ? !chance.once(3) : chance.once(2)) : as === "won"
        yield* moveDispute({ dispute, payment_intent, status: won ? "won" : "lost" })
        if (won && appealed) counts.disputes_won_on_appeal++
      }
    }),

    /** Operators appeal some of the disputes that they lost. */
    appealDisputes: Effect.gen(function* () {
      for (const { id: dispute, payment_intent, status } of (yield* record).disputes) {
        if (status !== "lost" || chance.once(3)) continue
        yield* moveDispute({ dispute, payment_intent, status: "appeal_under_review" })
        counts.disputes_appealed++
      }
    }),

    /**
     * Some refunds that had succeeded fail: the payers' banks send the money back. A few of those reach the payer after
     * all, before anybody has heard of it.
     */
    failRefunds: Effect.gen(function* () {
      for (const { id: refund, status } of (yield* record).refunds) {
        if (status !== "succeeded" || thrown.has(refund)) continue
        thrown.add(refund)
        if (!chance.once(3)) continue
        const turn = (status: string) => inTransaction(turnRefund(new URLSearchParams({ refund, status }).toString()))
        if (!hasFailed(yield* turn(chance.once(4) ? "canceled" : "failed"))) continue
        counts.refunds_failed++
        if (!chance.once(5)) continue
        yield* turn("succeeded")
        counts.refunds_succeeded_after_all++
      }
    })
  }
}
