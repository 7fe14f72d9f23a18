/** The review cases as `docs/review` tells them. */
import { mainCases, outOfScope, refusedCases, type ReviewCase } from "../../src/cli/review/ReviewCases.ts"

const told = ({ calls, prompt, title }: ReviewCase): string => {
  const called = calls.map(({ error, tool }) => `\`${tool}\`${error === undefined ? "" : ` (\`${error}\`)`}`)
  return `- **${title}.** Leads to ${called.join(", then ")}.\n  > ${prompt}\n`
}

export const casesInMarkdown = `## Prompts to try, and what they lead to

Capital words stand for what is known by then: bookings of the test account, and the city of a playroom that has a party of eight to sell.
\`src/cli/review/ReviewCases.ts\` has the calls with their arguments, and \`test/journeys/Review.test.ts\` plays them in this order.

${mainCases.map(told).join("\n")}
### What is refused

${refusedCases.map(told).join("\n")}
### No call at all

${outOfScope.map(({ outcome, prompt }) => `- > ${prompt}\n\n  ${outcome}\n`).join("\n")}`
