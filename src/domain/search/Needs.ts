/**
 * Which needs a playroom meets by what its operator says, and where. A text meets a need by one of its names
 * ("step-free entrance") or by excluding what must not be there ("Nothing with nuts"); if any text says the opposite
 * ("toilet not wheelchair accessible"), the need is not met. In doubt it is not met: a family relies on it. Pure.
 */
import type { AccessibilityFeature } from "../catalogue/Playroom.ts"
import {
  byKey,
  type Concept,
  concepts,
  foldName,
  isUnspaced,
  type Need,
  withoutEnding,
  foldedWords
} from "./AmenityNames.ts"

/** The texts and lists of a playroom that say what it is like. */
interface Described {
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly amenities: ReadonlyArray<string>
  readonly house_rules: string
  readonly bring?: string | null
  readonly accessibility: string
  /** What its packages say: it holds of a visit, not of the place. */
  readonly packages?: string | null
  readonly quiet_hours?: ReadonlyArray<unknown> | null
  readonly accessibility_features?: ReadonlyArray<AccessibilityFeature> | null
  readonly accessibility_lacks?: ReadonlyArray<AccessibilityFeature> | null
}

/** The fields of a playroom that mention a need: those that say it is met, and those that say the opposite. */
interface Mentions {
  readonly met: ReadonlyArray<string>
  readonly denied: ReadonlyArray<string>
}

/** Whether a mention says that a need is met (true) or the opposite (false). */
type Says = (need: Need, met: boolean) => void

/** Words before a name that deny it, or let it hold in part only. */
const denying = foldedWords(
  `no not never without cannot cant isnt arent doesnt dont wasnt limited partly partially lack lacks lacking unfortunately
   planned soon towards trying hope hoping aim aiming working coming
   kein keine keinen keiner nicht ohne weder bald leider eingeschränkt teilweise
   non pas sans aucun aucune ni jamais limité partiellement sin ningún ninguna tampoco limitado parcialmente inte ingen inga utan`
)
/** Words after a name that deny it. */
const denyingAfter = foldedWords(
  "not isnt arent unavailable missing impossible planned soon coming nicht leider bald geplant pas non prévu no previsto inte"
)
/** The most words between a word that denies and the name, before it and after it. */
const [reachBefore, reachAfter] = [4, 2]

/** Words that exclude what follows: "no nuts". */
const excluding = foldedWords(
  "no without zero avoid kein keine keinen ohne sans aucun aucune ni sin ninguna ningún utan inga ingen"
)
/** Words that exclude what follows only together with one of these after it: "nothing with nuts", "free of nuts". */
const excludingWith = foldedWords("nothing nichts rien nada free frei libre exempt exento pas ingenting")
const withWords = foldedWords("with containing of from mit von avec contenant de con que som innehåller")
/** The same with a verb: "do not bring nuts". */
const excludingVerb = foldedWords("not dont never doesnt nicht")
const verbs = foldedWords("bring serve use sell allow eat have permit contain")
/** What may stand between a word that excludes and what it excludes. */
const betweenExcluded = foldedWords(
  `any food foods outside snack snacks products cake cakes treats sweets things ingredients traces with containing contain of from the or and nor
   bring serve use sell allow eat have permit please mit von den die das oder und essen produkte de des d du à con los las el la que y o u e ou et
   aliments produits alimentos productos som med eller och`
)
/** What joins things of a list. */
const joining = foldedWords("or and nor oder und ou et y o u ni eller och")
/** What may stand between something and the words that forbid it: "nuts are strictly forbidden". */
const betweenForbidden = foldedWords(
  "are is strictly please bitte sind ist streng sont est strictement están está son hier here är"
)
const forbidding = foldedWords(
  `banned forbidden prohibited verboten untersagt unerwünscht interdit interdits interdite interdites proscrits prohibido prohibida prohibidos
   prohibidas förbjudna förbjudet`
)
const allowing = foldedWords(
  "allowed permitted welcome served used erlaubt gestattet mitbringen erwünscht gewünscht verwendet permitido permitidos autorisé autorisés admis acceptés"
)
const negating = foldedWords("not nicht no pas non inte")
/** Words that say that something is or may be there. */
const containing = foldedWords(
  "contain contains containing trace traces enthält enthalten spuren contient contiennent traces contiene contienen trazas innehåller"
)
/** Words that take a promise back. */
const doubting = foldedWords(
  "guarantee cannot cant couldnt except unless planned soon towards trying hope hoping aim aiming garantieren garantie ausser garantir garantizar salvo excepto sauf"
)
const freeEnding = /(?:free|frei(?:e[mnrs]?)?|fri(?:tt|a)?)$/
const freeWords = foldedWords("free frei freie freier freies freien fri")

