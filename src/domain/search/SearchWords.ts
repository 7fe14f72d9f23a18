/**
 * Turns a query's words into a query for the text index. Drops filler words, keeps known words, and replaces misspelt
 * words by the nearest known ones.
 */

import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { decodeRows } from "../../platform/database/Rows.ts"
import { editDistance } from "../../platform/text/Text.ts"
import {
  foldName,
  type Need,
  concepts,
  keysOf,
  byKey,
  type Concept,
  conceptsOf,
  isUnspaced,
  withoutEnding,
  foldedWords
} from "./AmenityNames.ts"

// Finds the names of amenities and needs in the words of a query.

/**
 * The words of a query that are not looked for: fillers, which say nothing about a playroom; days, ages, numbers,
 * prices and the wish for a whole room, which a search has arguments for; and "at home", where no playroom is.
 */

// Words that people put around what they look for, in five languages. They include words for indoor places where
// children play and for the weather that sends families there, because every playroom is such a place, and words that
// say little without the one before them ("nut-free").
const fillers = foldedWords(`
a an any around at by close find for free friendly from good great i in is it kid kids kiddie child children close looking me my near nearby nice of on or our please
play playroom playrooms playground playgrounds playcentre playcenter indoor indoors inside place places room search session sessions some somewhere that the there to
toddlers us want we with without where area centre center family families
something anything one ones she he they her his their has have having who whose which can could would like need needs wants looking
daughter daughters son sons boy boys girl girls grandson granddaughter grandchildren nephew niece twins mum mom dad parents people guests guest friends friend
year years old age aged ages month months next this coming week about up than less under over also book booking available turning turns
day days rain rains rainy raining wet weather bad hot cold do does doing done thing things activity activities idea ideas outing outings trip trips
let go going take taking run around when while if them together different sibling siblings brother brothers sister sisters mums moms dads venue venues spot spots
entry entrance best be will so as outside included including
am an auf bei beim bitte das dem den der des die drinnen ein eine einem einen einer es familien finde für gibt hallenspielplatz hallenspielplätze
ich im in indoorspielplatz indoorspielplätze innen ist kinder kindern kinderspielplatz kinderspielplätze kind kleine mein meine mir mit nahe nähe ohne ort raum schöne schöner
schönes spielen spielhalle spielort spielparadies spielplatz spielplätze spielraum spielräume suche und uns unsere unter von wir wo zu zum zur
etwas was eins eines meiner meinem meinen meines unserer unserem unseren unseres tochter töchter sohn sohnes söhne enkel enkelin zwillinge hat haben sind wird können kann möchte
möchten brauche brauchen suchen gern gerne auch aber oder davon dabei jahre jahren jahr alt monate nächste nächsten nächster kommenden diesen diese woche gäste gästen leute personen
freunde freunden freundinnen buchen feiern tag tage tagen regen regentag regentage regentagen regnet regnerisch regnerischen schlechtwetter schlecht schlechtes schlechtem
schlechten wetter familie wenn machen tun ausflug ausflüge ausflugsziel unternehmen unternehmung aktivität aktivitäten idee ideen spaß spass winterspielplatz geschwister bruder schwester
eltern mutter vater mama papa wohin inklusive inbegriffen zusammen gemeinsam eintritt location
à au aux avec cherche chez couvert couverte dans de des du enfant enfants en est et intérieur intérieure je jeu jeux joli l la le les lieu ludothèque
mes mon nos notre nous où par plaine pour près proche salle salles sans se sur trouver un une aire aires d
ma ta sa ses son leur qui que dont une ce cet cette a ont y fille filles fils garçon garçons jumeaux ans an mois prochain prochaine semaine personnes invités amis copains quelque
chose besoin voudrais voudrions aimerais aimerions réserver fêter cherchons recherche aussi mais ou moins plus n s j c qu
jour jours journée pluie pluvieux pluvieuse pleut mauvais temps quand il faire quoi sortie sorties activité activités idée idées occuper parc parcs ludique ensemble frère
frères soeur soeurs parents maman papa famille familles familial familiale entrée endroit endroits mettre abri pendant inclus incluse
al busco buscar cerca con cubierto de del donde el en encontrar hay infantil infantiles interior juego juegos la las lo los mi mis niña niñas niño niños
nuestro nuestros para parque parques por sala salas sin sitio su un una unos y zona ludoteca
nuestra nuestras hija hijas hijo hijos nieto nieta gemelos que quien tiene tienen tenemos es son uno unas años año meses próximo próxima siguiente este esta semana personas invitados
amigos amigas algo quiero queremos quisiera necesito necesitamos buscamos reservar celebrar también pero menos más
día días lluvia lluvias lluvioso lluviosos lluviosa llueve mal tiempo cuando hacer plan planes actividad actividades idea ideas cosas jugar juntos hermano hermanos hermana hermanas
padres mamá papá mamás papás familia familias familiar lugar lugares local locales entrada incluido incluida`)

