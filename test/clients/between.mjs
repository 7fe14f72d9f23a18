// A server between clients and the service: what it passes on is the service's own, apart from what a case is about.
// The path of a request names client and case.
import { createServer } from "node:http"
import { refusalOf } from "../../src/surfaces/http/Problem.ts"
import { told } from "./cases.mjs"

const secondPage = "second-page"
const isList = ({ method }) => method === "tools/list"
const isCall = ({ method }) => method === "tools/call"

/** The service's tools on two pages. */
const onPages = (result, cursor) =>
  cursor === secondPage
    ? { ...result, tools: result.tools.slice(-1) }
    : { ...result, tools: result.tools.slice(0, -1), nextCursor: secondPage }

/** Listens; `sentBy(client, case)` is what a client sent in it. */
export const listenBetween = async (port, service) => {
  const records = new Map()
  const sentBy = (client, name) => {
    const key = `${client}/${name}`
    if (!records.has(key)) records.set(key, { methods: [], pages: 0, calls: [] })
    return records.get(key)
  }

  const pass = async ({ headers, method }, path, body, response, change = (result) => result) => {
    const { host: _, connection: _c, "content-length": _l, "transfer-encoding": _t, ...kept } = headers
    const answer = await fetch(`${service}${path}`, {
      method,
      headers: kept,
      ...(method === "POST" ? { body } : {})
    })
    const text = await answer.text()
    const { result, ...rest } = text.startsWith("{") && answer.ok ? JSON.parse(text) : {}
    const {
      "content-length": _length,
      connection: _connection,
      "keep-alive": _alive,
      ...sent
    } = Object.fromEntries(answer.headers)
    response.writeHead(answer.status, sent)
    response.end(result === undefined ? text : JSON.stringify({ ...rest, result: change(result) }))
  }

  const server = createServer(async (request, response) => {
    const [, client, name, path] = /^\/([\w.-]+)\/(\w+)(\/mcp)$/.exec(request.url) ?? []
    const body = Buffer.concat(await Array.fromAsync(request)).toString()
    if (path === undefined) return pass(request, request.url, body, response)
    if (request.method !== "POST") return pass(request, path, body, response)
    const message = JSON.parse(body)
    const record = sentBy(client, name)
    record.methods.push(message.method)
    const { params } = message
    if (isList(message)) {
      if (params?.cursor === secondPage) record.pages = 2
      const { cursor, ...first } = params ?? {}
      return pass(request, path, JSON.stringify({ ...message, params: first }), response, (result) =>
        onPages(result, cursor)
      )
    }
    if (!isCall(message)) return pass(request, path, body, response)
    record.calls.push(params.arguments)
    const why = { limit: "share", overload: "overload" }[name]
    if (why === undefined) return pass(request, path, body, response, name === "answer" ? told : undefined)
    const refusal = refusalOf(why, { headers: request.headers, url: path }, () => undefined)
    response.writeHead(refusal.status, refusal.headers)
    response.end(refusal.body)
  })
  await new Promise((listening) => server.listen(port, "127.0.0.1", listening))
  return { sentBy, close: () => server.close() }
}
