import { Effect, Function, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { Catalogue } from "../../../domain/catalogue/Catalogue.ts"
import { PlayroomLookup, PlayroomNotFound, PlayroomView } from "../../../domain/catalogue/Playroom.ts"
import { shortAnswer } from "../../../domain/catalogue/Views.ts"
import { publicTool, readHints } from "./McpTool.ts"

const definition = Tool.make("get_playroom", {
  description:
    "One playroom in full: packages (package_id), add-ons (add_on_id), opening hours, rules, cancellation terms. Prices are in the playroom's currency (minor units, and display), times local to its time_zone. Next: get_booking_options for bookable times and exact prices.",
  parameters: PlayroomLookup,
  success: Schema.Struct({ playroom: PlayroomView.annotate({ description: "Playroom." }) }),
  failure: Schema.Union([PlayroomNotFound, SqlError.SqlError])
})
  .annotate(Tool.Title, "Get playroom")
  .annotateMerge(readHints)

export const getPlayroom = publicTool(definition, {
  descriptions: { playroom_id: "From search_playrooms." },
  // The catalogue gives the same view again while a playroom has not changed.
  repeatsResults: true,
  handler: Effect.map(Catalogue, (catalogue) => {
    const answerOf = Function.memoize(shortAnswer)
    return ({ playroom_id }) => Effect.map(catalogue.view(playroom_id), answerOf)
  })
})
