/** The tools as `tools/list` shows them. Built once, so every client gets the same bytes. */
import { Context } from "effect"
import { Tool } from "effect/ai"
import type { Scope } from "../../../platform/access/ApiKeys.ts"
import type { Settings } from "../../../platform/config/AppConfig.ts"
import { objectSchema, type ObjectSchema } from "../arguments/Arguments.ts"
import { cardOfTool } from "../card/Card.ts"
import { isJsonObject } from "../transport/JsonRpc.ts"
import { createBooking } from "./createBooking.ts"
import { createPaymentSession } from "./createPaymentSession.ts"
import { getBooking } from "./getBooking.ts"
import { getBookingOptions } from "./getBookingOptions.ts"
import { getPlayroom } from "./getPlayroom.ts"
import { searchPlayrooms } from "./searchPlayrooms.ts"

// The tools, in published order. Everything that serves, lists, documents or refuses tools uses this list. If tools are
// named one by one elsewhere, the compiler or a test reports a missing one.

export const tools = [
  searchPlayrooms,
  getPlayroom,
  getBookingOptions,
  createBooking,
  getBooking,
  createPaymentSession
] as const

export type ToolName = (typeof tools)[number]["name"]

const names: ReadonlySet<unknown> = new Set(tools.map(({ name }) => name))

/** Whether there is a tool of this name. */
export const isToolName = (name: unknown): name is ToolName => names.has(name)

const scopes = new Map<unknown, Scope | undefined>(tools.map(({ name, scope }) => [name, scope]))

/** The scope that a tool needs; undefined if it is public or unknown. */
export const scopeOf = (name: unknown): Scope | undefined => scopes.get(name)

/** Repeated object schemas longer than this are replaced by a reference. */
const minReferencedLength = 130

/**
 * Replaces object schemas that an earlier tool has, or this one above, by a word about where. `seen` maps an object
 * schema's JSON to the tool that has it.
 */
const withoutRepeats = (schema: ObjectSchema, tool: string, seen: Map<string, string>): ObjectSchema => {
  const rest = (part: unknown, root: boolean): unknown => {
    if (Array.isArray(part)) return part.map((one) => rest(one, false))
    if (!isJsonObject(part)) return part
    const { description, ...shape } = part
    const text = JSON.stringify(shape)
    if (!root && shape.type === "object" && text.length > minReferencedLength) {
      const where = seen.get(text)
      if (where !== undefined) {
        const words = typeof description === "string" ? `${description} ` : ""
        // Named once a tool: from then on it is above.
        seen.set(text, tool)
        return { type: "object", description: `${words}As ${where === tool ? "above" : `in ${where}`}.` }
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
  readonly _meta?: {
    /** The card in which hosts may show its results. */
    readonly ui?: (typeof cardOfTool)["ui"]
    /** How the tool may be called at `/mcp/connect`; the protocol has no field for it. */
    readonly securitySchemes?: ReadonlyArray<SecurityScheme>
  }
}

/** As ChatGPT reads it (https://developers.openai.com/apps-sdk/reference): without a sign-in, or with one. */
type SecurityScheme = { readonly type: "noauth" } | { readonly type: "oauth2"; readonly scopes?: ReadonlyArray<Scope> }

const seen = new Map<string, string>()

/** The tools in their published order, with what every success keeps: which members of an answer are always there. */
export const describedTools: ReadonlyArray<ListedTool> = tools.map(
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

/**
 * A schema that an error's text fits, too. Gemini CLI 0.61.0 takes a first text that is JSON for structured content,
 * also of a failed call, and its client refuses what does not fit `outputSchema`: the model then reads of a missing
 * member and not of our error (its packages/core/src/tools/mcp-compliance-transport.ts; `callTool` of
 * @modelcontextprotocol/sdk 1).
 */
const alsoErrors = (schema: ObjectSchema): ObjectSchema => {
  const { required: _, ...published } = schema
  return published
}

/** The tools as `tools/list` gives them. */
export const listedTools: ReadonlyArray<ListedTool> = describedTools.map((tool) => ({
  ...tool,
  outputSchema: alsoErrors(tool.outputSchema)
}))

/** The ways to call a tool at `/mcp/connect`. */
const securitySchemes = (name: string, asked: Settings["connectSignIn"]): ReadonlyArray<SecurityScheme> => {
  const scope = scopeOf(name)
  if (scope !== undefined) return [{ type: "oauth2", scopes: [scope] }]
  return asked === "needed" ? [{ type: "noauth" }, { type: "oauth2" }] : [{ type: "oauth2" }]
}

/** The tools as `/mcp/connect` lists them: each says whether it needs a sign-in. */
export const connectTools = (asked: Settings["connectSignIn"]): ReadonlyArray<ListedTool> =>
  listedTools.map((tool) => ({
    ...tool,
    _meta: { ...tool._meta, securitySchemes: securitySchemes(tool.name, asked) }
  }))
