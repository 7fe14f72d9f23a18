/** Message and fix by reason, for the failures of `ToolErrors.ts` that have several. */
import type { NoneBecause } from "../../availability/Availability.ts"
import type { OptionInvalid } from "../../availability/BookingOption.ts"

interface Explanation {
  readonly message: string
  readonly fix: string
}

const optionsAgain =
  "Call get_booking_options again, then create_booking with an option_id from its answer, copied letter for letter."

export const whyInvalid: Readonly<Record<OptionInvalid["reason"], Explanation>> = {
  malformed: {
    message: "That option_id was not copied exactly: call get_booking_options again; nothing was booked.",
    fix: optionsAgain
  },
  unknown: { message: "That option is not offered (any more).", fix: optionsAgain },
  add_ons: {
    message: "The add-ons of that option are not sold in these quantities (any more); nothing was booked.",
    fix: "Call get_playroom to see its add_ons and their max_quantity, then get_booking_options with what it sells, then create_booking with an option_id from its answer."
  },
  other_operator: {
    message: "That option belongs to another business than the one that this API key books for; nothing was booked.",
    fix: "Tell the person that this API key can't book there: asking again will not help, and only playrooms of its own business can be booked with it."
  },
  start_passed: { message: "The start of that option has passed.", fix: optionsAgain }
}

/** Why a start can't be booked, and what to do if there is no alternative near it. */
export const whyUnavailable: Readonly<Record<NoneBecause, Explanation>> = {
  fully_booked: {
    message: "Those places are taken; nothing was booked.",
    fix: "Call get_booking_options for other dates or another playroom."
  },
  closed: {
    message: "The playroom is closed then, or that package does not start at that time (any more); nothing was booked.",
    fix: "Call get_booking_options for other dates or another playroom."
  },
  too_soon: {
    message: "That start is too near for a booking: the playroom wants to know earlier; nothing was booked.",
    fix: "Call get_booking_options for later dates."
  },
  too_far_ahead: {
    message: "That start is further ahead than the playroom takes bookings for now; nothing was booked.",
    fix: "Call get_booking_options for earlier dates; get_playroom tells max_advance_days."
  },
  party_too_large: {
    message: "That party is larger than that package takes (now); nothing was booked.",
    fix: "Call get_booking_options with a smaller party, or find a larger playroom with search_playrooms."
  },
  party_too_small: {
    message: "That party is smaller than that package takes (now); nothing was booked.",
    fix: "Call get_booking_options with a larger party, or find another playroom with search_playrooms."
  }
}

const tellAboutBalance =
  "Tell the person that the balance can't be paid at present, and that the booking stays as it is."

/** The operator takes no payments. `booked`: for the balance of a booking; `held`: for a new booking or a hold. */
export const closedAccount: { readonly booked: Explanation; readonly held: Explanation } = {
  booked: {
    message: "The business that runs this playroom can't take bookings or payments at present.",
    fix: tellAboutBalance
  },
  held: {
    message: "The business that runs this playroom can't take bookings or payments at present.",
    fix: "Call search_playrooms and offer the person another playroom."
  }
}

/** The operator sells, but the payment provider refuses this payment. */
export const paymentRefused: Readonly<Record<"amount" | "other", typeof closedAccount>> = {
  amount: {
    booked: {
      message:
        "The balance is an amount that the payment provider does not charge: too small, most likely. Nothing was charged.",
      fix: "Tell the person that this balance can't be paid online and can be settled at the playroom; the booking stays as it is."
    },
    held: {
      message:
        "What is due is an amount that the payment provider does not charge: too small, most likely. Nothing was charged.",
      fix: "Call search_playrooms and offer the person another playroom, or another package: asking again will not help."
    }
  },
  other: {
    booked: {
      message:
        "The payment provider does not take this payment for the business that runs this playroom; nothing was charged.",
      fix: tellAboutBalance
    },
    held: {
      message:
        "The payment provider does not take this payment for the business that runs this playroom; nothing was charged.",
      fix: "Call search_playrooms and offer the person another playroom, or another package: asking again will not help."
    }
  }
}
