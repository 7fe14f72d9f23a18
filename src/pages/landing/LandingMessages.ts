/** What the start page says, in every language. A message that lacks in one fails the type check. */
import type { Language } from "../../kernel/Language.ts"

/** Texts, not HTML. What stands between backquotes is shown as code. */
interface Messages {
  readonly lead: string
  readonly how: string
  readonly payment: string
  readonly askHeading: string
  readonly asks: readonly [string, string, string]
  readonly connectHeading: string
  readonly signInHeading: string
  readonly signIn: string
  readonly signInWays: Readonly<Record<"guest" | "key" | "both", string>>
  readonly noSignIn: string
  readonly headerHeading: string
  readonly header: string
  readonly keyless: string
  readonly inFile: (file: string) => string
  readonly inShell: string
  readonly bearerHeading: string
  readonly bearer: string
  readonly knownHeading: string
  readonly known: string
  readonly host: string
  readonly sends: string
  readonly evidence: string
  readonly ways: Readonly<Record<"header" | "bearer" | "sign_in", string>>
  readonly tried: string
  readonly byHand: (version: string) => string
  readonly documented: string
  readonly more: string
  readonly documentation: string
  readonly openapi: string
  readonly health: string
  readonly privacy: string
  readonly terms: string
  readonly support: string
  readonly onboarding: Readonly<Record<"done" | "expired", string>>
}