const days = `mondays? tuesdays? wednesdays? thursdays? fridays? saturdays? sundays? weekends? weekdays? today tomorrow tonight
montags? dienstags? mittwochs? donnerstags? freitags? samstags? sonnabends? sonntags? wochenenden? heute übermorgen
lundis? mardis? mercredis? jeudis? vendredis? samedis? dimanches? week-end demain aujourd.hui
lunes martes miércoles miercoles jueves viernes sábados? sabados? domingos? hoy
half[\\s-]terms? after[\\s-]school (?:school\\s)?holidays?
vormittags? nachmittags? \\p{L}*ferien nach\\sder\\sschule matin après-midi vacances après\\sl.école vacaciones
cheap cheapest günstig billig kostenlos(?:e[mnrs]?)? gratis pas\\scher gratuit(?:e?s?) barato barata entre\\ssemana`
// Of how old: a search has the ages of children for it.
const ages = `(?:older|younger|bigger)\\s(?:kids|children|ones) teenagers? teens? tweens? pre-?schoolers?
jugendlichen? kleinkind(?:er|ern)? vorschulkind(?:er|ern)? ados? adolescents? (?:les\\s)?tout-petits? adolescentes pequeñ[oa]s peques`
// That nobody else is there: a search has a mode for it.
const whole = `(?:(?:private|privately|exclusive|exclusively|hire|rental)\\s?)+ (?:the\\s)?(?:whole|entire)\\s(?:place|venue|room|hall|house) (?:all\\s)?to\\sourselves
(?:an|ver)?mieten miete vermietung privat(?:e[mnrs]?)? exklusiv(?:e[mnrs]?)? (?:ganze[ns]?|komplette[ns]?)\\s(?:halle|raum|haus) nur\\sfür\\suns
privatis(?:er|ation|ée?) louer location(?=\\sd) privée? (?:rien\\sque\\s)?pour\\snous\\sseuls? alquil(?:ar|er) privad[oa]s? exclusiv[oa] solo\\spara\\snosotros`
const months = `january february march april june july august september october november december
januar februar märz juni juli oktober dezember janvier février avril juin juillet août septembre octobre novembre décembre
enero febrero marzo abril junio julio agosto septiembre octubre noviembre diciembre`
const counted = `kids? child(?:ren)? toddlers? bab(?:y|ies) people persons? guests? adults? parents? years?(?:[\\s-]olds?)? yrs? yo months? hours? hrs? minutes? mins? am pm pounds? dollars?
kindern? kinder personen leute gästen? erwachsenen? jahren? jahre jährigen? monaten? stunden? minuten uhr
enfants? personnes? invités? adultes? ans? mois heures? niñ[oa]s? personas? invitados adultos? años? meses horas? minutos euros? yen kronor eur gbp usd jpy sek km`
const birthdays = "birthdays? geburtstag\\w* anniversaires? cumpleaños"
const before = "aged? turning turns turned under over unter über max maximum at um ab alter cumple"

/** Words, any of which may stand there. */
const any = (list: string): string => `(?:${list.trim().split(/\s+/).join("|")})`
const [start, end] = ["(?<![\\p{L}\\p{N}])", "(?![\\p{L}\\p{N}])"]
const ordinal = "\\d{1,2}\\s?(?:st|nd|rd|th|er|e|è?me|ème|º|ª|\\.)?"

/**
 * Days, ages, numbers of people, clock times, prices and a whole room. A number alone is none of them: it may be part
 * of a name or of an address.
 */
