/** Errors of the SDK as callers see them: one sentence of bounded length, never its validator's list of everything. */
import { Option, Schema } from "effect"
import { isJsonObject } from "./Json.ts"

/** Most characters of an error's sentence, and of the JSON beside it. */
const longestMessage = 300
const longestData = 600

const invalidParams = -32602
const internal = -32603

const RpcError = Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Unknown) })
const decodeError = Schema.decodeUnknownOption(RpcError)

/** What the validator says, as it stands in a message: a list of issues. */
const Issues = Schema.fromJsonString(
  Schema.NonEmptyArray(
    Schema.Struct({ path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])), message: Schema.String })
  )
)
const decodeIssues = Schema.decodeUnknownOption(Issues)

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** The first issue of a validator's list in words; undefined where the message holds no such list. */
const firstIssue = (message: string): string | undefined => {
  const start = message.indexOf("[\n")
  if (start === -1) return undefined
  return Option.getOrUndefined(
    Option.map(decodeIssues(message.slice(start)), ([first, ...more]) => {
      const path = cut(first.path.join("."), 150)
      const what = first.message.replace(/^Invalid input: /, "").replaceAll("record", "object")
      return `Invalid params: ${path === "" ? "" : `${path}: `}${what}${more.length === 0 ? "" : ` (and ${more.length} more)`}`
    })
  )
}

/** The answer's JSON with its error made short; what is no error, and what is short already, stays as it is to the byte. */
export const withShortError = (json: string): string => {
  if (json.startsWith('{"result":')) return json
  const answer: unknown = JSON.parse(json)
  if (!isJsonObject(answer)) return json
  const error = Option.getOrUndefined(decodeError(answer.error))
  if (error === undefined) return json
  const { data, ...rest } = error
  const issue = firstIssue(error.message)
  const long = data !== undefined && JSON.stringify(data).length > longestData
  if (issue === undefined && !long && error.message.length <= longestMessage) return json
  return JSON.stringify({
    ...answer,
    error: {
      ...rest,
      // Parameters that a validator refuses are the sender's fault, whatever the SDK calls it.
      code: issue !== undefined && error.code === internal ? invalidParams : error.code,
      message: cut(issue ?? error.message, longestMessage),
      ...(data === undefined || long || issue !== undefined ? {} : { data })
    }
  })
}
