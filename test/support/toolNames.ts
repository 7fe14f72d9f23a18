/** The names of all tools, in the order in which they are listed: the interface promises exactly these. */
export const toolNames = [
  "search_playrooms",
  "get_playroom",
  "get_booking_options",
  "create_booking",
  "get_booking",
  "create_payment_session"
]
