/** A step that the family can take on its page: a page of its own and a form. */
import type { PageAnswer } from "../frame/Layout.ts"
import type { Effect } from "effect"
import type { SqlError } from "effect/sql"
import { linkPaths } from "../../../platform/access/LinkTokens.ts"
import type { Language } from "../../../words/Languages.ts"
import type { ShownBooking } from "./ShownBookings.ts"
import type { Html } from "../../../platform/text/Html.ts"
import type { Fact } from "../frame/Parts.ts"

/**
 * Where a payer came back from: the id of the payment (`""`: unknown), how its page was left (`success` or `cancel`), and how often
 * the page has reloaded itself.
 */
export interface PaidQuery {
  readonly paid?: string
  readonly outcome?: string
  readonly look?: string
}

/** A request for a booking's page: its token, the reader's language, and the query. */
export interface LinkRequest {
  readonly token: string
  readonly language: Language
  readonly query: {
    readonly month?: string
    readonly date?: string
    readonly option?: string
    readonly grant?: string
  } & PaidQuery
}

/** A booking opened by a link, with the request. */
export interface OpenedBooking extends ShownBooking {
  readonly asked: LinkRequest
}

/** The parts that a step adds to the booking's page while it is available. */
export interface StepParts {
  /** The main action: a button above the facts. */
  readonly main?: Html
  /** A link to the step, at the end of the page. */
  readonly action?: Html
  /** A section of its own, after the terms. */
  readonly section?: Html
  /** Rows in the booking's facts. */
  readonly facts?: ReadonlyArray<Fact>
}

/** A step. `FamilyRoutes.ts` registers it by name. */
export interface BookingStep {
  readonly parts?: (opened: OpenedBooking) => Effect.Effect<StepParts, SqlError.SqlError>
  /** `GET /b/{token}?step=NAME` changes nothing. If absent, the booking's page is shown. */
  readonly show?: (opened: OpenedBooking) => PageAnswer
  /** `POST /b/{token}` with `step=NAME` in its form. If absent, there is no form. */
  readonly act?: (opened: OpenedBooking, form: URLSearchParams) => PageAnswer
}

/** The address of a booking's page, or of one of its steps, on this service. */
export const stepAddress = ({ token }: Pick<LinkRequest, "token">, step?: string): string =>
  `${linkPaths.booking}${token}${step === undefined ? "" : `?step=${step}`}`

/** The address of the page where a booking can be paid and nothing else. */
export const payAddress = ({ token }: Pick<LinkRequest, "token">): string => `${linkPaths.pay}${token}`
