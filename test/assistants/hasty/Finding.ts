/** Finding playrooms: a search, and after an empty answer another one, by what that answer says. */
import { Effect } from "effect"
import type { Input } from "./Habits.ts"
import { listAt, textAt } from "./Reading.ts"
import { get, Stuck, type Talk } from "./Talk.ts"
import { isSame } from "./Wishes.ts"

export interface Candidate {
  readonly playroom_id: string
  readonly name: string | undefined
  readonly city: string | undefined
}

const candidatesIn = (list: ReadonlyArray<unknown>): ReadonlyArray<Candidate> =>
  list.flatMap((one) => {
    const playroom_id = textAt(one, "playroom_id")
    return playroom_id === undefined ? [] : [{ playroom_id, name: textAt(one, "name"), city: textAt(one, "city") }]
  })

/** Whether it is where the person wants to go, as they hear its name and its city. */
const isMeant = ({ wish }: Talk, { city, name }: Candidate): boolean =>
  (wish.venue === undefined || name === wish.venue.playroom.name) &&
  (wish.near !== undefined || city === undefined || [wish.city, ...wish.names].some((known) => isSame(known, city)))

/** Arguments that the person gives up where they are told that nothing fits them. */
const givenUp: ReadonlySet<string> = new Set(["duration_minutes", "start_after", "end_before", "sort", "date", "near"])

const without = (input: Input, ...names: ReadonlyArray<string>): Input =>
  Object.fromEntries(Object.entries(input).filter(([key]) => !names.includes(key)))
const goneIn = (near: unknown): ReadonlyArray<string> => listAt(near, "without").map(String)

/** The values of a filter that the answer says there are. */
const knownOf = (answer: unknown, filter: string): ReadonlyArray<string> =>
  listAt(answer, "known_values").flatMap((one) =>
    textAt(one, "filter") === filter ? listAt(one, "values").map(String) : []
  )

/** Another search with a known value that means what the person wants: a city by its name elsewhere, an amenity by its words. */
const withKnown = ({ wish }: Talk, answer: unknown, input: Input): Input | undefined => {
  const city = knownOf(answer, "city").find((one) => [wish.city, ...wish.names].some((name) => isSame(name, one)))
  if (city !== undefined && city !== input.city) return { ...input, city }
  const amenity = knownOf(answer, "amenities").find((one) => /step.free|wheelchair/i.test(one))
  return amenity !== undefined && !listAt(input, "amenities").includes(amenity)
    ? { ...input, amenities: [amenity] }
    : undefined
}

/** The next search that an empty answer leads to: what it says to ask instead, a known value, or what excludes left out. */
const afterNothing = (talk: Talk, answer: unknown, input: Input): Input | undefined => {
  const given = listAt(answer, "nearest").find(
    (one) => goneIn(one).every((name) => givenUp.has(name)) && candidatesIn([one]).some((found) => isMeant(talk, found))
  )
  const gone = goneIn(given)
  if (gone.some((name) => name in input)) {
    const instead: unknown = JSON.parse(textAt(given, "instead") ?? "{}")
    return { ...without(input, ...gone), ...Object(instead) }
  }
  const known = withKnown(talk, answer, input)
  if (known !== undefined) return known
  const blamed = listAt(answer, "none_because").flatMap((one) => textAt(one, "filter") ?? [])
  const drop = blamed.find((filter) => givenUp.has(filter) && filter in input)
  return drop === undefined ? undefined : without(input, drop)
}

const withCursor = (input: Input, cursor: string): Input => ({ ...input, cursor })

/** The playrooms that answers lead to, best first. */
export const found = Effect.fn("found")(function* (talk: Talk) {
  const { wish } = talk
  let input: Input = {
    ...wish.search,
    ...(wish.ages === undefined || "query" in wish.search ? {} : { child_ages: wish.ages })
  }
  for (let tries = 0; tries < 6; tries++) {
    const answer = yield* get(talk, "search_playrooms", input)
    const all = candidatesIn(listAt(answer, "playrooms"))
    const meant = all.filter((one) => isMeant(talk, one))
    if (meant.length > 0) return meant
    const cursor = textAt(answer, "next_cursor")
    if (cursor !== undefined) {
      input = withCursor(input, cursor)
      continue
    }
    const near = candidatesIn(listAt(answer, "nearest")).filter((one) => isMeant(talk, one))
    const next = afterNothing(talk, answer, without(input, "cursor"))
    if (next !== undefined) input = next
    else if (near.length > 0) return near
    else return yield* new Stuck({ why: `nothing is found, and nothing said of ${JSON.stringify(Object.keys(input))}` })
  }
  return yield* new Stuck({ why: "nothing is found in six searches" })
})
