/**
 * Bare `node:http`: the query and its JSON, no protocol; with `BY_VERSION` only if the row has changed. POST with
 * `{"playroom_id"}`.
 */
import { createServer } from "node:http"
import { getPlayroom, knownPlayroom } from "./postgres.ts"
import { port } from "./query.ts"

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", async () => {
    if (request.method !== "POST") return response.writeHead(404).end()
    const { playroom_id } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
    const json = process.env.BY_VERSION
      ? await knownPlayroom(playroom_id)
      : JSON.stringify(await getPlayroom(playroom_id))
    if (json === undefined) return response.writeHead(404).end()
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) }).end(json)
  })
}).listen(port, "127.0.0.1")
