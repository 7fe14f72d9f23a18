/** What a family reads of the assistant that booked for it, in every language. A message that lacks in one fails the type check. */
import type { Language } from "../../kernel/Language.ts"

/** Texts, but `who` may be HTML: it is put in as it is. */
interface Messages {
  /** Of an assistant that shows no address of its own. */
  readonly onDevice: string
  readonly saidName: (name: string) => string
  readonly unconfirmed: string
  readonly bookedThrough: string
  readonly ended: string
  readonly end: string
  readonly title: (who: string) => string
  readonly lead: string
  readonly stays: string
  readonly keep: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    onDevice: "a program on your own device",
    saidName: (name) => `It calls itself “${name}”.`,
    unconfirmed: "Nobody has confirmed who that is.",
    bookedThrough: "Booked through",
    ended: "Its access has ended.",
    end: "End its access",
    title: (who) => `End the access of ${who}?`,
    lead: "It can then no longer see, make or pay any bookings for you. To use it again, connect it anew.",
    stays: "Your bookings stay as they are, and so does this page.",
    keep: "Leave it as it is"
  },
  de: {
    onDevice: "ein Programm auf Ihrem eigenen Gerät",
    saidName: (name) => `Es nennt sich „${name}“.`,
    unconfirmed: "Niemand hat bestätigt, wer das ist.",
    bookedThrough: "Gebucht über",
    ended: "Der Zugriff ist beendet.",
    end: "Zugriff beenden",
    title: (who) => `Zugriff von ${who} beenden?`,
    lead: "Danach kann es keine Buchungen mehr für Sie sehen, machen oder zur Zahlung bringen. Um es wieder zu verwenden, verbinden Sie es neu.",
    stays: "Ihre Buchungen bleiben, wie sie sind, und diese Seite auch.",
    keep: "So lassen"
  },
  fr: {
    onDevice: "un programme sur votre propre appareil",
    saidName: (name) => `Il se nomme « ${name} ».`,
    unconfirmed: "Personne n’a confirmé de qui il s’agit.",
    bookedThrough: "Réservé par",
    ended: "Son accès a pris fin.",
    end: "Mettre fin à son accès",
    title: (who) => `Mettre fin à l’accès de ${who} ?`,
    lead: "Il ne pourra plus voir, faire ni faire payer de réservations pour vous. Pour l’utiliser de nouveau, reconnectez-le.",
    stays: "Vos réservations restent comme elles sont, et cette page aussi.",
    keep: "Laisser comme c’est"
  },
  es: {
    onDevice: "un programa de su propio dispositivo",
    saidName: (name) => `Se llama a sí mismo «${name}».`,
    unconfirmed: "Nadie ha confirmado quién es.",
    bookedThrough: "Reservado a través de",
    ended: "Su acceso ha terminado.",
    end: "Terminar su acceso",
    title: (who) => `¿Terminar el acceso de ${who}?`,
    lead: "Ya no podrá ver, hacer ni llevar a pagar reservas para usted. Para volver a usarlo, conéctelo de nuevo.",
    stays: "Sus reservas siguen como están, y esta página también.",
    keep: "Dejarlo como está"
  },
  ja: {
    onDevice: "お使いの端末のプログラム",
    saidName: (name) => `「${name}」と名乗っています。`,
    unconfirmed: "相手が誰かは誰も確認していません。",
    bookedThrough: "予約に使われたアシスタント",
    ended: "このアシスタントの接続は終了しています。",
    end: "接続を終了する",
    title: (who) => `${who}の接続を終了しますか？`,
    lead: "終了すると、あなたの予約の確認、新しい予約、支払い用リンクの作成ができなくなります。もう一度使うには、接続し直してください。",
    stays: "ご予約とこのページは、そのまま残ります。",
    keep: "このままにする"
  }
}
