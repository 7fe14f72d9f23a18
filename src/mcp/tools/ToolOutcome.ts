/** The answer to a call. */

/** Written once, also if it is given again. */
export class ToolOutcome {
  readonly isError: boolean
  /** The structured result, or `{"error": …}`. */
  readonly json: string
  #members: Uint8Array | undefined

  constructor(isError: boolean, result: object) {
    this.isError = isError
    this.json = JSON.stringify(result)
  }

  /** The members of the protocol's result, which has the JSON as a text, too; UTF-8. */
  get members(): Uint8Array {
    this.#members ??= Buffer.from(
      `"content":[{"type":"text","text":${JSON.stringify(this.json)}}],${
        this.isError ? `"isError":true` : `"structuredContent":${this.json}`
      }`
    )
    return this.#members
  }
}
