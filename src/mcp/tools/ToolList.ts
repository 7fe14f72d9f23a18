/** The tools as `tools/list` shows them. Built once, so every client gets the same bytes. */
import { Context } from "effect"
import { Tool } from "effect/ai"
import { isJsonObject } from "../transport/JsonRpc.ts"
import { objectSchema, type ObjectSchema } from "../arguments/JsonSchema.ts"
import { cardOfTool } from "../card/Card.ts"
import { tools } from "./Tools.ts"

/** Repeated object schemas longer than this are replaced by a reference. */
const minReferencedLength = 150

/**
 * Replaces object schemas that an earlier tool has by a reference to that tool. `seen` maps an object schema's JSON to
 * the tool that has it.
 */
const withoutRepeats = (schema: ObjectSchema, tool: string, seen: Map<string, string>): ObjectSchema => {
  const rest = (part: unknown, root: boolean): unknown => {
    if (Array.isArray(part)) return part.map((one) => rest(one, false))
    if (!isJsonObject(part)) return part
    const { description, ...shape } = part
    const text = JSON.stringify(shape)
    if (!root && shape.type === "object" && text.length > minReferencedLength) {
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

/** An entry of `tools/list`. */
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
