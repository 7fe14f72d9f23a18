/** What needs a person of letters to families. */
import { Effect } from "effect"
import { deadLetters, LetterOutbox } from "../../domain/booking/LetterOutbox.ts"
import { hourMs } from "../../platform/time/LocalTime.ts"
import { at, kind } from "./Finding.ts"
import { counted } from "../../platform/text/Text.ts"

/** A mail server that is away for a while is none. */
const lettersDelayedMs = hourMs

/** In the order in which they are reported. */
export const letterFindings = [
  kind({
    codes: ["letter not sent"],
    rows: () => LetterOutbox.use((outbox) => outbox.dead),
    of: ({ attempts, booking_id, kind, letter_id, outcome, reference }) => ({
      what: "letter not sent",
      id: letter_id,
      detail: `${kind} of ${reference}, after ${counted(attempts, "attempt")}: ${outcome ?? "no reason given"}`,
      fix: `see the address by playroom booking show ${booking_id} and tell the family in another way, then playroom doctor --settle ${letter_id}; playroom doctor --revive ${letter_id} sends it again`
    }),
    counted: { gauge: "letters_dead", rows: deadLetters }
  }),
  kind({
    codes: ["letters delayed"],
    rows: (now) =>
      Effect.map(
        LetterOutbox.use((outbox) => outbox.delayed(now - lettersDelayedMs)),
        (found) => (found === undefined ? [] : [found])
      ),
    of: ({ letters, outcome, since }) => ({
      what: "letters delayed",
      id: "MAIL_URL",
      detail: `${counted(letters, "letter")} to families, the oldest since ${at(since)}; last: ${outcome ?? "no reason given"}`,
      fix: "see whether the mail server answers, and whether MAIL_URL and MAIL_FROM are what it takes; they are tried again for two days"
    })
  })
]
