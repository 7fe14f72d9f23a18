/** What the family's page says of each state of a booking, in each language: a heading and a sentence or two. */
import type { Language } from "../../kernel/Language.ts"
import type { BookingState } from "./BookingState.ts"

/** Amounts and times in the reader's language. Those that don't apply in a state are empty. */
export interface StateFacts {
  /** What is to be paid: now, or as the balance. */
  readonly amount: string
  /** Until when the places are held, or the balance is due. */
  readonly until: string
  readonly paid: string
  readonly on_its_way: string
  readonly paid_back: string
  /** Whether the balance can be paid on a page; if not, it is paid at the venue. */
  readonly online: boolean
}

export interface StateMessage {
  readonly heading: string
  readonly lead: (facts: StateFacts) => string
}

type StateMessages = Readonly<Record<BookingState, StateMessage>>

const said = (heading: string, lead: string | ((facts: StateFacts) => string)): StateMessage => ({
  heading,
  lead: typeof lead === "string" ? () => lead : lead
})

const en: StateMessages = {
  to_pay: said(
    "Your places are held",
    ({ amount, until }) =>
      `They are kept for you until ${until}. Pay ${amount} before then, and the booking is confirmed.`
  ),
  failed: said(
    "The payment did not work",
    ({ until }) => `Nothing was charged. Your places are kept until ${until}, so you can try again.`
  ),
  processing: said(
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
  ),
  expired: said(
    "Your booking has ended",
    "It was not paid in time, and its places are free again. Nothing was charged."
  ),
  expired_processing: said(
    "Your booking has ended",
    "The payment came too late, and is still being processed. When it arrives, it confirms the booking if its places are free, and goes back to you if not."
  ),
  expired_going_back: said("Your booking has ended", ({ on_its_way }) =>
    on_its_way === ""
      ? "The payment came after its places had gone, and goes back to you."
      : `The payment came after its places had gone. ${on_its_way} is on its way back to you; banks take some days for that.`
  ),
  expired_paid_back: said(
    "Your booking has ended",
    ({ paid_back }) => `The payment came after its places had gone. ${paid_back} was paid back to you.`
  ),
  cancelled: said("Your booking is cancelled", "Nothing was paid, and there is nothing to pay."),
  cancelled_kept: said(
    "Your booking is cancelled",
    ({ paid }) => `By the terms of the booking, nothing of the ${paid} paid comes back.`
  ),
  cancelled_processing: said(
    "Your booking is cancelled",
    "A payment is still being processed. When it arrives, it goes back to you."
  ),
  cancelled_going_back: said("Your booking is cancelled", ({ on_its_way }) =>
    on_its_way === ""
      ? "Your money is on its way back to you, the way you paid. Banks take some days for that."
      : `${on_its_way} is on its way back to you, the way you paid. Banks take some days for that.`
  ),
  cancelled_paid_back: said(
    "Your booking is cancelled",
    ({ paid_back }) => `${paid_back} was paid back to you, the way you paid.`
  )
}

