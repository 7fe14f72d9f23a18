/**
 * Assistants and other MCP hosts: how each connects, and the evidence for it. The start page and the table of
 * `docs/connecting.md` show them; a test compares the table. Only what this project's tests do is "tried", and only
 * what was connected to the service is "by hand".
 */
import { toolsPath } from "../../../domain/oauth/OAuthExchange.ts"

/** A host's credentials: the key in its own header, the key as a bearer token, or a token from signing in. */
export type Way = "header" | "bearer" | "sign_in"

/**
 * The evidence: this project's tests; or a manual connection of this version on this day, without a model; or only the
 * host's documentation.
 */
type Evidence =
  | { readonly kind: "tried"; readonly test: string }
  | { readonly kind: "by_hand"; readonly version: string; readonly on: string }
  | { readonly kind: "documented"; readonly url: string }

/** Configuration to copy into a host. */
interface Setup {
  /** The configuration file; absent for a shell command. */
  readonly file?: string
  readonly text: (baseUrl: string) => string
}

export interface Host {
  readonly name: string
  readonly way: Way
  readonly evidence: Evidence
  readonly setup?: Setup
}

/** The endpoint for a host. The one for signing in takes no API key. */
export const endpointOf = (way: Way): string => (way === "sign_in" ? toolsPath : "/mcp")

/** The header line for programs that can send only a bearer token. */
export const bearerLine = "Authorization: Bearer YOUR_KEY"

/** A shell command that calls one tool. Without a key it has no key header. */
export const curl = (baseUrl: string, tool: string, input: unknown, key?: string): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: input } })
  const header = key === undefined ? "" : ` -H 'X-API-Key: ${key}'`
  return `curl -s ${baseUrl}/mcp -H 'Content-Type: application/json'${header} -d '${body.replaceAll("'", "'\\''")}'`
}

/** In display order. The hosts' documentation was read in November 2026. */
export const hosts: ReadonlyArray<Host> = [
  {
    name: "ChatGPT",
    way: "sign_in",
    evidence: { kind: "documented", url: "https://developers.openai.com/api/docs/guides/developer-mode" }
  },
  {
    name: "Claude",
    way: "sign_in",
    evidence: {
      kind: "documented",
      url: "https://support.claude.com/en/articles/11175166-get-started-with-custom-connectors-using-remote-mcp"
    }
  },
  {
    name: "mcp-remote",
    way: "sign_in",
    // Registered itself, a person signed in as a guest, and it called a tool that needs a key.
    evidence: { kind: "by_hand", version: "0.15.1", on: "2026-11-21" }
  },
  {
    name: "Claude Code",
    way: "header",
    // https://code.claude.com/docs/en/mcp; `claude mcp list` said "Connected".
    evidence: { kind: "by_hand", version: "2.1.197", on: "2026-11-21" },
    setup: {
      text: (baseUrl) => `claude mcp add --transport http playroom ${baseUrl}/mcp --header "X-API-Key: YOUR_KEY"`
    }
  },
  {
    name: "Cursor",
    way: "header",
    evidence: { kind: "documented", url: "https://cursor.com/docs/mcp" },
    setup: {
      file: ".cursor/mcp.json",
      text: (baseUrl) =>
        `{ "mcpServers": { "playroom": { "url": "${baseUrl}/mcp", "headers": { "X-API-Key": "YOUR_KEY" } } } }`
    }
  },
  {
    name: "VS Code",
    way: "header",
    evidence: {
      kind: "documented",
      url: "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration"
    },
    setup: {
      file: ".vscode/mcp.json",
      text: (baseUrl) =>
        `{
  "inputs": [{ "id": "playroom-key", "type": "promptString", "description": "Playroom API key", "password": true }],
  "servers": {
    "playroom": { "type": "http", "url": "${baseUrl}/mcp", "headers": { "X-API-Key": "\${input:playroom-key}" } }
  }
}`
    }
  },
  {
    name: "Gemini CLI",
    way: "header",
    // https://geminicli.com/docs/tools/mcp-server/; `gemini mcp list` said "Connected".
    evidence: { kind: "by_hand", version: "0.61.0", on: "2026-11-21" },
    setup: {
      file: ".gemini/settings.json",
      text: (baseUrl) =>
        `{ "mcpServers": { "playroom": { "httpUrl": "${baseUrl}/mcp", "headers": { "X-API-Key": "YOUR_KEY" } } } }`
    }
  },
  {
    name: "Microsoft Copilot Studio",
    way: "header",
    evidence: {
      kind: "documented",
      url: "https://learn.microsoft.com/microsoft-copilot-studio/mcp-add-existing-server-to-agent"
    }
  },
  {
    name: "Claude API (MCP connector)",
    way: "bearer",
    evidence: { kind: "documented", url: "https://docs.claude.com/en/docs/agents-and-tools/mcp-connector" }
  },
  {
    name: "MCP Inspector",
    way: "header",
    evidence: { kind: "tried", test: "test/journeys/Inspector.test.ts" },
    setup: {
      text: (baseUrl) =>
        `npx @modelcontextprotocol/inspector@2 --cli ${baseUrl}/mcp --transport http --method tools/list \\\n  --header "X-API-Key: YOUR_KEY"`
    }
  },
  {
    name: "MCP TypeScript SDK v1, v2",
    way: "sign_in",
    evidence: { kind: "tried", test: "test/journeys/SignIn.test.ts" }
  },
  {
    name: "MCP TypeScript SDK v1, v2",
    way: "header",
    evidence: { kind: "tried", test: "test/surfaces/mcp/transport/Clients.test.ts" }
  },
  {
    name: "curl",
    way: "header",
    evidence: { kind: "tried", test: "test/journeys/FirstMinutes.test.ts" },
    setup: { text: (baseUrl) => curl(baseUrl, "search_playrooms", {}) }
  }
]
