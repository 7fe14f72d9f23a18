/** Reading answers whose fields may be there or not. */
import { at } from "../../support/Assistant.ts"

type Path = ReadonlyArray<string | number>

export const listAt = (value: unknown, ...path: Path): ReadonlyArray<unknown> => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
export const textAt = (value: unknown, ...path: Path): string | undefined => {
  const found = at(value, ...path)
  return typeof found === "string" && found !== "" ? found : undefined
}
export const numberAt = (value: unknown, ...path: Path): number | undefined => {
  const found = at(value, ...path)
  return typeof found === "number" ? found : undefined
}

/** A count that an assistant sends: a number, or its text; undefined where it leaves it out. */
export const countAt = (input: unknown, field: string): number | undefined => {
  const text = textAt(input, field)
  return text === undefined ? numberAt(input, field) : Number(text)
}
