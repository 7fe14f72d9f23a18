/** Reads the content of a catalogue file: its shape, and all checks that need no database. */
import { Clock, Effect, Predicate, Result, Schema, SchemaIssue, JsonSchema, SchemaAST } from "effect"
import { editDistance } from "../../platform/text/Text.ts"
import { localDateOf, zoneWanted } from "../../platform/time/LocalTime.ts"
import { duplicateIssues, percentIssues, playroomIssues } from "./CatalogueChecks.ts"
import { stockInFile, usesIssues } from "./SharedStock.ts"
import { CatalogueInvalid, CatalogueJson, FilePlayroom, type Issue, maxPlayrooms, pathOf } from "./CatalogueSchema.ts"

// The catalogue file's JSON Schema, for completion and checks in editors. It is made from the schemas of the import and
// of the catalogue, and from what they say that each field means. `docs/catalogue-fields.md` has its tables from it.

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

const standard = SchemaIssue.makeFormatterStandardSchemaV1()

/** A fault of the shape as a sentence for the author of a file. */
const inWords = (path: ReadonlyArray<PropertyKey>, message: string, nth: number): string => {
  if (message === "Missing key") return "This is missing"
  if (message === "Expected an integer") return "Expected a whole number"
  if (message === "Expected boolean") return "Expected true or false"
  if (message === "Expected string") return "Expected a text (in YAML, a number as a text needs quotes)"
  if (message === "Expected number") return "Expected a number"
  if (message === "Expected array") return "Expected a list"
  if (oneOf.test(message)) return `Expected one of ${message.slice(9).replaceAll(" | ", ", ")}`
  if (path.length === 0) return "Expected a catalogue: `version`, `operators` and `playrooms`"
  if (message === "Expected object" || message.startsWith("Expected {"))
    return path.at(-1) === "payment"
      ? "Expected `kind: full`, or `kind: deposit` with `deposit`, `refundable` and `balance_due_hours_before`"
      : "Expected an object with fields"
  if (message !== "Expected no excess property") return message
  const name = String(path.at(-1))
  // The nearest field could be one that gives money back.
  if (/credit|voucher/i.test(name))
    return "There is no credit: what a cancellation does not give back is kept. To let what was paid count for another day, the booking is moved to it: `free_reschedule_hours_before` lets families do that"
  const known = nth < maxSuggestions ? fieldNames(path.slice(0, -1)) : []
  const meant = nearest(name, known)
  return `There is no field "${name.slice(0, 60)}" here${meant === undefined ? "" : `; did you mean "${meant}"?`}`
}

const oneOf = /^Expected "[^"]+"(?: \| "[^"]+")+$/

// Suggestions are limited: each compares the name with all fields.
const maxSuggestions = 100

const plainly = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

const nearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const word = plainly(name)
  if (word.length > 60) return undefined
  const [first] = known
    .map((field) => ({ field, distance: editDistance(word, plainly(field)) }))
    .sort((a, b) => a.distance - b.distance)
  return first !== undefined && first.distance <= Math.max(1, Math.floor(word.length / 3)) ? first.field : undefined
}

interface Fault {
  readonly message: string
  readonly steps: ReadonlyArray<PropertyKey>
}

/**
 * The faults without those of the cases of a union that the author did not mean: these miss their own fields, and know
 * nothing of the one that is there. If no other fault is left of such an object, its fields do not go together.
 */
