/** The terms of a booking in each language: the same facts that `terms.text` of the tools is made of. */
import type { TermsFacts } from "../../catalogue/VisitTerms.ts"
import type { Instant } from "../../kernel/LocalTime.ts"
import type { Language } from "../../kernel/Language.ts"
import { dateTimeIn, moneyIn } from "../../kernel/Localized.ts"

interface Words {
  readonly nothingToPay: string
  readonly deposit: (amount: string, kept: boolean) => string
  readonly wentBack: (amount: string) => string
  readonly nothingBack: string
  readonly nothingMoreBack: string
  /** Before the list of deadlines. */
  readonly ofPaid: (sum: string) => string
  readonly ofDueNow: (sum: string) => string
  readonly ofAll: (sum: string) => string
  readonly until: (when: string, amount: string | undefined) => string
  readonly afterwards: string
  readonly headcountBy: (when: string) => string
  readonly headcountFinal: string
  readonly moveUntil: (when: string) => string
}

const words: Readonly<Record<Language, Words>> = {
  en: {
    nothingToPay: "Nothing is to be paid.",
    deposit: (amount, kept) => `${amount} is the deposit${kept ? ", which is not refunded" : ""}.`,
    wentBack: (amount) => `${amount} went back before.`,
    nothingBack: "Nothing that is paid is refunded.",
    nothingMoreBack: "Nothing more is refunded.",
    ofPaid: (sum) => `If you cancel, of the ${sum} paid:`,
    ofDueNow: (sum) => `If you pay the ${sum} due now and then cancel:`,
    ofAll: (sum) => `If you cancel once all ${sum} is paid:`,
    until: (when, amount) => `until ${when}: ${amount === undefined ? "nothing" : `${amount} back`}`,
    afterwards: "afterwards: nothing",
    headcountBy: (when) => `Tell the venue the final number of children by ${when}.`,
    headcountFinal: "The number of children is final.",
    moveUntil: (when) => `Moving to another time costs nothing until ${when}.`
  },
  de: {
    nothingToPay: "Es ist nichts zu zahlen.",
    deposit: (amount, kept) => `${amount} sind die Anzahlung${kept ? ", die nicht erstattet wird" : ""}.`,
    wentBack: (amount) => `${amount} wurden schon zurückgezahlt.`,
    nothingBack: "Was bezahlt ist, wird nicht erstattet.",
    nothingMoreBack: "Mehr wird nicht erstattet.",
    ofPaid: (sum) => `Wenn Sie stornieren, kommen von den gezahlten ${sum} zurück:`,
    ofDueNow: (sum) => `Wenn Sie die jetzt fälligen ${sum} zahlen und dann stornieren, kommen zurück:`,
    ofAll: (sum) => `Wenn Sie stornieren, nachdem alle ${sum} bezahlt sind, kommen zurück:`,
    until: (when, amount) => `bis ${when}: ${amount ?? "nichts"}`,
    afterwards: "danach: nichts",
    headcountBy: (when) => `Nennen Sie dem Veranstalter die endgültige Zahl der Kinder bis ${when}.`,
    headcountFinal: "Die Zahl der Kinder steht fest.",
    moveUntil: (when) => `Auf eine andere Zeit verlegen kostet bis ${when} nichts.`
  },
  fr: {
    nothingToPay: "Il n’y a rien à payer.",
    deposit: (amount, kept) => `L’acompte est de ${amount}${kept ? " ; il n’est pas remboursé" : ""}.`,
    wentBack: (amount) => `${amount} ont déjà été remboursés.`,
    nothingBack: "Ce qui est payé n’est pas remboursé.",
    nothingMoreBack: "Rien de plus n’est remboursé.",
    ofPaid: (sum) => `Si vous annulez, sur les ${sum} payés :`,
    ofDueNow: (sum) => `Si vous payez les ${sum} dus maintenant, puis annulez :`,
    ofAll: (sum) => `Si vous annulez une fois les ${sum} payés en totalité :`,
    until: (when, amount) => `jusqu’au ${when} : ${amount === undefined ? "rien" : `${amount} remboursés`}`,
    afterwards: "ensuite : rien",
    headcountBy: (when) => `Indiquez le nombre définitif d’enfants à l’établissement au plus tard le ${when}.`,
    headcountFinal: "Le nombre d’enfants est définitif.",
    moveUntil: (when) => `Changer d’horaire ne coûte rien jusqu’au ${when}.`
  },
  es: {
    nothingToPay: "No hay nada que pagar.",
    deposit: (amount, kept) => `La señal es de ${amount}${kept ? " y no se devuelve" : ""}.`,
    wentBack: (amount) => `Ya se devolvieron ${amount}.`,
    nothingBack: "Lo que se paga no se devuelve.",
    nothingMoreBack: "No se devuelve nada más.",
    ofPaid: (sum) => `Si cancela, de los ${sum} pagados:`,
    ofDueNow: (sum) => `Si paga los ${sum} de ahora y después cancela:`,
    ofAll: (sum) => `Si cancela cuando ya estén pagados los ${sum}:`,
    until: (when, amount) =>
      `hasta el ${when}: ${amount === undefined ? "no se devuelve nada" : `se devuelven ${amount}`}`,
    afterwards: "después: nada",
    headcountBy: (when) => `Diga al local el número definitivo de niños a más tardar el ${when}.`,
    headcountFinal: "El número de niños es definitivo.",
    moveUntil: (when) => `Cambiar de hora no cuesta nada hasta el ${when}.`
  },
  ja: {
    nothingToPay: "お支払いはありません。",
    deposit: (amount, kept) => `予約金は${amount}です${kept ? "（返金されません）" : ""}。`,
    wentBack: (amount) => `${amount}は返金済みです。`,
    nothingBack: "お支払い後の返金はありません。",
    nothingMoreBack: "これ以上の返金はありません。",
    ofPaid: (sum) => `キャンセルされた場合、お支払い済みの${sum}のうち：`,
    ofDueNow: (sum) => `今回の${sum}をお支払い後にキャンセルされた場合：`,
    ofAll: (sum) => `${sum}を全額お支払い後にキャンセルされた場合：`,
    until: (when, amount) => `${when}まで：${amount === undefined ? "返金なし" : `${amount}を返金`}`,
    afterwards: "それ以降：返金なし",
    headcountBy: (when) => `お子さまの最終人数は${when}までに施設へお知らせください。`,
    headcountFinal: "お子さまの人数は確定しています。",
    moveUntil: (when) => `${when}までは、無料で日時を変更できます。`
  }
}

