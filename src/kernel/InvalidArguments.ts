/** What a caller hears of a request that is not acceptable. */
import { Schema } from "effect"

/** One thing that is wrong with a request: where, like `contact.email` or `child_ages[2]` ("" is the whole), and what is accepted there. */
export const ArgumentIssue = Schema.Struct({ path: Schema.String, message: Schema.String })
export type ArgumentIssue = typeof ArgumentIssue.Type

/** A request is not acceptable: malformed, or well formed and still wrong. Tools show it as `invalid_arguments`. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  issues: Schema.Array(ArgumentIssue)
}) {
  override get message(): string {
    return this.issues.map(({ message, path }) => `${path}: ${message}`).join("; ")
  }
}
