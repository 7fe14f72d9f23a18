/** What an empty search tells: what excluded most, what would fit instead, and what can be asked for. */
import { Schema } from "effect"
import { PlayroomId } from "../kernel/Ids.ts"

/** A filter, and how many playrooms it excludes: of those that fit all other filters; of all, where for each filter there are none of those. */
export const Excluding = Schema.Struct({
  filter: Schema.String.annotate({ description: "The argument." }),
  value: Schema.optionalKey(Schema.String.annotate({ description: "Of a list, which one." })),
  excluded: Schema.Int.annotate({ description: "Of playrooms that fit all else; if none does, of all." }),
  or_more: Schema.optionalKey(Schema.Boolean.annotate({ description: "At least so many." }))
})
export type Excluding = typeof Excluding.Type

/** A playroom that would fit a little changed a search. */
export const Near = Schema.Struct({
  without: Schema.Array(Schema.String).annotate({ description: "Arguments to leave out." }),
  instead: Schema.optionalKey(Schema.String.annotate({ description: "Then add these (JSON)." })),
  playroom_id: PlayroomId.annotate({ description: "A playroom that then fits." }),
  name: Schema.String.annotate({ description: "Name." }),
  city: Schema.String.annotate({ description: "City." }),
  next_start: Schema.optionalKey(Schema.String.annotate({ description: "First fitting start." })),
  price: Schema.optionalKey(Schema.String.annotate({ description: "Lowest total of the party." }))
})
export type Near = typeof Near.Type

/** Values that a filter can have. */
export const Known = Schema.Struct({
  filter: Schema.String.annotate({ description: "The argument." }),
  values: Schema.Array(Schema.String).annotate({ description: "Some, or all." })
})
export type Known = typeof Known.Type

/** The fields that stand on an empty page. */
export const emptySearchFields = {
  none_because: Schema.optionalKey(
    Schema.Array(Excluding).annotate({ description: "When empty: what excludes most, first." })
  ),
  nearest: Schema.optionalKey(Schema.Array(Near).annotate({ description: "When empty: what would fit instead." })),
  known_values: Schema.optionalKey(Schema.Array(Known).annotate({ description: "When empty: what can be asked for." }))
}
export const EmptySearch = Schema.Struct(emptySearchFields)
export type EmptySearch = typeof EmptySearch.Type
