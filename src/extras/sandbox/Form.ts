/**
 * The provider's form-encoded parameters, such as `line_items[0][price_data][currency]=gbp`. Unknown, missing, empty
 * and malformed parameters are refused with the provider's `code` and `param`.
 */
import { Effect, Schema } from "effect"

/** A refusal in the provider's shape (https://docs.stripe.com/api/errors). */
export class Refusal extends Schema.TaggedError<Refusal>()("Refusal", {
  status: Schema.Int,
  type: Schema.Literals(["invalid_request_error", "idempotency_error", "api_error"]),
  code: Schema.optionalKey(Schema.String),
  param: Schema.optionalKey(Schema.String),
  text: Schema.String,
  /** Refused before any work, so the idempotency key may be used again. */
  invalid: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return this.text
  }
}

type RefusalDetails = Partial<Pick<Refusal, "status" | "type" | "code" | "param">>

/** 400: the parameters are valid, but the provider refuses the call. */
export const refuse = (text: string, more: RefusalDetails = {}): Refusal =>
  new Refusal({ status: 400, type: "invalid_request_error", text, ...more })

/** 400: a parameter is invalid, so no work was done. */
export const invalid = (text: string, more: RefusalDetails = {}): Refusal =>
  new Refusal({ status: 400, type: "invalid_request_error", text, invalid: true, ...more })

export const missing = (kind: string, id: string): Refusal =>
  refuse(`No such ${kind}: '${id}'`, {
    status: 404,
    code: "resource_missing",
    param: kind === "checkout.session" ? "session" : "id"
  })

/** The first row, or the provider's refusal if there is none. */
export const one = <A, E, R>(kind: string, id: string, rows: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.flatMap(rows, ([row]) => (row === undefined ? Effect.fail(missing(kind, id)) : Effect.succeed(row)))

/** The response's body. */
export const refusalBody = ({ code, param, text, type }: Refusal): object => ({
  error: {
    ...(code === undefined
      ? {}
      : { code, doc_url: `https://docs.stripe.com/error-codes#${code.replaceAll("_", "-")}` }),
    message: text,
    ...(param === undefined ? {} : { param }),
    type
  }
})

export interface Rule {
  readonly kind: "text" | "integer" | "boolean" | "url" | "email"
  readonly required?: boolean
  readonly maxLength?: number
  readonly oneOf?: ReadonlyArray<string>
}

/** By name; `[#]` stands for an index, `[*]` at the end for any key (metadata). */
export type Rules = Readonly<Record<string, Rule>>

export interface Form {
  readonly text: (name: string) => string | undefined
  /** For parameters that the rules require; never the empty string. */
  readonly required: (name: string) => string
  readonly integer: (name: string) => number | undefined
  readonly boolean: (name: string) => boolean
  /** `name[key]=value` as a record. */
  readonly record: (name: string) => Record<string, string>
  /** How many items `name[0]`, `name[1]` … there are. */
  readonly count: (name: string) => number
}

const isUrl = (value: string): boolean => {
  const url = URL.parse(value)
  return url !== null && (url.protocol === "https:" || url.protocol === "http:")
}

const check = (name: string, value: string, rule: Rule): Refusal | undefined => {
  if (value === "") {
    return invalid(
      `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset.`,
      {
        code: "parameter_invalid_empty",
        param: name
      }
    )
  }
  if (rule.kind === "integer" && !/^-?\d{1,15}$/.test(value)) {
    return invalid(`Invalid integer: ${value}`, { code: "parameter_invalid_integer", param: name })
  }
  if (rule.kind === "boolean" && value !== "true" && value !== "false") {
    return invalid(`Invalid boolean: ${value}`, { param: name })
  }
  if (rule.kind === "url" && !isUrl(value)) return invalid("Not a valid URL", { code: "url_invalid", param: name })
  // Like the provider: ASCII addresses only.
  if (rule.kind === "email" && !/^[!-?A-~]+@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i.test(value)) {
    return invalid(`Invalid email address: ${value}`, { code: "email_invalid", param: name })
  }
  if (rule.oneOf !== undefined && !rule.oneOf.includes(value)) {
    return invalid(`Invalid ${name}: must be one of ${rule.oneOf.join(", ")}`, { param: name })
  }
  const maxLength = rule.maxLength ?? 5000
  return value.length > maxLength
    ? invalid(`Invalid string: must be at most ${maxLength} characters`, { param: name })
    : undefined
}

const ruleOf = (name: string, rules: Rules): Rule | undefined => {
  const general = name.replaceAll(/\[\d+\]/g, "[#]")
  const known = rules[general]
  if (known !== undefined) return known
  const [, prefix, key = ""] = /^(.*)\[([^[\]]+)\]$/.exec(name) ?? []
  const any = prefix === undefined ? undefined : rules[`${prefix}[*]`]
  // Metadata: 50 keys of 40 characters with values of 500 (https://docs.stripe.com/api/metadata).
  return any === undefined || key.length > 40 ? undefined : any
}

/** Reads a body or query string by its rules; fails with the first problem. */
export const readForm = (encoded: string, rules: Rules): Effect.Effect<Form, Refusal> => {
  const values = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(encoded)) {
    const rule = ruleOf(name, rules)
    if (rule === undefined) {
      return Effect.fail(invalid(`Received unknown parameter: ${name}`, { code: "parameter_unknown", param: name }))
    }
    const fault = check(name, value, rule)
    if (fault !== undefined) return Effect.fail(fault)
    values.set(name, value)
  }
  for (const [name, rule] of Object.entries(rules)) {
    const param = name.replaceAll("[#]", "[0]")
    if (rule.required === true && !values.has(param)) {
      return Effect.fail(invalid(`Missing required param: ${param}.`, { code: "parameter_missing", param }))
    }
  }
  const text = (name: string): string | undefined => values.get(name)
  const keysOf = (name: string): ReadonlyArray<readonly [string, string]> =>
    Array.from(values).flatMap(([full, value]) =>
      full.startsWith(`${name}[`) && full.endsWith("]") ? [[full.slice(name.length + 1, -1), value] as const] : []
    )
  return Effect.succeed({
    text,
    required: (name) => text(name) ?? "",
    integer: (name) => {
      const value = text(name)
      return value === undefined ? undefined : Number(value)
    },
    boolean: (name) => text(name) === "true",
    record: (name) => Object.fromEntries(keysOf(name)),
    count: (name) => new Set(keysOf(name).map(([key]) => key.split("]", 1)[0])).size
  })
}
