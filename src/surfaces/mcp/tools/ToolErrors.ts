/**
 * The table of failures, each with code, message and fix as sent to assistants (section 2.7 of the published
 * interface). The sentences never contain operators' texts.
 *
 * An assistant can follow a `fix` literally, like `next_step`: it names tools and arguments ("Call X, then Y with a new
 * idempotency_key", "Wait 5 s, then repeat the same call", "leave X out"), or says what to tell the person if there is
 * nothing to call. A test follows each of them.
 */
import { Match, Struct } from "effect"
import { credentialHeaders } from "../../../platform/access/Authentication.ts"
import { type ArgumentIssue, isLockTimeout } from "../../../platform/errors/InvalidArguments.ts"
import { isOwnFault } from "../../../domain/payment/provider/PaymentGateway.ts"
import type { ToolFailure } from "./McpTool.ts"
import type { TooManyHolds } from "../../../domain/booking/Booking.ts"
import type { NoneBecause } from "../../../domain/availability/Availability.ts"
import type { CodeProblem, OptionInvalid } from "../../../domain/availability/BookingOption.ts"

interface Explanation {
  readonly message: string
  readonly fix: string
}

const optionsAgain =
  "Call get_booking_options again, then create_booking with an option_id from its answer, copied letter for letter."

const whyInvalid: Readonly<Record<OptionInvalid["reason"], Explanation>> = {
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

/** What may be done besides, if the venue has a waiting list. */
const toWaitingList =
  " If they want that start alone, give them the link in details.waiting_list: on that page they join its waiting list."

/** What is said first of a call for several options. */
const someGone =
  "None of the options was booked, as those in details.not_booked are gone: tell the person, and if they want the others alone, repeat this call with book_rest true and a new idempotency_key. Otherwise, for the first of them: "

/** Why a start can't be booked, and what to do if there is no alternative near it. */
const whyUnavailable: Readonly<Record<NoneBecause, Explanation>> = {
  fully_booked: {
    message: "Those places are taken; nothing was booked.",
    fix: "Call get_booking_options for other dates or another playroom."
  },
  add_ons_taken: {
    message:
      "The playroom is free then, but the add-ons of that option are taken elsewhere or out of order; nothing was booked.",
    fix: "Call get_booking_options without these add-ons, or for other dates."
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
const closedAccount: { readonly booked: Explanation; readonly held: Explanation } = {
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
const paymentRefused: Readonly<Record<"amount" | "other", typeof closedAccount>> = {
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

const shareFix =
  "Nothing was booked. If this person has an unpaid booking on that day, have it paid (create_payment_session). Otherwise offer another day or playroom, or repeat this call in 15 minutes: holds end by themselves. The person can also connect again over another network (mobile data instead of Wi-Fi, say)."

/**
 * Whose limit on unpaid bookings is reached, and what this caller can do now. An API key may serve many people, so the
 * texts name nobody's booking, and say only of a guest that the bookings are this person's.
 */
const tooManyHolds: Readonly<
  Record<
    TooManyHolds["per"],
    { readonly message: (limit: number | undefined) => string; readonly fix: string; readonly retryable: boolean }
  >
> = {
  key: {
    message: (limit) => `There are ${limit} unpaid holds under this API key already, as many as one key may have.`,
    fix: "Nothing was booked. The key may serve other people, too. If this conversation made a hold, have that paid (create_payment_session); otherwise repeat this call in five minutes: holds end by themselves.",
    retryable: true
  },
  email: {
    message: (limit) =>
      `There are ${limit} unpaid holds for this e-mail address already, as many as one address may have.`,
    fix: "Nothing was booked. If this conversation made one of them, call create_payment_session for it and have it paid. Otherwise ask the person whether the e-mail address is right, and repeat this call in five minutes: holds end by themselves.",
    retryable: true
  },
  guest: {
    message: (limit) =>
      `This person has ${limit} bookings already of which nothing is paid, as many as a guest may have.`,
    fix: "Nothing was booked. Ask the person which of them to keep: call create_payment_session for that one, or let the person cancel one on its page (page_url). Or repeat this call once a hold has ended (hold_expires_at).",
    retryable: true
  },
  guest_free: {
    message: (limit) => `This person has ${limit} free bookings ahead already, as many as a guest may have.`,
    fix: "Nothing was booked. The person can cancel one that is not needed on its page (page_url); or repeat this call after one of the visits.",
    retryable: false
  },
  guest_day: {
    message: (limit) =>
      `This person has ${limit} bookings without a payment at this playroom on that day already, as many as one person may have.`,
    fix: "Nothing was booked. Offer another day, or let the person move or cancel one of them on its page (page_url).",
    retryable: false
  },
  guest_address: {
    message: () =>
      "Guests who signed in over the same internet connection have its share of this playroom on that day already, in bookings without a payment. Guests elsewhere are not affected.",
    fix: shareFix,
    retryable: true
  },
  guest_network: {
    message: () =>
      "Guests who signed in over the same network (an IPv6 /48) have its share of this playroom on that day already, in bookings without a payment. Guests elsewhere are not affected.",
    fix: shareFix,
    retryable: true
  }
}

/** What to do if a call for several options is over a limit. */
const fewerAtOnce =
  "Tell the person that so many can't be held unpaid at once: book fewer of them by this call with a new idempotency_key, have these paid (create_payment_session), then book the others."

const lostCode: Record<CodeProblem, string> = {
  gone: "The code of that option no longer holds for it",
  used_up: "The code of that option is used up",
  not_first: "The code of that option is for a first booking at this venue, and this person has one already"
}

/** The `error` in the text block of a failed call. */
interface ToolError {
  readonly code: string
  readonly message: string
  readonly fix: string
  readonly retryable: boolean
  readonly details?: { readonly [key: string]: unknown }
}

/** When to retry after the provider refused what is the service's own (`isOwnFault`); a person must fix them first. */
const ownFaultSeconds = 600

/** When to retry after a wait for a lock in vain. */
const lockedSeconds = 5

const inHeaders = `in the ${credentialHeaders.join(" or ")} header`

/** Renders a failure; the codes are part of the published interface. */
export const renderFailure: (failure: ToolFailure) => ToolError = Match.typeTags<ToolFailure, ToolError>()({
  VenueAsked: ({ contact, failure }) => {
    const error = renderFailure(failure)
    return {
      ...error,
      fix: `${error.fix} Whom to ask at the venue, if the person wants to: details.contact.`,
      details: { ...error.details, contact }
    }
  },
  ApiKeyMissing: () => ({
    code: "api_key_missing",
    message: `This tool needs an API key ${inHeaders}, and the request had none.`,
    fix: "Ask the person who set up this connection to add the X-API-Key header, or the key as a bearer token. Searching, playrooms and options work without it.",
    retryable: false
  }),
  ApiKeyInvalid: () => ({
    code: "api_key_invalid",
    message: `The API key ${inHeaders} is wrong, expired or revoked.`,
    fix: "Ask the person who set up this connection for a valid key in one of these headers.",
    retryable: false
  }),
  ApiKeysDiffer: () => ({
    code: "api_key_invalid",
    message: "The X-API-Key and Authorization headers hold different API keys; neither of them was taken.",
    fix: "Ask the person who set up this connection to send the API key in one of these headers only.",
    retryable: false
  }),
  ApiKeyScope: ({ scope }) => ({
    code: "api_key_scope",
    message: `The API key ${inHeaders} lacks the scope ${scope}.`,
    fix: `Ask the person who set up this connection for a key with the scope ${scope}; the other tools may still work with this one.`,
    retryable: false,
    details: { scope }
  }),
  RateLimited: ({ per, retry_after_seconds }) => ({
    code: "rate_limited",
    message:
      per === "key"
        ? "This API key has had its calls of the last minute, those of everybody who uses it included."
        : "This network address has had its calls without a valid API key of the last minute. Other addresses are not affected.",
    fix: `Wait ${retry_after_seconds} s, then repeat the same call.`,
    retryable: true,
    details: { per, retry_after_seconds }
  }),
  InvalidArguments: ({ issues }) => ({
    code: "invalid_arguments",
    message:
      issues.length === 1
        ? `An argument is not acceptable: ${issueText(issues[0])}`
        : `${issues.length} arguments are not acceptable: ${issues.map(issueText).join("; ")}`,
    fix: "Correct what details.issues names, then repeat this call.",
    retryable: false,
    details: { issues }
  }),
  PlayroomNotFound: ({ playroom_id }) => ({
    code: "playroom_not_found",
    message: "There is no playroom with that playroom_id (any more).",
    fix: "Call search_playrooms, then repeat this call with a playroom_id from its answer.",
    retryable: false,
    details: { playroom_id }
  }),
  PackageNotFound: ({ package_id }) => ({
    code: "package_not_found",
    message: "That playroom has no package with that package_id (any more).",
    fix: "Leave package_id out to see all packages, or take one from get_playroom.",
    retryable: false,
    details: { package_id }
  }),
  BookingNotFound: ({ guest }) => ({
    code: "booking_not_found",
    ...(guest === true
      ? {
          message:
            "There is no booking with that booking_id, or with that reference and contact_email, for this person.",
          fix: "Repeat this call with the booking_id that create_booking gave, or call get_booking with reference and contact_email (the booking's e-mail address), which also finds a booking that was made in another chat. If there is none, tell the person to open the link of the booking's own page that they were given, or to ask the business that runs the playroom."
        }
      : {
          message: "No booking of this API key has that booking_id, or that reference and contact_email.",
          fix: "Repeat this call with the booking_id that create_booking gave, or with reference and contact_email (the booking's e-mail address). If it was that one, tell the person that only the API key that booked can see a booking, and that the link of its own page still opens it, and the business that runs the playroom can look it up, change it or cancel it."
        }),
    retryable: false
  }),
  TooManyLookups: ({ retry_after_seconds }) => ({
    code: "rate_limited",
    message: "Look-ups by reference and contact_email have found nothing too often within an hour.",
    fix: `Wait ${retry_after_seconds} s, then repeat the same call. Until then, use the booking_id that create_booking gave, or tell the person to open the link of the booking's own page.`,
    retryable: true,
    details: { retry_after_seconds }
  }),
  AlreadyBooked: () => ({
    code: "already_booked",
    message:
      "This option is booked already for this e-mail address and name, in another chat or through another sign-in; nothing more was booked.",
    fix: "Tell the person so, and ask the person for the reference in their confirmation: call get_booking with reference and contact_email to see it and to have it paid; the link of its own page, which they were given, opens it, too. Only where the person wants one more of the same: repeat this call with another true and a new idempotency_key.",
    retryable: false
  }),
  OptionInvalid: ({ argument, reason }) => ({
    code: "option_invalid",
    ...whyInvalid[reason],
    retryable: false,
    details: { reason, ...(argument === undefined ? {} : { argument }) }
  }),
  PriceChanged: ({ changed, code, option, what }) => ({
    code: "price_changed",
    message:
      code === undefined
        ? `Since that option was given, ${what} of it have changed; nothing was booked.`
        : `${lostCode[code]}, so that option costs what details.option says; nothing was booked.`,
    fix: "Tell the person the time, price and terms in details.option; if they agree, call create_booking with its option_id.",
    retryable: false,
    details: {
      option,
      ...(changed.length === 0 ? {} : { changed }),
      ...(code === undefined ? {} : { reason: code })
    }
  }),
  SlotUnavailable: ({ alternatives, booked_before, nearest, not_booked, reason, waiting_list }) => ({
    code: "slot_unavailable",
    message:
      booked_before && reason === "fully_booked"
        ? "Those places are taken, and this e-mail address has booked that option already. Nothing more was booked."
        : whyUnavailable[reason].message,
    fix: `${not_booked === undefined ? "" : someGone}${
      nearest?.free_without !== undefined
        ? "Tell the person which extras it can't have then (details.free_without), and offer the same visit without them: details.alternatives have that start first, priced without them. For other times with them, call get_booking_options."
        : alternatives.length > 0
          ? "Offer the person details.alternatives, and call create_booking with the option_id of the one they choose."
          : whyUnavailable[reason].fix
    }${waiting_list === undefined ? "" : toWaitingList}`,
    retryable: false,
    details: {
      reason,
      alternatives,
      ...(waiting_list && { waiting_list }),
      ...(not_booked && { not_booked }),
      ...(nearest === undefined ? {} : Struct.omit(nearest, ["options"]))
    }
  }),
  HoldExpired: ({ booking_id }) => ({
    code: "hold_expired",
    message: "The hold of that booking has run out, so it can't be paid (any more).",
    fix: "Call get_booking_options, then create_booking with a new idempotency_key: the old one stands for the old booking.",
    retryable: false,
    details: { booking_id }
  }),
  BookingCancelled: ({ booking_id }) => ({
    code: "booking_cancelled",
    message: "That booking is cancelled, so it can't be paid.",
    fix: "Call get_booking to see its history; to book anew, call get_booking_options, then create_booking with a new idempotency_key.",
    retryable: false,
    details: { booking_id }
  }),
  NothingDue: ({ balance, booking_id, due_now, paid, under_review, why }) => ({
    code: "nothing_due",
    message:
      under_review === undefined
        ? `Nothing is to be paid for that purpose: ${why} ${paid.amount === 0 ? "Nothing is paid so far." : `${paid.display} is paid.`}`
        : `Nothing is to be paid now: ${why}`,
    fix:
      under_review !== undefined
        ? "Tell the person so, that the booking keeps its places meanwhile, and not to pay again. Call get_booking later to see what was decided."
        : due_now !== undefined
          ? `Call create_payment_session with this booking_id and without purpose to pay the ${due_now.display} that is due now.`
          : balance !== undefined
            ? `Call get_booking to see when the balance of ${balance.display} is due, and create_payment_session with purpose balance if the person wants to pay it now.`
            : "Call get_booking to see what is paid and what is due.",
    retryable: false,
    details: {
      booking_id,
      paid,
      ...(due_now === undefined ? {} : { due_now }),
      ...(balance === undefined ? {} : { balance }),
      ...(under_review === undefined ? {} : { under_review })
    }
  }),
  OperatorUnavailable: ({ booked, operator_id, payment_refused }) => ({
    code: "operator_unavailable",
    ...(payment_refused === undefined ? closedAccount : paymentRefused[payment_refused])[
      booked === true ? "booked" : "held"
    ],
    retryable: false,
    details: { operator_id, ...(payment_refused === "amount" ? { reason: "amount" } : {}) }
  }),
  IdempotencyConflict: () => ({
    code: "idempotency_conflict",
    message: "That idempotency_key was used before with other arguments; nothing was done.",
    fix: "Repeat this call with a new idempotency_key, or with exactly the arguments of the first call.",
    retryable: false
  }),
  TooManyHolds: ({ at_once, limit, per }) => ({
    code: "too_many_holds",
    message:
      at_once === undefined
        ? tooManyHolds[per].message(limit)
        : `${at_once} bookings by one call, beside the unpaid ones that there are, are more than there may be${limit === undefined ? "" : ` (${limit})`}; nothing was booked.`,
    fix: at_once === undefined ? tooManyHolds[per].fix : fewerAtOnce,
    retryable: tooManyHolds[per].retryable,
    details: { per, ...(limit === undefined ? {} : { limit }) }
  }),
  ProviderUnavailable: ({ kind, retry_after_seconds }) =>
    isOwnFault(kind)
      ? {
          code: "payment_provider_unavailable",
          message:
            "The payment provider does not accept this service's own key, settings, clock or request; whoever runs the service has to put that right. Nothing was half-done.",
          fix: `Tell the person that nothing can be paid at the moment, and that waiting does not help by itself. Repeat the same call in ${ownFaultSeconds} s at the earliest; the booking stays as it is.`,
          retryable: true,
          details: { reason: kind, retry_after_seconds: ownFaultSeconds }
        }
      : {
          code: "payment_provider_unavailable",
          message: "The payment provider can't be reached right now; nothing was half-done.",
          fix: `Repeat the same call in ${retry_after_seconds ?? 10} s; the booking stays as it is.`,
          retryable: true,
          ...(retry_after_seconds === undefined ? {} : { details: { retry_after_seconds } })
        },
  KeepsChanging: () => ({
    code: "service_unavailable",
    message: "The playroom was being changed again and again while the booking was to be made; nothing was booked.",
    fix: "Repeat the same call in 5 s.",
    retryable: true
  }),
  CallTimedOut: () => ({
    code: "service_unavailable",
    message: "The service took too long and gave the call up; nothing was half-done.",
    fix: "Repeat the same call in a few seconds.",
    retryable: true
  }),
  SqlError: (error) =>
    isLockTimeout(error)
      ? {
          code: "service_unavailable",
          message:
            "Others are booking or changing the same at this moment, for longer than a call waits; nothing was half-done.",
          fix: `Repeat the same call in ${lockedSeconds} s.`,
          retryable: true,
          details: { retry_after_seconds: lockedSeconds }
        }
      : {
          code: "service_unavailable",
          message: "The service can't reach its database right now; nothing was half-done.",
          fix: "Repeat the same call in 5 s.",
          retryable: true
        }
})

const issueText = (issue: ArgumentIssue | undefined): string =>
  issue === undefined ? "" : issue.path === "" ? issue.message : `${issue.path}: ${issue.message}`

/**
 * The error for a bug in this service. Its trace id leads to the cause in the logs; it helps whoever runs the service,
 * so no text tells it to a person.
 */
export const internalError = (traceId: string): ToolError => ({
  code: "internal_error",
  message: "Something went wrong on our side.",
  fix: "Repeat the same call once; if it fails again, tell the person that the fault is this service's and that trying later may help.",
  retryable: true,
  details: { trace_id: traceId }
})
