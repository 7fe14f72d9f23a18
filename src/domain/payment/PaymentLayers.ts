/** The payment services. `App.ts` or a test provides the gateway and the database. */
import { Layer } from "effect"
import { LinkTokens } from "../../platform/access/LinkTokens.ts"
import { BookingLinks } from "../booking/BookingLinks.ts"
import { AccountComparison } from "./recovery/AccountComparison.ts"
import { PaymentSummaries } from "./PaymentSummaries.ts"
import { BookingChanges } from "./changes/BookingChanges.ts"
import { Disputes } from "./refunds/Disputes.ts"
import { EventRecords } from "./events/EventRecords.ts"
import { VisitOffers } from "./changes/VisitChanges.ts"
import { Checkout } from "./checkout/Checkout.ts"
import { PaymentSessions } from "./sessions/PaymentSessions.ts"
import { Vouchers } from "./sessions/Vouchers.ts"
import { ProviderHealth } from "./provider/ProviderHealth.ts"
import { ProviderTasks } from "./provider/ProviderTasks.ts"
import { PaymentInquiry } from "./settlement/PaymentInquiry.ts"
import { providerTaskWorker } from "./workers/ProviderTaskWorker.ts"
import { Reconciliation } from "./workers/Reconciliation.ts"
import { RefundRecords } from "./refunds/RefundRecords.ts"
import { ProviderRefunds } from "./refunds/ProviderRefunds.ts"
import { Refunds } from "./refunds/Refunds.ts"
import { Settlement } from "./settlement/Settlement.ts"
import { VoucherSales } from "./settlement/VoucherSales.ts"
import { WebhookInbox } from "./events/WebhookInbox.ts"

/** Every payment service. Requires PaymentGateway, AppConfig, SecureRandom and SqlClient. */
export const paymentServices = Layer.mergeAll(
  AccountComparison.layer,
  Reconciliation.layer,
  BookingChanges.layer,
  VisitOffers.layer,
  WebhookInbox.layer,
  Checkout.layer,
  PaymentSummaries.layer,
  PaymentInquiry.layer,
  BookingLinks.layer,
  ProviderRefunds.layer,
  Settlement.layer,
  Disputes.layer,
  Refunds.layer,
  PaymentSessions.layer,
  Vouchers.layer,
  VoucherSales.layer,
  EventRecords.layer,
  RefundRecords.layer,
  ProviderTasks.layer,
  LinkTokens.layer,
  ProviderHealth.layer
)

/** The background work: provider tasks, stored events, reconciliation. Every serving node runs it. */
export const paymentWorkers = Layer.mergeAll(
  WebhookInbox.worker,
  providerTaskWorker,
  ProviderTasks.cleanup,
  Reconciliation.worker
)
