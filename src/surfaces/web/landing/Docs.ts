/** `/docs`: the OpenAPI document as one plain page without external resources. */
import { Predicate, Context } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { OpenApi } from "effect/http-api"
import { html, type Html, joined } from "../../../platform/text/Html.ts"
import { problems } from "../../http/Problem.ts"
import { copyable, page, prose } from "../frame/Layout.ts"

// The tools on `/docs`: inputs and outputs field by field, from the published schemas.

/** A tool as `/docs` shows it. */
interface PublishedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema without references. */
  readonly inputSchema: unknown
  readonly outputSchema: unknown
}

/** The tools to describe on `/docs`; none if `/mcp` is not served. */
export const PublishedTools = Context.Reference<ReadonlyArray<PublishedTool>>("playroom/pages/landing/PublishedTools", {
  defaultValue: () => []
})

interface Field {
  readonly path: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

const member = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const typeOf = (schema: unknown): string => {
  const choices = listOf(member(schema, "enum"))
  if (choices.length > 0) return choices.map((choice) => JSON.stringify(choice)).join(" | ")
  const type = member(schema, "type")
  if (type === "array") return `list of ${typeOf(member(schema, "items"))}`
  return Predicate.isString(type) ? type : "value"
}

/** The limits in `minimum`, `maximum` and `maxItems`. */
const boundsOf = (schema: unknown): string => {
  const [least, most, items] = ["minimum", "maximum", "maxItems"].map((name) => member(schema, name))
  if (least !== undefined && most !== undefined) return `${String(least)} to ${String(most)}`
  if (least !== undefined) return `at least ${String(least)}`
  if (most !== undefined) return `at most ${String(most)}`
  return items === undefined ? "" : `at most ${String(items)}`
}

/** All fields of an object schema, each followed by its nested fields. */
const fieldsOf = (schema: unknown, prefix = ""): ReadonlyArray<Field> => {
  const properties = member(schema, "properties")
  const required = new Set(listOf(member(schema, "required")))
  return Object.entries(Predicate.isObject(properties) ? properties : {}).flatMap(([name, of]) => {
    const items = member(of, "items")
    const path = `${prefix}${name}${items === undefined ? "" : "[]"}`
    const bounds = boundsOf(of)
    // A list's items say if they are as elsewhere.
    const described = [member(of, "description"), member(items, "description")]
    const field: Field = {
      path,
      type: bounds === "" ? typeOf(of) : `${typeOf(of)}, ${bounds}`,
      required: required.has(name),
      description: described.filter(Predicate.isString).join(" ")
    }
    return [field, ...fieldsOf(items ?? of, `${path}.`)]
  })
}

/** A path that may break after a dot. */
const breakable = (path: string): Html => joined(path.split("."), html`.<wbr>`)

const list = (fields: ReadonlyArray<Field>): Html => {
  const entries = fields.map(({ description, path, required, type }) => {
    const kind = html`<span class="soft">${type}${required ? ", always" : ""}</span>`
    return html`<dt><code>${breakable(path)}</code> ${kind}</dt><dd>${description}</dd>`
  })
  return html`<dl class="fields">${entries}</dl>`
}

/** One tool. Its outputs are collapsed, since they are long. */
const toolSection = ({ description, inputSchema, name, outputSchema, title }: PublishedTool): Html =>
  html`<section class="card" aria-labelledby="tool-${name}">
<h3 id="tool-${name}"><code>${name}</code></h3>
<p><strong>${title}</strong></p>
<p>${description}</p>
<h4>Takes</h4>
${list(fieldsOf(inputSchema))}
<details><summary>Gives (${name})</summary>
${list(fieldsOf(outputSchema))}
</details>
</section>`

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
