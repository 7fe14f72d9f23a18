/** Bare `node:http`: the query and its JSON, no protocol. POST with `{"playroom_id"}`. */
import { createServer } from "node:http"
import { getPlayroom } from "./postgres.ts"
import { port } from "./query.ts"

createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", async () => {
    if (request.method !== "POST") return response.writeHead(404).end()
    const { playroom_id } = JSON.parse(Buffer.concat(chunks).toString("utf8"))
    const found = await getPlayroom(playroom_id)
    if (found === undefined) return response.writeHead(404).end()
    const json = JSON.stringify(found)
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(json) }).end(json)
  })
}).listen(port, "127.0.0.1")
