/**
 * The files that a submission to a directory of assistants needs. Pure: from the settings, the tools as the service
 * lists them, and the review cases as they were played. They hold no key: that is given in the directory's own form.
 */
import type { Settings } from "../../config/AppConfig.ts"
import { languagesInWords } from "../../i18n/Languages.ts"
import { toolsPath } from "../../oauth/Paths.ts"
import type { PlayedCase, ReviewedTool } from "./PlayedCases.ts"
import { outOfScope } from "./ReviewCases.ts"
import { justifications } from "./ToolReasons.ts"

interface Reviewed {
  readonly settings: Pick<Settings, "baseUrl" | "connect" | "paymentLink" | "publisher">
  readonly tools: ReadonlyArray<ReviewedTool>
  readonly main: ReadonlyArray<PlayedCase>
  readonly refused: ReadonlyArray<PlayedCase>
  /** Until when the test account's key works, in words. */
  readonly until: string
}

const about =
  "Playroom booking finds children's playrooms and party halls by place, words, date and party, shows free times with exact prices and cancellation terms, holds a booking, and gives a link to pay. People pay on the payment provider's page, never in the chat."

const lines = (...parts: ReadonlyArray<string | ReadonlyArray<string>>): string => `${parts.flat().join("\n")}\n`
const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const toolsOf = ({ calls }: PlayedCase): string => calls.map(({ tool }) => tool).join(", ")

/** The file that ChatGPT's form imports (https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json). */
const chatgptImport = ({ main, tools }: Reviewed): string => {
  const unattached = { file_attachment_urls: null, expected_output_url: null }
  return asJson({
    $schema: "https://developers.openai.com/apps-sdk/schemas/chatgpt-app-submission.v1.json",
    schema_version: 1,
    app_info: {
      display_name: "Playroom booking",
      subtitle: "Book children's playrooms",
      description: about,
      category: "LIFESTYLE"
    },
    tools: Object.fromEntries(
      tools.map(({ annotations: { destructiveHint, openWorldHint, readOnlyHint }, name }) => [
        name,
        {
          annotations: { readOnlyHint, openWorldHint, destructiveHint },
          justifications: justifications[name]?.reasons
        }
      ])
    ),
    test_cases: main.map((one) => ({
      description: one.title,
      user_prompt: one.prompt,
      tools_triggered: toolsOf(one),
      expected_output: one.expected,
      ...unattached
    })),
    negative_test_cases: outOfScope.map(({ outcome, prompt, title }) => ({
      description: title,
      user_prompt: prompt,
      tools_triggered: null,
      expected_output: outcome,
      ...unattached
    }))
  })
}

const caseList = (cases: ReadonlyArray<PlayedCase>): ReadonlyArray<string> =>
  cases.flatMap((one, n) => [`${n + 1}. **${one.title}**`, `   > ${one.prompt}`, "", `   ${one.expected}`, ""])

const addresses = ({ baseUrl, connect, publisher }: Reviewed["settings"]): ReadonlyArray<string> => [
  `- Endpoint with a key: ${baseUrl}/mcp (Streamable HTTP; header X-API-Key, or the key as a bearer token)`,
  connect.length === 0
    ? "- Endpoint for signing in: not there; set CONNECT, since most directories need it"
    : `- Endpoint for signing in: ${baseUrl}${toolsPath} (OAuth 2.1: ${connect.map((way) => (way === "key" ? "with an API key" : "as a guest")).join(", or ")})`,
  `- Privacy policy: ${publisher.privacyUrl ?? "not set (PRIVACY_URL)"}`,
  `- Terms: ${publisher.termsUrl ?? "not set (TERMS_URL)"}`,
  `- Support: ${publisher.supportUrl ?? "not set (SUPPORT_URL)"}`,
  `- Documentation: ${baseUrl}/docs, start page: ${baseUrl}/`
]

const account = ({ settings: { connect }, until }: Reviewed): ReadonlyArray<string> => [
  "- The test account is the API key that `playroom review` printed: give it in the directory's form, not in these files.",
  `- It works until ${until}. There is no password, no registration and no second factor.`,
  ...(connect.includes("key") ? ["- When signing in, choose the API key and paste it."] : []),
  "- It has bookings in several states: nothing to pay, paid, deposit paid, held, cancelled and refunded.",
  "- No payment is real: the sandbox's page has a button to pay; a page that asks for a card takes 4242 4242 4242 4242 with any date and code."
]

