/** A test as `file: title`; of a title made of parts, a part that is written out. */
export interface Case {
  readonly case: string
  readonly tests: ReadonlyArray<string>
}

/** A case, and the tests that hold it. */
export const checked = (name: string, ...tests: ReadonlyArray<string>): Case => ({ case: name, tests })
