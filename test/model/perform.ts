/**
 * Performs an action on the running services and checks their answers by the model. `alone`: nothing runs concurrently,
 * so the model predicts the answer exactly.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Reconciliation } from "../../src/domain/payment/workers/Reconciliation.ts"
import { ScriptedGateway } from "../support/ScriptedGateway.ts"
import type { Action } from "./actions.ts"
import { another, create, createAtOnce, isOfWaitingList, listOptions, peek, requestOf } from "./booking.ts"
import { cancel, cancelByFamily } from "./cancelling.ts"
import { correct } from "./contacts.ts"
import { type Booked, type Ledger, nth } from "./Ledger.ts"
import {
  decide,
  deliver,
  dispute,
  isPaidFor,
  openPage,
  payableBookings,
  payerActs,
  refundInDashboard,
  turnDispute,
  turnRefund,
  unsettled,
  wait
} from "./paying.ts"
import { decideMisfit, misfit } from "./misfits.ts"
import { changeParty, forBooking, move } from "./moving.ts"
import { atDesk } from "./deskActions.ts"
import { dayMs, minuteMs } from "../../src/platform/time/LocalTime.ts"
import { importEdited } from "./sizes.ts"
import { openOrderPage, order, orderPayer, runSales } from "./orders.ts"
import { subscribe } from "./subscription.ts"
import { leaveList, offer, waitFor } from "./waiting.ts"
import { runProviderTasks, Outside, type World } from "./world.ts"

/** Whether a caller made it: what a waiting list made is asked for by nobody again. */
const isOfCall = ({ request }: Booked): boolean => !isOfWaitingList(request.key)

type Doing = Effect.Effect<void, unknown, World>