const elsewhere = new RegExp(
  [
    `${start}\\d{4}-\\d{2}-\\d{2}${end}`,
    `${start}\\d{1,2}[./]\\d{1,2}[./]\\d{2,4}${end}`,
    `[£€$¥]\\s?\\d[\\d.,]*`,
    `\\d[\\d.,]*\\s?[£€$¥]`,
    `${start}${ordinal}\\s(?=${any(birthdays)})`,
    `${start}${ordinal}\\s(?:of\\s|de\\s)?${any(months)}${end}`,
    `${start}${any(months)}(?:\\s${ordinal})?${end}`,
    `${start}${any(days)}${end}`,
    `${start}${any(ages)}${end}`,
    `${start}${any(whole)}${end}`,
    `${start}\\d{1,3}(?:\\s?(?:-|–|to|or|bis|oder|à|ou|a|o|y)\\s?\\d{1,3})?[\\s-]{0,2}${any(counted)}${end}`,
    `${start}${any(before)}\\s\\d{1,3}${end}`,
    `${start}(?:party|group|class)\\sof\\s\\d{1,3}${end}`,
    `(?:再来週|来週|今週|来月|今月|毎週)?の?[月火水木金土日]曜日?`,
    `貸し?切り?|プライベート|幼稚園児|保育園児|乳幼児|幼児|小学生|中学生|高校生|放課後|[春夏冬]休み|無料`,
    `午前中?|午後|安い|格安|週末|平日|祝日|再来週|来週|今週|来月|今月|今日|明日`,
    `[0-9０-９一二三四五六七八九十]+(?:人|名|歳|才|ヶ月|か月|月|日|時(?!預|保育)|円|分)`
  ].join("|"),
  "giu"
)

/** A text without what a pattern finds, and that itself. */
const taken = (text: string, pattern: RegExp): { readonly rest: string; readonly found: ReadonlyArray<string> } => {
  const found = new Set<string>()
  const rest = text.replaceAll(pattern, (part) => {
    found.add(part.trim())
    return " "
  })
  return { rest, found: [...found] }
}

// Families come to playrooms; none comes to a family.
const atHome = new RegExp(
  `${start}${any(`at\\s(?:our\\s|my\\s)?(?:own\\s)?(?:home|house) at\\s(?:our|my)\\splace in\\s(?:our|my)\\s(?:own\\s)?home zu\\s?hause daheim bei\\suns(?:\\szu\\s?hause)?
à\\sla\\smaison à\\sdomicile chez\\s(?:nous|moi) en\\s(?:nuestra\\s|mi\\s)?casa a\\sdomicilio`)}${end}|自宅|おうち|家で|出張`,
  "giu"
)

/** A text without what is not looked for in words, and that itself: what has arguments, and what nobody offers. */
export const withoutElsewhere = (text: string) => {
  const home = taken(text, atHome)
  const { found, rest } = taken(home.rest, elsewhere)
  return { rest, elsewhere: found, atHome: home.found }
}

const japanese =
  /雨の日|梅雨|体を動かせる|体を動かす|集まれる|過ごせる|雨天|雨|でも|天気|休日|お出かけ|おでかけ|スポット|併設|付き|室内|屋内|インドア|遊び場|遊べる|遊ぶ|遊びたい|あそび場|あそべる|キッズルーム|キッズスペース|プレイルーム|プレイランド|子供たち|子どもたち|子供|子ども|こども|子連れ|娘|息子|孫|お友達|友達|家族|で行ける|行ける|な時間|近く|近所|周辺|付近|場所|ところ|おすすめ|探しています|探して|教えて|ください|お願いします|予約したい|予約|できる|したい|があります|あります|がいます|います|ですが|です|ために|ための|向け/g
const particles =
  /(?<=[\p{Script=Han}\p{Script=Katakana}ー])(?:の|で|に|を|へ|と|は|が|も|から|まで|や)(?=$|[^\p{L}]|[\p{Script=Han}\p{Script=Katakana}])/gu

// Whoever wants fun says nothing, except as a name: "Fun House".
const someFun =
  /(?<!\p{L})fun(?=\s(?:for|on|in|with|at|and|things?|days?|activity|activities|ideas?|places?)(?!\p{L})|\s*$)/giu

/** A text without filler words. */
export const withoutFillers = (text: string): string =>
  text
    .replaceAll(japanese, " ")
    .replaceAll(particles, " ")
    .replaceAll(/(?<=^|\s)[のでにをへとはがもやな](?=$|\s|[\p{Script=Han}\p{Script=Katakana}])/gu, " ")
    .replaceAll(someFun, " ")
    .split(/\s+/)
    .filter((word) => !fillers.has(foldName(word)))
    .join(" ")

