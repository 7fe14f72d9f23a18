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

const isBlank = (value: unknown): boolean => value === null || value === "" || value === "null"
const outOfJson = (value: unknown): unknown =>
  typeof value === "string" && /^[{[]/.test(value) ? JSON.parse(value) : value

/** What a call means that is written as hosts write: blanks are absent, in lists too, and JSON text is what it holds. */
export const meantBy = (input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(input).flatMap(([name, sent]) => {
      const value = outOfJson(sent)
      const meant: unknown = Array.isArray(value) ? value.filter((one) => !isBlank(one)) : value
      return isBlank(meant) || (Array.isArray(meant) && meant.length === 0) ? [] : [[name, meant] as const]
    })
  )
