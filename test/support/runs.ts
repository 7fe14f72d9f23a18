/**
 * How many random cases a property tries. Each run of the suite tries the same few (`fixedSeed.ts`); `PROPERTY_RUNS=20` tries twenty
 * times as many. fast-check prints the seed and the path of a case that fails.
 */
const times = Number(process.env["PROPERTY_RUNS"] ?? 1)

export const runs = (cases: number): number => Math.ceil(cases * times)
