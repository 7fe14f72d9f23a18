/** What the scripted gateway lists of an account: the sessions with what the service wrote into them, refunds, disputes. */
import { Effect } from "effect"
import type {
  CheckoutRequest,
  GatewayError,
  ListedSession,
  PaymentGateway,
  ProviderDispute,
  ProviderRefund,
  ProviderSession
} from "../../src/domain/payment/provider/PaymentGateway.ts"

type Of<A> = A & { readonly account: string }
type Lists = "describeSession" | "listSessions" | "listRefundsSince" | "disputesPage" | "disputesToldSince"

/** So few that there are pages. */
const disputesOfPage = 2

/** A session's request, and when it came, in seconds. */
export interface Asked {
  readonly request: CheckoutRequest
  readonly created: number
}

/** When something changed of a dispute, in milliseconds. */
export interface DisputeNews {
  readonly id: string
  readonly at: number
}

/** The calls of the port that list. `asked` has the request of each session; refunds are listed whatever the time. */
export const scriptedLists = (of: {
  readonly sessions: () => Iterable<Of<ProviderSession>>
  readonly refunds: () => Iterable<Of<ProviderRefund> & { readonly payment_intent_id: string }>
  readonly disputes: () => Iterable<Of<ProviderDispute> & { readonly payment_intent_id: string }>
  readonly news: ReadonlyArray<DisputeNews>
  readonly asked: ReadonlyMap<string, Asked>
  readonly find: (account: string, id: string) => Effect.Effect<Of<ProviderSession>, GatewayError>
  readonly call: <A>(
    operation: Lists,
    account: string,
    run: Effect.Effect<A, GatewayError>
  ) => Effect.Effect<A, GatewayError>
}): Pick<PaymentGateway["Service"], Lists> => {
  const listed = (session: Of<ProviderSession>): ReadonlyArray<ListedSession> => {
    const asked = of.asked.get(session.id)
    if (asked === undefined) return []
    const { booking_id, description, key_id, option_id, payment_session_id, purpose, reference, success_url } =
      asked.request
    return [
      {
        session,
        created: asked.created,
        success_url,
        description: `${description} (${reference})`,
        payer_name: "Ana Lima",
        ...(asked.request.customer_email === undefined ? {} : { payer_email: asked.request.customer_email }),
        application_fee: asked.request.application_fee,
        metadata: {
          payment_session_id,
          booking_id,
          reference,
          purpose,
          ...(option_id === undefined ? {} : { option_id }),
          ...(key_id === undefined ? {} : { key_id })
        }
      }
    ]
  }
  return {
    describeSession: (account, id) =>
      of.call(
        "describeSession",
        account,
        Effect.flatMap(of.find(account, id), (session) => {
          const [found] = listed(session)
          return found === undefined ? Effect.die(new Error(`nobody asked for ${id}`)) : Effect.succeed(found)
        })
      ),
    listSessions: (account, since) =>
      of.call(
        "listSessions",
        account,
        Effect.sync(() =>
          [...of.sessions()]
            .filter((session) => session.account === account)
            .flatMap(listed)
            .filter(({ created }) => created >= since)
        )
      ),
    listRefundsSince: (account) =>
      of.call(
        "listRefundsSince",
        account,
        Effect.sync(() =>
          [...of.refunds()]
            .filter((refund) => refund.account === account)
            .map(({ payment_intent_id, ...refund }) => ({ refund, payment_intent_id, created: 0 }))
        )
      ),
    disputesPage: (account, after) =>
      of.call(
        "disputesPage",
        account,
        Effect.sync(() => {
          const all = [...of.disputes()].filter((dispute) => dispute.account === account).toReversed()
          const start = all.findIndex(({ id }) => id === after) + 1
          const page = all.slice(start, start + disputesOfPage)
          const disputes = page.map(({ payment_intent_id, ...dispute }) => ({ dispute, payment_intent_id }))
          return { disputes, next: all.length > start + disputesOfPage ? page.at(-1)?.id : undefined }
        })
      ),
    disputesToldSince: (account, since) =>
      of.call(
        "disputesToldSince",
        account,
        Effect.sync(() => of.news.filter(({ at }) => at >= since * 1000).map(({ id }) => id))
      )
  }
}
