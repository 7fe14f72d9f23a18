/** What messages are made of beside texts. */

/** A text by number, for each plural category that the language has (`Intl.PluralRules`); `#` stands for the number. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>

/** Such a text of the language that the others follow: they may have other categories. */
export const plural = (forms: Plural): Plural => forms

/** What a message on where a booking stands may tell: amounts and times in the reader's language. Those that don't apply are empty. */
export interface StandingFacts {
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

export interface StandingMessage {
  readonly heading: string
  readonly lead: (facts: StandingFacts) => string
}

/** A message whose sentences are always the same, or depend on amounts and times. */
export const said = (heading: string, lead: string | ((facts: StandingFacts) => string)): StandingMessage => ({
  heading,
  lead: typeof lead === "string" ? () => lead : lead
})
