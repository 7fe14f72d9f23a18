/**
 * The catalogue file's JSON Schema, for completion and checks in editors. It is made from the schemas of the import and
 * of the catalogue, and from what they say that each field means. `docs/catalogue.md` has its tables from it.
 */
import { JsonSchema, Schema, SchemaAST } from "effect"
import { CatalogueJson } from "./CatalogueSchema.ts"

type Node = JsonSchema.JsonSchema

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)
const nodesIn = (value: unknown): ReadonlyArray<Node> => (Array.isArray(value) ? value.filter(isNode) : [])

/** The fields of a type, of the cases of a union, or of a list's items. */
const typedFields = (type: SchemaAST.AST): ReadonlyArray<SchemaAST.PropertySignature> =>
  SchemaAST.isObjects(type)
    ? type.propertySignatures
    : SchemaAST.isUnion(type)
      ? type.types.flatMap(typedFields)
      : SchemaAST.isArrays(type)
        ? type.rest.flatMap(typedFields)
        : []

/**
 * The same schema with a description at each field: the `meaning` that the field has as a key. As a description it
 * would stand in the tools' schemas, too, which share fields and count each word.
 */
const withMeanings = (node: Node, fields: ReadonlyArray<SchemaAST.PropertySignature>): Node => {
  const out: Record<string, unknown> = { ...node }
  if (isNode(node.properties)) {
    out.properties = Object.fromEntries(
      Object.entries(node.properties).map(([name, field]) => {
        const its = fields.filter((one) => one.name === name)
        const meaning = its[0]?.type.context?.annotations?.["meaning"]
        if (!isNode(field) || typeof meaning !== "string") throw new Error(`the field ${name} has no meaning`)
        const inner = its.flatMap(({ type }) => typedFields(type))
        return [name, { ...withMeanings(field, inner), description: meaning }]
      })
    )
  }
  if (isNode(node.items)) out.items = withMeanings(node.items, fields)
  if (Array.isArray(node.anyOf)) out.anyOf = nodesIn(node.anyOf).map((part) => withMeanings(part, fields))
  return out
}

const made = () => {
  const { schema } = Schema.toJsonSchemaDocument(CatalogueJson, {
    onExcessProperty: "error",
    referencePolicy: () => undefined
  })
  return {
    // All its keywords mean the same in this draft, and editors support it best.
    $schema: JsonSchema.META_SCHEMA_URI_DRAFT_07,
    title: "Catalogue of a playroom booking service",
    ...withMeanings(schema, typedFields(SchemaAST.toType(CatalogueJson.ast)))
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

/** The field names of the object at `path`. List positions in the path are ignored. */
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