const money = ({ settings: { paymentLink } }: Reviewed): ReadonlyArray<string> => [
  "- No tool moves money, takes card data or charges anybody. `create_payment_session` gives a link; a person opens it and decides there.",
  paymentLink === "own"
    ? "- The link is a page of this service, on its own domain, that says who gets what for what and on which terms; its button leads to the payment provider's page."
    : "- The link is the payment provider's page. With `PAYMENT_LINK=own` it is a page on this service's own domain first, which some directories demand.",
  "- What is sold are visits to real places, booked for a day and hour: no digital goods, no subscription."
]

const reviewNotes = (of: Reviewed): string =>
  lines(
    "# Notes for reviewers of ChatGPT's directory",
    "",
    about,
    "",
    "## Addresses",
    "",
    addresses(of.settings),
    "",
    "## Test account",
    "",
    account(of),
    "",
    "## Money",
    "",
    money(of),
    "",
    "## Where and in which languages",
    "",
    "- In every country whose playrooms are listed. Answers of the tools are in English, for the assistant to put into the person's language.",
    `- Pages and the card are in ${languagesInWords}.`,
    "- Of what ChatGPT says of the person, only a city and its country are read, to ask whether they mean that city. Nothing is searched by it, stored or logged.",
    "",
    "## Cases",
    "",
    caseList(of.main),
    "These are refused, and the assistant is told what to do instead:",
    "",
    caseList(of.refused),
    "These should call no tool:",
    "",
    outOfScope.map(({ outcome, prompt }) => `- > ${prompt}\n\n  ${outcome}`)
  )

const videoScript = ({ main, settings }: Reviewed): string =>
  lines(
    "# Script of the video",
    "",
    `About two minutes, in one take, in ChatGPT with the connector of ${settings.baseUrl} already added. Read each prompt aloud while it is typed.`,
    "",
    main.flatMap((one, n) => [
      `## Scene ${n + 1}: ${one.title}`,
      "",
      `Type: "${one.prompt}"`,
      "",
      `Show: ${one.expected}`,
      "",
      `Tools called: ${toolsOf(one)}.`,
      ""
    ]),
    "## Last scene: paying",
    "",
    settings.paymentLink === "own"
      ? "Open the link of scene 4: our own page says who gets what for what. Press its button, pay with the test card on the provider's page, and come back: the page says that the booking is confirmed."
      : "Open the link of scene 4, pay with the test card on the provider's page, and come back: the page says that the booking is confirmed.",
    'Then type: "Has it been paid?" The assistant calls get_booking and says that it is confirmed.'
  )

const hintsOf = ({ annotations }: ReviewedTool): string =>
  [
    annotations.readOnlyHint ? "only reads" : "writes",
    annotations.destructiveHint ? "destructive" : "destroys nothing",
    annotations.idempotentHint ? "repeating it changes nothing more" : "repeating it acts again",
    annotations.openWorldHint ? "reaches the payment provider" : "stays within this service"
  ].join(", ")

const claudeForm = (of: Reviewed): string =>
  lines(
    "# Form of Claude's directory",
    "",
    "## Before submitting: ask about financial transactions",
    "",
    "The directory's policy excludes servers that move money or carry out financial transactions for people. Ask the directory's team first, with these facts:",
    "",
    money(of),
    "",
    "## Server",
    "",
    "- Name: Playroom booking",
    "- In one line: Find, book and pay children's playrooms",
    `- Description: ${about}`,
    addresses(of.settings),
    "- Reads and writes: yes, both. Data of third parties: the operators' names, addresses and prices. Health data: none is asked for; people may write notes for the venue.",
    "- Personal data: a booking's name, e-mail address and, where given, telephone number, notes and the children's ages. `docs/personal-data.md` says what is kept for how long.",
    "",
    "## Test account",
    "",
    account(of),
    "",
    "## Three prompts",
    "",
    caseList(of.main.slice(0, 3)),
    "## Tools",
    "",
    "| Tool | Title | Hints |",
    "|---|---|---|",
    of.tools.map((tool) => `| \`${tool.name}\` | ${tool.title} | ${hintsOf(tool)} |`),
    "",
    "The descriptions end with the tool that usually comes next. If the reviewer finds that this steers too much, `tool-descriptions.json` has them without it."
  )

/** A description without its sentence on the next tool. */
export const withoutNext = (description: string): string => description.replace(/ ?Next: [^.]*\./, "").trim()

/** The files by their paths. */
export const submissionFiles = (of: Reviewed): Readonly<Record<string, string>> => ({
  "chatgpt/chatgpt-app-submission.json": chatgptImport(of),
  "chatgpt/review-notes.md": reviewNotes(of),
  "chatgpt/video-script.md": videoScript(of),
  "claude/form.md": claudeForm(of),
  "claude/tool-descriptions.json": asJson(
    Object.fromEntries(of.tools.map(({ description, name }) => [name, withoutNext(description)]))
  ),
  "cases.json": asJson([...of.main, ...of.refused])
})
