/** `playroom person export|erase`: what the database holds about a person who booked. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { EmailAddress } from "../../platform/text/Contact.ts"
import { blockerText, type ErasePlan, type ErasureItem, Persons } from "../../domain/people/privacy/Persons.ts"
import { switchFlag } from "./Arguments.ts"
import { failed } from "./Failure.ts"
import { json, print, report } from "./Output.ts"
import { counted } from "../../platform/text/Text.ts"

const email = Flag.String("email").pipe(
  Flag.withDescription("The person's e-mail address, as the bookings have it, in any case"),
  Flag.map((text) => text.trim())
)

/** Places with the person's data that these commands can't reach. */
const notReached = [
  "the payment provider's own records: its dashboard has what its payment pages asked for",
  "backups and replicas of the database",
  "logs, traces and e-mails that were sent elsewhere, though none of ours carry it",
  "what assistants and their hosts keep of their conversations"
] as const

const readEmail = Schema.decodeOption(EmailAddress)

/** Refuses partial addresses: they would match other people. Those of earlier bookings may have a dot too many. */
const checked = (address: string) =>
  Option.isSome(readEmail(address.replace(/(?<=@)\.+|\.+(?=\.|$)/g, "")))
    ? Effect.void
    : failed(`--email takes an e-mail address, like ana@example.com; not "${address}".`)

const exportPerson = Command.make(
  "export",
  { email },
  Effect.fn(function* ({ email }) {
    yield* checked(email)
    const found = yield* Persons.use((persons) => persons.export(email))
    yield* print(true, { ...found, not_reached: notReached }, "")
  })
).pipe(Command.withDescription("Print all that the database holds about a person, as JSON"))

const concerned = ({ bookings, events }: ErasePlan): string =>
  `${counted(bookings.length, "booking")}${bookings.length === 0 ? "" : ` (${bookings.join(", ")})`}${
    events === 0 ? "" : ` and ${counted(events, "event")} of other bookings`
  }`

const itemText = (item: ErasureItem): string => {
  switch (item) {
    case "events":
      return "the provider's events of other bookings"
    case "payers":
      return "the sandbox's payers"
    case "reminders":
      return "the addresses that want no reminders"
    case "waiting":
      return "the waiting lists"
    case "vouchers":
      return "the vouchers bought online"
    default:
      return `the booking ${item}`
  }
}

const erase = Command.make(
  "erase",
  {
    email,
    preview: switchFlag("preview", "Say what would be erased and what is in the way, and change nothing"),
    json
  },
  Effect.fn(function* ({ email, json, preview }) {
    yield* checked(email)
    const persons = yield* Persons
    const elsewhere = `Not reached: ${notReached.join("; ")}.`
    if (preview) {
      const plan = yield* persons.plan(email)
      return yield* print(
        json,
        { preview, ...plan, not_reached: notReached },
        [
          `${email} would be erased from ${concerned(plan)}. Nothing was changed.`,
          ...plan.in_the_way.map((one) => `In the way: ${blockerText(one)}.`),
          elsewhere
        ].join("\n")
      )
    }
    const done = yield* persons
      .erase(email)
      .pipe(Effect.catchTag("ErasureBlocked", ({ message }) => failed(`Nothing was erased. ${message}`)))
    const { outcomes, ...plan } = done
    const erased = outcomes.flatMap(({ item, outcome }) => (outcome === "done" ? [item] : []))
    const complete = erased.length === outcomes.length
    return yield* report(json, outcomes, {
      noun: "part",
      verb: "erased",
      name: itemText,
      data: (item) => ({ item }),
      value: { preview, ...plan, not_reached: notReached },
      lines: [
        complete
          ? `${email} is erased from ${concerned(done)}. What was sold and paid stays: ids, amounts, states and times.`
          : `${email} is erased from ${erased.length === 0 ? "nothing" : erased.map(itemText).join(", ")}, and not from the rest: run this again.`,
        elsewhere
      ]
    })
  })
).pipe(
  Command.withDescription(
    "Take a person out of all their bookings, unless something of theirs is open; what was sold and paid stays"
  )
)

export const person = Command.make("person").pipe(
  Command.withDescription("Tell and erase what is stored about a person who booked"),
  Command.withSubcommands([exportPerson, erase])
)
