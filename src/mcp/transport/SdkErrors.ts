/** Shortens the errors of the SDK to one sentence, since its validator lists every issue. */
import { Option, Schema } from "effect"
import { isJsonObject } from "./Json.ts"

/** The most characters of an error's message, and of its `data`. */
const longestMessage = 300
const longestData = 600

const invalidParams = -32602
const internal = -32603

const RpcError = Schema.Struct({ code: Schema.Int, message: Schema.String, data: Schema.optionalKey(Schema.Unknown) })
const decodeError = Schema.decodeUnknownOption(RpcError)

/** The validator's list of issues, which stands in the message as JSON. */
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

/** The same answer with a short error; results and short errors stay the same to the byte. */
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
      // Invalid parameters are the sender's fault, although the SDK calls some of them internal errors.
      code: issue !== undefined && error.code === internal ? invalidParams : error.code,
      message: cut(issue ?? error.message, longestMessage),
      ...(data === undefined || long || issue !== undefined ? {} : { data })
    }
  })
}
