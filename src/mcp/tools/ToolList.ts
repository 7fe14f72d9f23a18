/** The tools as `tools/list` shows them. They are made once, so everyone gets the same bytes. */
import { Context } from "effect"
import { Tool } from "effect/ai"
import { isJsonObject } from "../transport/JsonRpc.ts"
import { objectSchema, type ObjectSchema } from "../arguments/JsonSchema.ts"
import { cardOfTool } from "../card/Card.ts"
import { tools } from "./Tools.ts"

/** The schema of an object is replaced by a reference where it has more characters than this. */
const worthNaming = 150

/**
 * The same schema without what an earlier tool has: an object that is the same there is named after that tool. `seen` holds the
 * objects so far, by their text, and the tool that has each.
 */
const withoutRepeats = (schema: ObjectSchema, tool: string, seen: Map<string, string>): ObjectSchema => {
  const rest = (part: unknown, root: boolean): unknown => {
    if (Array.isArray(part)) return part.map((one) => rest(one, false))
    if (!isJsonObject(part)) return part
    const { description, ...shape } = part
    const text = JSON.stringify(shape)
    if (!root && shape.type === "object" && text.length > worthNaming) {
      const where = seen.get(text)
      if (where !== undefined && where !== tool) {
        const words = typeof description === "string" ? `${description} ` : ""
        return { type: "object", description: `${words}As in ${where}.` }
      }
      seen.set(text, tool)
    }
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, rest(value, false)]))
  }
  return objectSchema(rest(schema, true))
}

/** One tool as listed. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ObjectSchema
  readonly outputSchema: ObjectSchema
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
  /** The card in which hosts may show its results. */
  readonly _meta?: typeof cardOfTool
}

const seen = new Map<string, string>()

/** The tools in their published order. */
export const listedTools: ReadonlyArray<ListedTool> = tools.map(
  ({ annotations, description, inputSchema, name, outputSchema, showsCard, title }) => ({
    name,
    title,
    description,
    inputSchema,
    outputSchema: withoutRepeats(outputSchema, name, seen),
    annotations: {
      readOnlyHint: Context.get(annotations, Tool.Readonly),
      destructiveHint: Context.get(annotations, Tool.Destructive),
      idempotentHint: Context.get(annotations, Tool.Idempotent),
      openWorldHint: Context.get(annotations, Tool.OpenWorld)
    },
    ...(showsCard ? { _meta: cardOfTool } : {})
  })
)
