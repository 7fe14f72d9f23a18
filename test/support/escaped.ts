import { html } from "../../src/kernel/Html.ts"

/** The text as pages write it. */
export const escape = (text: string): string => html`${text}`.toString()
