/** What people of five languages write: places, wishes, needs and notes. */
import type { Package } from "../../../src/domain/catalogue/Package.ts"

export const languages = ["en", "de", "fr", "es", "ja"] as const
export type Language = (typeof languages)[number]

/** What people elsewhere call the cities of the catalogue. */
export const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  London: ["Londres", "Londra", "ロンドン"],
  Manchester: ["マンチェスター", "manchester"],
  Bristol: ["ブリストル", "BRISTOL"],
  Berlin: ["Berlín", "Berlino", "ベルリン"],
  München: ["Munich", "Muenchen", "Múnich", "ミュンヘン"],
  "San Francisco": ["サンフランシスコ", "San Francisco, CA"],
  "New York": ["Nueva York", "New York City", "ニューヨーク"],
  Tokyo: ["Tokio", "東京", "Tōkyō"],
  Stockholm: ["Estocolmo", "ストックホルム"],
  Göteborg: ["Gothenburg", "Goeteborg", "Goteborg"],
  Sydney: ["Sídney", "シドニー"]
}

const fold = (text: string): string => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()

/** Whether two names are one but for case and accents. */
export const isSame = (one: string, other: string): boolean => fold(one) === fold(other)

/** The city that a name means, in whatever language. */
export const cityMeant = (name: string): string | undefined =>
  Object.keys(elsewhere).find((city) => [city, ...(elsewhere[city] ?? [])].some((one) => isSame(one, name)))

/** The city, what is wanted there, and a search for it in a person's own words. */
export const sentences: ReadonlyArray<readonly [city: string, mode: Package["mode"], query: string]> = [
  ["München", "shared", "Indoor-Spielplatz in München"],
  ["München", "shared", "Spielplatz drinnen, München"],
  ["Berlin", "exclusive", "Kindergeburtstag in Berlin feiern"],
  ["Tokyo", "exclusive", "東京 誕生日"],
  ["Tokyo", "exclusive", "fiesta de cumpleaños en Tokio"],
  ["Stockholm", "exclusive", "barnkalas i Stockholm"],
  ["London", "shared", "aire de jeux intérieure à Londres"],
  ["London", "exclusive", "fête d'anniversaire pour enfants à Londres"],
  ["Göteborg", "shared", "Lekland in Göteborg"],
  ["San Francisco", "exclusive", "fiesta de cumpleaños infantil en San Francisco"],
  ["New York", "exclusive", "anniversaire pour enfants à New York"],
  ["Sydney", "shared", "シドニー 室内遊び場"]
]

export const needs = ["wheelchair", "nuts", "quiet"] as const
export type Need = (typeof needs)[number]

/** What a need is called. */
export const needWords: Readonly<Record<Need, Readonly<Record<Language, string>>>> = {
  wheelchair: {
    en: "wheelchair accessible",
    de: "rollstuhlgerecht",
    fr: "accessible en fauteuil roulant",
    es: "accesible en silla de ruedas",
    ja: "車椅子"
  },
  nuts: { en: "nut-free", de: "nussfrei", fr: "sans noix", es: "sin frutos secos", ja: "ナッツ不使用" },
  quiet: {
    en: "quiet session for an autistic child",
    de: "ruhige Stunde",
    fr: "heure calme",
    es: "hora tranquila",
    ja: "静かな時間"
  }
}

/** What people add for the playroom. */
export const notes: Readonly<Record<Language, string>> = {
  en: "A chair for grandma, please",
  de: "Bitte einen Stuhl für die Oma",
  fr: "Une chaise pour mamie, s'il vous plaît",
  es: "Una silla para la abuela, por favor",
  ja: "祖母のために椅子をお願いします"
}

/** Given names of families that speak them. */
export const givenNames: Readonly<Record<Language, string>> = {
  en: "Sam O'Neil",
  de: "Jörg Weiß",
  fr: "Zoé L'Héritier",
  es: "Ana Ibáñez",
  ja: "山田 花子"
}

/** What people write for the playroom of how they would like to pay. Nobody has agreed to it. */
export const moneyNotes: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  discount_code: {
    en: "Discount code PLAY10: 10 % off",
    de: "Rabattcode PLAY10",
    fr: "Code de réduction PLAY10",
    es: "Código de descuento PLAY10",
    ja: "割引コード PLAY10"
  },
  invoice: {
    en: "Send an invoice to Lima Ltd",
    de: "Rechnung bitte an die Lima GmbH",
    fr: "Facture à Lima SARL, merci",
    es: "Factura a nombre de Lima SL",
    ja: "請求書をお願いします"
  },
  cash: {
    en: "The rest in cash on the day",
    de: "Den Rest zahlen wir bar vor Ort",
    fr: "Le reste en espèces sur place",
    es: "El resto en efectivo ese día",
    ja: "残りは当日現金で払います"
  },
  pay_tomorrow: {
    en: "I will pay tomorrow",
    de: "Ich zahle morgen",
    fr: "Je paierai demain",
    es: "Pagaré mañana",
    ja: "明日払います"
  },
  bank_transfer: {
    en: "We pay by bank transfer",
    de: "Zahlung per Überweisung",
    fr: "Paiement par virement",
    es: "Pago por transferencia bancaria",
    ja: "銀行振込で払います"
  },
  gift: {
    en: "It is a present: please take our gift card",
    de: "Ein Geschenk: wir zahlen mit einem Gutschein",
    fr: "C'est un cadeau : payé avec un bon cadeau",
    es: "Es un regalo: pagamos con una tarjeta regalo",
    ja: "プレゼントです。ギフトカードで払います"
  }
}
