/** What the family's page says of each standing of a booking, in each language. */
import type { Language } from "../../kernel/Language.ts"
import type { EndedKind, StandingKind } from "../../booking/Standing.ts"
import { endedMessages } from "./EndedMessages.ts"
import { said, type StateMessage } from "./StateMessage.ts"

/** The standings of a booking that is held, confirmed, or over. */
type StateMessages = Readonly<Record<Exclude<StandingKind, EndedKind>, StateMessage>>

const en: StateMessages = {
  to_pay: said(
    "Your places are held",
    ({ amount, until }) =>
      `They are kept for you until ${until}. Pay ${amount} before then, and the booking is confirmed.`
  ),
  payment_failed: said(
    "The payment did not work",
    ({ until }) => `Nothing was charged. Your places are kept until ${until}, so you can try again.`
  ),
  payment_processing: said(
    "Your payment is on its way",
    "Some ways of paying take days. Your places are kept until the money has arrived, and you need not do anything."
  ),
  arriving: said(
    "We are looking for your payment",
    "The time to pay is over, but a payment may have been made at the last moment. Look again in a minute."
  ),
  free: said("Your booking is confirmed", "There is nothing to pay. Have a lovely visit!"),
  paid: said("Your booking is confirmed", "Everything is paid. Have a lovely visit!"),
  balance_due: said("Your booking is confirmed", ({ amount, online, until }) =>
    online
      ? `${amount} is still to be paid, by ${until}.`
      : `${amount} is still to be paid, by ${until}: at the venue, not on this page.`
  ),
  balance_overdue: said("Your booking is confirmed", ({ amount, online, until }) =>
    online
      ? `${amount} has been due since ${until}. Please pay it now.`
      : `${amount} has been due since ${until}. Please pay it at the venue.`
  ),
  balance_processing: said(
    "Your booking is confirmed",
    ({ amount }) => `Your payment of ${amount} is on its way, and you need not do anything.`
  ),
  over: said("Your visit is over", ({ amount }) =>
    amount === "" ? "Thank you for coming." : `Thank you for coming. ${amount} is still to be paid: ask the venue.`
  )
}

const de: StateMessages = {
  to_pay: said(
    "Ihre Plätze sind reserviert",
    ({ amount, until }) =>
      `Sie sind bis ${until} für Sie reserviert. Zahlen Sie bis dahin ${amount}, dann ist die Buchung bestätigt.`
  ),
  payment_failed: said(
    "Die Zahlung hat nicht geklappt",
    ({ until }) =>
      `Es wurde nichts abgebucht. Ihre Plätze bleiben bis ${until} reserviert: Sie können es noch einmal versuchen.`
  ),
  payment_processing: said(
    "Ihre Zahlung ist unterwegs",
    "Manche Zahlungsarten brauchen einige Tage. Ihre Plätze bleiben reserviert, bis das Geld da ist. Sie müssen nichts tun."
  ),
  arriving: said(
    "Wir suchen Ihre Zahlung",
    "Die Zeit zum Zahlen ist vorbei, aber vielleicht ging im letzten Moment noch eine Zahlung ein. Sehen Sie in einer Minute wieder nach."
  ),
  free: said("Ihre Buchung ist bestätigt", "Es ist nichts zu zahlen. Viel Spaß!"),
  paid: said("Ihre Buchung ist bestätigt", "Alles ist bezahlt. Viel Spaß!"),
  balance_due: said("Ihre Buchung ist bestätigt", ({ amount, online, until }) =>
    online
      ? `Es sind noch ${amount} zu zahlen, bis ${until}.`
      : `Es sind noch ${amount} zu zahlen, bis ${until}: vor Ort, nicht auf dieser Seite.`
  ),
  balance_overdue: said("Ihre Buchung ist bestätigt", ({ amount, online, until }) =>
    online
      ? `${amount} sind seit ${until} fällig. Bitte zahlen Sie jetzt.`
      : `${amount} sind seit ${until} fällig. Bitte zahlen Sie vor Ort.`
  ),
  balance_processing: said(
    "Ihre Buchung ist bestätigt",
    ({ amount }) => `Ihre Zahlung von ${amount} ist unterwegs. Sie müssen nichts tun.`
  ),
  over: said("Ihr Besuch ist vorbei", ({ amount }) =>
    amount === ""
      ? "Danke für Ihren Besuch."
      : `Danke für Ihren Besuch. Es sind noch ${amount} zu zahlen: Fragen Sie den Veranstalter.`
  )
}