/** What a part of a query asks for: any of these concepts. */
interface AskedConcept {
  /** The part of the query. */
  readonly shown: string
  readonly concepts: ReadonlyArray<Concept>
}

/** The most words of a name, and the most words of a text to examine. */
const [maxNameWords, maxRead] = [5, 100]

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(Boolean).flatMap(keysOf))

/** Words beside what must not be there: "nut free", "allergisch gegen Nüsse", "sin huevo". */
const says = `free allergy allergies allergic intolerance intolerant no without
   frei freie freier freies freien allergie allergien allergiker allergisch intoleranz unverträglichkeit ohne kein keine keinen
   sans allergique allergiques intolérance intolérant pas aucun aucune
   sin alergia alergias alérgico alérgica intolerancia libre fri utan allergi`
const saying = words(says)
/** Those of them that people misspell. */
const sayingWords: ReadonlyArray<string> = [...saying]
/** Words between these and what must not be there. */
const between = words(
  "to from of any the gegen auf von die den das à au aux la le les l de du des a al el los las con contra"
)
/** Endings of words that say the same: "Nussallergie", "glutenfrei". */
const sayingEndings = ["free", "frei", "allergie", "allergiker", "intoleranz", "unvertraglichkeit", "fri"]
const sayingEnding =
  /(?:free|frei(?:e[mnrs]?)?|allerg(?:ie|ien|iker|isch|i)|intoleranz|unvertraglichkeit|fri(?:tt|a)?)$/
const sayingAllergy = /all?erg|アレルギー|frei\b|\bfree\b|intoler/iu

const excluded = byKey(({ without }) => without)
const excludedIfSaid = byKey(({ withoutIfSaid }) => withoutIfSaid)

/** Names of needs may be written apart: "wheel chair", "barriere frei". */
const apart = new Map(
  concepts.flatMap((one) =>
    one.need === undefined
      ? []
      : [...one.names, ...one.asked].flatMap(keysOf).map((key) => [key.replaceAll(" ", ""), one])
  )
)
const leastApart = 8
const named = (key: string): ReadonlyArray<Concept> => {
  const found = conceptsOf(key)
  const joined = key.replaceAll(" ", "")
  const one = found.length > 0 || joined.length < leastApart ? undefined : apart.get(joined)
  return one === undefined ? found : [one]
}

/** Words that German writes as one with what a party is about: "Zirkusgeburtstag", "Piratenparty". */
const partyCompound = /(?<!\p{L})(\p{L}{4,}?)(partys?|geburtstage?|geburtstagsfeier|feier)(?!\p{L})/giu
const splitParty = (word: string, about: string, what: string): string =>
  conceptsOf(word).length > 0 ? word : `${about} ${what}`

/** Names in scripts without spaces between words: first what must not be there, then longest first. */
const unspaced = concepts
  .flatMap((concept) => [
    ...[...concept.names, ...concept.asked].map((name) => ({ name, concept, isExcluded: false, ifSaid: false })),
    ...concept.without.map((name) => ({ name, concept, isExcluded: true, ifSaid: false })),
    ...concept.withoutIfSaid.map((name) => ({ name, concept, isExcluded: true, ifSaid: true }))
  ])
  .filter(({ name }) => isUnspaced(name))
  .toSorted((a, b) => Number(b.isExcluded) - Number(a.isExcluded) || b.name.length - a.name.length)
const japaneseSaying = "(?:(?:の|に|が|は|を)?(?:アレルギー|フリー|なし|無し|不使用|抜き|除去|禁止|対応))"

/**
 * Names within a text, as parts of it; and the rest of the text. Parts that mean the same are one. `readAs`: folded
 * words that are misspelt, and what they mean.
 */
