/** Environment variables that look like misspelt settings. Pure. */
import { editDistance } from "../kernel/Text.ts"
import { variables } from "./AppConfigRules.ts"
import { fileVariables } from "./SecretFiles.ts"

const settings: ReadonlyArray<string> = [...variables, ...fileVariables]
const known = new Set(settings)

/** Longer names have room for two slips. A short one that differs in two letters is another word. */
const maxDistance = (name: string): number => (name.length < 9 ? 1 : 2)

/** What the environment's names say that is no setting, but nearly one: `WORKER` of `WORKERS`. */
export const nearNames = (
  names: ReadonlyArray<string>
): ReadonlyArray<{ readonly name: string; readonly setting: string }> => {
  const given = new Set(names)
  return names
    .filter((name) => !known.has(name) && name.length >= 4 && name.length <= 60)
    .flatMap((name) => {
      const [nearest] = settings
        .filter((setting) => !given.has(setting) && Math.abs(setting.length - name.length) <= maxDistance(setting))
        .map((setting) => ({ name, setting, distance: editDistance(name.toUpperCase(), setting) }))
        .filter(({ distance, setting }) => distance <= maxDistance(setting))
        .sort((a, b) => a.distance - b.distance)
      return nearest === undefined ? [] : [{ name, setting: nearest.setting }]
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The sentence that is said of them at start. */
export const nearNameText = ({ name, setting }: { readonly name: string; readonly setting: string }): string =>
  `${name} is set, and is no setting of this service. Did you mean ${setting}?`
