/** Letters to families as they are read: the HTML of each kind, in the reader's language. */
import type { LetterKind } from "../../src/domain/booking/LetterOutbox.ts"
import type { Language } from "../../src/words/Languages.ts"
import { dayMs } from "../../src/platform/time/LocalTime.ts"
import { letterContent } from "../../src/surfaces/letters/LetterContent.ts"
import type { ShownBooking } from "../../src/surfaces/web/family/ShownBookings.ts"
import type { Screen } from "./screens.ts"
import { shownAt, shownBookings } from "./shownBookings.ts"

const { balance_due, cancelled_going_back, paid } = shownBookings

/** Of £150 that goes back, £50 was paid at the venue. */
const twoWays = {
  ...cancelled_going_back,
  summary: { ...cancelled_going_back.summary, refund_by_hand: 5000 }
}

const letters: Readonly<Record<LetterKind, ShownBooking>> = {
  confirmed: balance_due,
  changed: paid,
  ended: twoWays,
  balance_due,
  visit: paid,
  refund_failed: cancelled_going_back,
  link: paid
}

const isKind = (name: string): name is LetterKind => name in letters

const letterOf = (kind: LetterKind, language: Language): string => {
  const shown = letters[kind]
  const { booking, summary } = shown
  const { html } = letterContent({
    kind,
    language,
    shown,
    before:
      kind === "changed"
        ? {
            starts_at: booking.starts_at - dayMs,
            ends_at: booking.ends_at - dayMs,
            children: 6,
            adults: booking.adults,
            total: booking.total
          }
        : null,
    entry: { booking, changes: 1, changed_at: shownAt, operator: summary.operator },
    refund_failed: 5000,
    stop_url: "https://book.example.com/r/token"
  })
  // Whoever shows the letter has the landmark.
  const within = html
    .replace('<div class="letter">', '<main class="letter">')
    .replace("</footer>\n</div>", "</footer>\n</main>")
  return `data:text/html;base64,${Buffer.from(within).toString("base64")}`
}

export const letterScreens: ReadonlyArray<Screen> = Object.keys(letters)
  .filter(isKind)
  .map((kind) => ({ name: `letter, ${kind}`, url: (language) => letterOf(kind, language) }))
