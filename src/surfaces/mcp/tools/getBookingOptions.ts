import { Effect, Schema } from "effect"
import { Tool } from "effect/ai"
import { SqlError } from "effect/sql"
import { BookingOptions, BookingOptionsQuery, firstOptions } from "../../../domain/availability/BookingOptions.ts"
import { BookingOptionPage, foldedPage } from "../../../domain/availability/OptionPage.ts"
import { OperatorUnavailable, PackageNotFound, PlayroomNotFound } from "../../../domain/catalogue/Playroom.ts"
import { InvalidArguments } from "../../../platform/errors/InvalidArguments.ts"
import { pageBudget, fitPage } from "../../../platform/text/ResponseBudget.ts"
import { beyondService, publicTool, readHints, contactAtPlayroom } from "./McpTool.ts"

const definition = Tool.make("get_booking_options", {
  description:
    "Bookable times of a playroom for a party, each with option_id and exact total; packages has what they share: prices in full, terms. next_cursor: more starts, that day's too; ask on before saying no. Amounts are minor units of currency (display_total is for people); times carry the playroom's UTC offset. When empty, none_because and next_available_date say why and when. Next: create_booking with the chosen option_id.",
  parameters: BookingOptionsQuery,
  success: BookingOptionPage,
  failure: Schema.Union([PlayroomNotFound, PackageNotFound, InvalidArguments, OperatorUnavailable, SqlError.SqlError])
})
  .annotate(Tool.Title, "Get booking options")
  .annotateMerge(readHints)

export const getBookingOptions = publicTool(definition, {
  showsCard: true,
  descriptions: {
    playroom_id: "From search_playrooms.",
    date: "First day, YYYY-MM-DD.",
    children: "Number of children.",
    date_to: "Last day, at most 31 later.",
    adults: "Default 0.",
    child_ages: "All, 0 to 17, if asked.",
    mode: "exclusive: whole room; shared: places in open play.",
    package_id: "Only this one.",
    add_ons: "Extras to price in.",
    code: "Discount code.",
    weekdays: "Only on these.",
    start_after: "HH:MM: earliest start.",
    end_before: "HH:MM to 24:00: latest end.",
    limit: "1 to 100, else 20.",
    cursor: "Last next_cursor."
  },
  unknownFieldHint: beyondService,
  contact: contactAtPlayroom,
  handler: Effect.map(
    BookingOptions,
    (options) => (input) =>
      Effect.map(options.list(input), (found) =>
        fitPage(pageBudget(input.limit), found.options.length, (count) => foldedPage(firstOptions(input, found, count)))
      )
  )
})
