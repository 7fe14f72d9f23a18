/** The languages that share no sentences: without American English, which is English but for its spelling and dates. */
import { languages } from "../../src/words/Languages.ts"

export const distinctLanguages = languages.filter((language) => language !== "en-US")