export const namesIn = (
  text: string,
  readAs: ReadonlyMap<string, string> = new Map()
): { readonly found: ReadonlyArray<AskedConcept>; readonly rest: string } => {
  const found: Array<AskedConcept> = []
  let spaced = text.normalize("NFKC")
  for (const { concept, ifSaid, isExcluded, name } of unspaced) {
    if (!spaced.includes(name)) continue
    const pattern = new RegExp(isExcluded ? `${name}${japaneseSaying}${ifSaid ? "+" : "*"}` : name, "gu")
    const shown = spaced.match(pattern)?.[0]
    if (shown === undefined) continue
    spaced = spaced.replaceAll(pattern, " ")
    const same = unspaced.filter((other) => other.name === name).map((other) => other.concept)
    found.push({ shown, concepts: isExcluded ? [concept] : same })
  }
  const tokens = spaced
    .replaceAll(partyCompound, splitParty)
    .split(/[^\p{L}\p{M}\p{N}ー]+/u)
    .filter((word) => word !== "")
    .slice(0, maxRead)
  const typed = tokens.map(foldName)
  const keys = typed.map((key) => readAs.get(key) ?? key)
  const saysSo = sayingAllergy.test(spaced) || keys.some((key) => sayingAllergy.test(key))
  const rest: Array<string> = []
  /**
   * The words around those from `from` to `to` that belong to them, since they say that something must not be there.
   */
  const around = (from: number, to: number, least: number): readonly [number, number] => {
    let [first, last] = [from, to]
    for (let i = from - 1; i >= least; i--) {
      const key = keys[i] ?? ""
      if (saying.has(key)) first = i
      else if (!between.has(key)) break
    }
    while (last < tokens.length && saying.has(keys[last] ?? "")) last++
    return [first, last]
  }
  let done = 0
  for (let i = 0; i < tokens.length;) {
    let taken = 0
    for (let length = Math.min(maxNameWords, tokens.length - i); length > 0 && taken === 0; length--) {
      const key = keys.slice(i, i + length).join(" ")
      const bare = key.replace(sayingEnding, "")
      const isSaid = bare !== key && bare !== ""
      const at = (keyed: ReadonlyMap<string, ReadonlyArray<Concept>>) =>
        keyed.get(key) ?? (isSaid ? (keyed.get(bare) ?? keyed.get(withoutEnding(bare))) : undefined)
      const [first, last] = around(i, i + length, done)
      const isAround = first < i || last > i + length
      const substance = at(excluded) ?? (isSaid || isAround || saysSo ? at(excludedIfSaid) : undefined)
      const asked = substance ?? named(key)
      if (asked.length === 0) continue
      const [from, to] = substance === undefined ? [i, i + length] : [first, last]
      rest.splice(rest.length - (i - from), i - from)
      const [shown, read] = [tokens, keys].map((all) => all.slice(from, to).join(" "))
      const isMisspelt = keys.slice(from, to).some((one, n) => one !== typed[from + n])
      found.push({ shown: `${shown}${isMisspelt ? ` (read as ${read})` : ""}`, concepts: asked })
      taken = to - i
      done = to
    }
    if (taken === 0) rest.push(tokens[i] ?? "")
    i += Math.max(1, taken)
  }
  return { found: merged(found), rest: rest.join(" ") }
}

const isAllergy = ({ concepts: [first] }: AskedConcept): boolean =>
  (first?.without.length ?? 0) > 0 || (first?.withoutIfSaid.length ?? 0) > 0

/** One part for each meaning. An allergy to something known is no further need of allergies. */
const merged = (found: ReadonlyArray<AskedConcept>): ReadonlyArray<AskedConcept> => {
  const byMeaning = new Map<string, AskedConcept>()
  const isNamed = found.some(isAllergy)
  for (const { concepts: asked, shown } of found) {
    if (isNamed && asked.some(({ need }) => need === "allergy_aware")) continue
    const key = asked.map((concept) => concepts.indexOf(concept)).join()
    const before = byMeaning.get(key)
    byMeaning.set(key, { shown: before === undefined ? shown : `${before.shown} ${shown}`, concepts: asked })
  }
  return [...byMeaning.values()]
}

/** The needs that a name is one of, entirely: "nut-free", "wheelchair accessible". `readAs`: as for `namesIn`. */
export const needsNamed = (name: string, readAs?: ReadonlyMap<string, string>): ReadonlyArray<Need> => {
  const { found, rest } = namesIn(name, readAs)
  return found.length === 1 && rest === "" ? (found[0]?.concepts.flatMap(({ need }) => need ?? []) ?? []) : []
}

// Misspelt words of needs: "wheelchiar", "glutenfrie", "alergy". Such a word is read as the need, so that nobody with
// an allergy is shown a playroom for the rest of their words only. Pure.

/** The letters of a word, as bits. */
const lettersOf = (word: string): number => {
  let bits = 0
  for (const letter of word) bits |= 1 << ((letter.codePointAt(0) ?? 0) % 32)
  return bits
}

const differing = (a: number, b: number): number => {
  let count = 0
  for (let bits = a ^ b; bits !== 0; bits &= bits - 1) count++
  return count
}

