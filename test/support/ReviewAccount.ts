/** What `playroom review --json` prints. */
import { Schema } from "effect"

export const ReviewAccount = Schema.fromJsonString(
  Schema.Struct({
    key_id: Schema.String,
    secret: Schema.String,
    expires_at: Schema.String,
    bookings: Schema.Array(
      Schema.Struct({
        example: Schema.String,
        booking_id: Schema.String,
        reference: Schema.String,
        status: Schema.String,
        payment_status: Schema.String,
        left: Schema.optionalKey(Schema.String)
      })
    ),
    missing: Schema.Array(Schema.String)
  })
)
