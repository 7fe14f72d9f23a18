/**
 * The version token of a booking: a short code of the state that a person was shown before it is moved, cancelled or
 * paid. A form and a command carry it back, and the change is made only if the token is still the same under the
 * booking's lock. So nobody undoes a change unseen, and everybody gets or pays what they were told. Pure.
 */
import { Effect, Schema } from "effect"
import { digestOfValue, BookingId } from "../../platform/ids/Ids.ts"
import type { BookingRow } from "./Booking.ts"

/** `visit`: time, package or party. `price`: the price, or what was paid of it. `outcome`: what the change would do. */
const TokenPart = Schema.Literals(["visit", "price", "outcome"])
type TokenPart = typeof TokenPart.Type

const partBytes = 4

/** A token as `versionToken` makes it: a digest for each part. */
export const VersionToken = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}$/, {
    message: "Expected what the preview gave, like 1a2b3c4d-5e6f7a8b-9c0d1e2f"
  })
)

/** The token of a booking as it stands before a change, and of what the person is told that the change does. */
export const versionToken = (
  { adults, children, due_now, ends_at, package_id, paid, playroom_id, starts_at, terms, total }: BookingRow,
  outcome: Readonly<Record<string, string | number>>
): string => {
  const { add_ons, time_zone } = terms
  return [
    { playroom_id, package_id, starts_at, ends_at, time_zone, children, adults, add_ons },
    { total, due_now, paid },
    outcome
  ]
    .map((part) => digestOfValue(part, partBytes))
    .join("-")
}

const inWords: Record<TokenPart, string> = {
  visit: "its visit",
  price: "its price or what was paid",
  outcome: "what this would do"
}

/** The booking is not as it was shown. Nothing was done: show it again. */
export class ChangedSinceShown extends Schema.TaggedError<ChangedSinceShown>()("ChangedSinceShown", {
  booking_id: BookingId,
  changed: Schema.Array(TokenPart)
}) {
  override get message(): string {
    const what = this.changed.map((part) => inWords[part]).join(", ")
    return `Nothing was done: ${this.booking_id} has changed since it was shown (${what}).`
  }
}

/**
 * Fails if the state differs from what was shown. Without `shown`, nobody was shown anything. Without `outcome`, only
 * the booking is compared.
 */
export const requireVersion = (
  booking: BookingRow,
  outcome: Parameters<typeof versionToken>[1] | undefined,
  shown: string | undefined
): Effect.Effect<void, ChangedSinceShown> => {
  if (shown === undefined) return Effect.void
  const [was, is] = [shown.split("-"), versionToken(booking, outcome ?? {}).split("-")]
  const parts = TokenPart.literals.filter((part) => outcome !== undefined || part !== "outcome")
  const changed = parts.filter((part) => {
    const i = TokenPart.literals.indexOf(part)
    return was[i] !== is[i]
  })
  return changed.length === 0
    ? Effect.void
    : Effect.fail(new ChangedSinceShown({ booking_id: booking.booking_id, changed }))
}

/** What was shown of a plan for many bookings, as its token says. */
interface ShownPlan {
  /**
   * The line up to which the history was committed (`committedThrough` in `BookingList.ts`). A booking that changed
   * since has a later one, and is left as it is.
   */
  readonly through: number
  /** What is planned, and for which closures. */
  readonly digest: string
}

/** The token of a plan. It stays true while the plan is carried out, so that whoever was cut off goes on with it. */
export const planToken = (through: number, plan: unknown): string => `${through}-${digestOfValue(plan, partBytes)}`

/** Reads the token of a plan. */
export const readPlanToken = (code: string): ShownPlan | undefined => {
  const found = /^(\d{1,15})-([0-9a-f]{8})$/.exec(code)
  return found?.[1] === undefined || found[2] === undefined
    ? undefined
    : { through: Number(found[1]), digest: found[2] }
}

/** The token of a closing: which playrooms and times, and what is booked then. */
export const closingToken = (plan: unknown): string => digestOfValue(plan, 2 * partBytes)
