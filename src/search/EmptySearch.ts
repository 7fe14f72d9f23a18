/** What an empty search tells: what excluded most, what would fit instead, and what can be asked for. */
import { Schema } from "effect"
import { PlayroomId } from "../kernel/Ids.ts"

/** A filter, and how many playrooms it excludes: of those that fit all other filters; of all, where for each filter there are none of those. */
export const Excluding = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  value: Schema.optionalKey(Schema.String.annotate({ description: "Entry of a list." })),
  excluded: Schema.Int.annotate({ description: "Of playrooms that fit all else; if none does, of all." }),
  or_more: Schema.optionalKey(Schema.Boolean.annotate({ description: "At least." }))
})
export type Excluding = typeof Excluding.Type

/** A playroom that would fit a little changed a search. */
export const Near = Schema.Struct({
  without: Schema.Array(Schema.String).annotate({ description: "Leave out." }),
  instead: Schema.optionalKey(Schema.String.annotate({ description: "Then add these (JSON)." })),
  playroom_id: PlayroomId.annotate({ description: "Then fits." }),
  name: Schema.String.annotate({ description: "Name." }),
  city: Schema.String.annotate({ description: "City." }),
  next_start: Schema.optionalKey(Schema.String.annotate({ description: "First start." })),
  price: Schema.optionalKey(Schema.String.annotate({ description: "Party's lowest." }))
})
export type Near = typeof Near.Type

/** Values that a filter can have. */
export const Known = Schema.Struct({
  filter: Schema.String.annotate({ description: "Argument." }),
  values: Schema.Array(Schema.String).annotate({ description: "Some or all." })
})
export type Known = typeof Known.Type

/** The fields that stand on an empty page. */
export const emptySearchFields = {
  none_because: Schema.optionalKey(Schema.Array(Excluding).annotate({ description: "If empty: what excludes most." })),
  nearest: Schema.optionalKey(Schema.Array(Near).annotate({ description: "If empty: what would fit." })),
  known_values: Schema.optionalKey(Schema.Array(Known).annotate({ description: "If empty: what there is." }))
}
export const EmptySearch = Schema.Struct(emptySearchFields)
export type EmptySearch = typeof EmptySearch.Type
