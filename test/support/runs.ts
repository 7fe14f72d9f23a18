/**
 * How many random cases a property tries, of those that a test names. `npm test` tries a quarter of them, the same each
 * time (`fixedSeed.ts`), and `.ci/run` all; `PROPERTY_RUNS=20` tries twenty times as many. fast-check prints the seed
 * and the path of a case that fails. `atLeast`: how many show all that the test has to have seen.
 */
const times = Number(process.env["PROPERTY_RUNS"] ?? 0.25)

export const runs = (cases: number, atLeast = 1): number => Math.max(atLeast, Math.ceil(cases * times))

/** Whether all is tried, as in `.ci/run`. */
export const whole = times >= 1