/** A sentence, and what it introduces. */
export interface TermsParagraph {
  readonly text: string
  readonly list: ReadonlyArray<string>
}

/** The terms in a language, as paragraphs of plain text. */
export const termsIn = (
  language: Language,
  facts: TermsFacts,
  { currency, time_zone }: { readonly currency: string; readonly time_zone: string }
): ReadonlyArray<TermsParagraph> => {
  const say = words[language]
  const money = (amount: number) => moneyIn(language, amount, currency)
  const when = (instant: Instant) => dateTimeIn(language, time_zone, instant)
  const line = (text: string): TermsParagraph => ({ text, list: [] })
  const refunding = facts.refunds.filter(({ deadlines }) => deadlines.length > 0)
  const openings = { paid: say.ofPaid, due_now: say.ofDueNow, all: say.ofAll }
  const refunds = refunding.map(({ deadlines, of, sum }) => ({
    text: openings[of](money(sum)),
    list: [
      ...deadlines.map(({ refund, until }) => say.until(when(until), refund === 0 ? undefined : money(refund))),
      say.afterwards
    ]
  }))
  const { deposit, final_headcount: headcount, free_reschedule_until: moving, given_back } = facts
  const amounts = [
    ...(deposit === undefined || deposit.amount === 0 ? [] : [line(say.deposit(money(deposit.amount), deposit.kept))]),
    ...(given_back === 0 ? [] : [line(say.wentBack(money(given_back)))]),
    ...(refunds.length > 0 ? refunds : [line(given_back === 0 ? say.nothingBack : say.nothingMoreBack)])
  ]
  return [
    ...(facts.nothing_to_pay ? [line(say.nothingToPay)] : amounts),
    ...(moving === undefined ? [] : [line(say.moveUntil(when(moving)))]),
    ...(headcount === undefined
      ? []
      : [line(headcount.over ? say.headcountFinal : say.headcountBy(when(headcount.by)))])
  ]
}
