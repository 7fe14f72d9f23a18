/**
 * Words that people put around what they look for, in five languages: they exclude nothing. Every playroom here is a place indoors where
 * children play, so words that say no more than that are among them.
 */
import { foldName } from "./AmenityNames.ts"

const fillers = new Set(
  `
a an any around at by close find for from good great i in is it kid kids kiddie child children close looking me my near nearby nice of on or our please
play playroom playrooms playground playgrounds playcentre playcenter indoor indoors inside place places room search some somewhere that the there to toddlers us want
we with where area centre center family families
am an auf bei beim bitte das dem den der des die drinnen ein eine einem einen einer es familien finde für gibt hallenspielplatz hallenspielplätze
ich im in indoorspielplatz indoorspielplätze innen ist kinder kindern kinderspielplatz kinderspielplätze kind kleine mein meine mir mit nahe nähe ort raum schöne schöner schönes spielen spielhalle
spielort spielparadies spielplatz spielplätze spielraum spielräume suche und uns unsere unter von wir wo zu zum zur
à au aux avec cherche chez couvert couverte dans de des du enfant enfants en est et intérieur intérieure je jeu jeux joli l la le les lieu ludothèque
mes mon nos notre nous où par plaine pour près proche salle salles se sur trouver un une aire aires d
al busco buscar cerca con cubierto de del donde el en encontrar hay infantil infantiles interior juego juegos la las lo los mi mis niña niñas niño niños
nuestro nuestros para parque parques por sala salas sitio su un una unos y zona ludoteca
`
    .split(/\s+/)
    .map(foldName)
)

const japanese =
  /室内|屋内|インドア|遊び場|遊べる|遊ぶ|遊びたい|あそび場|あそべる|キッズルーム|キッズスペース|プレイルーム|プレイランド|子供|子ども|こども|子連れ|近く|近所|周辺|付近|場所|ところ|おすすめ|探して|教えて|ください|できる|ために|ための|向け/g
const particles =
  /(?<=[\p{Script=Han}\p{Script=Katakana}ー])(?:の|で|に|を|へ|と|は|が|も|から|まで|や)(?=$|[^\p{L}]|[\p{Script=Han}\p{Script=Katakana}])/gu

/** A text without the words that say nothing of what is looked for. */
export const withoutFillers = (text: string): string =>
  text
    .replaceAll(japanese, " ")
    .replaceAll(particles, " ")
    .replaceAll(/(?<=^|\s)[のでにをへとはがもや](?=$|\s)/gu, " ")
    .split(/\s+/)
    .filter((word) => !fillers.has(foldName(word)))
    .join(" ")
