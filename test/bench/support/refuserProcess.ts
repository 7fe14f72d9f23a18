/** Node's own server, which reads each request and refuses it: the least that a refusal costs. */
import { createServer } from "node:http"

const body = JSON.stringify({ type: "/docs", status: 503, title: "Not now", code: "service_unavailable" })
const headers = { "content-type": "application/problem+json", "content-length": body.length, "retry-after": "2" }

createServer((request, response) => {
  request.resume()
  response.writeHead(request.method === "GET" ? 200 : 503, headers)
  response.end(body)
}).listen(Number(process.env["PORT"]), "127.0.0.1", 4096)
