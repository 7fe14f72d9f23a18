/** Reads the provider's lists in pages (https://docs.stripe.com/api/pagination). */
import { Effect, type Option, Schedule } from "effect"
import { type GatewayError, maxListed, ProviderRefused } from "./PaymentGateway.ts"
import { readPage } from "./StripeMessages.ts"

/** The provider's maximum page size. */
const pageSize = 100

/** Sends a call and reads its answer. */
type StripeCall = <A>(
  operation: string,
  account: string,
  send: () => Promise<unknown>,
  read: (answer: unknown) => Option.Option<A>
) => Effect.Effect<A, GatewayError>

type ListPage = (page: { readonly limit: number; readonly starting_after?: string }) => Promise<unknown>

/** Reads a page of a list, or all of it. */
export const stripeLists = (call: StripeCall) => {
  /** Reads one page. Retries after a rate limit. */
  const listPage = <A>(
    operation: string,
    account: string,
    read: (item: unknown) => Option.Option<A>,
    list: ListPage,
    after: string | undefined
  ) =>
    call(
      operation,
      account,
      () => list(after === undefined ? { limit: pageSize } : { limit: pageSize, starting_after: after }),
      readPage(read)
    ).pipe(
      Effect.retry({
        times: 5,
        while: (error) => error._tag === "ProviderUnavailable" && error.kind === "rate_limited",
        schedule: Schedule.spaced("2 seconds")
      })
    )

  /** Reads all pages, one call each; oldest first. */
  const listAll = Effect.fnUntraced(function* <A>(
    operation: string,
    account: string,
    read: (item: unknown) => Option.Option<A>,
    list: ListPage
  ) {
    const found: Array<A> = []
    let after: string | undefined
    do {
      const items = yield* listPage(operation, account, read, list, after)
      found.push(...items.items)
      after = items.last
      if (after !== undefined && found.length >= maxListed) {
        return yield* new ProviderRefused({
          operation,
          code: "too_many",
          message: `Account ${account} has more than ${maxListed} since then: ask for a shorter time.`
        })
      }
    } while (after !== undefined)
    return found.reverse()
  })

  return { listPage, listAll }
}

export type ListAll = ReturnType<typeof stripeLists>["listAll"]
