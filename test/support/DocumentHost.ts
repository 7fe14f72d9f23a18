/** A web host over TLS on a port of its own, as `*.example.test`: what it answers for a path, a test decides. */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:https"
import { join } from "node:path"
import type { Network } from "../../src/platform/access/PublicDocuments.ts"
import { listenOnLoopback } from "./RecordingServer.ts"

const folder = join(import.meta.dirname, "tls")
const certificate = readFileSync(join(folder, "certificate.pem"), "utf8")

export type Page = (request: IncomingMessage, response: ServerResponse) => void

/** A page of JSON. */
export const jsonPage =
  (value: unknown, headers: Record<string, string> = {}): Page =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify(value))
  }

export const documentHost = Effect.gen(function* () {
  const pages = new Map<string, Page>()
  const asked: Array<string> = []
  const server = createServer(
    { key: readFileSync(join(folder, "key.pem")), cert: certificate },
    (request, response) => {
      asked.push(request.url ?? "")
      const page = pages.get(request.url ?? "")
      if (page === undefined) response.writeHead(404).end()
      else page(request, response)
    }
  )
  const port = yield* listenOnLoopback(server)
  /** The internet as the service sees it: this host under every name, and no other rule than the names'. */
  const network: Network = {
    resolve: () => Effect.succeed(["127.0.0.1"]),
    allowed: () => true,
    authorities: [certificate],
    port
  }
  return {
    pages,
    asked,
    network,
    url: (path: string, host = "client.example.test") => `https://${host}:${port}${path}`
  }
})
