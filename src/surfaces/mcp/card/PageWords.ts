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
