/** Actions that many stories have in common. */
import type { Operation, PageAction } from "../support/ScriptedGateway.ts"
import type { Action } from "./actions.ts"
import { last } from "./Ledger.ts"

export const payerAction = (pageAction: PageAction, page: number): Action => ({
  do: "payer",
  page,
  pageAction,
  twice: false
})
/** A page of the last booking. */
export const opens = (purpose: "due_now" | "balance"): Action => ({
  do: "page",
  booking: last,
  purpose,
  idem: undefined,
  times: 1,
  trouble: undefined
})
export const waits = (minutes: number): Action => ({ do: "wait", minutes })
export const delivery: Action = { do: "deliver", event: last, times: 1, again: false, apply: true }
export const reconciliation: Action = { do: "reconcile", all: true, trouble: undefined }
export const provider = (away: boolean): Action => ({ do: "away", now: away })

export const tasksWith = (operation: Operation | undefined): Action => ({ do: "tasks", trouble: operation })
