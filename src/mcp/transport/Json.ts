/** Parsed JSON. */

export type JsonObject = { readonly [key: string]: unknown }

/** Whether a parsed value is a JSON object (no list, not null). */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
