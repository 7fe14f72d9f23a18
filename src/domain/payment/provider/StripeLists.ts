/** Reads the provider's lists in pages (https://docs.stripe.com/api/pagination). */
import { Effect, type Option, Schedule } from "effect"
import { type GatewayError, maxListed, ProviderRefused } from "./PaymentGateway.ts"
import { unreadableAnswer } from "./StripeErrors.ts"
import { type ReadPage, readPage, readPageOfV2 } from "./StripeMessages.ts"

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

/** Asks for the page that begins at `at`; for the first page if that is undefined. */
type AskPage<A> = (at: string | undefined) => Effect.Effect<ReadPage<A>, GatewayError>

/**
 * Reads all pages, one call each; in the provider's order. Fails with `ProviderRefused` if there are more than
 * `maxListed` objects, and with `ProviderUnavailable` if a page leads back to one that was read.
 */
const readAll = Effect.fnUntraced(function* <A>(operation: string, about: string, ask: AskPage<A>) {
  const found: Array<A> = []
  const seen = new Set<string>()
  let at: string | undefined
  do {
    const { items, next } = yield* ask(at)
    found.push(...items)
    if (next !== undefined && seen.has(next)) return yield* unreadableAnswer(operation).error
    if (next !== undefined && found.length >= maxListed) {
      return yield* new ProviderRefused({
        operation,
        code: "too_many",
        message: `${about} has more than ${maxListed}: ask for a shorter time.`
      })
    }
    if (next !== undefined) seen.add(next)
    at = next
  } while (at !== undefined)
  return found
})

/**
 * Reads a page of a list, or all of it. Nothing else reads lists: the client's own paging takes their form for granted.
 */
export const stripeLists = (call: StripeCall) => {
  /** Asks for a page. Retries after a rate limit. */
  const askPage = <A>(
    operation: string,
    account: string,
    send: () => Promise<unknown>,
    read: (answer: unknown) => Option.Option<ReadPage<A>>
  ) =>
    call(operation, account, send, read).pipe(
      Effect.retry({
        times: 5,
        while: (error) => error._tag === "ProviderUnavailable" && error.kind === "rate_limited",
        schedule: Schedule.spaced("2 seconds")
      })
    )

  /** Reads one page: the first, or the one after an id. */
  const listPage = <A>(
    operation: string,
    account: string,
    read: (item: unknown) => Option.Option<A>,
    list: ListPage,
    after: string | undefined
  ) =>
    askPage(
      operation,
      account,
      () => list(after === undefined ? { limit: pageSize } : { limit: pageSize, starting_after: after }),
      readPage(read)
    )

  /** Reads all pages; oldest first. */
  const listAll = <A>(
    operation: string,
    account: string,
    read: (item: unknown) => Option.Option<A>,
    list: ListPage
  ): Effect.Effect<ReadonlyArray<A>, GatewayError> =>
    readAll(operation, account === "" ? "The platform's account" : `Account ${account}`, (after) =>
      listPage(operation, account, read, list, after)
    ).pipe(Effect.map((newestFirst) => newestFirst.toReversed()))

  /** Reads all pages of a list of `/v2/` at `path`, on the platform's own account. */
  const listAllOfV2 = <A>(
    operation: string,
    path: string,
    read: (item: unknown) => Option.Option<A>,
    first: (page: { readonly limit: number }) => Promise<unknown>,
    next: (address: string) => Promise<unknown>
  ): Effect.Effect<ReadonlyArray<A>, GatewayError> =>
    readAll(operation, "The platform's account", (address) =>
      askPage(
        operation,
        "",
        () => (address === undefined ? first({ limit: pageSize }) : next(address)),
        readPageOfV2(path, read)
      )
    )

  return { listPage, listAll, listAllOfV2 }
}

export type Lists = ReturnType<typeof stripeLists>
