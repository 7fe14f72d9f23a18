/** The catalogue file's JSON Schema, by which editors complete and check it. Made from the schemas that the import reads with. */
import { JsonSchema, Schema } from "effect"
import { CatalogueJson } from "./CatalogueSchema.ts"
import { catalogueWords } from "./CatalogueWords.ts"

type Node = JsonSchema.JsonSchema

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const nodesIn = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

type AnyWords = { readonly [name: string]: string | readonly [meaning: string, fields: AnyWords] }

/** The same schema with these words at its fields, in whichever case of a union or item of a list they are. */
const withWords = (node: Node, words: AnyWords): Node => {
  const out: Record<string, unknown> = { ...node }
  if (isNode(node.properties)) {
    out.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, field]) => {
        const given = words[name]
        if (!isNode(field) || given === undefined) throw new Error(`the field ${name} has no words`)
        const [meaning, fields] = typeof given === "string" ? [given, undefined] : given
        return [name, { ...(fields === undefined ? field : withWords(field, fields)), description: meaning }]
      })
    )
  }
  if (isNode(node.items)) out.items = withWords(node.items, words)
  if (Array.isArray(node.anyOf)) out.anyOf = nodesIn(node.anyOf).map((part) => withWords(part, words))
  return out
}

const made = () => {
  const { schema } = Schema.toJsonSchemaDocument(CatalogueJson, {
    onExcessProperty: "error",
    referencePolicy: () => undefined
  })
  return {
    // All keywords in it mean the same in this draft, which editors know best.
    $schema: JsonSchema.META_SCHEMA_URI_DRAFT_07,
    title: "Catalogue of a playroom booking service",
    ...withWords(schema, catalogueWords)
  }
}

let document: ReturnType<typeof made> | undefined

/** The JSON Schema (draft 7) of the catalogue file. */
export const catalogueJsonSchema = (): Node => (document ??= made())

const fieldsOf = (node: Node): ReadonlyArray<readonly [name: string, field: Node]> => [
  ...(isNode(node.properties)
    ? Object.entries(node.properties).flatMap(([name, field]) => (isNode(field) ? [[name, field] as const] : []))
    : []),
  ...(isNode(node.items) ? fieldsOf(node.items) : []),
  ...nodesIn(node.anyOf).flatMap(fieldsOf)
]

/** The names of the fields that the object at `path` may have; list positions in the path count for nothing. */
export const fieldNames = (path: ReadonlyArray<PropertyKey>): ReadonlyArray<string> => {
  const at = path
    .filter((step) => typeof step === "string")
    .reduce<ReadonlyArray<Node>>(
      (nodes, step) =>
        nodes.flatMap((node) => fieldsOf(node).flatMap(([name, field]) => (name === step ? [field] : []))),
      [catalogueJsonSchema()]
    )
  return [...new Set(at.flatMap(fieldsOf).map(([name]) => name))]
}
