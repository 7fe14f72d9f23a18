/** Lets an import of the catalogue have the places of holds whose time is up, as a claim would. */
import { Effect, Layer } from "effect"
import { LapsedHolds } from "../catalogue/LapsedHolds.ts"
import { Claims } from "./Claims.ts"

export const releaseForImport = Layer.effect(
  LapsedHolds,
  Effect.map(Claims, ({ releaseLapsed }) => LapsedHolds.of({ release: releaseLapsed }))
)
