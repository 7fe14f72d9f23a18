/** What staff do with a booking at the desk: a page, and a form that only this session's pages can send. */
import { Data, type Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { SqlError } from "effect/sql"
import { deskPaths, type DeskRight, type StaffMember } from "../../../domain/people/staff/StaffMember.ts"
import type { Html } from "../../../platform/text/Html.ts"
import type { Instant } from "../../../platform/time/LocalTime.ts"
import type { Actor } from "../../../domain/payment/changes/BookingChanges.ts"
import type { DeskBooking } from "./DeskBookingPage.ts"
import type { DeskRequest } from "./DeskFrame.ts"

/** A booking at the desk, with the request of who opened it. */
export interface DeskOpened {
  readonly desk: DeskRequest
  readonly booking: DeskBooking
  /** How many lines of the history the page had seen whose form this is; absent if it does not say. */
  readonly seen?: number
  /** What the address of a move's page chooses; absent for a form that was sent. */
  readonly asked?: {
    readonly month?: string
    readonly date?: string
    readonly time?: string
    readonly package?: string
  }
}

/** Nothing was done: why, in words for the person at the desk. `changed`: the booking is not as the page showed it. */
export class NotDone extends Data.TaggedError("NotDone")<{ readonly why: string; readonly changed?: true }> {
  override get message(): string {
    return this.why
  }
}

/** An action's answer. If nothing was done, `DeskBookingPage.ts` shows the booking as it is by now, and what has happened to it. */
export type ActionAnswer = Effect.Effect<HttpServerResponse.HttpServerResponse, NotDone | SqlError.SqlError>

/** An action. `DeskRoutes.ts` registers it by name. */
export interface DeskAction {
  /** What the person's role has to allow for it to be offered, shown or done. */
  readonly right: DeskRight
  /** How the booking's page leads to it; undefined while there is nothing to do. */
  readonly offer: (opened: DeskOpened, now: Instant) => Html | undefined
  /** `GET /desk/b/{booking}?step=NAME` changes nothing. If absent, the booking's page is shown. */
  readonly show?: (opened: DeskOpened) => ActionAnswer
  /** `POST /desk/b/{booking}` with `step=NAME` in its form. */
  readonly act: (opened: DeskOpened, form: URLSearchParams) => ActionAnswer
  /** After an act that was not done: its form on the booking as it is by now. If it fails, or is absent, the booking's page is shown. */
  readonly again?: (opened: DeskOpened, form: URLSearchParams, not: NotDone) => ActionAnswer
}

/** Who does it, for a change of the booking. */
export const staffActor = ({ name, operator_id, role }: StaffMember): Actor => ({
  as: "staff",
  name,
  operator_id,
  role
})

/** The address of a booking at the desk, or of one of its actions. */
export const deskAddress = (booking_id: string, step?: string): string =>
  `${deskPaths.booking}${booking_id}${step === undefined ? "" : `?step=${step}`}`

/** The field that names the session whose page has the form. */
export const formField = "form"
/** The field with how much of the history the page had seen. */
export const seenField = "seen"

/** How much of the history a form says that its page had seen. */
export const seenIn = (form: URLSearchParams): { readonly seen?: number } => {
  const text = form.get(seenField) ?? ""
  return /^\d{1,6}$/.test(text) ? { seen: Number(text) } : {}
}

/** The hidden fields of a form at the desk. */
export const hiddenFields = ({ form }: DeskRequest, step: string, more: Readonly<Record<string, string>> = {}) => ({
  [formField]: form,
  step,
  ...more
})
