/** Why each tool has its hints, in a sentence per hint, as directories ask for them. */
import type { ReviewedTool } from "./PlayedCases.ts"

interface Justified {
  /** The hints that the sentences are about. */
  readonly hints: Pick<ReviewedTool["annotations"], "readOnlyHint" | "openWorldHint" | "destructiveHint">
  readonly reasons: {
    readonly read_only_justification: string
    readonly open_world_justification: string
    readonly destructive_justification: string
  }
}

const reading = (what: string): Justified => ({
  hints: { readOnlyHint: true, openWorldHint: false, destructiveHint: false },
  reasons: {
    read_only_justification: `Only looks up ${what} in this service's own database; it creates, changes and sends nothing.`,
    open_world_justification: "Reads this service's own catalogue and bookings, and writes to no other system.",
    destructive_justification: "Deletes, overwrites and revokes nothing, since it changes nothing."
  }
})

export const justifications: Readonly<Record<string, Justified>> = {
  search_playrooms: reading("playrooms that fit the filters"),
  get_playroom: reading("one playroom's description, rules and packages"),
  get_booking_options: reading("free times and computes their prices, from what is booked"),
  get_booking: {
    hints: { readOnlyHint: true, openWorldHint: false, destructiveHint: false },
    reasons: {
      read_only_justification:
        "Looks up a booking that the caller may see and whether its payment has arrived; it books, changes and sends nothing.",
      open_world_justification: "Writes to no other system; the payment provider is only asked what has been paid.",
      destructive_justification: "Deletes, overwrites and revokes nothing, since it changes nothing."
    }
  },
  create_booking: {
    hints: { readOnlyHint: false, openWorldHint: false, destructiveHint: false },
    reasons: {
      read_only_justification: "Holds places at a playroom under the name and e-mail address that the person gives.",
      open_world_justification:
        "The booking is a private record of this service; nothing is published, and no other system is written to.",
      destructive_justification:
        "Changes no earlier booking, and an unpaid hold ends by itself; the same call again gives the same booking."
    }
  },
  create_payment_session: {
    hints: { readOnlyHint: false, openWorldHint: true, destructiveHint: false },
    reasons: {
      read_only_justification: "Opens a page at the payment provider where the person can pay, and prolongs the hold.",
      open_world_justification: "Makes a payment page at the payment provider, a system outside this service.",
      destructive_justification:
        "Charges nobody: only a person who opens the page can pay, and an unused page expires by itself."
    }
  }
}

/** The tools whose reasons are missing or are about other hints than the service lists. */
export const unjustified = (tools: ReadonlyArray<ReviewedTool>): ReadonlyArray<string> =>
  tools
    .filter(({ annotations, name }) => {
      const hints = justifications[name]?.hints
      return (
        hints === undefined ||
        hints.readOnlyHint !== annotations.readOnlyHint ||
        hints.openWorldHint !== annotations.openWorldHint ||
        hints.destructiveHint !== annotations.destructiveHint
      )
    })
    .map(({ name }) => name)
