/** What directories of assistants ask for, case by case, and the tests that hold each. */
import { type Case, checked } from "../Case.ts"

const hints = "test/surfaces/mcp/transport/HostHints.test.ts"
const personCity = "test/domain/search/PersonCity.test.ts"
const documents = "test/surfaces/mcp/tools/ReviewDocuments.test.ts"
const payPage = "test/surfaces/web/family/PayPage.test.ts"
const everyPage = "test/surfaces/web/EveryPage.test.ts"

export const listing: ReadonlyArray<Case> = [
  checked(
    "1. privacy, terms and support on every page",
    `${everyPage}: has the links to privacy, terms and support in its own language, once`,
    `${everyPage}: has no empty footer and no dead link where nothing is set, and only those links that are`,
    `${everyPage}: have the links to privacy, terms and support, the consent as well as a refusal`
  ),
  checked(
    "2. a 404 in a browser is a page",
    `${everyPage}: is a page in the reader's language for a browser, and a problem document for programs`
  ),
  checked(
    "3. no trace ids where people read",
    `${everyPage}: tells no trace in what people and programs read; a header has it for whoever runs the service`,
    "test/surfaces/mcp/tools/ToolErrors.test.ts: a defect's trace id stands in the details alone, and no text tells an assistant to give it to a person"
  ),
  checked(
    "4. an entry for the registry with both addresses",
    "test/surfaces/cli/Registry.test.ts: fits the registry's schema, whatever is set",
    "test/surfaces/cli/Registry.test.ts: has the endpoint for signing in only where people can, and the publisher's addresses only where they are set"
  ),
  checked(
    "5. PAYMENT_LINK=own: a page of our own before the checkout",
    "test/platform/config/AppConfig.test.ts: give people the provider's page to pay at, or our own where PAYMENT_LINK says so",
    `${payPage}: is the pay page, in both tools' answers, and its one button leads to the provider's page`,
    `${payPage}: opens no payment by being read, however often, and one by the button after the tool's has expired`,
    `${payPage}: says how a booking stands that can't be paid any more, in each language, without a button`,
    `${payPage}: refuses what was seen before it changed: a superseded amount, a booking paid or cancelled meanwhile`,
    `${payPage}: says that the provider is away, keeps the button, and takes no form of another site or too long a one`,
    `${payPage}: is the provider's page, as it has always been`
  ),
  checked(
    "6. the pay page pays and does nothing else",
    `${payPage}: reads nothing and changes nothing of the person: no name, e-mail, notes or ages, no way to the family's page`,
    `${payPage}: dies with a renewed link, and each changed byte of it opens nothing`
  ),
  checked(
    "7. the city from the host, where it sends one, told and never searched by",
    `${hints}: is a city and its country, and nothing else of what is sent`,
    `${hints}: is absent where it is malformed, too long or without a country`,
    `${hints}: a call's place and language reach the tool alike on the fast path, through the SDK, and in both eras`,
    `${personCity}: says the city as the catalogue spells it, that it may be wrong, and how to search there`,
    `${personCity}: finds the same in the same order as without, page by page`,
    `${personCity}: says nothing where a place was asked for, the city is unknown or another country's, or nothing was found`
  ),
  checked(
    "8. what a submission says of the service, as the service is",
    `${documents}: give each tool's hints as the service lists them, with a reason for each`,
    `${documents}: have five prompts that lead to tools, in the order of a booking, and three that lead to none`,
    `${documents}: name what is refused by codes that there are`,
    `${documents}: have a title and all four hints on every tool: a tool that writes and does not say what it destroys is rejected`,
    `${documents}: keeps the lengths of names, descriptions and addresses`,
    `${documents}: has at most three starter prompts, of one short line each, all different`,
    `${documents}: has exactly five positive cases, those of the guide, and exactly three negative ones`,
    `${documents}: has one server, where people sign in, and no credentials`,
    `${documents}: has all that a submission is refused without: icons, four addresses, a video, release notes`
  )
]
