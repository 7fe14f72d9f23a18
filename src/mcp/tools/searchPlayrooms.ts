import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { InvalidArguments, PlayroomSummary } from "../../catalogue/Playroom.ts"
import { emptySearchFields } from "../../search/EmptySearch.ts"
import { PlayroomSearch } from "../../search/PlayroomSearch.ts"
import { publicTool, reads } from "../McpTool.ts"
import { orFewer } from "../ResultSize.ts"
import { SearchInput } from "../ToolInputs.ts"

const definition = Tool.make("search_playrooms", {
  description:
    "Find children's playrooms and party halls by place, words, date and party. Start here; {} lists all. Returns playrooms with playroom_id and prices in their own currency; dates and times are local to time_zone. Next: get_playroom for details, or get_booking_options for times and prices. A page with few playrooms, or none, may have next_cursor: more may follow.",
  parameters: SearchInput,
  success: Schema.Struct({
    playrooms: Schema.Array(PlayroomSummary).annotate({ description: "Playrooms that fit." }),
    party: Schema.optionalKey(Schema.String.annotate({ description: "As understood." })),
    ...emptySearchFields,
    next_cursor: Schema.optionalKey(Schema.String.annotate({ description: "Next page." }))
  }),
  failure: Schema.Union([InvalidArguments, SqlError.SqlError])
})
  .annotate(Tool.Title, "Search playrooms")
  .annotateMerge(reads)

export const searchPlayrooms = publicTool(definition, {
  handler: Effect.map(PlayroomSearch, ({ search }) => search),
  fit: orFewer(({ playrooms }) => playrooms.length)
})
