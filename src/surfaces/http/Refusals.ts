/** What is answered to a request that was refused before work began: a page for people, otherwise a document with a code. */
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import { type ProblemCode, problemJson, problemMediaType, problems } from "./Problem.ts"

export type Refusal = "share" | "crowded" | "overload"

/** Who was refused, by the headers `Accept` and `Accept-Language`, and with what. */
interface Refused {
  readonly accept: string | undefined
  readonly languages: string | undefined
  readonly status: number
  readonly retryAfter: number
}

/** The page for a person; undefined for a program. */
export type RefusalPages = (refused: Refused) => HttpServerResponse.HttpServerResponse | undefined

const retry_after_seconds = 2

const refusalHeaders = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "retry-after": String(retry_after_seconds),
  "x-content-type-options": "nosniff"
}

const refusals: Readonly<Record<Refusal, { readonly code: ProblemCode; readonly detail: string }>> = {
  share: {
    code: "rate_limited",
    detail: `Too many requests of this address are waiting. Others are served: try again in ${retry_after_seconds} seconds, with fewer at once.`
  },
  crowded: {
    code: "service_unavailable",
    detail: `All connections are in use. Try again in ${retry_after_seconds} seconds.`
  },
  overload: {
    code: "service_unavailable",
    detail: `There is more to do than can be done in time, and nothing of this was done. Try again in ${retry_after_seconds} seconds.`
  }
}

interface RefusalAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | Uint8Array
}

const answerOf = (
  why: Refusal,
  contentType: string,
  body: string | Uint8Array,
  more: Readonly<Record<string, string>> = {}
): RefusalAnswer => ({
  status: problems[refusals[why].code].status,
  headers: { ...more, ...refusalHeaders, "content-length": Buffer.byteLength(body), "content-type": contentType },
  body
})

/**
 * What programs hear; made once, as thousands hear it in a second. Hosts of `/mcp` hear it, too: the body is not read,
 * so the id of a request is not known, and an error that names none is waited for in vain (`surfaces/mcp/transport/JsonRpc.ts`).
 */
const forPrograms = (why: Refusal): RefusalAnswer => {
  const { code, detail } = refusals[why]
  return answerOf(why, problemMediaType, problemJson(code, detail))
}

const programs = { share: forPrograms("share"), crowded: forPrograms("crowded"), overload: forPrograms("overload") }

/** The answer; no fiber runs for it. */
export const refusalOf = (
  why: Refusal,
  { headers: { accept, "accept-language": languages }, url = "" }: Pick<IncomingMessage, "headers" | "url">,
  pages: RefusalPages
): RefusalAnswer => {
  const problem = programs[why]
  if (url.startsWith("/mcp")) return problem
  const page = pages({ accept, languages, status: problem.status, retryAfter: retry_after_seconds })
  return page?.body._tag === "Uint8Array" ? answerOf(why, page.body.contentType, page.body.body, page.headers) : problem
}
