/** What the family's page says of where a booking stands: a heading and a sentence or two. */

/** Amounts and times in the reader's language. Those that don't apply are empty. */
export interface StateFacts {
  /** What is to be paid: now, or as the balance. */
  readonly amount: string
  /** Until when the places are held, or the balance is due. */
  readonly until: string
  readonly paid: string
  readonly on_its_way: string
  readonly paid_back: string
  /** Whether the balance can be paid on a page; if not, it is paid at the venue. */
  readonly online: boolean
}

export interface StateMessage {
  readonly heading: string
  readonly lead: (facts: StateFacts) => string
}

/** A message whose sentences are always the same, or depend on amounts and times. */
export const said = (heading: string, lead: string | ((facts: StateFacts) => string)): StateMessage => ({
  heading,
  lead: typeof lead === "string" ? () => lead : lead
})
