/** The payment services put together, over the gateway, the database and the bookings that `App.ts` (or a test) decides on. */
import { Layer } from "effect"
import { LinkTokens } from "../access/LinkTokens.ts"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { Operators } from "../catalogue/Operators.ts"
import { AccountComparison } from "./AccountComparison.ts"
import { BookingPages } from "./BookingPages.ts"
import { OperatorVisits } from "../booking/OperatorVisits.ts"
import { OperatorDays } from "./OperatorDays.ts"
import { PaymentSummaries } from "./PaymentSummaries.ts"
import { Cancellations } from "./Cancellations.ts"
import { Disputes } from "./refunds/Disputes.ts"
import { EventRecords } from "./events/EventRecords.ts"
import { StuckPayments } from "./sessions/StuckPayments.ts"
import { CheckoutReturn } from "./CheckoutReturn.ts"
import { Moves } from "./Moves.ts"
import { PaymentInquiry } from "./workers/PaymentInquiry.ts"
import { Payments } from "./Payments.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"
import { ProviderHealth } from "./provider/ProviderHealth.ts"
import { ProviderTasks } from "./provider/ProviderTasks.ts"
import { ProviderSessions } from "./settlement/ProviderSessions.ts"
import { providerTaskWorker } from "./workers/ProviderTaskWorker.ts"
import { Reconciliation } from "./workers/Reconciliation.ts"
import { retentionWorker } from "./workers/Retention.ts"
import { RefundRecords } from "./refunds/RefundRecords.ts"
import { ProviderRefunds } from "./refunds/ProviderRefunds.ts"
import { Refunds } from "./refunds/Refunds.ts"
import { SessionCreation } from "./sessions/SessionCreation.ts"
import { Settlement } from "./settlement/Settlement.ts"
import { UnknownPayments } from "./UnknownPayments.ts"
import { WebhookInbox } from "./events/WebhookInbox.ts"

/** Every payment service, and `Operators`. Open: PaymentGateway, Bookings and its records, AppConfig, SecureRandom, SqlClient. */
export const paymentServices = Layer.mergeAll(
  AccountComparison.layer.pipe(Layer.provideMerge(UnknownPayments.layer)),
  Reconciliation.layer,
  Cancellations.layer,
  Moves.layer,
  CheckoutReturn.layer,
  BookingPages.layer,
  OperatorDays.layer.pipe(Layer.provide(OperatorVisits.layer))
).pipe(
  Layer.provideMerge(WebhookInbox.layer),
  Layer.provideMerge(Layer.mergeAll(Payments.layer, PaymentSummaries.layer, StuckPayments.layer)),
  Layer.provideMerge(Layer.mergeAll(PaymentInquiry.layer, BookingLinks.layer)),
  Layer.provideMerge(Layer.mergeAll(SessionCreation.layer, ProviderSessions.layer)),
  Layer.provideMerge(ProviderRefunds.layer),
  Layer.provideMerge(Settlement.layer),
  Layer.provideMerge(Disputes.layer),
  Layer.provideMerge(Refunds.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      PaymentSessions.layer,
      EventRecords.layer,
      RefundRecords.layer,
      ProviderTasks.layer,
      Operators.layer,
      LinkTokens.layer,
      ProviderHealth.layer
    )
  )
)

/** The background work: provider tasks, stored events, reconciliation, retention. For every node that serves. */
export const paymentWorkers = Layer.mergeAll(
  WebhookInbox.worker,
  providerTaskWorker(),
  ProviderTasks.cleanup,
  retentionWorker,
  Reconciliation.worker
)
