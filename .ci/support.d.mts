/** The types of what tests use of `support.mjs`. */
export const path: string
export const asOwner: (command: ReadonlyArray<string>) => readonly [string, ...ReadonlyArray<string>]
export const clusterFolder: (name: string) => string
export const runWell: (command: ReadonlyArray<string>, options: object) => Promise<string>
