/** `/`: what this is, and how to connect an assistant. */
import type { HttpServerResponse } from "effect/http"
import { copyable, page } from "./Layout.ts"

/** What an operator reads who comes back from the provider's onboarding pages (`playroom operator onboard`). */
const onboarding = {
  done: "Thank you. Whoever runs this service sees whether the payment provider still needs something, and lets you know.",
  expired: "This link was used before, or has ended. Ask whoever runs this service for a new one."
} as const

/** `baseUrl` is the public address without a slash at the end; `from`: for operators who come from the provider's onboarding pages. */
export const landing = (baseUrl: string, from?: keyof typeof onboarding): HttpServerResponse.HttpServerResponse => {
  const mcp = `${baseUrl}/mcp`
  const json = (value: unknown) => copyable(JSON.stringify(value, null, 2))
  const headers = { "X-API-Key": "YOUR_KEY" }
  return page(
    "Playroom booking",
    `<h1>Playroom booking</h1>
${from === undefined ? "" : `<p role="status"><strong>${onboarding[from]}</strong></p>\n`}<p class="lead">AI assistants find a children&rsquo;s playroom here, book it, and hand over a link to pay.</p>
<p>Searching and seeing what is free needs no key. Booking and paying need an <code>X-API-Key</code>; whoever runs this service gives you one.</p>

<h2>Connect an assistant</h2>
<p>The Model Context Protocol endpoint is</p>
${copyable(mcp)}
<h3>Claude Code</h3>
${copyable(`claude mcp add --transport http playroom ${mcp} --header "X-API-Key: YOUR_KEY"`)}
<h3>Cursor</h3>
<p>In <code>.cursor/mcp.json</code>:</p>
${json({ mcpServers: { playroom: { url: mcp, headers } } })}
<h3>VS Code</h3>
<p>In <code>.vscode/mcp.json</code>:</p>
${json({
  inputs: [{ id: "playroom-key", type: "promptString", description: "Playroom API key", password: true }],
  servers: { playroom: { type: "http", url: mcp, headers: { "X-API-Key": "${input:playroom-key}" } } }
})}

<h2>Try it by hand</h2>
${copyable(curl(baseUrl, "search_playrooms", {}))}

<nav aria-label="More"><ul>
<li><a href="/docs">Documentation</a></li>
<li><a href="/openapi.json">OpenAPI document</a></li>
<li><a href="/healthz">Health</a></li>
</ul></nav>`
  )
}

/** A line to paste into a shell that calls one tool. Without a key the header is left out. */
export const curl = (baseUrl: string, tool: string, input: unknown, key?: string): string => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: tool, arguments: input } })
  const header = key === undefined ? "" : ` -H 'X-API-Key: ${key}'`
  return `curl -s ${baseUrl}/mcp -H 'Content-Type: application/json'${header} -d '${body.replaceAll("'", "'\\''")}'`
}
