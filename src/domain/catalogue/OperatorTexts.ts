/**
 * Cleans the texts of operators. People and assistants read them, and nothing in them may act as an instruction. Done
 * once, on import. The result is NFC, without markup and without control, bidirectional, zero-width or other invisible
 * characters.
 */
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

// Default_Ignorable_Code_Point holds invisible characters: zero-width and variation marks, fillers, tags
// (https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point). Cf adds the bidirectional controls.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}]/gu
const comment = /<!--[\s\S]*?(-->|$)/g
const unreadable = /<(script|style|template)\b[\s\S]*?(<\/\1\s*>|$)/gi
// A tag, a declaration, or a chat model's control token like <|end|>.
const tag = /<[a-z/!?|][^<>]*>/gi
const opened = /<(?=[a-z/!?|])/gi
const markdownLink = /!?\[([^[\]]*)\]\([^()]*\)/g

/**
 * Repeats a step until the text is stable: a removal can make a new tag ("<<b>script>"). It ends, because each step
 * shortens or composes the text.
 */
const repeatUntilStable = (text: string, step: (text: string) => string): string => {
  const next = step(text)
  return next === text ? text : repeatUntilStable(next, step)
}

// What the steps below might change: any character but printable ASCII without "<" and "[", and spaces that are not single.
const unusual = /[^ -;=-Z\\-~]| {2}|^ | $/

/** Most texts of a file are clean already, and one look says so. */
const unlessClean = (text: string, clean: (text: string) => string): string => (unusual.test(text) ? clean(text) : text)

const removeTags = (text: string): string => text.replaceAll(comment, "").replaceAll(unreadable, "").replaceAll(tag, "")

const removeMarkup = (text: string): string => {
  const visible = text
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n")
    .replaceAll("\t", " ")
    .split("\n")
    .map((line) => line.replaceAll(invisible, ""))
    .join("\n")
    .normalize("NFC")
  return repeatUntilStable(visible, removeTags).replaceAll(opened, "").replaceAll(markdownLink, "$1")
}

/** One line: cleaned, runs of white space as one space, trimmed. Idempotent. */
export const cleanLine = (text: string): string =>
  unlessClean(text, (it) => repeatUntilStable(it, (now) => removeMarkup(now).replaceAll(/\s+/gu, " ").trim()))

/** Paragraphs: cleaned, white space within lines as one space, at most one empty line in a row, trimmed. */
export const cleanText = (text: string): string =>
  unlessClean(text, (it) =>
    repeatUntilStable(it, (now) =>
      removeMarkup(now)
        .replaceAll(/[^\S\n]+/gu, " ")
        .replaceAll(/ ?\n ?/g, "\n")
        .replaceAll(/\n{3,}/g, "\n\n")
        .trim()
    )
  )

const nothingLeft =
  "Expected readable text: angle brackets with what is between them, and invisible characters, are left out, and nothing else is there"

const cleanedString = (clean: (text: string) => string, min: number, max: number) =>
  Schema.String.pipe(
    Schema.decodeTo(
      Schema.String.check(
        Schema.makeFilter(
          (text: string) =>
            (text.length >= min && text.length <= max) ||
            (text.length < min
              ? "Expected a text that is not empty"
              : `Expected at most ${max} characters, got ${text.length}`)
        )
      ),
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          const cleaned = clean(text)
          return min > 0 && cleaned === "" && text.trim() !== ""
            ? Effect.fail(new SchemaIssue.InvalidValue({ message: nothingLeft }))
            : Effect.succeed(cleaned)
        },
        encode: (text: string) => Effect.succeed(text)
      })
    )
  )

/** A line of 1 to `max` characters, cleaned while decoding. */
export const Line = (max: number) => cleanedString(cleanLine, 1, max)
/** Paragraphs of up to `max` characters, cleaned while decoding. May be empty. */
export const Paragraphs = (max: number) => cleanedString(cleanText, 0, max)
