/** The cookie of a session at the desk: for this host alone, for no script, and for no request from another site. */
import { Duration } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { sessionLimits } from "../../staff/StaffSessions.ts"

/** By the service's public address. Over http, which only this machine has, browsers keep no `__Host-` cookie. */
export const sessionCookie = (baseUrl: string) => {
  const secure = baseUrl.startsWith("https:")
  const name = secure ? "__Host-desk" : "desk"
  const options = { httpOnly: true, path: "/", sameSite: "strict", secure } as const
  const maxAge = Duration.millis(sessionLimits.longestMs)
  return {
    read: ({ cookies }: HttpServerRequest.HttpServerRequest): string | undefined => cookies[name],
    set: (response: HttpServerResponse.HttpServerResponse, token: string) =>
      HttpServerResponse.setCookieUnsafe(response, name, token, { ...options, maxAge }),
    end: (response: HttpServerResponse.HttpServerResponse) =>
      HttpServerResponse.expireCookieUnsafe(response, name, options)
  }
}
