/**
 * Properties are tried with one seed, so that a run fails only for what was changed. To try others, for as long as one
 * likes:
 *
 *     PROPERTY_SEED=$RANDOM npm test -- test/domain/catalogue
 */
import { Arbitrary } from "effect"
import * as fc from "fast-check"
import { runs } from "./runs.ts"

const seed = Number(process.env["PROPERTY_SEED"] ?? 20_261_121)
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed, numRuns: runs(100) })
// Those of `it.prop` are Effect's own.
Arbitrary.configureGlobal({ check: { seed }, sample: { seed } })
