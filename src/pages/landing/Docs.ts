/** `/docs`: the OpenAPI document as one plain page. It is made from the document itself, and loads nothing. */
import { Predicate } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { OpenApi } from "effect/http-api"
import { escape } from "../../kernel/Html.ts"
import { problems } from "../../api/Problem.ts"
import { copyable, page, prose } from "../Layout.ts"
import { type PublishedTool, toolSection } from "./Tools.ts"

const responseRows = (operation: OpenApi.OpenAPISpecOperation): string =>
  Object.entries(operation.responses)
    .map(([status, response]) => {
      const types = Object.keys(response.content ?? {}).map((type) => `<code>${escape(type)}</code>`)
      return `<tr><th scope="row">${escape(status)}</th><td>${[prose(response.description), ...types].join("<br>")}</td></tr>`
    })
    .join("\n")

const headerList = (operation: OpenApi.OpenAPISpecOperation): string => {
  const rows = (operation.parameters ?? []).map((parameter) => {
    const { schema } = parameter
    const description =
      Predicate.hasProperty(schema, "description") && Predicate.isString(schema.description) ? schema.description : ""
    return `<li><code>${escape(parameter.name)}</code> (${escape(parameter.in)}): ${prose(description)}</li>`
  })
  return rows.length === 0 ? "" : `<ul>${rows.join("")}</ul>`
}

const section = (path: string, method: string, operation: OpenApi.OpenAPISpecOperation): string =>
  `<section class="card" aria-labelledby="${escape(operation.operationId)}">
<h3 id="${escape(operation.operationId)}"><span class="method">${escape(method.toUpperCase())}</span> <code>${escape(path)}</code></h3>
<p><strong>${prose(operation.summary ?? "")}</strong></p>
<p>${prose(operation.description ?? "")}</p>
${headerList(operation)}
<table><thead><tr><th scope="col">Status</th><th scope="col">When, and what comes</th></tr></thead><tbody>
${responseRows(operation)}
</tbody></table>
</section>`

const verbs = ["get", "post", "put", "patch", "delete"] as const

// A list and no table: on a narrow screen a column would leave too little room for the longest code.
const problemList = Object.entries(problems)
  .map(
    ([code, { status, title, about }]) =>
      `<dt id="${code}"><code>${code}</code> <span class="soft">${status}</span></dt><dd>${escape(title)}. ${escape(about)}</dd>`
  )
  .join("\n")

export const docs = (
  document: OpenApi.OpenAPISpec,
  baseUrl: string,
  tools: ReadonlyArray<PublishedTool>
): HttpServerResponse.HttpServerResponse => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    verbs.flatMap((verb) => {
      const operation = item[verb]
      return operation === undefined ? [] : [{ tag: operation.tags[0], html: section(path, verb, operation) }]
    })
  )
  const groups = document.tags.map(
    (tag) => `<h2>${escape(tag.name)}</h2>
<p>${prose(tag.description ?? "")}</p>
${operations
  .filter((operation) => operation.tag === tag.name)
  .map((operation) => operation.html)
  .join("\n")}`
  )
  return page(
    `${document.info.title}: documentation`,
    `<h1>${escape(document.info.title)}</h1>
<p class="lead">${prose(document.info.description ?? "")}</p>
<p>The same as a document: <a href="/openapi.json">/openapi.json</a> (OpenAPI ${escape(document.openapi)}). The tools&rsquo; schemas come from the endpoint itself, and stand <a href="#tools">below</a>:</p>
${copyable(`curl -s ${baseUrl}/mcp -H 'Content-Type: application/json' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`)}
${groups.join("\n")}
${
  tools.length === 0
    ? ""
    : `<h2 id="tools">The tools</h2>
<p>What assistants call at <code>/mcp</code>: what each takes (&ldquo;always&rdquo;: it must be there), and what it gives back. A call that fails answers with <code>code</code>, <code>message</code> and <code>fix</code>.</p>
${tools.map(toolSection).join("\n")}`
}
<h2 id="problems">Problem codes</h2>
<p>Error bodies outside <code>/mcp</code> are <code>application/problem+json</code> (RFC 9457) with one of these codes.</p>
<dl class="fields">
${problemList}
</dl>`
  )
}
