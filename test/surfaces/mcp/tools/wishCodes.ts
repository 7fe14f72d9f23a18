/**
 * Cases of the loop test about what a person said and wished: what was made up, what was not said, what was asked for
 * twice.
 */
import { Effect } from "effect"
import { ask, bookFor, createCall, type Loop, optionFor } from "../../../support/Assistant.ts"

export const wishLoops: ReadonlyArray<Loop> = [
  {
    code: "invalid_arguments",
    what: "a booking looked for by e-mail, and the person has no reference",
    end: "told",
    start: ({ known }) => Effect.succeed({ call: { tool: "get_booking", input: { email: known.contact.email } } })
  },
  {
    code: "invalid_arguments",
    what: "a booking looked for by e-mail, and the reference is there",
    end: "booked",
    start: (run) =>
      Effect.map(bookFor(run), (booking_id) => ({
        call: { tool: "get_booking", input: { email: run.known.contact.email } },
        known: { booking_id }
      }))
  },
  {
    code: "invalid_arguments",
    what: "a contact without name and address, and an age for one child of eight",
    end: "booked",
    start: (run) =>
      Effect.map(optionFor(run), (option_id) => ({
        call: createCall(run, option_id, { contact: { name: "", email: null, phone: "none" }, child_ages: [99] })
      }))
  },
  {
    code: "invalid_arguments",
    what: "ages that are not the party's",
    end: "booked",
    start: (run) =>
      Effect.map(optionFor(run), (option_id) => ({ call: createCall(run, option_id, { child_ages: [5] }) }))
  },
  {
    code: undefined,
    what: "a wish that has its booking already, under another key",
    end: "booked",
    start: (run) =>
      Effect.gen(function* () {
        const option_id = yield* optionFor(run)
        const { input, tool } = createCall(run, option_id, { idempotency_key: "1" })
        yield* ask(tool, input, run.who)
        return { call: createCall(run, option_id) }
      })
  },
  {
    code: undefined,
    what: "a wish that stands beside another of the same person",
    end: "booked",
    start: (run) =>
      Effect.gen(function* () {
        const elsewhen = { ...run, known: { ...run.known, date: "2026-12-12" } }
        const { input, tool } = createCall(run, yield* optionFor(elsewhen), { idempotency_key: "1" })
        yield* ask(tool, input, run.who)
        return { call: createCall(run, yield* optionFor(run)) }
      })
  }
]