const leastLength = 5
/** Words that are spelt right and mean no need: "calle" is a street, not "calme". */
const otherWords = new Set(["calle"])

const needWords = new Set(
  concepts
    // Of "leave the children", each word alone says nothing.
    .filter(({ need }) => need !== undefined && need !== "drop_off")
    .flatMap(({ asked, names, without, withoutIfSaid }) => {
      const excluded = [...without, ...withoutIfSaid].flatMap(keysOf)
      const compounds = excluded
        .filter((word) => !word.includes(" "))
        .flatMap((word) => sayingEndings.map((ending) => word + ending))
      return [...excluded, ...compounds, ...[...names, ...asked].flatMap(keysOf)].flatMap((key) => key.split(" "))
    })
    .concat(...sayingWords)
    .filter((word) => /^[a-z]+$/.test(word))
)

/** By their first letters: few people mistake that. */
const byFirstLetter = Map.groupBy(
  [...needWords].flatMap((word) => (word.length < leastLength ? [] : [{ word, letters: lettersOf(word) }])),
  ({ word }) => word[0] ?? ""
)

/** Whether a folded word is one by which people ask for needs. */
const isNeedWord = (word: string): boolean => needWords.has(word)

/** The word of a need that a folded word is a misspelling of: one mistake, or two in a long word. */
export const nearestNeedWord = (word: string): string | undefined => {
  if (word.length < leastLength || otherWords.has(word)) return undefined
  const most = word.length < 8 ? 1 : 2
  const letters = lettersOf(word)
  let [nearest, least]: readonly [string | undefined, number] = [undefined, most + 1]
  for (const one of byFirstLetter.get(word[0] ?? "") ?? []) {
    if (Math.abs(one.word.length - word.length) >= least || differing(one.letters, letters) > 2 * most) continue
    const distance = editDistance(word, one.word)
    if (distance < least) [nearest, least] = [one.word, distance]
  }
  return nearest
}

/** The needs that the name of an amenity is one of, misspelt or not. */
export const needsOfAmenity = (name: string): ReadonlyArray<Need> => {
  const exact = needsNamed(name)
  if (exact.length > 0) return exact
  const readAs = foldName(name)
    .split(" ")
    .flatMap((word) => {
      const need = isNeedWord(word) ? undefined : nearestNeedWord(word)
      return need === undefined ? [] : [[word, need] as const]
    })
  return readAs.length === 0 ? [] : needsNamed(name, new Map(readAs))
}

/** A word of a query, or a name of several words. */
export interface Word {
  /** As it is told: a misspelt word with what it was read as. */
  readonly shown: string
  /** The texts of queries that find it: of `to_tsquery` for words, of a `tsquery` of pairs of letters. */
  readonly text: string
  readonly kind: "words" | "letters"
  /** No playroom has it: it is none of the words that any has. */
  readonly isNowhere?: boolean
}

/** A need that a query asks for. */
interface AskedNeed {
  readonly shown: string
  /** One of them is enough. */
  readonly needs: ReadonlyArray<Need>
}

/** What a query asks for. */
export interface Words {
  readonly words: ReadonlyArray<Word>
  readonly needs: ReadonlyArray<AskedNeed>
  /** Days, ages, numbers, prices and a whole room: a search has arguments for them. */
  readonly elsewhere: ReadonlyArray<string>
  /** "At home": no playroom comes to a family. */
  readonly atHome: ReadonlyArray<string>
  /** Words that are not looked for: there are too many, or they say nothing alone. */
  readonly ignored: ReadonlyArray<string>
}

const WordRows = Schema.Array(
  Schema.Struct({
    word: Schema.String,
    known: Schema.Boolean,
    longer: Schema.Array(Schema.String),
    /** Known words that it forms together with a neighbouring word. */
    joined: Schema.Array(Schema.String),
    near: Schema.Array(Schema.String),
    /** False for words after the first `maxWords`, of which nothing else is read. */
    looked: Schema.Boolean
  })
)

/**
 * The length from which a word may be misspelt, and the most unknown words of a query for which known ones are sought.
 */
const [leastCorrected, maxCorrected] = [5, 4]

/** The number of edits allowed for a typo: none in short words, because every short word is near another. */
const allowedEdits = (word: string): number => (word.length < leastCorrected ? 0 : word.length < 8 ? 1 : 2)

