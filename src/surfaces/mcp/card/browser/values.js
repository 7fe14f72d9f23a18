/**
 * Reads values from answers. Missing values and wrong types become "", 0 or empty, so the card never fails on an
 * answer.
 */

/** @typedef {{ readonly [key: string]: unknown }} JsonObject */

/**
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * @param {unknown} value
 * @returns {JsonObject}
 */
export const objectOf = (value) => (isObject(value) ? value : {})

/**
 * @param {unknown} value
 * @param {ReadonlyArray<string>} path
 * @returns {unknown}
 */
export const valueAt = (value, ...path) => path.reduce((/** @type {unknown} */ at, key) => objectOf(at)[key], value)

/**
 * @param {unknown} value
 * @param {ReadonlyArray<string>} path
 * @returns {string}
 */
export const textAt = (value, ...path) => {
  const found = valueAt(value, ...path)
  return typeof found === "string" ? found : ""
}

/**
 * @param {unknown} value
 * @param {ReadonlyArray<string>} path
 * @returns {number}
 */
export const numberAt = (value, ...path) => {
  const found = valueAt(value, ...path)
  return typeof found === "number" ? found : 0
}

/**
 * @param {unknown} value
 * @param {ReadonlyArray<string>} path
 * @returns {ReadonlyArray<unknown>}
 */
export const listAt = (value, ...path) => {
  const found = valueAt(value, ...path)
  return Array.isArray(found) ? found : []
}
