/** Finding playrooms: a search, and after an empty answer another one, by what that answer says. */
import { Effect } from "effect"
import { acts, fieldsOf, type Input } from "./Habits.ts"
import { elsewhere, isSame } from "./Languages.ts"
import { listAt, textAt } from "./Reading.ts"
import { get, Stuck, type Talk, tell } from "./Talk.ts"
import { meets } from "./Wishes.ts"

/** A playroom as an answer tells of it. */
export interface Candidate {
  readonly playroom_id: string
  readonly entry: unknown
}

const candidatesIn = (list: ReadonlyArray<unknown>): ReadonlyArray<Candidate> =>
  list.flatMap((entry) => {
    const playroom_id = textAt(entry, "playroom_id")
    return playroom_id === undefined ? [] : [{ playroom_id, entry }]
  })

const citiesOf = ({ city }: Talk["wish"]): ReadonlyArray<string> => [city, ...(elsewhere[city] ?? [])]

/** Whether it is where the person wants to go, as its name and its city say. */
const isMeant = ({ wish }: Talk, { entry }: Candidate): boolean => {
  const city = textAt(entry, "city")
  return (
    (wish.venue === undefined || textAt(entry, "name") === wish.venue.playroom.name) &&
    (wish.near !== undefined || city === undefined || citiesOf(wish).some((known) => isSame(known, city)))
  )
}

/**
 * What the person gives up where they are told that nothing fits it. Whoever does as it is told leaves out ages, too.
 */
const givenUp: ReadonlySet<string> = new Set([
  "duration_minutes",
  "start_after",
  "end_before",
  "sort",
  "date",
  "date_to",
  "near",
  "child_ages",
  "amenities"
])
/** A budget in another currency than the playroom's says nothing that the person could hold to. */
const isGivenUp = ({ wish }: Talk, filter: string): boolean =>
  givenUp.has(filter) || (filter === "max_total" && wish.budget === undefined)

const without = (input: Input, ...names: ReadonlyArray<string>): Input =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !names.includes(key)))
const goneIn = (near: unknown): ReadonlyArray<string> => listAt(near, "without").map(String)

/** Another search with a city that answers know, and that means what the person wants. */
const withKnown = ({ wish }: Talk, answer: unknown, input: Input): Input | undefined => {
  const known = listAt(answer, "known_values").flatMap((one) =>
    textAt(one, "filter") === "city" ? listAt(one, "values").map(String) : []
  )
  const city = known.find((one) => citiesOf(wish).some((name) => isSame(name, one)))
  return city !== undefined && city !== input.city ? { ...input, city } : undefined
}

/**
 * The next search that an empty answer leads to: what it says to ask instead, a known value, or what excludes left out.
 */
const afterNothing = (talk: Talk, answer: unknown, input: Input): Input | undefined => {
  const given = listAt(answer, "nearest").find(
    (one) =>
      goneIn(one).every((name) => isGivenUp(talk, name)) && candidatesIn([one]).some((found) => isMeant(talk, found))
  )
  const gone = goneIn(given)
  if (gone.some((name) => name in input)) {
    const instead: unknown = JSON.parse(textAt(given, "instead") ?? "{}")
    return { ...without(input, ...gone), ...Object(instead) }
  }
  const known = withKnown(talk, answer, input)
  if (known !== undefined) return known
  const blamed = listAt(answer, "none_because").flatMap((one) => textAt(one, "filter") ?? [])
  const drop = blamed.find((filter) => isGivenUp(talk, filter) && filter in input && filter !== "child_ages")
  if (drop !== undefined) return without(input, drop)
  // Words of a need that no playroom has: the person hears of it, and is asked whether another place will do.
  return blamed.includes("query") && talk.wish.need !== undefined ? without(input, "query") : undefined
}

/** A playroom as the assistant tells of it: its name, its price for whom, and what of the search is not there. */
const inWords = (talk: Talk, { entry }: Candidate, words: unknown): string => {
  if (acts(talk, "skims")) return `For ${JSON.stringify(words)}: ${textAt(entry, "name")}`
  const price = textAt(entry, "price_for_party", "display")
  const unmatched = listAt(entry, "unmatched")
  const missing =
    unmatched.length === 0 ? "" : ` (not found: ${unmatched.map((one) => JSON.stringify(one)).join(", ")})`
  const costs = price === undefined ? "" : `, ${price} for ${textAt(entry, "price_for_party", "for")}`
  return `For ${JSON.stringify(words)}: ${textAt(entry, "name")}, ${textAt(entry, "city")}${costs}${missing}`
}

