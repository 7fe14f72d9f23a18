/** Writes the files of a submission: plays the cases with the test account, and writes down what was answered. */
import { Clock, Effect, FileSystem, Path } from "effect"
import { AppConfig } from "../../config/AppConfig.ts"
import { addDays, datesFrom, localDateOf, weekdayOf } from "../../kernel/LocalTime.ts"
import { PlayroomSearch } from "../../search/PlayroomSearch.ts"
import { CommandFailed, failed } from "../Failure.ts"
import { listTools, playCases } from "./PlayedCases.ts"
import { mainCases, refusedCases } from "./ReviewCases.ts"
import { submissionFiles } from "./Submission.ts"
import { unjustified } from "./ToolReasons.ts"

/** The test account for which the files are made. */
interface Account {
  readonly key: string
  /** Until when the key works, in words. */
  readonly until: string
  readonly bookings: ReadonlyArray<{
    readonly name: string
    readonly booking_id: string
    readonly reference: string
  }>
}

/** Days from today until the Saturday of the cases, at least. */
const visitDays = 28

/** Writes the files below a folder, and gives their paths. Fails if a case does not come true at the running service. */
export const writeArchive = Effect.fnUntraced(function* (folder: string, account: Account) {
  const settings = yield* AppConfig
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const first = addDays(localDateOf("UTC", yield* Clock.currentTimeMillis), visitDays)
  const date = datesFrom(first, addDays(first, 6)).find((day) => weekdayOf(day) === "saturday") ?? first
  const { playrooms } = yield* PlayroomSearch.use((search) => search.search({ date, children: 8, limit: 1 }))
  const [room] = playrooms
  if (room === undefined) return yield* failed(`The cases are about a party of eight on ${date}, and nothing is free.`)
  const known = new Map([
    ["DATE", date],
    ["CITY", room.city]
  ])
  for (const { booking_id, name, reference } of account.bookings) {
    known.set(name.toUpperCase(), reference)
    known.set(`${name.toUpperCase()}_ID`, booking_id)
  }
  const tools = yield* listTools(settings.baseUrl)
  const others = unjustified(tools)
  if (others.length > 0)
    return yield* failed(
      `No reasons are written down for the hints of ${others.join(", ")} as this service lists them.`
    )
  const main = yield* playCases(settings.baseUrl, account.key, mainCases, known)
  const refused = yield* playCases(settings.baseUrl, account.key, refusedCases, known)
  const made = submissionFiles({ settings, tools, main, refused, until: account.until })
  return yield* Effect.forEach(Object.entries(made), ([name, content]) => {
    const file = path.join(folder, name)
    return files.makeDirectory(path.dirname(file), { recursive: true }).pipe(
      Effect.andThen(files.writeFileString(file, content)),
      Effect.mapError(({ message }) => new CommandFailed({ message: `${file} can't be written: ${message}` })),
      Effect.as(file)
    )
  })
})
