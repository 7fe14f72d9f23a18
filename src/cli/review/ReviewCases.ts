/**
 * What reviewers of a directory can try: prompts, the tool calls that they lead to, and what comes of them. Capital
 * words stand for what is known by then (`PlayedCases.ts`).
 */
import { Option, Schema } from "effect"

/** A call that a prompt leads to. `answer`: what its text holds; `error`: the code of its refusal. */
export interface ReviewCall {
  readonly tool: string
  readonly arguments: Readonly<Record<string, unknown>>
  /** Whether it is made without the key. */
  readonly keyless?: true
  readonly answer?: ReadonlyArray<string>
  readonly error?: string
}

/** `outcome`: what the assistant tells, from the answers of the calls. */
export interface ReviewCase {
  readonly title: string
  readonly prompt: string
  readonly calls: ReadonlyArray<ReviewCall>
  readonly outcome: (answers: ReadonlyArray<unknown>) => string
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const decodeObject = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

/** The text at a path of an answer; empty if there is none. */
const at = (answer: unknown, ...path: ReadonlyArray<string | number>): string =>
  text(
    path.reduce<unknown>(
      (part, key) =>
        Array.isArray(part)
          ? part[Number(key)]
          : Option.match(decodeObject(part), { onNone: () => undefined, onSome: (object) => object[key] }),
      answer
    )
  )

const contact = { name: "Robin Reviewer", email: "robin@review.example" }

/** What the tools are for: the cases that a submission names. Each builds on those before it. */
export const mainCases: ReadonlyArray<ReviewCase> = [
  {
    title: "Find a playroom by place, day and party",
    prompt: "Find a playroom in CITY for eight children, on a Saturday in four weeks.",
    calls: [
      {
        tool: "search_playrooms",
        arguments: { city: "CITY", date: "DATE", children: 8 },
        answer: ["playrooms", "next_start", "price_for_party"]
      }
    ],
    outcome: ([found]) =>
      `Lists playrooms that have something free on that day, each with its first free start and the price for eight; here ${at(found, "playrooms", 0, "name")} in ${at(found, "playrooms", 0, "city")} comes first. Needs no sign-in.`
  },
  {
    title: "Details, free times and exact prices",
    prompt: "Tell me more about the first one: the house rules, when it is free that day, and what it costs all in.",
    calls: [
      {
        tool: "get_playroom",
        arguments: { playroom_id: "ROOM" },
        answer: ["house_rules", "accessibility", "opening_hours"]
      },
      {
        tool: "get_booking_options",
        arguments: { playroom_id: "ROOM", date: "DATE", children: 8 },
        answer: ["option_id", "price", "terms"]
      }
    ],
    outcome: ([room]) =>
      `Describes ${at(room, "playroom", "name")} with its rules and opening hours, then the free times of the day, each with the exact total, what is due now, and what comes back if it is cancelled. Needs no sign-in.`
  },
  {
    title: "Book a time",
    prompt: "Book the first of these for Robin Reviewer, robin@review.example.",
    calls: [
      {
        tool: "create_booking",
        arguments: { option_id: "OPTION", contact, another: true },
        answer: ["reference", "hold_expires_at", "next_step"]
      }
    ],
    outcome: ([booked]) =>
      `Asks to confirm price and terms, then holds the places at ${at(booked, "booking", "playroom_name")}; says until when they are held, gives the reference, and offers the link to pay ${at(booked, "booking", "due_now", "display")}.`
  },
  {
    title: "Get the link to pay",
    prompt: "Give me the link to pay.",
    calls: [
      {
        tool: "create_payment_session",
        arguments: { booking_id: "BOOKING" },
        answer: ["url", "expires_at", "amount"]
      }
    ],
    outcome: ([paying]) =>
      `Gives a link to a page where the person pays ${at(paying, "payment_session", "amount", "display")}, and says until when. The call charges nothing, and no card data passes through the assistant.`
  },
  {
    title: "See how a booking stands, and pay the rest",
    prompt:
      "I have paid the deposit of DEPOSIT, booked with deposit@review.example. How does it stand, and how do I pay the rest?",
    calls: [
      {
        tool: "get_booking",
        arguments: { booking_id: "DEPOSIT_ID" },
        answer: ["deposit_paid", "outstanding", "balance", "history"]
      },
      {
        tool: "create_payment_session",
        arguments: { booking_id: "DEPOSIT_ID", purpose: "balance" },
        answer: ["url", "amount"]
      }
    ],
    outcome: ([standing]) =>
      `Says that the booking at ${at(standing, "booking", "playroom_name")} is confirmed and its deposit paid, that ${at(standing, "booking", "outstanding", "display")} is still to be paid and by when, and gives a link to pay it.`
  }
]

/** What the service refuses, and what the assistant says then. */
export const refusedCases: ReadonlyArray<ReviewCase> = [
  {
    title: "A booking of somebody else",
    prompt: "Show me the booking of another family.",
    calls: [
      {
        tool: "get_booking",
        arguments: { booking_id: "booking_01m7w2y7m0eb2ra7q440jq5yq3" },
        error: "booking_not_found"
      }
    ],
    outcome: () => "The same answer as for a booking that does not exist: nobody learns of other people's bookings."
  },
  {
    title: "Paying what is over",
    prompt: "I want to pay for CANCELLED after all.",
    calls: [
      {
        tool: "create_payment_session",
        arguments: { booking_id: "CANCELLED_ID" },
        error: "booking_cancelled"
      }
    ],
    outcome: () => "Says that the booking is cancelled, and offers to book anew."
  },
  {
    title: "Booking without a sign-in",
    prompt: "Book the first one for us. (In an assistant that is connected without a key.)",
    calls: [
      { tool: "create_booking", arguments: { option_id: "OPTION", contact }, keyless: true, error: "api_key_missing" }
    ],
    outcome: () => "Says how to connect with a key or to sign in; searching goes on without."
  },
  {
    title: "An option that is none",
    prompt: "Book the option option_abc for Robin Reviewer, robin@review.example.",
    calls: [{ tool: "create_booking", arguments: { option_id: "option_abc", contact }, error: "option_invalid" }],
    outcome: () => "Looks for free times again, and offers those."
  }
]

/** Prompts that should lead to none of the tools. */
export const outOfScope: ReadonlyArray<{ readonly title: string; readonly prompt: string; readonly outcome: string }> =
  [
    {
      title: "A booking of another kind",
      prompt: "Book us a table for eight at an Italian restaurant.",
      outcome: "The tools are not called: they book children's playrooms only."
    },
    {
      title: "Advice without a booking",
      prompt: "What games can eight-year-olds play at a party?",
      outcome: "The tools are not called: nothing is to be found or booked."
    },
    {
      title: "Card data in the chat",
      prompt: "Pay for my booking with my card 4242 4242 4242 4242.",
      outcome:
        "No tool takes card data, and none is called with it: the assistant offers the link to the page where the person pays."
    }
  ]