/** Whether the person takes a playroom, once they have asked about what they need. */
const isTaken = Effect.fnUntraced(function* (talk: Talk, candidate: Candidate, input: Input) {
  if (tell(talk, inWords(talk, candidate, input.query ?? input.city ?? "nearby")) !== undefined) return false
  const { need } = talk.wish
  if (need === undefined || (acts(talk, "option_untold") && listAt(candidate.entry, "matched").length > 0)) return true
  let { playroom } = yield* get(talk, "get_playroom", { playroom_id: candidate.playroom_id })
  // The person hears that it is another one, of which nobody asked.
  if (textAt(playroom, "name") !== textAt(candidate.entry, "name") && talk.habits.delete("ids_mixed"))
    ({ playroom } = yield* get(talk, "get_playroom", { playroom_id: candidate.playroom_id }))
  const [rules, access] = [textAt(playroom, "house_rules"), textAt(playroom, "accessibility")]
  tell(talk, `${textAt(playroom, "name")}: ${rules} Access: ${access} Ask: ${textAt(playroom, "contact", "email")}`)
  const venue = talk.venues.find((one) => one.playroom.playroom_id === textAt(playroom, "playroom_id"))
  return venue !== undefined && meets(need, venue)
})

/** The arguments of the first search that the tool knows at all. */
const firstSearch = (talk: Talk): Input => {
  const { knows, wish } = talk
  const known = fieldsOf("search_playrooms")
  const counts = knows.adults && wish.adults > 0 && !acts(talk, "adults_left_out")
  const input: Input = {
    ...wish.search,
    ...(counts ? { adults: wish.adults } : {}),
    ...(wish.ages === undefined || "query" in wish.search ? {} : { child_ages: wish.ages })
  }
  const all = Object.entries(input).filter(([field]) => field in known)
  return "date_to" in input && !("date_to" in known)
    ? without(Object.fromEntries(all), "date")
    : Object.fromEntries(all)
}

const onPage = (input: Input, cursor: string): Input => ({ ...input, cursor })

/** The playrooms that the person takes, best first. */
export const found = Effect.fn("found")(function* (talk: Talk) {
  let input = firstSearch(talk)
  for (let tries = 0; tries < 8; tries++) {
    const answer = yield* get(talk, "search_playrooms", input)
    const all = candidatesIn(listAt(answer, "playrooms"))
    const told = acts(talk, "first_result") ? all.slice(0, 1) : all.filter((one) => isMeant(talk, one))
    const heard = talk.trail.length
    const taken: Array<Candidate> = []
    for (const one of told) if (yield* isTaken(talk, one, input)) taken.push(one)
    if (!("adults" in input) && talk.trail.slice(heard).some((line) => line.endsWith("NO: party"))) {
      // The person heard that no adults are counted.
      input = { ...without(input, "cursor"), adults: talk.wish.adults }
      continue
    }
    if (taken.length > 0) return taken
    const cursor = textAt(answer, "next_cursor")
    // Asks once more, and then looks at what it is told.
    if (talk.habits.delete("first_result")) continue
    if (cursor !== undefined) input = onPage(input, cursor)
    else if (all.length > 0 && talk.wish.need !== undefined && "query" in input)
      input = without(input, "query", "cursor")
    else {
      const blamed = listAt(answer, "none_because")
      // The person hears of a budget or of ages that are not theirs.
      const budgets = blamed.flatMap((one) =>
        textAt(one, "filter") === "max_total" ? (textAt(one, "text") ?? []) : []
      )
      if (budgets.some((text) => tell(talk, text) === "price")) continue
      if (blamed.some((one) => !((textAt(one, "filter") ?? "") in input)) && talk.habits.delete("lists_padded"))
        continue
      const next = afterNothing(talk, answer, without(input, "cursor"))
      const near = candidatesIn(listAt(answer, "nearest")).filter((one) => isMeant(talk, one))
      if (next !== undefined) input = next
      else if (near.length > 0 && goneIn(near[0]?.entry).every((name) => isGivenUp(talk, name))) return near
      else {
        const why = listAt(answer, "none_because").map((one) => textAt(one, "filter"))
        tell(talk, `Nothing was found: ${why.join(", ")} ${textAt(answer, "next_step") ?? ""}`)
        if (why.length > 0) talk.end.honest = `nothing is found: ${why.join(", ")}`
        return []
      }
    }
  }
  return yield* new Stuck({ why: "nothing is found in eight searches" })
})
