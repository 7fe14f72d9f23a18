/** A person, keys and secrets in words that stand nowhere else, and the look for them in what the service tells of itself. */
import { type Sink, sinks } from "./WatchedService.ts"

export const apiKey = "canary-key-4f7d1c0b9a8e6532"
export const webhookSecret = "whsec_canary_webhook_8842"

/** What a person says, each in words that stand nowhere else. */
export const person = {
  name: "Canaria Zzyzx",
  email: "canary.zzyzx@leak.example",
  phone: "+44 7700 900731",
  notes: "the CANARYNOTE is allergic to lupins",
  ages: [3, 11, 4, 10, 5, 9, 6, 8]
} as const

/** What must be told nowhere: by what it is. */
export const secrets = new Map<string, string>([
  ["name", "Zzyzx"],
  ["e-mail", "canary.zzyzx"],
  ["e-mail's domain", "leak.example"],
  ["phone", "900731"],
  ["note", "CANARYNOTE"],
  ["ages", "3,11,4,10"],
  ["ages, spaced", "3, 11, 4, 10"],
  ["API key", apiKey],
  ["webhook secret", webhookSecret]
])

/** A value as it may stand in a log: plain, in JSON, percent-encoded, in base64. */
const spellings = (value: string): ReadonlyArray<string> => [
  value,
  encodeURIComponent(value),
  Buffer.from(value).toString("base64").replaceAll("=", "").slice(0, -1)
]

/** Each of `secrets` that is told somewhere, with the text around it; at most three of each for each way. */
export const leaksIn = (told: Readonly<Record<Sink, ReadonlyArray<string>>>): ReadonlyArray<string> =>
  sinks.flatMap((sink) =>
    [...secrets].flatMap(([what, value]) =>
      told[sink]
        .flatMap((whole) => {
          // A clock's nanoseconds may hold any six digits.
          const text = whole.replaceAll(/\d{18,}/g, "…")
          const at = Math.max(...spellings(value).map((spelling) => text.indexOf(spelling)))
          return at === -1 ? [] : [`${what} in ${sink}: …${text.slice(Math.max(0, at - 300), at + 100)}…`]
        })
        .slice(0, 3)
    )
  )