const ofChosenCases = (faults: ReadonlyArray<Fault>): ReadonlyArray<Fault> => {
  const unions = new Set<string>()
  const excess = faults.filter(({ message }) => message === "Expected no excess property").slice(0, maxSuggestions)
  const ofOtherCases = new Set(
    excess.filter(({ steps }) => fieldNames(steps.slice(0, -1)).includes(String(steps.at(-1))))
  )
  for (const { steps } of ofOtherCases) unions.add(pathOf(steps.slice(0, -1)))
  if (unions.size === 0) return faults
  const isOther = (fault: Fault) =>
    ofOtherCases.has(fault) || (fault.message === "Missing key" && unions.has(pathOf(fault.steps.slice(0, -1))))
  const left = faults.filter((fault) => !isOther(fault))
  const told = new Set(left.flatMap(({ steps }) => steps.map((_, i) => pathOf(steps.slice(0, i + 1)))))
  const mixed = [...ofOtherCases].filter(({ steps }) => !told.has(pathOf(steps.slice(0, -1))))
  return [...left, ...mixed.map(({ steps }) => ({ steps, message: "This does not go with the other fields here" }))]
}

/** What a playroom's zone should be, in its country. */
const zoneIssue = (json: unknown): string | undefined =>
  Predicate.hasProperty(json, "time_zone") &&
  typeof json.time_zone === "string" &&
  Predicate.hasProperty(json, "country")
    ? zoneWanted(json.time_zone, String(json.country))
    : undefined

/**
 * Decodes a part of the file at `at`. Adds its faults to `issues`. `better`: what to say of a field instead, with the
 * rest of the part in sight.
 */
const decodeAt = <A, I>(
  schema: Schema.Codec<A, I>,
  better: Readonly<Record<string, (json: unknown) => string | undefined>> = {}
) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all", onExcessProperty: "error" })
  return (json: unknown, at: ReadonlyArray<PropertyKey>, issues: Array<Issue>): ReadonlyArray<A> => {
    const decodedJson = decode(json)
    if (Result.isSuccess(decodedJson)) return [decodedJson.success]
    const reported = new Set<string>()
    const faults = standard(decodedJson.failure.issue).issues.map(({ message, path = [] }) => ({
      message,
      steps: [...at, ...path.map((step) => (typeof step === "object" ? step.key : step))]
    }))
    for (const { message, steps } of ofChosenCases(faults)) {
      const said = steps.length === at.length + 1 ? better[String(steps.at(-1))]?.(json) : undefined
      const issue = { path: pathOf(steps), message: said ?? inWords(steps, message, issues.length) }
      // Each case of a union, and each check of a value, reports it again.
      if (!reported.has(issue.path)) issues.push(issue)
      reported.add(issue.path)
    }
    return []
  }
}
const playroomsIn = (json: unknown): ReadonlyArray<unknown> =>
  typeof json === "object" && json !== null && "playrooms" in json && Array.isArray(json.playrooms)
    ? json.playrooms
    : []
const decodeFrame = decodeAt(Schema.Struct({ ...CatalogueJson.fields, playrooms: Schema.Array(Schema.Unknown) }))
const decodePlayroom = decodeAt(FilePlayroom, { time_zone: zoneIssue })

// The message shows only the first of them.
const maxIssues = 2000

/** Other fibers run after this many playrooms: a large file must not block the service that reads it. */
const playroomsPerSlice = 25

const at = <A>(name: string, parts: ReadonlyArray<A>) => parts.map((part, i) => [`${name}[${i}]`, part] as const)

/** Slugs that two parts of the same parent share. */
const slugIssues = <A extends { readonly slug?: string }>(
  what: string,
  parts: ReadonlyArray<readonly [path: string, part: A]>,
  parentOf: (part: A) => string
) => {
  const parents = Map.groupBy(
    parts.filter(([, { slug }]) => slug !== undefined),
    ([, part]) => parentOf(part)
  )
  return [...parents.values()].flatMap((its) =>
    duplicateIssues(
      what,
      its.map(([path, { slug }]) => [`${path}.slug`, slug])
    )
  )
}

/**
 * Issues between parts of the file and of its operators. The import's transaction checks the rest against the database.
 */