const de: StateMessages = {
  to_pay: said(
    "Ihre Plätze sind reserviert",
    ({ amount, until }) =>
      `Sie sind bis ${until} für Sie reserviert. Zahlen Sie bis dahin ${amount}, dann ist die Buchung bestätigt.`
  ),
  failed: said(
    "Die Zahlung hat nicht geklappt",
    ({ until }) =>
      `Es wurde nichts abgebucht. Ihre Plätze bleiben bis ${until} reserviert: Sie können es noch einmal versuchen.`
  ),
  processing: said(
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
  ),
  expired: said(
    "Ihre Buchung ist abgelaufen",
    "Sie wurde nicht rechtzeitig bezahlt, und die Plätze sind wieder frei. Es wurde nichts abgebucht."
  ),
  expired_processing: said(
    "Ihre Buchung ist abgelaufen",
    "Die Zahlung kam zu spät und wird noch verarbeitet. Wenn sie ankommt, bestätigt sie die Buchung, falls die Plätze noch frei sind. Sonst geht sie an Sie zurück."
  ),
  expired_going_back: said("Ihre Buchung ist abgelaufen", ({ on_its_way }) =>
    on_its_way === ""
      ? "Die Zahlung kam, als die Plätze schon vergeben waren. Sie geht an Sie zurück."
      : `Die Zahlung kam, als die Plätze schon vergeben waren. ${on_its_way} sind auf dem Weg zurück zu Ihnen; Banken brauchen dafür einige Tage.`
  ),
  expired_paid_back: said(
    "Ihre Buchung ist abgelaufen",
    ({ paid_back }) => `Die Zahlung kam, als die Plätze schon vergeben waren. ${paid_back} wurden Ihnen zurückgezahlt.`
  ),
  cancelled: said("Ihre Buchung ist storniert", "Es wurde nichts bezahlt, und es ist nichts zu zahlen."),
  cancelled_kept: said(
    "Ihre Buchung ist storniert",
    ({ paid }) => `Nach den Bedingungen der Buchung kommt von den gezahlten ${paid} nichts zurück.`
  ),
  cancelled_processing: said(
    "Ihre Buchung ist storniert",
    "Eine Zahlung wird noch verarbeitet. Wenn sie ankommt, geht sie an Sie zurück."
  ),
  cancelled_going_back: said("Ihre Buchung ist storniert", ({ on_its_way }) =>
    on_its_way === ""
      ? "Ihr Geld ist auf dem Weg zurück zu Ihnen, auf dem Weg, auf dem Sie bezahlt haben. Banken brauchen dafür einige Tage."
      : `${on_its_way} sind auf dem Weg zurück zu Ihnen, so wie Sie bezahlt haben. Banken brauchen dafür einige Tage.`
  ),
  cancelled_paid_back: said(
    "Ihre Buchung ist storniert",
    ({ paid_back }) => `${paid_back} wurden Ihnen zurückgezahlt, so wie Sie bezahlt haben.`
  )
}

const fr: StateMessages = {
  to_pay: said(
    "Vos places sont retenues",
    ({ amount, until }) =>
      `Elles vous sont gardées jusqu’au ${until}. Payez ${amount} d’ici là, et la réservation est confirmée.`
  ),
  failed: said(
    "Le paiement n’a pas abouti",
    ({ until }) => `Rien n’a été débité. Vos places sont gardées jusqu’au ${until} : vous pouvez réessayer.`
  ),
  processing: said(
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
  ),
  expired: said(
    "Votre réservation a expiré",
    "Elle n’a pas été payée à temps et ses places sont de nouveau libres. Rien n’a été débité."
  ),
  expired_processing: said(
    "Votre réservation a expiré",
    "Le paiement est venu trop tard et est encore en cours. À son arrivée, il confirme la réservation si ses places sont libres ; sinon, il vous est rendu."
  ),
  expired_going_back: said("Votre réservation a expiré", ({ on_its_way }) =>
    on_its_way === ""
      ? "Le paiement est arrivé alors que les places n’étaient plus libres ; il vous est rendu."
      : `Le paiement est arrivé alors que les places n’étaient plus libres. ${on_its_way} vous sont en cours de remboursement ; les banques mettent quelques jours.`
  ),
  expired_paid_back: said(
    "Votre réservation a expiré",
    ({ paid_back }) =>
      `Le paiement est arrivé alors que les places n’étaient plus libres. ${paid_back} vous ont été remboursés.`
  ),
  cancelled: said("Votre réservation est annulée", "Rien n’a été payé et il n’y a rien à payer."),
  cancelled_kept: said(
    "Votre réservation est annulée",
    ({ paid }) => `Selon les conditions de la réservation, rien des ${paid} payés n’est remboursé.`
  ),
  cancelled_processing: said(
    "Votre réservation est annulée",
    "Un paiement est encore en cours. À son arrivée, il vous est rendu."
  ),
  cancelled_going_back: said("Votre réservation est annulée", ({ on_its_way }) =>
    on_its_way === ""
      ? "Votre argent vous est en cours de remboursement, par le même moyen de paiement. Les banques mettent quelques jours."
      : `${on_its_way} vous sont en cours de remboursement, par le même moyen de paiement. Les banques mettent quelques jours.`
  ),
  cancelled_paid_back: said(
    "Votre réservation est annulée",
    ({ paid_back }) => `${paid_back} vous ont été remboursés, par le même moyen de paiement.`
  )
}

