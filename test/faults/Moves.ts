/**
 * How a booking is moved: by its family, on its page, or by an operator's command. Each call is repeated until there is
 * an answer.
 */
import { Effect, Option } from "effect"
import { messages } from "../../src/words/Languages.ts"
import { fieldsOf } from "../support/FamilyPages.ts"
import { Booked, send } from "../support/McpRequests.ts"
import { callTool as persist, count } from "../support/outsideProvider/RoundWorld.ts"
import type { Service } from "../support/Service.ts"
import { betweenTries, look, mostTries, noted, type Saturday } from "./Calls.ts"
import type { Move } from "./History.ts"

/** A slot as a booking moves to it. */
interface To {
  readonly slot: string
  readonly option_id: string
  readonly size: number
}
type Answered = Exclude<Move["answer"], undefined>

const { move: text } = messages.en

const refusedBy = ({ text: page }: { readonly text: string }): Answered => {
  if (page.includes(text.gone)) return { refused: "slot_unavailable" }
  const why = (["notFree", "payment", "refund", "begun", "notSold"] as const).find((one) => page.includes(text[one]))
  return { refused: `move: ${why ?? "another page"}` }
}

/** What a page says: its text, that the booking has the visit already, a refusal, or that nobody knows. */
const pageCall = (url: string, body?: string) =>
  send(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "accept-language": "en",
      ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" })
    },
    ...(body === undefined ? {} : { body })
  }).pipe(
    Effect.map((answer): Answered | { readonly page: string } | undefined => {
      if (answer.status === 200) return { page: answer.text }
      if (answer.status === 303) return "moved"
      if (answer.status === 404) return { refused: "booking_not_found" }
      return answer.status === 409 ? refusedBy(answer) : undefined
    })
  )

const onPage = Effect.fnUntraced(function* (
  saturday: Saturday,
  booking_id: string,
  { option_id, size, slot }: To,
  nodeOf: () => Service
) {
  const { callers, notes, world } = saturday
  const found = yield* persist(world.service, Booked, "get_booking", { booking_id })
  const { page_url = "" } = Option.isSome(found) ? found.value.booking : {}
  if (page_url === "") return { refused: "move: no page" } as const
  const address = () => `${nodeOf().baseUrl}${new URL(page_url).pathname}`
  let form: string | undefined
  for (let tries = 0; tries < mostTries; tries++) {
    const patienceMs = callers.cut ? 1 + (tries % 60) : undefined
    const asked =
      form === undefined ? pageCall(`${address()}?step=move&option=${option_id}`) : pageCall(address(), form)
    const { answer, began, ended } = yield* noted(saturday, asked, patienceMs)
    // A booking that is over leads to its page, too: whether it was moved before is not told.
    const now = answer === "moved" ? yield* look(saturday, booking_id, nodeOf()) : undefined
    const isOver = now !== undefined && "status" in now && now.status !== "confirmed"
    // Whoever only looks moves nothing, and may be told no more than the page shows.
    const told = isOver || (typeof answer === "object" && "page" in answer) ? undefined : answer
    if (form !== undefined || told !== undefined)
      notes.events.push({
        kind: "move",
        booking_id,
        slot,
        size,
        began,
        ended: told === undefined ? undefined : ended,
        answer: told
      })
    if (isOver) return { refused: "move: is over" } as const
    if (told !== undefined) return told
    if (typeof answer === "object" && "page" in answer) form = String(fieldsOf({ text: answer.page }, "move"))
    else yield* Effect.sleep(betweenTries)
  }
  return undefined
})

/** What the command says. A command that fails otherwise may have moved it all the same. */
const commandAnswer = ({ code, stderr }: { readonly code: number; readonly stderr: string }): Answered | undefined => {
  if (code === 0 || stderr.includes("It has this visit already")) return "moved"
  if (stderr.includes("can't be booked: fully_booked")) return { refused: "slot_unavailable" }
  const refusal =
    /is not moved\. ([^:.]+)/.exec(stderr)?.[1] ?? / (is cancelled|has expired)(?: already)?\./.exec(stderr)?.[1]
  return refusal === undefined ? undefined : { refused: `move: ${refusal}` }
}

const byCommand = Effect.fnUntraced(function* (
  saturday: Saturday,
  booking_id: string,
  { option_id, size, slot }: To,
  nodeOf: () => Service
) {
  for (let tries = 0; tries < mostTries; tries++) {
    const run = nodeOf().playroomProcess("booking", "move", booking_id, "--to", option_id, "--reason", "They asked")
    const called = yield* noted(saturday, Effect.map(run, commandAnswer), 70_000)
    saturday.notes.events.push({ kind: "move", booking_id, slot, size, ...called })
    if (called.answer !== undefined) return called.answer
    yield* Effect.sleep(betweenTries)
  }
  return undefined
})

/** Moves a booking; whether it is there now. Where its terms let the family move nothing, the operator does. */
export const moveTo = Effect.fnUntraced(function* (
  saturday: Saturday,
  booking_id: string,
  to: To,
  nodeOf: () => Service,
  isByCommand: boolean
) {
  const onItsPage = isByCommand ? undefined : yield* onPage(saturday, booking_id, to, nodeOf)
  const isNotFree = typeof onItsPage === "object" && onItsPage.refused === "move: notFree"
  const isOperators = isByCommand || isNotFree
  const answer = isOperators ? yield* byCommand(saturday, booking_id, to, nodeOf) : onItsPage
  const isThere = answer === "moved"
  if (isThere) saturday.notes.moved++
  count(saturday.world, `${isThere ? "moved" : "not moved"} ${isOperators ? "by the operator" : "on its page"}`)
  return isThere
})
