/** What the family can do on its page: a page of its own before it, and a form. */
import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import type { Language } from "../../i18n/Languages.ts"
import type { ShownBooking } from "../../payment/BookingPages.ts"
import type { Html } from "../../kernel/Html.ts"
import type { Fact } from "../Parts.ts"

/** What a request for a booking's page says: its token, its reader's language, and what it asks for. */
export interface LinkRequest {
  readonly token: string
  readonly language: Language
  readonly query: { readonly month?: string; readonly date?: string; readonly option?: string }
}

/** A booking that a link has opened, as it stands, for a request. */
export interface OpenedBooking extends ShownBooking {
  readonly asked: LinkRequest
}

export type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, SqlError.SqlError>

/** What the booking's page has of a step, where it can be done now. */
export interface StepParts {
  /** What the family should do next, if it should: a button above the facts. */
  readonly main?: Html
  /** A link to it, among those at the end of the page. */
  readonly action?: Html
  /** A row among the facts of the booking. */
  readonly fact?: Fact
}

/** A step, which `FamilyHandlers.ts` lists by its name. */
export interface BookingStep {
  readonly parts?: (opened: OpenedBooking) => Effect.Effect<StepParts, SqlError.SqlError>
  /** `GET /b/{token}?step=NAME` changes nothing. Where it is absent, the booking's page is shown. */
  readonly show?: (opened: OpenedBooking) => Answer
  /** `POST /b/{token}` with `step=NAME` in its form. */
  readonly act: (opened: OpenedBooking, form: URLSearchParams) => Answer
}

/** The address of a booking's page, or of one of its steps, on this service. */
export const stepAddress = ({ token }: Pick<LinkRequest, "token">, step?: string): string =>
  `/b/${token}${step === undefined ? "" : `?step=${step}`}`
