import { html } from "../../src/platform/text/Html.ts"

/** The text as pages write it. */
export const escape = (text: string): string => html`${text}`.toString()