export const perform = (ledger: Ledger, action: Action, alone: boolean): Doing =>
  Effect.gen(function* () {
    const world = yield* Outside
    const provider = yield* ScriptedGateway
    switch (action.do) {
      case "book": {
        const seen = nth(yield* listOptions(ledger, action.wish, alone), action.wish.slot)
        if (seen !== undefined) yield* createAtOnce(ledger, requestOf(seen, action.wish), action.times, alone)
        return
      }
      case "bookSeen": {
        const seen = nth(ledger.options, action.seen)
        if (seen !== undefined) yield* createAtOnce(ledger, requestOf(seen, action), 1, alone)
        return
      }
      case "askAgain": {
        const booked = nth(ledger.bookings.filter(isOfCall), action.booking)
        if (booked === undefined) return
        const idempotency_key = action.idem === undefined ? undefined : `k${action.idem}`
        return yield* createAtOnce(ledger, { ...booked.request, idempotency_key, as: action.as }, action.times, alone)
      }
      case "rival": {
        const booked = nth(ledger.bookings, action.booking)
        if (booked === undefined) return
        const { key, seen } = booked.request
        const request = {
          key: another(key),
          email: `rival${action.email}`,
          seen,
          idempotency_key: undefined,
          as: "plain" as const
        }
        return yield* createAtOnce(ledger, request, 1, alone)
      }
      case "move": {
        // Of several bookings marked as another one, a repeated call may find any.
        const booked = nth(
          ledger.bookings.filter(({ request }) => request.as !== "another"),
          action.booking
        )
        if (booked === undefined) return
        const seen =
          action.seen === undefined
            ? nth(yield* listOptions(ledger, action.wish, alone), action.wish.slot)
            : nth(ledger.options, action.seen)
        if (seen !== undefined) yield* move(ledger, booked, yield* forBooking(ledger, booked, seen), action.by, alone)
        return
      }
      case "party": {
        // Of several bookings marked as another one, a repeated call may find any.
        const booked = nth(
          ledger.bookings.filter(({ request }) => request.as !== "another"),
          action.booking
        )
        if (booked !== undefined) yield* changeParty(ledger, booked, action, alone)
        return
      }
      case "correct": {
        // Of several bookings marked as another one, a repeated call may find any.
        const booked = nth(
          ledger.bookings.filter(({ request }) => request.as !== "another"),
          action.booking
        )
        if (booked !== undefined) yield* correct(booked, action, alone)
        return
      }
      case "misfit":
        return yield* misfit(ledger, action)
      case "decideMisfit":
        return yield* decideMisfit(ledger, action, alone)
      case "order":
        return yield* order(ledger, action, alone)
      case "orderPage":
        return yield* openOrderPage(ledger, action.booking)
      case "orderPayer":
        return yield* orderPayer(ledger, action)
      case "waitFor":
        return yield* waitFor(ledger, action, alone)
      case "leaveList":
        return yield* leaveList(ledger, action.entry)
      case "offer":
        return yield* offer(ledger)
      case "desk":
        return yield* atDesk(ledger, action.act, alone)
      case "until": {
        const booked = nth(ledger.bookings, action.booking)
        if (booked === undefined) return
        const at = booked.request.seen.visit.start + action.minutes * minuteMs
        // After weeks without an answer, a payment under way, or one that nobody has heard of, is left to a person:
        // that is not this model's matter.
        const known = new Set(
          ledger.last.sessions.flatMap((row) => (row.status === "paid" ? [row.payment_session_id] : []))
        )
        const open = [...provider.sessions.values()].some(
          ({ payment_session_id = "", status }) => status === "complete" && !known.has(payment_session_id)
        )
        const most = open || provider.outage !== undefined ? dayMs : Infinity
        return yield* wait(Math.max(0, Math.min(most, at - world.now) / minuteMs))
      }
      case "retry": {
        const booked = nth(ledger.bookings.filter(isOfCall), action.booking)
        if (booked === undefined) return
        if (!action.otherwise) return yield* createAtOnce(ledger, booked.request, 1, alone)
        if (booked.request.idempotency_key === undefined) return
        assert.strictEqual(yield* create(ledger, booked.request, "another wish"), "IdempotencyConflict")
        return
      }
      case "page": {
        const booked = nth(payableBookings(ledger, action.purpose), action.booking)
        if (booked === undefined) return
        const undisturbed = action.trouble === undefined && world.disturbance === undefined
        if (action.trouble !== undefined) world.disturbance = { operation: "createSession", fault: action.trouble }
        yield* Effect.all(
          Array.from({ length: action.times }, () =>
            openPage(ledger, booked, action, { alone: alone && action.times === 1, undisturbed })
          ),
          { concurrency: "unbounded" }
        )
        return
      }
      case "payer": {
        const page = nth(unsettled(ledger.pages, provider), action.page)
        if (page !== undefined && action.pageAction !== "decline")
          yield* payerActs(page.provider_id, action.pageAction, action.twice, action.presented)
        return
      }
      case "deliver":
        return yield* deliver(ledger, action, alone)
      case "lose": {
        const event = nth(world.outbox, action.event)
        world.outbox = world.outbox.filter((other) => other !== event)
        return
      }
      case "wait":
        return yield* wait(action.minutes)
      case "cancel": {
        const paid = ledger.bookings.filter((one) => isPaidFor(ledger, provider, one))
        const booked = nth(action.paid && paid.length > 0 ? paid : ledger.bookings, action.booking)
        if (booked === undefined) return
        if (action.wish === "family") return yield* cancelByFamily(booked)
        return yield* cancel(ledger, booked, action.wish, action.by, alone)
      }
      case "dispute":
        return yield* dispute(ledger, action.page, action.percent)
      case "decide":
        return yield* decide(action.dispute, action.as)
      case "turnDispute":
        return yield* turnDispute(action.dispute, action.to)
      case "turnRefund":
        return yield* turnRefund(action.refund, action.to, action.percent)
      case "poor":
        provider.balanceTooSmall = action.now
        return
      case "refundInDashboard":
        return yield* refundInDashboard(ledger, action.page, action.percent)
      case "away":
        provider.outage = action.now ? "away" : undefined
        return
      case "disconnect":
        provider.outage = action.now ? "account_closed" : undefined
        return
      case "subscribe":
        return yield* subscribe(action)
      case "slowRefunds":
        provider.newRefundStatus = action.now ? "pending" : "succeeded"
        return
      case "reconcile": {
        if (action.trouble !== undefined) world.disturbance = { operation: action.trouble, fault: "unanswered" }
        yield* Reconciliation.use(({ runDue, runOnce }) => (action.all ? runOnce : runDue))
        yield* runSales
        return
      }
      case "tasks":
        if (action.trouble !== undefined) world.disturbance = { operation: action.trouble, fault: "unanswered" }
        return yield* runProviderTasks
      case "peek": {
        const booked = nth(ledger.bookings, action.booking)
        if (booked !== undefined) yield* peek(booked)
        return
      }
      case "prices":
        return yield* importEdited(ledger, { edition: action.edition }, alone)
      case "sizes":
        return yield* importEdited(ledger, action, alone)
      case "close": {
        const closed = new Set(ledger.closed)
        if (action.closed) closed.add(action.day)
        else closed.delete(action.day)
        return yield* importEdited(ledger, { closed }, alone)
      }
      case "story":
        return yield* Effect.forEach(action.all, (one) => perform(ledger, one, false), { discard: true })
      case "atOnce":
        return yield* Effect.all(
          action.all.map((one) => perform(ledger, one, false)),
          { concurrency: "unbounded", discard: true }
        )
      case "during": {
        const context = yield* Effect.context<World>()
        const meanwhile = Effect.orDie(perform(ledger, action.meanwhile, false)).pipe(Effect.provide(context))
        world.disturbance = { operation: action.operation, meanwhile }
        return yield* perform(ledger, action.first, false)
      }
    }
  })
