/** Reads the forms of our pages. */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { readForm } from "../../http/Bodies.ts"
import type { Language } from "../../../words/Languages.ts"
import { linkProblemPage } from "./LinkProblems.ts"

/**
 * Whether a page of another site sent the form. Our pages have no referrer, so browsers that only send `Origin` send
 * `null` for them. A token or a cookie grants the access; this check stops a site from submitting the form unnoticed.
 */
const isForeignForm = ({ headers }: HttpServerRequest.HttpServerRequest, baseUrl: string): boolean => {
  const { host, origin } = headers
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  return (
    origin !== undefined && origin !== "null" && origin !== new URL(baseUrl).origin && URL.parse(origin)?.host !== host
  )
}

/** After a form, so that a reload sends nothing again. */
export const leadTo = (address: string): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.redirect(address, { status: 303, headers: { "cache-control": "no-store" } })

/** Answers a form that one of our pages sent; any other gets the page for unreadable ones. */
export const withForm = <E, R>(
  request: HttpServerRequest.HttpServerRequest,
  { baseUrl, language }: { readonly baseUrl: string; readonly language: Language },
  answer: (form: URLSearchParams) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E, R> => {
  const unreadable = () => Effect.succeed(linkProblemPage("unreadable", language))
  if (isForeignForm(request, baseUrl)) return unreadable()
  return Effect.matchEffect(readForm(request), { onFailure: unreadable, onSuccess: answer })
}