const fr: StateMessages = {
  to_pay: said(
    "Vos places sont retenues",
    ({ amount, until }) =>
      `Elles vous sont gardées jusqu’au ${until}. Payez ${amount} d’ici là, et la réservation est confirmée.`
  ),
  payment_failed: said(
    "Le paiement n’a pas abouti",
    ({ until }) => `Rien n’a été débité. Vos places sont gardées jusqu’au ${until} : vous pouvez réessayer.`
  ),
  payment_processing: said(
    "Votre paiement est en route",
    "Certains moyens de paiement prennent plusieurs jours. Vos places sont gardées jusqu’à l’arrivée de l’argent ; vous n’avez rien à faire."
  ),
  arriving: said(
    "Nous cherchons votre paiement",
    "Le délai de paiement est écoulé, mais un paiement a pu être fait au dernier moment. Revenez voir dans une minute."
  ),
  free: said("Votre réservation est confirmée", "Il n’y a rien à payer. Bonne visite !"),
  paid: said("Votre réservation est confirmée", "Tout est payé. Bonne visite !"),
  balance_due: said("Votre réservation est confirmée", ({ amount, online, until }) =>
    online
      ? `Il reste ${amount} à payer, au plus tard le ${until}.`
      : `Il reste ${amount} à payer, au plus tard le ${until} : sur place, et non sur cette page.`
  ),
  balance_overdue: said("Votre réservation est confirmée", ({ amount, online, until }) =>
    online
      ? `Le solde de ${amount} est dû depuis le ${until}. Merci de le payer maintenant.`
      : `Le solde de ${amount} est dû depuis le ${until}. Merci de le payer sur place.`
  ),
  balance_processing: said(
    "Votre réservation est confirmée",
    ({ amount }) => `Votre paiement de ${amount} est en route ; vous n’avez rien à faire.`
  ),
  over: said("Votre visite est passée", ({ amount }) =>
    amount === ""
      ? "Merci de votre visite."
      : `Merci de votre visite. Il reste ${amount} à payer : adressez-vous à l’établissement.`
  )
}

const es: StateMessages = {
  to_pay: said(
    "Sus plazas están reservadas",
    ({ amount, until }) => `Se las guardamos hasta el ${until}. Pague ${amount} antes y la reserva quedará confirmada.`
  ),
  payment_failed: said(
    "El pago no se pudo hacer",
    ({ until }) => `No se cobró nada. Le guardamos las plazas hasta el ${until}. Puede intentarlo de nuevo.`
  ),
  payment_processing: said(
    "Su pago está en camino",
    "Algunas formas de pago tardan días. Le guardamos las plazas hasta que llegue el dinero; no tiene que hacer nada."
  ),
  arriving: said(
    "Estamos buscando su pago",
    "El plazo para pagar terminó, pero puede haberse hecho un pago en el último momento. Vuelva a mirar dentro de un minuto."
  ),
  free: said("Su reserva está confirmada", "No hay nada que pagar. ¡Que lo pasen bien!"),
  paid: said("Su reserva está confirmada", "Está todo pagado. ¡Que lo pasen bien!"),
  balance_due: said("Su reserva está confirmada", ({ amount, online, until }) =>
    online
      ? `Faltan por pagar ${amount}, a más tardar el ${until}.`
      : `Faltan por pagar ${amount}, a más tardar el ${until}. Se paga en el local, no en esta página.`
  ),
  balance_overdue: said("Su reserva está confirmada", ({ amount, online, until }) =>
    online
      ? `Faltan por pagar ${amount}, que vencieron el ${until}. Páguelos ahora, por favor.`
      : `Faltan por pagar ${amount}, que vencieron el ${until}. Páguelos en el local, por favor.`
  ),
  balance_processing: said(
    "Su reserva está confirmada",
    ({ amount }) => `Su pago de ${amount} está en camino; no tiene que hacer nada.`
  ),
  over: said("Su visita ya pasó", ({ amount }) =>
    amount === "" ? "Gracias por venir." : `Gracias por venir. Faltan por pagar ${amount}: pregunte en el local.`
  )
}

const ja: StateMessages = {
  to_pay: said(
    "お席を確保しています",
    ({ amount, until }) => `${until}まで確保しています。それまでに${amount}をお支払いいただくと、ご予約が確定します。`
  ),
  payment_failed: said(
    "お支払いができませんでした",
    ({ until }) => `請求は行われていません。お席は${until}まで確保していますので、もう一度お試しいただけます。`
  ),
  payment_processing: said(
    "お支払いを処理しています",
    "お支払い方法によっては数日かかります。入金が確認できるまでお席を確保していますので、何もしていただく必要はありません。"
  ),
  arriving: said(
    "お支払いを確認しています",
    "お支払いの期限は過ぎましたが、直前にお支払いいただいた可能性があります。1分ほどしてからもう一度ご確認ください。"
  ),
  free: said("ご予約が確定しました", "お支払いはありません。どうぞお楽しみください。"),
  paid: said("ご予約が確定しました", "お支払いは完了しています。どうぞお楽しみください。"),
  balance_due: said("ご予約が確定しました", ({ amount, online, until }) =>
    online
      ? `残り${amount}を${until}までにお支払いください。`
      : `残り${amount}を${until}までに施設でお支払いください。このページではお支払いできません。`
  ),
  balance_overdue: said("ご予約が確定しました", ({ amount, online, until }) =>
    online
      ? `残り${amount}のお支払い期限（${until}）が過ぎています。今すぐお支払いください。`
      : `残り${amount}のお支払い期限（${until}）が過ぎています。施設でお支払いください。`
  ),
  balance_processing: said(
    "ご予約が確定しました",
    ({ amount }) => `${amount}のお支払いを処理しています。何もしていただく必要はありません。`
  ),
  over: said("ご利用は終了しました", ({ amount }) =>
    amount === ""
      ? "ご利用ありがとうございました。"
      : `ご利用ありがとうございました。残り${amount}のお支払いについては施設にお問い合わせください。`
  )
}

export const stateMessages: Readonly<Record<Language, Readonly<Record<StandingKind, StateMessage>>>> = {
  en: { ...en, ...endedMessages.en },
  de: { ...de, ...endedMessages.de },
  fr: { ...fr, ...endedMessages.fr },
  es: { ...es, ...endedMessages.es },
  ja: { ...ja, ...endedMessages.ja }
}