/** A name, as words. */
interface Named {
  readonly words: ReadonlyArray<string>
  readonly needs: ReadonlyArray<Need>
  /**
   * What a text says by it: that the need is met; nothing unless it is denied, as it may mean something else; or that
   * the need is not met.
   */
  readonly means: "met" | "asked" | "opposite"
}
/** Names by their first word, longest first, so that most words of a text are looked up once. */
type Names = ReadonlyMap<string, ReadonlyArray<Named>>

const namesBy = (
  namesOf: (concept: Concept) => ReadonlyArray<string>,
  means: Named["means"] = "met"
): ReadonlyArray<Named> =>
  [...byKey(namesOf)].flatMap(([key, concepts]) => {
    const needs = concepts.flatMap(({ need }) => need ?? [])
    return needs.length === 0 ? [] : [{ words: key.split(" "), needs, means }]
  })
const byFirstWord = (names: ReadonlyArray<Named>): Names =>
  Map.groupBy(
    names.toSorted((a, b) => b.words.length - a.words.length),
    ({ words: [first = ""] }) => first
  )

const own = [...namesBy(({ names }) => names), ...namesBy(({ opposite }) => opposite, "opposite")]
const promised = byFirstWord(own)
const promisedOrAsked = byFirstWord([...own, ...namesBy(({ asked }) => asked, "asked")])
const excluded = byFirstWord(namesBy(({ without, withoutIfSaid }) => [...without, ...withoutIfSaid]))

/** Whether a name may begin with a word. */
const mayBegin = (names: Names, word: string): boolean => {
  const bare = withoutEnding(word)
  return names.has(word) || excluded.has(word) || names.has(bare) || excluded.has(bare) || freeEnding.test(word)
}

/** The longest name that begins at a word. Its last word may have an ending. */
const nameAt = (names: Names, tokens: ReadonlyArray<string>, at: number): Named | undefined => {
  const word = tokens[at] ?? ""
  const bare = withoutEnding(word)
  const begin = (key: string) =>
    names
      .get(key)
      ?.find(({ words }) =>
        words.every(
          (one, i) =>
            one === (i === 0 ? key : tokens[at + i]) ||
            (i > 0 && i === words.length - 1 && one === withoutEnding(tokens[at + i] ?? ""))
        )
      )
  return begin(word) ?? (bare === word ? undefined : begin(bare))
}

const some = (tokens: ReadonlyArray<string>, from: number, to: number, among: ReadonlySet<string>): boolean => {
  for (let i = Math.max(0, from); i < Math.min(tokens.length, to); i++) if (among.has(tokens[i] ?? "")) return true
  return false
}

/** Whether what begins at a word is excluded by the words before it. */
const isExcludedBefore = (tokens: ReadonlyArray<string>, at: number): boolean => {
  let [hasWith, hasVerb] = [false, false]
  for (let i = at - 1; i >= 0 && at - i <= 8; i--) {
    const word = tokens[i] ?? ""
    if (excluding.has(word) || (hasWith && excludingWith.has(word)) || (hasVerb && excludingVerb.has(word))) return true
    hasWith ||= withWords.has(word)
    hasVerb ||= verbs.has(word)
    if (!betweenExcluded.has(word) && nameAt(excluded, tokens, i) === undefined) return false
  }
  return false
}

