/** The types of messages that are more than a text. */

/** A text for each plural category of the language (`Intl.PluralRules`). `#` stands for the number. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>

/** Widens the type of English plural texts, since other languages may have other categories. */
export const plural = (forms: Plural): Plural => forms

/**
 * Values for a message about a booking's standing: amounts and times in the reader's language. An empty one does not
 * apply.
 */
interface StandingFacts {
  /** The amount due: now, or as the balance. */
  readonly amount: string
  /**
   * The due date of the balance, with its zone; empty if it is paid at the venue by the terms. When a hold ends stands
   * on a line of its own (`surfaces/web/frame/PageTable.ts`).
   */
  readonly until: string
  readonly paid: string
  /**
   * All that goes back and has not arrived; how, stands beside it (`howBack` in `surfaces/web/family/MoneyFacts.ts`).
   */
  readonly comes_back: string
  readonly paid_back: string
  /** The money that is not what was asked for, and about which a person decides. */
  readonly in_question: string
  /** Such money that was sent back; what became of it stands beside the lead. */
  readonly sent_back: string
  /** Whether the balance can be paid online; otherwise at the venue. */
  readonly online: boolean
}

interface StandingMessage {
  readonly heading: string
  readonly lead: (facts: StandingFacts) => string
}

/** A message with a fixed lead, or one that depends on amounts and times. */
export const standingMessage = (
  heading: string,
  lead: string | ((facts: StandingFacts) => string)
): StandingMessage => ({
  heading,
  lead: typeof lead === "string" ? () => lead : lead
})

/** The words that pages share and the card does not say: it is small without them. */
export const pageWords = [
  "ages",
  "backAfterDispute",
  "backOnceOpen",
  "comesBack",
  "followedBy",
  "leaveAsItIs",
  "lookAgain",
  "ownDevice",
  "presented",
  "toBooking"
] as const
export type PageWord = (typeof pageWords)[number]