const catalogueIssues = ({ operators, playrooms }: CatalogueJson): ReadonlyArray<Issue> => {
  const named = <A>(
    what: string,
    parts: ReadonlyArray<readonly [path: string, part: A]>,
    idOf: (part: A) => string | undefined
  ) =>
    duplicateIssues(
      what,
      parts.map(([path, part]) => [path, idOf(part)])
    )
  const within = <A extends { readonly slug?: string }>(
    what: string,
    name: string,
    partsOf: (playroom: FilePlayroom) => ReadonlyArray<A>,
    idOf: (part: A) => string | undefined
  ) => {
    const parts = playrooms.map((playroom, i) =>
      partsOf(playroom).map((part, j) => [`playrooms[${i}].${name}[${j}]`, part] as const)
    )
    return [...named(what, parts.flat(), idOf), ...parts.flatMap((its) => slugIssues(what, its, () => ""))]
  }
  return [
    ...named("Operator", at("operators", operators), (it) => it.operator_id),
    ...slugIssues("Operator", at("operators", operators), () => ""),
    ...duplicateIssues(
      "Account",
      operators.map((it, i) => [`operators[${i}].connected_account_id`, it.connected_account_id] as const)
    ),
    ...duplicateIssues(
      "Customer",
      operators.map((it, i) => [`operators[${i}].billing_customer_id`, it.billing_customer_id] as const)
    ),
    ...named("Playroom", at("playrooms", playrooms), (it) => it.playroom_id),
    ...slugIssues("Playroom", at("playrooms", playrooms), (it) => it.operator_id ?? it.operator ?? ""),
    ...within(
      "Package",
      "packages",
      (it) => it.packages,
      (it) => it.package_id
    ),
    ...within(
      "Add-on",
      "add_ons",
      (it) => it.add_ons,
      (it) => it.add_on_id
    ),
    ...within(
      "Closure",
      "closures",
      (it) => it.closures,
      (it) => it.closure_id
    ),
    ...at("operators", operators).flatMap(([path, { stock }]) =>
      slugIssues("Stock", at(`${path}.stock`, stock), () => "")
    ),
    ...usesIssues(playrooms, stockInFile(operators)),
    ...percentIssues(
      operators.map((it, i) => [`operators[${i}].application_fee_percent`, it.application_fee_percent] as const)
    )
  ]
}

/** The file's content, decoded and checked as far as possible without the database. */
export const parseCatalogue = Effect.fn("CatalogueFile.parse")(function* (
  json: unknown
): Effect.fn.Return<CatalogueJson, CatalogueInvalid> {
  const issues: Array<Issue> = []
  const inSlices = Effect.fnUntraced(function* <A, B>(
    all: ReadonlyArray<A>,
    each: (one: A, i: number) => ReadonlyArray<B>
  ) {
    const out: Array<B> = []
    for (const [i, one] of all.entries()) {
      if (i % playroomsPerSlice === playroomsPerSlice - 1) yield* Effect.yieldNow
      out.push(...each(one, i))
    }
    return out
  })
  if (playroomsIn(json).length > maxPlayrooms)
    return yield* new CatalogueInvalid({
      issues: [{ path: "playrooms", message: `Expected at most ${maxPlayrooms} playrooms in a file` }]
    })
  const [frame] = decodeFrame(json, [], issues)
  const playrooms = yield* inSlices(frame?.playrooms ?? playroomsIn(json), (playroom, i) =>
    issues.length < maxIssues ? decodePlayroom(playroom, ["playrooms", i], issues) : []
  )
  if (frame === undefined || issues.length > 0) return yield* new CatalogueInvalid({ issues })
  const catalogue = { ...frame, playrooms }
  const today = localDateOf("UTC", yield* Clock.currentTimeMillis)
  const checked = [
    ...catalogueIssues(catalogue),
    ...(yield* inSlices(playrooms, (playroom, i) => playroomIssues(`playrooms[${i}]`, playroom, today)))
  ]
  return checked.length === 0 ? catalogue : yield* new CatalogueInvalid({ issues: checked })
})