const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`

const wordOf = (shown: string, any: ReadonlyArray<string>): Word => ({
  shown,
  text: [...new Set(any)].map(quoted).join(" | "),
  kind: "words"
})

type WordRow = (typeof WordRows.Type)[number]

/**
 * The known words that a word may be a misspelling of. A short word is near too many: "late" is no gate, and "halal" no
 * hall.
 */
const nearestOf = ({ near, word }: WordRow): ReadonlyArray<string> => {
  const distances = near
    .filter((other) => other.length >= leastCorrected)
    .map((other) => [other, editDistance(word, other)] as const)
  const least = Math.min(...distances.map(([, distance]) => distance))
  return least <= allowedEdits(word)
    ? distances.flatMap(([other, distance]) => (distance === least ? [other] : []))
    : []
}

/** The word of a need that an unknown word means; undefined if it means something else. */
const needMeant = (row: WordRow): string | undefined => {
  const { joined, known, longer, word } = row
  if (known || joined.length > 0) return undefined
  const [first, ...others] = longer.length > 0 ? longer : nearestOf(row)
  const isNeed = first !== undefined && [first, ...others].every(isNeedWord)
  return isNeed ? first : longer.length > 0 ? undefined : nearestNeedWord(word)
}

/** The words to search for a word: itself and words that begin with it, or otherwise the nearest known words. */
const meaning = (row: WordRow): Word => {
  const { joined, known, longer, word } = row
  if (known || longer.length > 0 || joined.length > 0) return wordOf(word, [word, ...longer, ...joined])
  const nearest = nearestOf(row).filter((one) => !isNeedWord(one))
  // Of a word with other signs than letters, its parts may be known.
  const isNowhere = nearest.length === 0 && /^\p{L}{2,}$/u.test(word)
  return nearest.length === 0
    ? { ...wordOf(word, [word]), isNowhere }
    : wordOf(`${word} (read as ${nearest.join(" or ")})`, nearest)
}

/** Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese. `search_bigrams` in the database has the same ranges. */
const unsegmentedRuns =
  /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+/g

/**
 * All pairs of neighbouring letters of each run; for a single letter, every pair that begins with it. At most
 * `maxPairs` in all.
 */
const bigramsOf = (runs: ReadonlyArray<string>): ReadonlyArray<Word> => {
  const seen = new Set<string>()
  return runs.flatMap((run) => {
    const pairs =
      run.length === 1 ? [`${quoted(run)}:*`] : Array.from(run.slice(1), (letter, i) => quoted(`${run[i]}${letter}`))
    const fresh = [...new Set(pairs)].filter((pair) => !seen.has(pair)).slice(0, maxPairs - seen.size)
    for (const pair of fresh) seen.add(pair)
    return fresh.length === 0 ? [] : [{ shown: run, text: fresh.join(" & "), kind: "letters" as const }]
  })
}

/** The text index leaves "in" out, so all that is left of these is a word that means something else: "drop", "walk". */
const isUnindexed = (name: string): boolean => /^(?:drop|walk) in$/.test(foldName(name))

/**
 * A name as the text index has it: its words follow each other; of a script without spaces, all pairs of its letters.
 */
const phraseOf = (name: string): string => {
  if (name.search(unsegmentedRuns) < 0) return foldName(name).split(" ").map(quoted).join(" <-> ")
  return bigramsOf(name.match(unsegmentedRuns) ?? [])
    .map(({ text }) => text)
    .join(" & ")
}

/** A query for any of the names of what is asked for. */
const anyName = ({ concepts, shown }: AskedConcept): Word => {
  const phrases = [shown, ...concepts.flatMap((concept) => [...concept.names, ...concept.asked])]
    .filter((name) => !isUnindexed(name))
    .map(phraseOf)
  return { shown, text: [...new Set(phrases)].map((phrase) => `(${phrase})`).join(" | "), kind: "words" }
}

/** The most words and names of one query that are looked for. Needs are always looked for. */
const maxWords = 12
const maxPairs = 24
const maxWordLength = 40

/** What is looked for of a list, and the rest. */
const atMost = <A>(most: number, all: ReadonlyArray<A>): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => [
  all.slice(0, most),
  all.slice(most)
]

const keysIn = (text: string): ReadonlyArray<string> => text.split(" ").map(foldName)

/** Whether a search is to look for anything: a query may have fillers only ("the"). */
export const isAsked = ({ needs, words }: Words): boolean => words.length + needs.length > 0

/** Whether no playroom can have any of it. */
export const isFoundNowhere = ({ needs, words }: Words): boolean =>
  needs.length === 0 && words.every(({ isNowhere = false }) => isNowhere)

/**
 * Reads a query's words. One statement; its cost grows with the number of known words. A word is found by `between`,
 * which only the primary key's index answers: for `=` the planner takes the index for misspelt words, at many times the
 * cost. The text stands in a subquery, so that the plan is the same for any number of words, and is kept. Without
 * `offset 0` each word would be looked up three times. Few people mistake the first letter: without it, the index for
 * misspelt words would compare the word with nearly all that is known.
 */
export const readWords = (sql: SqlClient.SqlClient) => {
  const wordRows = decodeRows(WordRows)
  return Effect.fn("SearchWords.read")(function* (query: string): Effect.fn.Return<Words, SqlError.SqlError> {
    const { atHome, elsewhere, rest: text } = withoutElsewhere(query.normalize("NFKC"))
    const first = namesIn(text)
    const segmentedIn = (rest: string) => withoutFillers(rest).replace(unsegmentedRuns, " ")
    const segmented = segmentedIn(first.rest)
    const rows =
      segmented.trim() === ""
        ? []
        : yield* wordRows(sql`