export const messages: Readonly<Record<Language, Messages>> = {
  en: {
    lead: "Your AI assistant finds a children’s playroom here, books it, and hands you a link to pay.",
    how: "It sees which playrooms suit your group, when they are free and exactly what each time costs. A time that you choose is held for you while you pay.",
    payment: "You pay on the payment provider’s own page. Your assistant never sees your card.",
    askHeading: "What you can ask",
    asks: [
      "“Find a playroom nearby for eight children on Saturday afternoon.”",
      "“What does it cost, and what do we get back if we cancel?”",
      "“Book the two o’clock one for us.”"
    ],
    connectHeading: "Connect your assistant",
    signInHeading: "Assistants in which you sign in",
    signIn:
      "In your assistant’s settings, add a connector (some call it an app or an MCP server) with this address. Then a page of ours asks whether you agree.",
    signInWays: {
      guest: "You need no account and no key.",
      key: "There you paste your API key.",
      both: "You need no account: go on as a guest, or paste an API key."
    },
    noSignIn:
      "People can’t sign in to this service, so assistants that can’t send a key can search here, but not book.",
    headerHeading: "Assistants and programs that send your key",
    header:
      "Give them this address, and your key in the header `X-API-Key`. Put the key in place of `YOUR_KEY` in what you copy.",
    keyless:
      "Without a key they can search and see what is free. Booking and paying need one: whoever runs this service gives it to you.",
    inFile: (file) => `In \`${file}\`:`,
    inShell: "In a terminal:",
    bearerHeading: "Programs that send one token",
    bearer: "The address is the same, and the key is the bearer token:",
    knownHeading: "What works, and how we know",
    known:
      "“Tried”: this service’s own tests do it. “By hand”: we have connected that version ourselves. “By its documentation”: the maker says that it can, and we have not tried it.",
    host: "Assistant",
    sends: "Connects with",
    evidence: "How we know",
    ways: { header: "a key in a header", bearer: "a key as its token", sign_in: "signing in" },
    tried: "tried",
    byHand: (version) => `by hand, with ${version}`,
    documented: "by its documentation",
    more: "For developers",
    documentation: "Documentation",
    openapi: "OpenAPI document",
    health: "Health",
    privacy: "Privacy",
    terms: "Terms",
    support: "Help",
    onboarding: {
      done: "Thank you. Whoever runs this service sees whether the payment provider still needs something, and lets you know.",
      expired: "This link was used before, or has ended. Ask whoever runs this service for a new one."
    }
  },
  de: {
    lead: "Ihr KI-Assistent findet hier einen Spielraum für Kinder, bucht ihn und gibt Ihnen einen Link zum Bezahlen.",
    how: "Er sieht, welche Spielräume zu Ihrer Gruppe passen, wann sie frei sind und was jede Zeit genau kostet. Die Zeit, die Sie wählen, bleibt für Sie reserviert, während Sie bezahlen.",
    payment: "Sie bezahlen auf der Seite des Zahlungsanbieters. Ihr Assistent sieht Ihre Karte nie.",
    askHeading: "Das können Sie fragen",
    asks: [
      "„Finde für Samstagnachmittag einen Spielraum in der Nähe, für acht Kinder.“",
      "„Was kostet das, und was bekommen wir zurück, wenn wir absagen?“",
      "„Buche für uns den um 14 Uhr.“"
    ],
    connectHeading: "Ihren Assistenten verbinden",
    signInHeading: "Assistenten, in denen Sie sich anmelden",
    signIn:
      "Fügen Sie in den Einstellungen Ihres Assistenten einen Connector (manchmal „App“ oder „MCP-Server“ genannt) mit dieser Adresse hinzu. Dann fragt eine Seite von uns, ob Sie zustimmen.",
    signInWays: {
      guest: "Sie brauchen kein Konto und keinen Schlüssel.",
      key: "Dort fügen Sie Ihren API-Schlüssel ein.",
      both: "Sie brauchen kein Konto: Machen Sie als Gast weiter oder fügen Sie einen API-Schlüssel ein."
    },
    noSignIn:
      "Bei diesem Dienst kann man sich nicht anmelden. Assistenten, die keinen Schlüssel senden können, können hier also suchen, aber nicht buchen.",
    headerHeading: "Assistenten und Programme, die Ihren Schlüssel senden",
    header:
      "Geben Sie ihnen diese Adresse und Ihren Schlüssel im Header `X-API-Key`. Setzen Sie in dem, was Sie kopieren, den Schlüssel an die Stelle von `YOUR_KEY`.",
    keyless:
      "Ohne Schlüssel können sie suchen und freie Zeiten sehen. Zum Buchen und Bezahlen braucht es einen: Sie bekommen ihn vom Betreiber dieses Dienstes.",
    inFile: (file) => `In \`${file}\`:`,
    inShell: "In einem Terminal:",
    bearerHeading: "Programme, die ein einziges Token senden",
    bearer: "Die Adresse ist dieselbe, und der Schlüssel ist das Bearer-Token:",
    knownHeading: "Was funktioniert, und woher wir es wissen",
    known:
      "„Ausprobiert“: Die Tests dieses Dienstes tun es. „Von Hand“: Diese Version haben wir selbst verbunden. „Laut Dokumentation“: Der Hersteller sagt, dass es geht; wir haben es nicht ausprobiert.",
    host: "Assistent",
    sends: "Verbindet sich mit",
    evidence: "Woher wir es wissen",
    ways: { header: "Schlüssel im Header", bearer: "Schlüssel als Token", sign_in: "Anmeldung" },
    tried: "ausprobiert",
    byHand: (version) => `von Hand, mit ${version}`,
    documented: "laut Dokumentation",
    more: "Für Entwickler",
    documentation: "Dokumentation",
    openapi: "OpenAPI-Dokument",
    health: "Zustand",
    privacy: "Datenschutz",
    terms: "Nutzungsbedingungen",
    support: "Hilfe",
    onboarding: {
      done: "Vielen Dank. Der Betreiber dieses Dienstes sieht, ob der Zahlungsanbieter noch etwas braucht, und meldet sich bei Ihnen.",
      expired:
        "Dieser Link wurde schon benutzt oder ist abgelaufen. Bitten Sie den Betreiber dieses Dienstes um einen neuen."
    }
  },
  fr: {
    lead: "Votre assistant IA trouve ici une salle de jeux pour enfants, la réserve et vous remet un lien de paiement.",
    how: "Il voit quelles salles conviennent à votre groupe, quand elles sont libres et le prix exact de chaque créneau. Le créneau que vous choisissez est retenu pendant que vous payez.",
    payment: "Vous payez sur la page du prestataire de paiement. Votre assistant ne voit jamais votre carte.",
    askHeading: "Ce que vous pouvez demander",
    asks: [
      "« Trouve une salle de jeux près d’ici pour huit enfants samedi après-midi. »",
      "« Combien cela coûte-t-il, et que récupère-t-on en cas d’annulation ? »",
      "« Réserve-nous celle de 14 heures. »"
    ],
    connectHeading: "Connecter votre assistant",
    signInHeading: "Assistants où l’on se connecte",
    signIn:
      "Dans les réglages de votre assistant, ajoutez un connecteur (parfois appelé application ou serveur MCP) avec cette adresse. Une de nos pages vous demande ensuite votre accord.",
    signInWays: {
      guest: "Ni compte ni clé ne sont nécessaires.",
      key: "Vous y collez votre clé d’API.",
      both: "Aucun compte n’est nécessaire : continuez en tant qu’invité, ou collez une clé d’API."
    },
    noSignIn:
      "On ne peut pas se connecter à ce service : les assistants qui ne peuvent pas envoyer de clé peuvent donc y chercher, mais pas réserver.",
    headerHeading: "Assistants et programmes qui envoient votre clé",
    header:
      "Donnez-leur cette adresse, et votre clé dans l’en-tête `X-API-Key`. Dans ce que vous copiez, mettez la clé à la place de `YOUR_KEY`.",
    keyless:
      "Sans clé, ils peuvent chercher et voir les créneaux libres. Pour réserver et payer, il en faut une : l’exploitant de ce service vous la donne.",
    inFile: (file) => `Dans \`${file}\` :`,
    inShell: "Dans un terminal :",
    bearerHeading: "Programmes qui envoient un seul jeton",
    bearer: "L’adresse est la même, et la clé sert de jeton « bearer » :",
    knownHeading: "Ce qui fonctionne, et comment on le sait",
    known:
      "« Essayé » : les tests de ce service le font. « À la main » : nous avons connecté cette version nous-mêmes. « Selon sa documentation » : l’éditeur le dit, et nous ne l’avons pas essayé.",
    host: "Assistant",
    sends: "Se connecte avec",
    evidence: "Comment on le sait",
    ways: { header: "une clé dans un en-tête", bearer: "une clé comme jeton", sign_in: "une connexion" },
    tried: "essayé",
    byHand: (version) => `à la main, avec ${version}`,
    documented: "selon sa documentation",
    more: "Pour les développeurs",
    documentation: "Documentation",
    openapi: "Document OpenAPI",
    health: "État",
    privacy: "Confidentialité",
    terms: "Conditions d’utilisation",
    support: "Aide",
    onboarding: {
      done: "Merci. L’exploitant de ce service voit s’il manque encore quelque chose au prestataire de paiement, et vous le fait savoir.",
      expired: "Ce lien a déjà servi, ou a expiré. Demandez-en un nouveau à l’exploitant de ce service."
    }
  },
  es: {
    lead: "Su asistente de IA encuentra aquí una sala de juegos infantil, la reserva y le da un enlace para pagar.",
    how: "Ve qué salas convienen a su grupo, cuándo están libres y cuánto cuesta exactamente cada horario. El horario que elija queda retenido para usted mientras paga.",
    payment: "Usted paga en la página del proveedor de pagos. Su asistente nunca ve su tarjeta.",
    askHeading: "Qué puede pedir",
    asks: [
      "«Busca una sala de juegos cerca para ocho niños el sábado por la tarde.»",
      "«¿Cuánto cuesta, y qué nos devuelven si cancelamos?»",
      "«Resérvanos la de las dos.»"
    ],
    connectHeading: "Conectar su asistente",
    signInHeading: "Asistentes en los que usted inicia sesión",
    signIn:
      "En los ajustes de su asistente, añada un conector (a veces llamado aplicación o servidor MCP) con esta dirección. Después, una página nuestra le pregunta si está de acuerdo.",
    signInWays: {
      guest: "No necesita cuenta ni clave.",
      key: "Allí pega su clave de API.",
      both: "No necesita cuenta: siga como invitado o pegue una clave de API."
    },
    noSignIn:
      "En este servicio no se puede iniciar sesión: los asistentes que no pueden enviar una clave pueden buscar aquí, pero no reservar.",
    headerHeading: "Asistentes y programas que envían su clave",
    header:
      "Deles esta dirección, y su clave en la cabecera `X-API-Key`. En lo que copie, ponga la clave en lugar de `YOUR_KEY`.",
    keyless:
      "Sin clave pueden buscar y ver lo que está libre. Para reservar y pagar hace falta una: se la da quien gestiona este servicio.",
    inFile: (file) => `En \`${file}\`:`,
    inShell: "En un terminal:",
    bearerHeading: "Programas que envían un solo token",
    bearer: "La dirección es la misma, y la clave es el token «bearer»:",
    knownHeading: "Qué funciona, y cómo lo sabemos",
    known:
      "«Probado»: las pruebas de este servicio lo hacen. «A mano»: hemos conectado esa versión nosotros mismos. «Según su documentación»: lo dice su fabricante, y no lo hemos probado.",
    host: "Asistente",
    sends: "Se conecta con",
    evidence: "Cómo lo sabemos",
    ways: { header: "una clave en una cabecera", bearer: "una clave como token", sign_in: "inicio de sesión" },
    tried: "probado",
    byHand: (version) => `a mano, con ${version}`,
    documented: "según su documentación",
    more: "Para desarrolladores",
    documentation: "Documentación",
    openapi: "Documento OpenAPI",
    health: "Estado",
    privacy: "Privacidad",
    terms: "Condiciones de uso",
    support: "Ayuda",
    onboarding: {
      done: "Gracias. Quien gestiona este servicio ve si al proveedor de pagos aún le falta algo, y se lo hace saber.",
      expired: "Este enlace ya se usó o ha caducado. Pida uno nuevo a quien gestiona este servicio."
    }
  },
  ja: {
    lead: "AIアシスタントがここで子ども向けのプレイルームを探し、予約し、支払い用のリンクをお渡しします。",
    how: "人数に合うプレイルーム、空いている時間、それぞれの正確な料金がわかります。選んだ時間は、お支払いの間、仮押さえされます。",
    payment: "お支払いは決済事業者のページで行います。アシスタントがカード情報を見ることはありません。",
    askHeading: "たずね方の例",
    asks: [
      "「土曜の午後、子ども8人で使えるプレイルームを近くで探して。」",
      "「料金はいくら？キャンセルしたらいくら戻る？」",
      "「2時の枠を予約して。」"
    ],
    connectHeading: "アシスタントを接続する",
    signInHeading: "サインインして使うアシスタント",
    signIn:
      "アシスタントの設定で、次のアドレスのコネクター（アプリ、MCPサーバーと呼ぶものもあります）を追加してください。続いて、同意を確認するページが開きます。",
    signInWays: {
      guest: "アカウントもキーも要りません。",
      key: "そこでAPIキーを貼り付けます。",
      both: "アカウントは不要です。ゲストとして進むか、APIキーを貼り付けてください。"
    },
    noSignIn:
      "このサービスではサインインできません。そのため、キーを送れないアシスタントは検索できますが、予約はできません。",
    headerHeading: "キーを送るアシスタントやプログラム",
    header:
      "次のアドレスと、ヘッダー `X-API-Key` に入れるキーを設定してください。コピーした内容の `YOUR_KEY` をキーに置き換えてください。",
    keyless:
      "キーがなくても検索と空き状況の確認はできます。予約と支払いにはキーが必要です。このサービスの運営者から受け取ってください。",
    inFile: (file) => `\`${file}\` に書く内容：`,
    inShell: "ターミナルで：",
    bearerHeading: "トークンを1つだけ送るプログラム",
    bearer: "アドレスは同じで、キーがBearerトークンになります。",
    knownHeading: "動作するものと、その根拠",
    known:
      "「確認済み」はこのサービスのテストで実際に動かしています。「手作業で確認」はその版を私たちが一度接続したものです。「公式文書による」は提供元がそう説明しているもので、こちらでは試していません。",
    host: "アシスタント",
    sends: "接続方法",
    evidence: "根拠",
    ways: { header: "ヘッダーのキー", bearer: "トークンとしてのキー", sign_in: "サインイン" },
    tried: "確認済み",
    byHand: (version) => `手作業で確認（${version}）`,
    documented: "公式文書による",
    more: "開発者向け",
    documentation: "ドキュメント",
    openapi: "OpenAPI文書",
    health: "稼働状況",
    privacy: "プライバシー",
    terms: "利用規約",
    support: "ヘルプ",
    onboarding: {
      done: "ありがとうございます。決済事業者がまだ必要とするものがあれば、このサービスの運営者がお知らせします。",
      expired: "このリンクは使用済みか、期限切れです。このサービスの運営者に新しいリンクを依頼してください。"
    }
  }
}
