#!/usr/bin/env bash
# "These places are taken" is what a successful call says.
#
# Guess: a result with isError reaches the model as an error: the AI SDK has kinds of tool outputs for that,
# "error-text" and "error-json".
# What happens: it is output of the kind "content", as for a call that worked, and the mark is gone. The step has a
# "tool-result" and no "tool-error", so a page that shows the call shows it as done. A JSON-RPC error is a tool-error.
# Seen: 2026-11-29, ai 7.0.173, @ai-sdk/mcp 2.0.99, Node 20.20.2.
# Why it matters here: refusals (places taken, a price that has changed) are results with isError. Nothing but their
# words says that nothing was booked, so our answers to such calls are `{"error": …}` with a message that says so by
# itself.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund ai@7.0.173 @ai-sdk/mcp@2.0.99 zod@4.6.7
cat >try.mjs <<'JS'
import { createMCPClient } from "@ai-sdk/mcp"
import { generateText, stepCountIs } from "ai"
import { MockLanguageModelV4 } from "ai/test"
import { createServer } from "node:http"

const words = "These places are taken."
const answers = {
  works: { result: { content: [{ type: "text", text: "Booked." }] } },
  refuses: { result: { isError: true, content: [{ type: "text", text: words }] } },
  fails: { error: { code: -32602, message: words } }
}
const inputSchema = { type: "object", properties: {} }
const others = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "play", version: "1" }
  },
  "tools/list": { tools: Object.keys(answers).map((name) => ({ name, inputSchema })) }
}
const server = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end()
  let body = ""
  for await (const part of request) body += part
  const { id, method, params } = JSON.parse(body)
  if (id === undefined) return response.writeHead(202).end()
  const answer =
    method === "tools/call"
      ? answers[params.name]
      : method in others
        ? { result: others[method] }
        : { error: { code: -32601, message: "Unknown method" } }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }))
}).listen(0, "127.0.0.1")
await new Promise((listening) => server.once("listening", listening))

const client = await createMCPClient({
  transport: { type: "http", url: `http://127.0.0.1:${server.address().port}/` }
})
const tools = await client.tools()
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
for (const name of Object.keys(answers)) {
  const prompts = []
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) =>
      prompts.push(prompt) === 1
        ? {
            content: [{ type: "tool-call", toolCallId: "1", toolName: name, input: "{}" }],
            finishReason: { unified: "tool-calls" },
            usage,
            warnings: []
          }
        : { content: [{ type: "text", text: "" }], finishReason: { unified: "stop" }, usage, warnings: [] }
  })
  const { steps } = await generateText({ model, tools, prompt: "Book it.", stopWhen: stepCountIs(2) })
  const part = steps[0].content.at(-1).type
  const [{ output }] = prompts[1].at(-1).content
  console.log(`${name}: ${part}, to the model ${JSON.stringify(output)}`)
}
await client.close()
server.close()
JS
seen="$(node try.mjs)"
echo "$seen"
expected='works: tool-result, to the model {"type":"content","value":[{"type":"text","text":"Booked."}]}
refuses: tool-result, to the model {"type":"content","value":[{"type":"text","text":"These places are taken."}]}
fails: tool-error, to the model {"type":"error-text","value":"MCPClientError: These places are taken."}'
[ "$seen" = "$expected" ] || { echo "This has changed." >&2; exit 1; }
