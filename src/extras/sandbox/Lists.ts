/** The provider's lists: their parameters, and their pages (https://docs.stripe.com/api/pagination). */
import { Effect } from "effect"
import { SandboxedService } from "./Events.ts"
import { type Form, missing, type Rules } from "./Form.ts"

export const pageRules: Rules = { limit: { kind: "integer" }, starting_after: { kind: "text" } }
export const listRules: Rules = { ...pageRules, "created[gte]": { kind: "integer" } }

/** The page of a list, newest first, that its parameters ask for. */
export const pageOf = Effect.fnUntraced(function* <A, Shown extends object>(
  form: Form,
  all: ReadonlyArray<A>,
  of: {
    readonly url: string
    readonly kind: string
    readonly id: (item: A) => string
    readonly show: (item: A) => Shown
  }
) {
  const { longestPage } = yield* SandboxedService
  const after = form.text("starting_after")
  const start = after === undefined ? 0 : all.findIndex((item) => of.id(item) === after) + 1
  if (after !== undefined && start === 0) return yield* missing(of.kind, after)
  const limit = Math.min(longestPage, Math.max(1, form.integer("limit") ?? 10))
  const data = all.slice(start, start + limit).map(of.show)
  return { object: "list", data, has_more: all.length > start + limit, url: of.url }
})

/** Which items a list is to begin with. */
export const sinceOf = (form: Form): Date => new Date((form.integer("created[gte]") ?? 0) * 1000)
