/** What people read where they agree that a host acts for them, in every language. A message that lacks in one fails the type check. */
import type { Scope } from "../../access/ApiKey.ts"
import type { Language } from "../../kernel/Language.ts"

/** `host` is text that is escaped already. */
export interface Messages {
  readonly title: (host: string) => string
  readonly lead: (host: string) => string
  /** The same where a program on the person's own device asks, which has no host. */
  readonly titleLocal: string
  readonly leadLocal: string
  readonly who: string
  readonly proven: string
  readonly unproven: (name: string) => string
  readonly unprovenNameless: string
  readonly backTo: string
  readonly ownMachine: string
  readonly mayDo: string
  readonly scopes: Readonly<Record<Exclude<Scope, "admin">, string>>
  readonly notYou: string
  readonly keyHeading: string
  readonly keyLabel: string
  readonly keyNote: string
  readonly keyButton: string
  readonly guestHeading: string
  readonly guestNote: string
  readonly guestButton: string
  readonly refuse: string
  readonly keyMissing: string
  readonly keyWrong: string
  readonly keyAllowsNothing: string
  readonly tooManyTries: string
  readonly tooManyGuests: string
  readonly noCookieTitle: string
  readonly noCookie: string
  readonly expiredTitle: string
  readonly expired: string
  readonly errorTitle: string
  readonly error: string
  readonly unavailable: string
  readonly startAgain: string
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    title: (host) => `Connect ${host}?`,
    lead: (host) => `${host} asks to find playrooms, book them and get links to pay, for you.`,
    titleLocal: "Connect a program on your device?",
    leadLocal: "A program on your device asks to find playrooms, book them and get links to pay, for you.",
    who: "Who asks",
    proven: "This address is confirmed.",
    unproven: (name) => `It calls itself “${name}”. Nobody has checked this name.`,
    unprovenNameless: "Nobody has checked who this is.",
    backTo: "You are sent back to",
    ownMachine: "a program on your own device",
    mayDo: "What it may do",
    scopes: {
      "bookings:read": "See the bookings that were made through this connection",
      "bookings:write": "Hold and book places in playrooms",
      "payments:write": "Make links on which you pay. It can’t pay by itself."
    },
    notYou: "If you did not start this yourself just now, refuse.",
    keyHeading: "With an API key",
    keyLabel: "API key",
    keyNote: "It acts as this key until the key ends or you end the connection.",
    keyButton: "Connect with this key",
    guestHeading: "As a guest",
    guestNote: "You need no account. It sees only the bookings that it makes for you.",
    guestButton: "Connect as a guest",
    refuse: "Refuse",
    keyMissing: "Paste an API key.",
    keyWrong: "This API key is wrong, or has ended.",
    keyAllowsNothing: "This API key allows nothing of what is asked for.",
    tooManyTries: "Too many tries. Wait a minute, then try again.",
    tooManyGuests: "Too many guests have connected from here. Try again in an hour.",
    noCookieTitle: "Your browser kept no cookie",
    noCookie:
      "This page needs one cookie, to know that it is you who answers. Allow cookies for this site, or open the link in your usual browser.",
    expiredTitle: "This page has expired",
    expired: "It was open for too long, or was answered already.",
    errorTitle: "This can’t be connected",
    error: "What the program asked for can’t be done. Whoever made it finds the reason here:",
    unavailable: "The service can’t answer for a moment. Try again soon.",
    startAgain: "Go back to your assistant and connect again."
  },
  de: {
    title: (host) => `${host} verbinden?`,
    lead: (host) => `${host} möchte für Sie Spielräume finden, buchen und Links zum Bezahlen holen.`,
    titleLocal: "Ein Programm auf Ihrem Gerät verbinden?",
    leadLocal: "Ein Programm auf Ihrem Gerät möchte für Sie Spielräume finden, buchen und Links zum Bezahlen holen.",
    who: "Wer fragt",
    proven: "Diese Adresse ist bestätigt.",
    unproven: (name) => `Das Programm nennt sich „${name}“. Niemand hat diesen Namen geprüft.`,
    unprovenNameless: "Niemand hat geprüft, wer das ist.",
    backTo: "Danach geht es zurück zu",
    ownMachine: "einem Programm auf Ihrem eigenen Gerät",
    mayDo: "Was erlaubt wird",
    scopes: {
      "bookings:read": "Buchungen sehen, die über diese Verbindung entstanden sind",
      "bookings:write": "Plätze in Spielräumen reservieren und buchen",
      "payments:write": "Links erstellen, über die Sie bezahlen. Selbst bezahlen kann es nicht."
    },
    notYou: "Haben Sie das nicht gerade selbst begonnen, lehnen Sie ab.",
    keyHeading: "Mit einem API-Schlüssel",
    keyLabel: "API-Schlüssel",
    keyNote: "Die Verbindung handelt mit diesem Schlüssel, bis er endet oder Sie die Verbindung beenden.",
    keyButton: "Mit diesem Schlüssel verbinden",
    guestHeading: "Als Gast",
    guestNote: "Sie brauchen kein Konto. Zu sehen sind nur die Buchungen, die so für Sie entstehen.",
    guestButton: "Als Gast verbinden",
    refuse: "Ablehnen",
    keyMissing: "Fügen Sie einen API-Schlüssel ein.",
    keyWrong: "Dieser API-Schlüssel ist falsch oder abgelaufen.",
    keyAllowsNothing: "Dieser API-Schlüssel erlaubt nichts von dem, was gewünscht wird.",
    tooManyTries: "Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es dann erneut.",
    tooManyGuests: "Von hier haben sich zu viele Gäste verbunden. Versuchen Sie es in einer Stunde erneut.",
    noCookieTitle: "Ihr Browser hat kein Cookie behalten",
    noCookie:
      "Diese Seite braucht ein Cookie, um zu wissen, dass Sie es sind. Erlauben Sie Cookies für diese Seite oder öffnen Sie den Link in Ihrem üblichen Browser.",
    expiredTitle: "Diese Seite ist abgelaufen",
    expired: "Sie war zu lange offen oder wurde schon beantwortet.",
    errorTitle: "Das lässt sich nicht verbinden",
    error: "Was das Programm verlangt, geht nicht. Wer es gemacht hat, findet hier den Grund:",
    unavailable: "Der Dienst kann gerade nicht antworten. Versuchen Sie es gleich noch einmal.",
    startAgain: "Gehen Sie zurück zu Ihrem Assistenten und verbinden Sie erneut."
  },
  fr: {
    title: (host) => `Connecter ${host} ?`,
    lead: (host) =>
      `${host} demande à trouver et réserver des salles de jeux pour vous, et à obtenir des liens de paiement.`,
    titleLocal: "Connecter un programme de votre appareil ?",
    leadLocal:
      "Un programme de votre appareil demande à trouver et réserver des salles de jeux pour vous, et à obtenir des liens de paiement.",
    who: "Qui demande",
    proven: "Cette adresse est confirmée.",
    unproven: (name) => `Ce programme se nomme « ${name} ». Personne n’a vérifié ce nom.`,
    unprovenNameless: "Personne n’a vérifié de qui il s’agit.",
    backTo: "Vous serez renvoyé vers",
    ownMachine: "un programme sur votre propre appareil",
    mayDo: "Ce qui sera permis",
    scopes: {
      "bookings:read": "Voir les réservations faites par cette connexion",
      "bookings:write": "Retenir et réserver des places dans des salles de jeux",
      "payments:write": "Créer des liens pour que vous payiez. Il ne peut pas payer lui-même."
    },
    notYou: "Si vous n’avez pas lancé cette demande à l’instant, refusez.",
    keyHeading: "Avec une clé d’API",
    keyLabel: "Clé d’API",
    keyNote: "La connexion agit avec cette clé jusqu’à la fin de la clé ou de la connexion.",
    keyButton: "Connecter avec cette clé",
    guestHeading: "En tant qu’invité",
    guestNote: "Aucun compte n’est nécessaire. Seules les réservations faites ainsi pour vous sont visibles.",
    guestButton: "Connecter en tant qu’invité",
    refuse: "Refuser",
    keyMissing: "Collez une clé d’API.",
    keyWrong: "Cette clé d’API est fausse ou a expiré.",
    keyAllowsNothing: "Cette clé d’API ne permet rien de ce qui est demandé.",
    tooManyTries: "Trop d’essais. Attendez une minute, puis réessayez.",
    tooManyGuests: "Trop d’invités se sont connectés d’ici. Réessayez dans une heure.",
    noCookieTitle: "Votre navigateur n’a pas gardé de cookie",
    noCookie:
      "Cette page a besoin d’un cookie pour savoir que c’est bien vous. Autorisez les cookies pour ce site, ou ouvrez le lien dans votre navigateur habituel.",
    expiredTitle: "Cette page a expiré",
    expired: "Elle est restée ouverte trop longtemps, ou a déjà reçu une réponse.",
    errorTitle: "Connexion impossible",
    error: "Ce que le programme demande n’est pas possible. Son auteur en trouve la raison ici :",
    unavailable: "Le service ne peut pas répondre pour le moment. Réessayez bientôt.",
    startAgain: "Retournez à votre assistant et connectez-vous à nouveau."
  },
  es: {
    title: (host) => `¿Conectar ${host}?`,
    lead: (host) => `${host} pide buscar y reservar salas de juegos para usted, y obtener enlaces de pago.`,
    titleLocal: "¿Conectar un programa de su dispositivo?",
    leadLocal:
      "Un programa de su dispositivo pide buscar y reservar salas de juegos para usted, y obtener enlaces de pago.",
    who: "Quién lo pide",
    proven: "Esta dirección está confirmada.",
    unproven: (name) => `El programa se llama a sí mismo «${name}». Nadie ha comprobado ese nombre.`,
    unprovenNameless: "Nadie ha comprobado quién es.",
    backTo: "Después vuelve a",
    ownMachine: "un programa de su propio dispositivo",
    mayDo: "Lo que podrá hacer",
    scopes: {
      "bookings:read": "Ver las reservas hechas con esta conexión",
      "bookings:write": "Retener y reservar plazas en salas de juegos",
      "payments:write": "Crear enlaces para que usted pague. No puede pagar por sí mismo."
    },
    notYou: "Si no lo ha iniciado usted ahora mismo, rechácelo.",
    keyHeading: "Con una clave de API",
    keyLabel: "Clave de API",
    keyNote: "La conexión actúa con esta clave hasta que termine la clave o la conexión.",
    keyButton: "Conectar con esta clave",
    guestHeading: "Como invitado",
    guestNote: "No necesita cuenta. Solo se ven las reservas que se hagan así para usted.",
    guestButton: "Conectar como invitado",
    refuse: "Rechazar",
    keyMissing: "Pegue una clave de API.",
    keyWrong: "Esta clave de API es incorrecta o ha caducado.",
    keyAllowsNothing: "Esta clave de API no permite nada de lo que se pide.",
    tooManyTries: "Demasiados intentos. Espere un minuto y vuelva a intentarlo.",
    tooManyGuests: "Se han conectado demasiados invitados desde aquí. Vuelva a intentarlo dentro de una hora.",
    noCookieTitle: "Su navegador no ha guardado la cookie",
    noCookie:
      "Esta página necesita una cookie para saber que es usted. Permita las cookies de este sitio o abra el enlace en su navegador habitual.",
    expiredTitle: "Esta página ha caducado",
    expired: "Ha estado abierta demasiado tiempo, o ya se ha respondido.",
    errorTitle: "No se puede conectar",
    error: "Lo que pide el programa no es posible. Quien lo hizo encuentra aquí el motivo:",
    unavailable: "El servicio no puede responder en este momento. Vuelva a intentarlo pronto.",
    startAgain: "Vuelva a su asistente y conéctelo de nuevo."
  },
  ja: {
    title: (host) => `${host} を接続しますか？`,
    lead: (host) => `${host} が、あなたの代わりにプレイルームの検索と予約、支払い用リンクの取得を求めています。`,
    titleLocal: "お使いの端末のプログラムを接続しますか？",
    leadLocal:
      "お使いの端末のプログラムが、あなたの代わりにプレイルームの検索と予約、支払い用リンクの取得を求めています。",
    who: "接続を求めている相手",
    proven: "このアドレスは確認されています。",
    unproven: (name) => `このプログラムは「${name}」と名乗っています。この名前は誰も確認していません。`,
    unprovenNameless: "相手が誰かは誰も確認していません。",
    backTo: "このあと戻る先",
    ownMachine: "お使いの端末のプログラム",
    mayDo: "許可する内容",
    scopes: {
      "bookings:read": "この接続で行われた予約を見る",
      "bookings:write": "プレイルームの枠を仮押さえし、予約する",
      "payments:write": "あなたが支払うためのリンクを作る（支払いそのものはできません）"
    },
    notYou: "ご自身で今始めた操作でなければ、拒否してください。",
    keyHeading: "APIキーを使う",
    keyLabel: "APIキー",
    keyNote: "キーまたは接続が終了するまで、このキーとして動作します。",
    keyButton: "このキーで接続する",
    guestHeading: "ゲストとして使う",
    guestNote: "アカウントは不要です。この接続であなたのために行われた予約だけが見えます。",
    guestButton: "ゲストとして接続する",
    refuse: "拒否する",
    keyMissing: "APIキーを貼り付けてください。",
    keyWrong: "このAPIキーは正しくないか、すでに終了しています。",
    keyAllowsNothing: "このAPIキーでは、求められている操作を何も行えません。",
    tooManyTries: "試行回数が多すぎます。1分待ってからやり直してください。",
    tooManyGuests: "ここからの接続が多すぎます。1時間後にやり直してください。",
    noCookieTitle: "ブラウザーにCookieが保存されていません",
    noCookie:
      "ご本人の操作であることを確かめるため、Cookieが1つ必要です。このサイトのCookieを許可するか、普段のブラウザーでリンクを開いてください。",
    expiredTitle: "このページの有効期限が切れました",
    expired: "開いたままの時間が長すぎたか、すでに回答済みです。",
    errorTitle: "接続できません",
    error: "プログラムが求めた操作は行えません。作成者向けの理由は次のとおりです。",
    unavailable: "サービスが一時的に応答できません。しばらくしてからやり直してください。",
    startAgain: "アシスタントに戻って、もう一度接続してください。"
  }
}
