/**
 * The words of a query that are not looked for: fillers, which say nothing about a playroom; days, ages, numbers, prices and
 * the wish for a whole room, which a search has arguments for; and "at home", where no playroom is.
 */
import { foldName, foldedWords } from "./AmenityNames.ts"

// Words that people put around what they look for, in five languages. They include words for indoor places where
// children play and for the weather that sends families there, because every playroom is such a place, and words that say
// little without the one before them ("nut-free").
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
 * Days, ages, numbers of people, clock times, prices and a whole room. A number alone is none of them: it may be part of a name or of an
 * address.
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
