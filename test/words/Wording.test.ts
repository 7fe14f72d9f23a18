/**
 * What can be held of how messages are written: register, spelling, punctuation, plurals, and phrases that read as
 * translated.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Language, languages, messages } from "../../src/words/Languages.ts"
import { partyIn } from "../../src/words/Localized.ts"

const facts = { amount: "#", until: "#", paid: "#", on_its_way: "#", paid_back: "#", online: true }
/** Values for the gaps of messages, so that each of their forms is read. */
const gaps: ReadonlyArray<ReadonlyArray<unknown>> = [
  [facts],
  [{ ...facts, on_its_way: "", online: false }],
  [{ ...facts, on_its_way: "", paid_back: "" }],
  [{ ...facts, amount: "", on_its_way: "", paid_back: "", paid: "" }]
]
const values: ReadonlyArray<ReadonlyArray<unknown>> = [
  ["#", "#", true],
  ["#", true],
  ["#", undefined],
  ["#", "#", false]
]

/** Every text of a language with its path, those with gaps in each of their forms. */
const textsIn = (value: unknown, path = ""): ReadonlyArray<readonly [path: string, text: string]> => {
  if (typeof value === "function")
    return (path.startsWith(".standings") ? gaps : values).map((given) => [path, String(value(...given))])
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`))
    : [[path, String(value)]]
}

/** What no message may say, and what to write instead. */
const never: Readonly<Record<Language, ReadonlyArray<readonly [RegExp, string]>>> = {
  en: [
    [
      /link opens nothing|looks again by itself|is the deposit, which|can’t be had|can be had|so the venue says/i,
      "plain English"
    ],
    [/\b(?:canceled|favorite|color)\b/i, "British spelling"]
  ],
  "en-US": [
    [/cancelled|favourite|colour|\bTelephone\b|\bcentre\b|licence/i, "American spelling, in en-US/Messages.ts"]
  ],
  de: [
    [/\b(?:du|dich|dir|dein\w*|ihr habt|euch|euer)\b/i, "Sie"],
    [/Erwachsene\(r\)|\(in\)\b/, "a plural by Intl"],
    [/sind die Anzahlung/, "Anzahlung: …"],
    [/öffnet nichts|auf dem Weg zurück|sieht von selbst|Darin #? ?.*Steuer|so für Sie entstehen/, "a native sentence"],
    [/kostet bis .* nichts/, "bis … kostenlos umbuchbar"],
    [/verschieb|verleg/i, "umbuchen"],
    [/vorgemerkt/i, "reserviert"],
    [/Zahlungsdienst/, "Zahlungsanbieter"],
    [/Zahlungsstreit/, "anfechten"],
    [/zu haben\b|So steht es jetzt|Bitte fragen Sie vor Ort/, "a native sentence"],
    [/\p{L}…/u, "a no-break space (U+00A0) before …"],
    [/zurückgezahlt|Rückzahlung|zurückgez/i, "erstatten"],
    [/Buchungscode|Nummer Ihrer Buchung|Referenz\b/, "Buchungsnummer"],
    [/^[^„]*“|”|"|‘/, "„…“"]
  ],
  fr: [
    [/(?<!\p{L})(?:tu|toi|ton|tes)(?!\p{L})/iu, "vous"],
    [
      /rien des? #|Il reste de|regarde de nouveau|Règlement de la maison|C’est trop tôt|n’ouvre rien/i,
      "a native sentence"
    ],
    [/rendus?\b(?! l)|vous revient|rendre (?:une|cette) somme|de la main à la main/i, "rembourser"],
    [/vous sont en cours|Regardez (?:ce|d’autres|dans)|[Dd]emandez à l’établissement\./, "a native sentence"],
    [/suppléments/i, "options"],
    [/(?:annulation|#) avant le/, "jusqu’au, au plus tard le: the moment itself counts"],
    [/\bréférence\b/i, "numéro de réservation"],
    [/ [:;?!»]|« /, "a no-break space (U+00A0) before : ; ? ! » and after «"],
    [/\p{L}'\p{L}/u, "’"]
  ],
  es: [
    [/(?<!\p{L})(?:tú|tu|tus|ti|contigo|tuy[oa]s?|elige|escribe|mira|cancelas|pagas)(?!\p{L})/iu, "usted"],
    [
      /sus plazas son suyas|reserva ha terminado|Cambiar a otra hora|demasiado pronto|no abre nada|vuelve a mirar/i,
      "a native sentence"
    ],
    [/\breferencia\b/i, "número de reserva"],
    [/reembols/i, "devolver"],
    [/impugn/i, "en disputa"],
    [/por internet/i, "en línea"],
    [/\bdeseos\b/i, "peticiones"],
    [/Normas de la casa|algo es distinto|pago (?:de # )?está en camino/i, "a native sentence"],
    [/antes del #/, "hasta el, a más tardar el: the moment itself counts"],
    [/^[^¿]*\?/, "¿…?"]
  ],
  pl: [
    [/(?:łeś|łaś)(?!\p{L})/u, "no past tense that tells a person's sex"],
    [/\bPa(?:n|ni|ństwo|ństwa)\b/, "Ty"],
    [/Zakwestionowano|toczy się spór/i, "reklamacja w banku"],
    [
      /[Pp]łatność(?: \(#\))?(?: jest)? w drodze|Szukamy Twojej|Zmień inaczej|Płatność internetowa/,
      "a native sentence"
    ],
    [/“|"/, "„…”"]
  ],
  ja: [
    [/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}][:?!,;]/u, "full-width punctuation"],
    [/会場/, "施設"],
    [/もう一度確認します|何も開けません/, "a native sentence"]
  ]
}

/** Questions and answers with the assistant, who is addressed otherwise than people are. */
const toAssistant = /^\.landing\.asks\./

describe("how messages are written", () => {
  it("keeps to one register, one spelling, its language's punctuation, and no translated phrases", () => {
    const wrong = languages.flatMap((language) =>
      textsIn(messages[language])
        .filter(([path]) => !toAssistant.test(path))
        .flatMap(([path, text]) =>
          never[language]
            .filter(([pattern]) => pattern.test(text))
            .map(([, better]) => `${language}${path}: write ${better}, not: ${text}`)
        )
    )
    assert.deepStrictEqual([...new Set(wrong)], [])
  })

  it("has a form for each number of people, times, places and visits", () => {
    for (const language of languages) {
      const { card, locale, move, operator, words } = messages[language]
      const rules = new Intl.PluralRules(locale)
      const needed = new Set(Array.from({ length: 200 }, (_, n) => rules.select(n)))
      for (const forms of [words.children, words.adults, move.times, operator.visits, card.placesLeft])
        assert.containsAllKeys(forms, [...needed], language)
    }
    const polish = [1, 2, 5, 12, 22, 25].map((children) => partyIn("pl", { children, adults: 0 }))
    assert.deepStrictEqual(polish, ["1 dziecko", "2 dzieci", "5 dzieci", "12 dzieci", "22 dzieci", "25 dzieci"])
    assert.strictEqual(partyIn("pl", { children: 0, adults: 1 }), "0 dzieci, 1 dorosły")
  })

  it("lists ages as the language does, in English without a comma before the last", () => {
    const party = { children: 2, child_ages: [5, 1], adults: 1 }
    assert.deepStrictEqual(
      languages.map((language) => partyIn(language, party)),
      [
        "2 children (aged 5 and 1), 1 adult",
        "2 children (aged 5 and 1), 1 adult",
        "2 Kinder (Alter: 5 und 1), 1 Erwachsener",
        "2 enfants (âges\u00a0: 5 et 1), 1 adulte",
        "2 niños (edades: 5 y 1), 1 adulto",
        "2 dzieci (wiek: 5 i 1), 1 dorosły",
        "お子さま2名 (年齢：5、1)、大人1名"
      ]
    )
    assert.include(partyIn("en", { ...party, children: 3, child_ages: [5, 3, 1] }), "aged 5, 3 and 1")
  })
})