/** Whether what ends before a word is forbidden by the words from there on. */
const isForbiddenAfter = (tokens: ReadonlyArray<string>, end: number): boolean => {
  let i = end
  while (i < end + 3 && betweenForbidden.has(tokens[i] ?? "")) i++
  const [word = "", next] = tokens.slice(i)
  return forbidding.has(word) || (negating.has(word) && (next === undefined || allowing.has(next)))
}

/** Reads the names of needs in a part of a sentence. */
const readNames = (tokens: ReadonlyArray<string>, names: Names, says: Says): void => {
  for (let i = 0; i < tokens.length;) {
    const name = nameAt(names, tokens, i)
    if (name === undefined) {
      i++
      continue
    }
    const end = i + name.words.length
    const isDenied = some(tokens, i - reachBefore, i, denying) || some(tokens, end, end + reachAfter, denyingAfter)
    // "Not accompanied by an adult" promises nothing either.
    const met = name.means === "met" ? !isDenied : (name.means === "opposite") === isDenied ? undefined : false
    if (met !== undefined) for (const need of name.needs) says(need, met)
    i = end
  }
}

/**
 * Reads what a part of a sentence excludes. `isListed`: the part before excludes something, and what only goes on with
 * the list is excluded, too ("no eggs, nuts or milk"). Succeeds with whether it excludes something itself.
 */
const readExclusions = (tokens: ReadonlyArray<string>, isListed: boolean, says: Says): boolean => {
  const found: Array<readonly [Named, from: number, to: number]> = []
  for (let i = 0; i < tokens.length;) {
    const name = nameAt(excluded, tokens, i)
    const compound = (tokens[i] ?? "").replace(freeEnding, "")
    const free = name === undefined && compound !== tokens[i] ? nameAt(excluded, [compound], 0) : undefined
    const one = name ?? free
    if (one === undefined) {
      i++
      continue
    }
    const end = i + one.words.length
    found.push([one, i, end])
    i = end
  }
  if (found.length === 0) return false
  const isDoubted = some(tokens, 0, tokens.length, doubting)
  const named = new Set(found.flatMap(([, from, to]) => Array.from({ length: to - from }, (_, n) => from + n)))
  const goesOn = isListed && tokens.every((word, i) => named.has(i) || joining.has(word))
  let excludes = goesOn
  for (const [{ needs }, from, to] of found) {
    const isFree =
      (freeWords.has(tokens[to] ?? "") && tokens[to + 1] !== "of") ||
      (to - from === 1 && freeEnding.test(tokens[from] ?? ""))
    const saysOfAll = (met: boolean) => {
      for (const need of needs) says(need, met)
    }
    if (isFree) saysOfAll(!isDoubted && !some(tokens, from - reachBefore, from, denying))
    else if (goesOn || isExcludedBefore(tokens, from) || isForbiddenAfter(tokens, to)) {
      saysOfAll(!isDoubted)
      excludes = true
    } else if (some(tokens, from - 4, from, containing)) saysOfAll(false)
  }
  return excludes
}

const japanese = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
const denied = /^.{0,4}?(?:ない|なし|無し|不可|ありません|ございません|できません)/u
const excludedAfter =
  /^(?:[のはをがも]|類|など|入り|持ち込み|持込み|使用|食品|製品){0,4}(?:なし|無し|不使用|フリー|抜き|除去|禁止|厳禁|お断り|ご遠慮|不可|使用していません|使っていません|使いません|アレルギー対応|を含みません|含まれていません)/u

const unspacedOf = (namesIn: (concept: Concept) => ReadonlyArray<string>) =>
  concepts
    .flatMap((concept) =>
      namesIn(concept).flatMap((name) =>
        concept.need !== undefined && isUnspaced(name) ? [{ name, need: concept.need }] : []
      )
    )
    .toSorted((a, b) => b.name.length - a.name.length)
const unspacedNames = unspacedOf(({ names }) => names)
const unspacedOpposite = unspacedOf(({ opposite }) => opposite)
const unspacedExcluded = unspacedOf(({ without, withoutIfSaid }) => [...without, ...withoutIfSaid])

