/** Node's own server, which reads each request and refuses it: the least that a refusal costs. */
import { createServer } from "node:http"

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32000, message: "Not now.", data: { code: "service_unavailable", retry_after_seconds: 2 } }
})
const headers = { "content-type": "application/json", "content-length": body.length, "retry-after": "2" }

createServer((request, response) => {
  request.resume()
  response.writeHead(request.method === "GET" ? 200 : 503, headers)
  response.end(body)
}).listen(Number(process.env["PORT"]), "127.0.0.1", 4096)
