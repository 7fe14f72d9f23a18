/** `/docs`: the OpenAPI document as one plain page without external resources. */
import { Predicate } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { OpenApi } from "effect/http-api"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import { problems } from "../../http/Problem.ts"
import { copyable, page, prose } from "../frame/Layout.ts"
import { type PublishedTool, toolSection } from "./Tools.ts"

const responseRows = (operation: OpenApi.OpenAPISpecOperation): ReadonlyArray<Html> =>
  Object.entries(operation.responses).map(([status, response]) => {
    const types = Object.keys(response.content ?? {}).map((type) => html`<code>${type}</code>`)
    const what = joined([prose(response.description), ...types], html`<br>`)
    return html`<tr><th scope="row">${status}</th><td>${what}</td></tr>`
  })

const headerList = (operation: OpenApi.OpenAPISpecOperation): Html | undefined => {
  const rows = (operation.parameters ?? []).map((parameter) => {
    const { schema } = parameter
    const description =
      Predicate.hasProperty(schema, "description") && Predicate.isString(schema.description) ? schema.description : ""
    return html`<li><code>${parameter.name}</code> (${parameter.in}): ${prose(description)}</li>`
  })
  return rows.length === 0 ? undefined : html`<ul>${rows}</ul>`
}

const section = (path: string, method: string, operation: OpenApi.OpenAPISpecOperation): Html =>
  html`<section class="card" aria-labelledby="${operation.operationId}">
<h3 id="${operation.operationId}"><span class="method">${method.toUpperCase()}</span> <code>${path}</code></h3>
<p><strong>${prose(operation.summary ?? "")}</strong></p>
<p>${prose(operation.description ?? "")}</p>
${headerList(operation)}
<table><thead><tr><th scope="col">Status</th><th scope="col">When, and what comes</th></tr></thead><tbody>
${responseRows(operation)}
</tbody></table>
</section>`

const verbs = ["get", "post", "put", "patch", "delete"] as const

// A list, not a table: on a narrow screen a column would be too narrow for the longest code.
const problemList = Object.entries(problems).map(
  ([code, { status, title, about }]) =>
    html`<dt id="${code}"><code>${code}</code> <span class="soft">${status}</span></dt><dd>${title}. ${about}</dd>`
)

export const docs = (
  document: OpenApi.OpenAPISpec,
  baseUrl: string,
  tools: ReadonlyArray<PublishedTool>
): HttpServerResponse.HttpServerResponse => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb) => {
      const operation = item[verb]
      return operation === undefined ? [] : [{ tag: operation.tags[0], section: section(path, verb, operation) }]
    })
  )
  const groups = document.tags.map(
    (tag) => html`<h2>${tag.name}</h2>
<p>${prose(tag.description ?? "")}</p>
${operations.filter((operation) => operation.tag === tag.name).map(({ section }) => section)}`
  )
  const listTools = `curl -s ${baseUrl}/mcp -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`
  const toolSections =
    tools.length === 0
      ? ""
      : html`<h2 id="tools">The tools</h2>
<p>What assistants call at <code>/mcp</code>: what each takes (&ldquo;always&rdquo;: it must be there), and what it gives back. A call that fails answers with <code>code</code>, <code>message</code> and <code>fix</code>.</p>
${tools.map(toolSection)}`
  return page(
    `${document.info.title}: documentation`,
    html`<h1>${document.info.title}</h1>
<p class="lead">${prose(document.info.description ?? "")}</p>
<p>The same as a document: <a href="/openapi.json">/openapi.json</a> (OpenAPI ${document.openapi}). The tools&rsquo; schemas come from the endpoint itself, and stand <a href="#tools">below</a>:</p>
${copyable(listTools)}
${groups}
${toolSections}
<h2 id="problems">Problem codes</h2>
<p>Error bodies are <code>application/problem+json</code> (RFC 9457) with one of these codes; at <code>/mcp</code> only those of a request whose id is not known, others are JSON-RPC errors with it.</p>
<dl class="fields">
${problemList}
</dl>`
  )
}
