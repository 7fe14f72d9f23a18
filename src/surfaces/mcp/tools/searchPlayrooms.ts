import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { PlayroomSummary } from "../../../domain/catalogue/Playroom.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { emptySearchFields } from "../../../domain/search/EmptySearch.ts"
import { PlayroomSearch } from "../../../domain/search/PlayroomSearch.ts"
import { SearchQuery } from "../../../domain/search/SearchQuery.ts"
import { publicTool, readHints } from "./McpTool.ts"

const definition = Tool.make("search_playrooms", {
  description:
    "Find children's playrooms and party halls by place, words, date and party. Start here; {} lists all. Returns playrooms with playroom_id and prices in their own currency; times are local to time_zone. Next: get_playroom for details, or get_booking_options for times and prices. A short or empty page may have next_cursor: more may follow.",
  parameters: SearchQuery,
  success: Schema.Struct({
    playrooms: Schema.Array(PlayroomSummary).annotate({ description: "Fitting." }),
    party: Schema.optionalKey(Schema.String.annotate({ description: "As understood." })),
    place_hint: Schema.optionalKey(Schema.String.annotate({ description: "Of the person." })),
    order: Schema.optionalKey(Schema.String.annotate({ description: "Of prices." })),
    query_hint: Schema.optionalKey(Schema.String.annotate({ description: "What no one has." })),
    ...emptySearchFields,
    next_cursor: Schema.optionalKey(Schema.String.annotate({ description: "Next page." }))
  }),
  failure: Schema.Union([InvalidArguments, SqlError.SqlError])
})
  .annotate(Tool.Title, "Search playrooms")
  .annotateMerge(readHints)

export const searchPlayrooms = publicTool(definition, {
  descriptions: {
    query: "Words, like soft play or nut-free.",
    city: "City name.",
    country: "ISO 3166-1 alpha-2, like GB.",
    near: [
      "Around a point.",
      { latitude: "Degrees north.", longitude: "Degrees east.", radius_km: "Kilometres, default 25." }
    ],
    date: "YYYY-MM-DD; only playrooms free then.",
    date_to: "Or free up to then.",
    weekdays: "Only these, with date.",
    start_after: "HH:MM, with date: earliest start.",
    end_before: "HH:MM to 24:00, with date: latest end.",
    children: "How many children.",
    adults: "How many adults.",
    child_ages: "Ages, 0 to 17.",
    duration_minutes: "5 to 1440.",
    amenities: "All must be there.",
    mode: "exclusive: the whole room; shared: places in it.",
    max_total: ["Most to pay.", { amount: "Minor units, e.g. pence.", currency: "ISO 4217." }],
    sort: "distance needs near.",
    limit: "1 to 50, else 10.",
    cursor: "next_cursor of the last page."
  },
  handler: Effect.map(PlayroomSearch, ({ search }) => search)
})
