/** The tools on `/docs`: inputs and outputs field by field, from the published schemas. */
import { Context, Predicate } from "effect"
import { html, type Html, joined } from "../../../platform/text/Html.ts"

/** A tool as `/docs` shows it. */
export interface PublishedTool {
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
export const toolSection = ({ description, inputSchema, name, outputSchema, title }: PublishedTool): Html =>
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