/** Reads a part of a sentence in a script without spaces. */
const readUnspaced = (part: string, says: Says): void => {
  let rest = part
  for (const { name, need } of unspacedOpposite) {
    const at = rest.indexOf(name)
    if (at >= 0 && !/^.{0,2}?(?:不要|なし|無し)/u.test(rest.slice(at + name.length))) says(need, false)
  }
  for (const { name, need } of unspacedNames) {
    const at = rest.indexOf(name)
    if (at < 0) continue
    says(need, !denied.test(rest.slice(at + name.length)))
    rest = rest.replaceAll(name, " ")
  }
  for (const { name, need } of unspacedExcluded) {
    const at = rest.indexOf(name)
    if (at < 0) continue
    if (excludedAfter.test(rest.slice(at + name.length))) says(need, true)
    rest = rest.replaceAll(name, " ")
  }
}

/** Reads a text. `ofAccess`: it is about accessibility, so it can also deny what people ask for by a shorter name. */
const readText = (text: string, ofAccess: boolean, says: Says): void => {
  const names = ofAccess ? promisedOrAsked : promised
  if (
    !japanese.test(text) &&
    !foldName(text)
      .split(" ")
      .some((word) => mayBegin(names, word))
  )
    return
  for (const sentence of text.match(/[^.;:!?\n。！？()–—]+[?？]?/gu) ?? []) {
    // A question promises nothing.
    if (/[?？]$/u.test(sentence)) continue
    let isListed = false
    for (const part of sentence.split(/[,、，]|\b(?:but|aber|mais|pero|men)\b/u)) {
      if (japanese.test(part)) readUnspaced(part.normalize("NFC"), says)
      const folded = foldName(part.replaceAll(/n['’]t\b/giu, "nt"))
      if (folded === "") continue
      const tokens = folded.split(" ")
      isListed = readExclusions(tokens, isListed, says)
      readNames(tokens, names, says)
    }
  }
}

/** The needs that a playroom's fields mention. */
export const mentionsOf = (playroom: Described): ReadonlyMap<Need, Mentions> => {
  const found = new Map<Need, { met: Array<string>; denied: Array<string> }>()
  const sayingIn = (field: string) => (need: Need, met: boolean) => {
    const mentions = found.get(need) ?? { met: [], denied: [] }
    found.set(need, mentions)
    const fields = met ? mentions.met : mentions.denied
    if (!fields.includes(field)) fields.push(field)
  }
  for (const need of playroom.accessibility_features ?? []) sayingIn("accessibility_features")(need, true)
  for (const need of playroom.accessibility_lacks ?? []) sayingIn("accessibility_lacks")(need, false)
  if ((playroom.quiet_hours?.length ?? 0) > 0) sayingIn("quiet_hours")("quiet_hours", true)
  for (const amenity of playroom.amenities) {
    const tokens = foldName(amenity).split(" ")
    // An entry of the list may have any of the names, as it is nothing but a name.
    const entire = nameAt(promisedOrAsked, tokens, 0)
    if (entire?.words.length === tokens.length && entire.means !== "opposite")
      for (const need of entire.needs) sayingIn("amenities")(need, true)
    readText(amenity, false, sayingIn("amenities"))
  }
  for (const field of ["accessibility", "house_rules", "bring", "name", "summary", "description"] as const)
    readText(playroom[field] ?? "", field === "accessibility", sayingIn(field))
  // A quiet session can be a package, and so can a party without parents. Whether there are nuts is said of the place,
  // or not at all.
  readText(playroom.packages ?? "", false, (need, met) => {
    if ((need === "quiet_hours" || need === "drop_off") && met) sayingIn("packages")(need, met)
  })
  return found
}

/** The needs that a playroom meets. */
export const needsMetBy = (playroom: Described): ReadonlyArray<Need> =>
  [...mentionsOf(playroom)]
    .flatMap(([need, { denied, met }]) => (met.length > 0 && denied.length === 0 ? [need] : []))
    .toSorted()
