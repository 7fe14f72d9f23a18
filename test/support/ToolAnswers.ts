/** What families read of the tools' answers, wherever tests play them: in a rush, in a round, on a Saturday. */
import { Schema } from "effect"

export const Playrooms = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })

export const Options = Schema.Struct({
  options: Schema.Array(
    Schema.Struct({
      option_id: Schema.String,
      // Of shared packages only.
      places_left: Schema.optionalKey(Schema.Int),
      price: Schema.Struct({ due_now: Schema.Int, balance_due: Schema.optionalKey(Schema.Int) })
    })
  )
})

/** Of `create_booking` and `get_booking`. */
export const Booked = Schema.Struct({
  booking: Schema.Struct({
    booking_id: Schema.String,
    reference: Schema.String,
    status: Schema.String,
    hold_expires_at: Schema.optionalKey(Schema.String)
  })
})

export const Paying = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })
