/** What the family's page says of a booking that has expired or was cancelled, in each language. */
import type { Language } from "../../kernel/Language.ts"
import type { EndedKind } from "../../booking/Standing.ts"
import { said, type StateMessage } from "./StateMessage.ts"

type EndedMessages = Readonly<Record<EndedKind, StateMessage>>

const en: EndedMessages = {
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

const de: EndedMessages = {
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

const fr: EndedMessages = {
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

const es: EndedMessages = {
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

const ja: EndedMessages = {
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

export const endedMessages: Readonly<Record<Language, EndedMessages>> = { en, de, fr, es, ja }