const es: StateMessages = {
  to_pay: said(
    "Sus plazas están reservadas",
    ({ amount, until }) => `Se las guardamos hasta el ${until}. Pague ${amount} antes y la reserva quedará confirmada.`
  ),
  failed: said(
    "El pago no se pudo hacer",
    ({ until }) => `No se cobró nada. Le guardamos las plazas hasta el ${until}. Puede intentarlo de nuevo.`
  ),
  processing: said(
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
  ),
  expired: said("Su reserva ha caducado", "No se pagó a tiempo y sus plazas vuelven a estar libres. No se cobró nada."),
  expired_processing: said(
    "Su reserva ha caducado",
    "El pago llegó tarde y aún se está procesando. Cuando llegue, confirmará la reserva si las plazas están libres; si no, se le devolverá."
  ),
  expired_going_back: said("Su reserva ha caducado", ({ on_its_way }) =>
    on_its_way === ""
      ? "El pago llegó cuando las plazas ya no estaban libres, y se le devuelve."
      : `El pago llegó cuando las plazas ya no estaban libres. Le estamos devolviendo ${on_its_way}; los bancos tardan unos días.`
  ),
  expired_paid_back: said(
    "Su reserva ha caducado",
    ({ paid_back }) => `El pago llegó cuando las plazas ya no estaban libres. Se le devolvieron ${paid_back}.`
  ),
  cancelled: said("Su reserva está cancelada", "No se pagó nada y no hay nada que pagar."),
  cancelled_kept: said(
    "Su reserva está cancelada",
    ({ paid }) => `Según las condiciones de la reserva, de los ${paid} pagados no se devuelve nada.`
  ),
  cancelled_processing: said(
    "Su reserva está cancelada",
    "Un pago aún se está procesando. Cuando llegue, se le devolverá."
  ),
  cancelled_going_back: said("Su reserva está cancelada", ({ on_its_way }) =>
    on_its_way === ""
      ? "Le estamos devolviendo el dinero por el mismo medio de pago. Los bancos tardan unos días."
      : `Le estamos devolviendo ${on_its_way} por el mismo medio de pago. Los bancos tardan unos días.`
  ),
  cancelled_paid_back: said(
    "Su reserva está cancelada",
    ({ paid_back }) => `Se le devolvieron ${paid_back} por el mismo medio de pago.`
  )
}

const ja: StateMessages = {
  to_pay: said(
    "お席を確保しています",
    ({ amount, until }) => `${until}まで確保しています。それまでに${amount}をお支払いいただくと、ご予約が確定します。`
  ),
  failed: said(
    "お支払いができませんでした",
    ({ until }) => `請求は行われていません。お席は${until}まで確保していますので、もう一度お試しいただけます。`
  ),
  processing: said(
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
  ),
  expired: said(
    "ご予約の期限が切れました",
    "期限までにお支払いがなかったため、お席の確保は終了しました。請求は行われていません。"
  ),
  expired_processing: said(
    "ご予約の期限が切れました",
    "期限後のお支払いを処理しています。入金時に席が空いていればご予約が確定し、空いていなければ返金されます。"
  ),
  expired_going_back: said("ご予約の期限が切れました", ({ on_its_way }) =>
    on_its_way === ""
      ? "席が埋まった後にお支払いが届いたため、返金されます。"
      : `席が埋まった後にお支払いが届いたため、${on_its_way}の返金手続き中です。銀行の処理に数日かかることがあります。`
  ),
  expired_paid_back: said(
    "ご予約の期限が切れました",
    ({ paid_back }) => `席が埋まった後にお支払いが届いたため、${paid_back}を返金しました。`
  ),
  cancelled: said("ご予約はキャンセルされました", "お支払いはなく、これからのお支払いもありません。"),
  cancelled_kept: said(
    "ご予約はキャンセルされました",
    ({ paid }) => `ご予約の条件により、お支払い済みの${paid}の返金はありません。`
  ),
  cancelled_processing: said(
    "ご予約はキャンセルされました",
    "処理中のお支払いがあります。入金され次第、返金されます。"
  ),
  cancelled_going_back: said("ご予約はキャンセルされました", ({ on_its_way }) =>
    on_its_way === ""
      ? "お支払いと同じ方法で返金手続き中です。銀行の処理に数日かかることがあります。"
      : `お支払いと同じ方法で${on_its_way}の返金手続き中です。銀行の処理に数日かかることがあります。`
  ),
  cancelled_paid_back: said(
    "ご予約はキャンセルされました",
    ({ paid_back }) => `お支払いと同じ方法で${paid_back}を返金しました。`
  )
}

export const stateMessages: Readonly<Record<Language, StateMessages>> = { en, de, fr, es, ja }