with asked as materialized (
  select word, n, a || b as joined from (
    select word, n, word as a, lead(word) over (order by n) as b
    from unnest(string_to_array(search_fold((select ${segmented}::text)), ' ')) with ordinality as w (word, n) limit 100) w
), pair as (
  select a.word as a, b.word as b, a.joined as word from asked a join asked b on b.n = a.n + 1
  where exists (select from search_word w where w.word between a.joined and a.joined)
)
select word, known, longer, joined, looked, case when unlike and count(*) filter (where unlike) over (order by n) <= ${maxCorrected}::int then array(
  select w.word from search_word w where w.word like left(asked.word, 1) || '%' order by w.word <-> asked.word limit 40) else '{}' end as near
from (select *, looked and not known and longer = '{}' and joined = '{}' and length(word) >= ${leastCorrected}::int as unlike from (
  select word, n, looked, looked and (exists (select from search_word w where w.word between q.word and q.word)
    or exists (select from search_word w where w.stem = (tsvector_to_array(to_tsvector('english'::regconfig, q.word)))[1])) as known,
    case when length(q.word) < 4 or not looked then '{}' else array(
      select w.word from search_word w where w.word > q.word and w.word < q.word || chr(1114111) order by w.word limit 12) end as longer,
    array(select p.word from pair p where looked and q.word in (p.a, p.b)) as joined
  from (
    select left(word, ${maxWordLength}::int) as word, min(n) as n,
      row_number() over (order by min(n)) <= ${maxWords}::int and length(word) <= ${maxWordLength}::int as looked
    from asked where to_tsvector('english'::regconfig, word) <> ''::tsvector group by word
  ) as q offset 0
) as read) as asked order by n`)
    const misspelt = new Map(
      rows.flatMap((row) => {
        const need = row.looked ? needMeant(row) : undefined
        return need === undefined ? [] : [[row.word, need] as const]
      })
    )
    const asked = misspelt.size === 0 ? first : namesIn(text, misspelt)
    const left = new Set(keysIn(asked.rest))
    const ofNeeds = new Set(keysIn(first.rest).filter((key) => !left.has(key)))
    const needs = asked.found.flatMap(({ concepts, shown }): ReadonlyArray<AskedNeed> => {
      const keys = concepts.flatMap(({ need }) => need ?? [])
      return keys.length === 0 ? [] : [{ shown, needs: keys }]
    })
    const names = asked.found.filter(({ concepts }) => concepts.every(({ need }) => need === undefined))
    const letters = bigramsOf(withoutFillers(asked.rest).match(unsegmentedRuns) ?? [])
    const its = rows.filter(({ word }) => !ofNeeds.has(word))
    const known = its.filter(({ looked }) => looked).map(meaning)
    const [words, others] = atMost(maxWords, [...known, ...letters, ...names.map(anyName)])
    const free = asked.rest.match(/\bfree\b/i) ?? []
    const ignored = [
      ...free,
      ...its.flatMap(({ looked, word }) => (looked ? [] : [word])),
      ...others.map(({ shown }) => shown)
    ]
    return { words, needs, elsewhere, atHome, ignored }
  })
}
