/**
 * The provider's API schema and sample events at the version that the client pins, from a folder beside the repository.
 * Tests that need it are skipped, and say so, where it is absent.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Schema } from "effect"
import type { ErrorObject, ValidateFunction } from "ajv"

const schemaName = "api-schema-2026-10-28.json"
/** `PROVIDER_SCHEMA_DIR`, else a folder named `stripe` in a folder beside the repository. */
const beside = join(import.meta.dirname, "../../..")
const folder =
  process.env["PROVIDER_SCHEMA_DIR"] ??
  readdirSync(beside)
    .map((name) => join(beside, name, "stripe"))
    .find((one) => existsSync(join(one, schemaName))) ??
  beside
const schemaFile = join(folder, schemaName)
export const providerSchemaPresent = existsSync(schemaFile)
if (!providerSchemaPresent) console.warn(`SKIPPED: ${schemaName} was not found; what we send is not checked against it`)

const read = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"))

interface Faults {
  readonly faults: ReadonlyArray<string>
}
const report = (validate: ValidateFunction, value: unknown): Faults => {
  validate(value)
  const errors: ReadonlyArray<ErrorObject> = validate.errors ?? []
  return {
    faults: errors.map((error) => `${error.instancePath} ${error.message ?? ""} ${JSON.stringify(error.params)}`)
  }
}

const makeAjv = (coerceTypes: boolean): Ajv2020 => {
  const ajv = new Ajv2020({ strict: false, coerceTypes, allErrors: true, validateFormats: false })
  if (providerSchemaPresent) ajv.addSchema(Object.assign({ $id: "provider" }, read(schemaFile)))
  return ajv
}
// Forms carry text: numbers and booleans are read from it. Answers are JSON and taken as they are.
const forms = makeAjv(true)
const answers = makeAjv(false)

const compiled = new Map<string, ValidateFunction>()
const validator = (ajv: Ajv2020, name: string): ValidateFunction => {
  const key = `${ajv === forms ? "form" : "answer"} ${name}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const made = ajv.compile({ $ref: `provider#/components/schemas/${encodeURIComponent(name)}` })
  compiled.set(key, made)
  return made
}

/** What the schema of this name says against a decoded form. */
export const formFaults = (name: string, form: unknown): Faults => report(validator(forms, name), structuredClone(form))
/** What the schema of this name says against an answer or event. */
export const answerFaults = (name: string, answer: unknown): Faults => report(validator(answers, name), answer)

const Samples = Schema.decodeUnknownSync(Schema.Struct({ events: Schema.Record(Schema.String, Schema.Unknown) }))
const sampleFile = join(folder, "sample-events.json")
/** Events as the provider sends them, by name; none where the folder is absent. */
export const sampleEvents = existsSync(sampleFile) ? Samples(read(sampleFile)).events : {}

type Form = string | Array<Form> | { [key: string]: Form }

/** `a[b][0]=c` as `{ a: { b: ["c"] } }`; written apart from the sandbox's own reader, so that neither proves itself. */
export const formTree = (body: string): Form => {
  const root: { [key: string]: Form } = {}
  for (const [name, value] of new URLSearchParams(body)) {
    const path = name.split(/[[\]]+/).filter((part) => part !== "")
    let node = root
    path.forEach((part, at) => {
      if (at === path.length - 1) node[part] = value
      else {
        const next = node[part]
        const child: { [key: string]: Form } = typeof next === "object" && !Array.isArray(next) ? next : {}
        node[part] = child
        node = child
      }
    })
  }
  const lists = (tree: Form): Form => {
    if (typeof tree !== "object" || Array.isArray(tree)) return tree
    const keys = Object.keys(tree)
    const values = Object.values(tree).map(lists)
    if (keys.length > 0 && keys.every((key, at) => key === String(at))) return values
    return Object.fromEntries(keys.map((key, at) => [key, values[at] ?? ""]))
  }
  return lists(root)
}
