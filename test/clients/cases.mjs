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
  (code, words, status) =>
  ({ seen }) =>
    seen.includes(code) && seen.includes(words) ? "told" : seen.includes(status) ? "status" : "lost"
/** What became of an argument on its way. */
const argument =
  (name, value) =>
  ({ sent }) =>
    sent === undefined ? "refused" : !(name in sent) ? "left out" : sent[name] === value ? "sent" : `${sent[name]}`

/** In the order of the table. `way` is how the service answers the call (`between.mjs`). */
export const cases = {
  answer: { ...find, way: "told", read: parts },
  refusal: { ...book, way: "plain", read: refused("api_key_missing", "Ask the person who set up") },
  401: { ...book, way: "sign_in", read: refused("Sign in", "access token", "401") },
  429: { ...find, way: "share", read: refused("rate_limited", "Too many requests", "429") },
  503: { ...find, way: "overload", read: refused("service_unavailable", "more to do", "503") },
  number: { tool: find.tool, args: { children: "4" }, way: "plain", read: argument("children", "4") },
  null: { tool: find.tool, args: { city: null }, way: "plain", read: argument("city", null) },
  unknown: { tool: find.tool, args: { mood: "merry" }, way: "plain", read: argument("mood", "merry") }
}
