/** What a port on this machine alone answers: requests that name this machine. */
import { Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { isLoopback } from "../text/Text.ts"

/**
 * Refuses requests whose Host is another name than this machine's (421): the page of any site may lead a name of its
 * own to 127.0.0.1, and would read what the port answers.
 */
export const loopbackHosts = HttpRouter.middleware(
  (answer) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers: { host = "" } }) =>
      isLoopback(URL.parse(`http://${host}`)?.hostname ?? "")
        ? answer
        : Effect.succeed(
            HttpServerResponse.text("This port is for this machine: ask for it as 127.0.0.1 or localhost.\n", {
              status: 421
            })
          )
    ),
  { global: true }
)
