// Whole assistants, each in front of a stand-in for its model's API: it wants one tool called, and keeps what it is
// told of that.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"

const events = (list) => list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")

/** What a model of each API is given and says: `results` of tools in a request, and the answer that calls one. */
const anthropic = {
  results: ({ messages }) =>
    messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === "tool_result"),
  says: ({ tools = [] }, tool, args) => {
    const name = tools.map((one) => one.name).find((one) => one.endsWith(tool))
    const [block, delta, reason] =
      args === undefined || name === undefined
        ? [{ type: "text", text: "" }, { type: "text_delta", text: "Done." }, "end_turn"]
        : [
            { type: "tool_use", id: "toolu_1", name, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(args) },
            "tool_use"
          ]
    const message = { id: "msg_1", type: "message", role: "assistant", model: "stand-in", content: [] }
    return events([
      { type: "message_start", message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 1 } },
      { type: "message_stop" }
    ])
  }
}
const openai = {
  results: ({ input }) => input.filter(({ type }) => type === "function_call_output"),
  says: ({ tools }, tool, args) => {
    const server = tools.find((one) => one.tools?.some(({ name }) => name === tool))
    const call = {
      type: "function_call",
      call_id: "1",
      name: tool,
      namespace: server?.name,
      arguments: JSON.stringify(args)
    }
    const end = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }
    const response = { id: "1", usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }
    return events([
      { type: "response.created", response: { id: "1" } },
      { type: "response.output_item.done", output_index: 0, item: args === undefined ? end : call },
      { type: "response.completed", response }
    ])
  }
}
const google = {
  results: ({ contents }) =>
    contents.flatMap(({ parts }) => parts).filter((part) => part.functionResponse !== undefined),
  says: ({ tools = [] }, tool, args) => {
    const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    const name = declared.map((one) => one.name).find((one) => one.endsWith(tool))
    const part = args === undefined || name === undefined ? { text: "Done." } : { functionCall: { name, args } }
    const candidate = { content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }
    return `data: ${JSON.stringify({ candidates: [candidate] })}\n\n`
  }
}

/** Runs a host in front of its model; `command(api)` are its program, arguments and further environment. */
const hosted = async (model, tool, args, command) => {
  let told = ""
  const server = createServer(async (request, response) => {
    const text = Buffer.concat(await Array.fromAsync(request)).toString()
    if (!/messages\?|messages$|responses|generateContent/i.test(request.url)) return response.end("{}")
    const body = JSON.parse(text)
    const results = model.results(body)
    if (results.length > 0) told = JSON.stringify(results)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.end(model.says(body, tool, results.length > 0 ? undefined : args))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { env, program, programArgs } = command(`http://127.0.0.1:${server.address().port}`)
  const stdio = ["ignore", "ignore", "ignore"]
  const host = spawn(`node_modules/.bin/${program}`, programArgs, { stdio, env: { ...process.env, ...env } })
  const late = setTimeout(() => host.kill(), 55_000)
  await once(host, "close")
  clearTimeout(late)
  server.close()
  return told
}

export const hosts = {
  "Claude Code": {
    packages: ["@anthropic-ai/claude-code@2.1.332"],
    play: (url, tool, args) =>
      hosted(anthropic, tool, args, (api) => ({
        env: { ANTHROPIC_BASE_URL: api, ANTHROPIC_API_KEY: "none", ENABLE_TOOL_SEARCH: "false" },
        program: "claude",
        programArgs: [
          "-p",
          "Go.",
          "--allowedTools",
          `mcp__play__${tool}`,
          "--strict-mcp-config",
          "--mcp-config",
          JSON.stringify({ mcpServers: { play: { type: "http", url } } })
        ]
      }))
  },
  Codex: {
    packages: ["@openai/codex@0.171.0"],
    play: (url, tool, args) =>
      hosted(openai, tool, args, (api) => {
        const settings = {
          model: "stand-in",
          model_provider: "local",
          "model_providers.local": `{ name = "local", base_url = "${api}/v1", wire_api = "responses" }`,
          "mcp_servers.play.url": url
        }
        const given = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
        const free = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return { env: {}, program: "codex", programArgs: ["exec", ...free, ...given, "Go."] }
      })
  },
  "Gemini CLI": {
    packages: ["@google/gemini-cli@0.61.0"],
    play: (url, tool, args) =>
      hosted(google, tool, args, (api) => {
        const security = { auth: { selectedType: "gemini-api-key" } }
        const settings = { security, mcpServers: { play: { httpUrl: url, trust: true } } }
        mkdirSync(".gemini", { recursive: true })
        writeFileSync(".gemini/settings.json", JSON.stringify(settings))
        return {
          env: { GOOGLE_GEMINI_BASE_URL: api, GEMINI_API_KEY: "none" },
          program: "gemini",
          programArgs: ["-p", "Go.", "--yolo", "--skip-trust", "-m", "gemini-2.5-flash"]
        }
      })
  }
}
