/** What families read of the tools' answers, wherever tests play them: in a rush, in a round, on a Saturday. */
import { Schema } from "effect"

export const Playrooms = Schema.Struct({ playrooms: Schema.Array(Schema.Struct({ playroom_id: Schema.String })) })

export const Options = Schema.Struct({
  packages: Schema.Array(
    Schema.Struct({
      package_id: Schema.String,
      terms: Schema.Struct({ free_reschedule_hours: Schema.optionalKey(Schema.Int) })
    })
  ),
  options: Schema.Array(
    Schema.Struct({
      option_id: Schema.String,
      package_id: Schema.String,
      start: Schema.String,
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
    playroom_id: Schema.String,
    start: Schema.String,
    hold_expires_at: Schema.optionalKey(Schema.String),
    // Not for who may only read and pay.
    page_url: Schema.optionalKey(Schema.String)
  })
})

export const Paying = Schema.Struct({ payment_session: Schema.Struct({ url: Schema.String }) })
