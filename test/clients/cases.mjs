// The cases that each client is played, and what is seen of each: of what the model is given, or of what the service is
// sent.

const find = { tool: "search_playrooms", args: { limit: 1 } }
const book = {
  tool: "create_booking",
  args: { option_id: "option_none", contact: { name: "Ada Example", email: "ada@example.com" } }
}
const [inText, inFields] = ["TOLD-IN-TEXT", "TOLD-IN-FIELDS"]

/** An answer whose text says other things than its fields do. */
export const told = (result) => {
  const answer = JSON.parse(result.content[0].text)
  const text = JSON.stringify({ ...answer, party: inText })
  return { ...result, content: [{ type: "text", text }], structuredContent: { ...answer, party: inFields } }
}

const parts = ({ seen }) => {
  const [text, fields] = [inText, inFields].map((word) => seen.includes(word))
  return text && fields ? "both" : text ? "text" : fields ? "fields" : "nothing"
}
/** Whether the code and what the answer says of it arrive. */
const refused =
  (code, words, signsIn = false) =>
  ({ seen }) =>
    seen.includes(code) && seen.includes(words)
      ? "told"
      : signsIn && /auth|within a minute/i.test(seen)
        ? "signing in"
        : "lost"
/** What became of an argument on its way. */
const argument =
  (name, value) =>
  ({ sent }) =>
    sent === undefined ? "refused" : !(name in sent) ? "left out" : sent[name] === value ? "sent" : `${sent[name]}`

/** By name, which is what `between.mjs` goes by. */
export const cases = {
  answer: { ...find, read: parts },
  refusal: { ...book, read: refused("api_key_missing", "Ask the person who set up") },
  sign_in: { ...book, read: refused("Sign in", "access token", true) },
  limit: { ...find, read: refused("rate_limited", "Too many requests") },
  overload: { ...find, read: refused("service_unavailable", "more to do") },
  number: { tool: find.tool, args: { children: "4" }, read: argument("children", "4") },
  null: { tool: find.tool, args: { city: null }, read: argument("city", null) },
  unknown: { tool: find.tool, args: { mood: "merry" }, read: argument("mood", "merry") }
}
