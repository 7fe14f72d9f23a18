// How each client calls a tool: what it gives to its model, or to its caller where it has none. This file is copied
// into the folder where a client's packages are installed, and run there.
import { hosts } from "./hosts.mjs"

const info = { name: "clients", version: "1" }
const sdk = "@modelcontextprotocol/sdk@1.32.2"

/** A client of the SDK's v1, for libraries that take one. */
const connected = async (url) => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js")
  const client = new Client(info)
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  return client
}
/** What a program of the client's packages prints. */
const ran = async (program, ...args) => {
  const { spawnSync } = await import("node:child_process")
  const { stderr, stdout } = spawnSync(`node_modules/.bin/${program}`, args, { encoding: "utf8", timeout: 50_000 })
  return `${stdout}${stderr}`
}
const named = (tools, tool, nameOf = ({ name }) => name) => tools.find((one) => nameOf(one).endsWith(tool))

/** In the order of the table. */
export const clients = {
  "SDK v1": {
    packages: [sdk],
    play: async (url, name, args) => {
      const client = await connected(url)
      await client.listTools()
      return client.callTool({ name, arguments: args })
    }
  },
  "SDK v2": {
    packages: ["@modelcontextprotocol/client@2.4.0"],
    play: async (url, name, args) => {
      const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
      const client = new Client(info, { versionNegotiation: { mode: "auto" } })
      await client.connect(new StreamableHTTPClientTransport(new URL(url)))
      await client.listTools()
      return client.callTool({ name, arguments: args })
    }
  },
  "AI SDK": {
    packages: ["@ai-sdk/mcp@2.0.99", "ai@7.0.173"],
    play: async (url, toolName, args) => {
      const { createMCPClient } = await import("@ai-sdk/mcp")
      const { generateText, isStepCount } = await import("ai")
      const { MockLanguageModelV4 } = await import("ai/test")
      const client = await createMCPClient({ transport: { type: "http", url } })
      const tokens = { total: 1 }
      const says = (reason, ...content) => ({
        content,
        finishReason: { unified: reason, raw: reason },
        usage: { inputTokens: tokens, outputTokens: tokens },
        warnings: []
      })
      const call = { type: "tool-call", toolCallId: "1", toolName, input: JSON.stringify(args) }
      const model = new MockLanguageModelV4({
        doGenerate: [says("tool-calls", call), says("stop", { type: "text", text: "" })]
      })
      await generateText({ model, tools: await client.tools(), prompt: "Go.", stopWhen: isStepCount(2) })
      return model.doGenerateCalls[1].prompt.filter(({ role }) => role === "tool")
    }
  },
  LangChain: {
    packages: ["@langchain/mcp-adapters@1.1.4", "langchain@1.5.14", "@langchain/core@1.4.0", sdk],
    play: async (url, name, args) => {
      const { MultiServerMCPClient } = await import("@langchain/mcp-adapters")
      const client = new MultiServerMCPClient({ play: { transport: "http", url } })
      const { content } = await named(await client.getTools(), name).invoke({ type: "tool_call", id: "1", name, args })
      return content
    }
  },
  Mastra: {
    packages: ["@mastra/mcp@2.0.0", "@mastra/core@1.71.0"],
    play: async (url, name, args) => {
      const { MCPClient } = await import("@mastra/mcp")
      const tools = await new MCPClient({ servers: { play: { url: new URL(url) } } }).listTools()
      const tool = tools[`play_${name}`]
      const output = await tool.execute(args, {})
      return tool.toModelOutput?.(output) ?? output
    }
  },
  "OpenAI Agents": {
    packages: ["@openai/agents@0.20.0", "zod@4.6.7"],
    play: async (url, name, args) => {
      const { Agent, MCPServerStreamableHttp, Runner, Usage } = await import("@openai/agents")
      const server = new MCPServerStreamableHttp({ url })
      await server.connect()
      const asked = []
      const call = { type: "function_call", callId: "1", name, arguments: JSON.stringify(args), status: "completed" }
      const end = {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "" }]
      }
      const model = {
        getResponse: async ({ input }) => {
          asked.push(input)
          return { usage: new Usage(), output: [asked.length === 1 ? call : end] }
        }
      }
      await new Runner({ tracingDisabled: true }).run(new Agent({ name: "play", model, mcpServers: [server] }), "Go.")
      return asked[1].filter(({ type }) => type === "function_call_result")
    }
  },
  "Google GenAI": {
    packages: ["@google/genai@3.3.0", sdk],
    play: async (url, name, args) => {
      const { mcpToTool } = await import("@google/genai")
      const tool = mcpToTool(await connected(url))
      await tool.tool()
      return tool.callTool([{ name, args }])
    }
  },
  Strands: {
    packages: ["@strands-agents/sdk@1.19.0", sdk],
    play: async (url, name, input) => {
      const { McpClient } = await import("@strands-agents/sdk")
      const tool = named(await new McpClient({ url: new URL(url) }).listTools(), name)
      const stream = tool.stream({ toolUse: { name, toolUseId: "1", input } })
      for (;;) {
        const { done, value } = await stream.next()
        if (done) return value
      }
    }
  },
  LlamaIndex: {
    packages: ["@llamaindex/tools@0.2.1", "llamaindex@0.12.1", sdk],
    play: async (url, name, args) => {
      const { mcp } = await import("@llamaindex/tools")
      return named(await mcp({ url }).tools(), name, ({ metadata }) => metadata.name).call(args)
    }
  },
  Genkit: {
    packages: ["@genkit-ai/mcp@1.42.0", "genkit@1.42.0"],
    play: async (url, name, args) => {
      const { createMcpClient } = await import("@genkit-ai/mcp")
      const { genkit } = await import("genkit")
      const client = createMcpClient({ name: "play", mcpServer: { url } })
      await client.ready()
      return named(await client.getActiveTools(genkit({})), name, (tool) => tool.__action.name)(args)
    }
  },
  ADK: {
    packages: ["@google/adk@2.0.0", sdk],
    play: async (url, name, args) => {
      const { MCPToolset } = await import("@google/adk")
      const tools = await new MCPToolset({ type: "StreamableHTTPConnectionParams", url }).getTools()
      return named(tools, name).runAsync({ args, toolContext: {} })
    }
  },
  "Anthropic SDK": {
    packages: ["@anthropic-ai/sdk@1.14.0", sdk],
    play: async (url, name, args) => {
      const { mcpTools } = await import("@anthropic-ai/sdk/helpers/beta/mcp")
      const client = await connected(url)
      const { tools } = await client.listTools()
      return named(mcpTools(tools, client), name).run(args)
    }
  },
  Inspector: {
    packages: ["@modelcontextprotocol/inspector@2.12.0"],
    play: async (url, name, args) => {
      const given = Object.entries(args).flatMap(([field, value]) => [
        "--tool-arg",
        `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`
      ])
      const asked = ["--method", "tools/call", "--tool-name", name, ...given]
      return ran("mcp-inspector", "--cli", url, "--transport", "http", ...asked)
    }
  },
  "mcp-remote": {
    packages: ["mcp-remote@0.15.1", sdk],
    play: async (url, name, args) => {
      const { Client } = await import("@modelcontextprotocol/sdk/client/index.js")
      const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js")
      const client = new Client(info)
      await client.connect(
        new StdioClientTransport({
          command: "node_modules/.bin/mcp-remote",
          args: [url, "--allow-http"],
          stderr: "ignore",
          env: process.env
        })
      )
      await client.listTools()
      return client.callTool({ name, arguments: args })
    }
  },
  ...hosts
}

const [, , run, name, cases] = process.argv
if (run === "play") {
  const seen = {}
  for (const [key, { args, tool, url }] of Object.entries(JSON.parse(cases))) {
    const late = new Promise((told) => setTimeout(told, 60_000, "nothing within a minute").unref())
    const played = clients[name].play(url, tool, args).catch((error) => `thrown: ${error.message}`)
    seen[key] = JSON.stringify(await Promise.race([played, late])) ?? ""
  }
  const { writeFileSync } = await import("node:fs")
  writeFileSync("seen.json", JSON.stringify(seen))
  process.exit()
}
