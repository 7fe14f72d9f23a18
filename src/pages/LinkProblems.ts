/** What is shown instead of a page that a token opens. */
import type { HttpServerResponse } from "effect/http"
import { html } from "../kernel/Html.ts"
import type { Language } from "../kernel/Language.ts"
import { page } from "./Layout.ts"

/**
 * `dead`: the token opens nothing. `unavailable`: the page can't be made now. `tooMany`: this network address asked too often.
 * `unreadable`: a form came incomplete, or is none of ours.
 */
export type LinkProblem = "dead" | "unavailable" | "tooMany" | "unreadable"

interface Message {
  readonly title: string
  readonly lead: string
  readonly more: string
}

const messages: Readonly<Record<Language, Readonly<Record<LinkProblem, Message>>>> = {
  en: {
    dead: {
      title: "This link opens nothing",
      lead: "It is incomplete, was replaced by a new one, or is too old.",
      more: "Check that the whole address was copied. If it was, ask your assistant or the venue for the current link."
    },
    unavailable: {
      title: "We can’t show this page right now",
      lead: "Nothing is lost.",
      more: "Please load the page again in a moment: it then says how things stand."
    },
    tooMany: {
      title: "Too many requests",
      lead: "Many pages were asked for from your network within a minute.",
      more: "Please wait a minute, then load the page again."
    },
    unreadable: {
      title: "This form could not be read",
      lead: "It arrived incomplete, and nothing has changed.",
      more: "Go back, load the page again, and send the form once more."
    }
  },
  de: {
    dead: {
      title: "Dieser Link öffnet nichts",
      lead: "Er ist unvollständig, wurde durch einen neuen ersetzt oder ist zu alt.",
      more: "Prüfen Sie, ob die ganze Adresse kopiert wurde. Wenn ja, fragen Sie Ihren Assistenten oder den Veranstalter nach dem aktuellen Link."
    },
    unavailable: {
      title: "Die Seite lässt sich gerade nicht anzeigen",
      lead: "Nichts ist verloren.",
      more: "Bitte laden Sie die Seite gleich noch einmal: Dann sagt sie, wie es steht."
    },
    tooMany: {
      title: "Zu viele Anfragen",
      lead: "Aus Ihrem Netz wurden innerhalb einer Minute sehr viele Seiten abgerufen.",
      more: "Bitte warten Sie eine Minute und laden Sie die Seite dann noch einmal."
    },
    unreadable: {
      title: "Das Formular ließ sich nicht lesen",
      lead: "Es kam unvollständig an, und es hat sich nichts geändert.",
      more: "Gehen Sie zurück, laden Sie die Seite neu und senden Sie das Formular noch einmal."
    }
  },
  fr: {
    dead: {
      title: "Ce lien n’ouvre rien",
      lead: "Il est incomplet, a été remplacé par un nouveau ou est trop ancien.",
      more: "Vérifiez que l’adresse a été copiée en entier. Si c’est le cas, demandez le lien actuel à votre assistant ou à l’établissement."
    },
    unavailable: {
      title: "Impossible d’afficher cette page pour le moment",
      lead: "Rien n’est perdu.",
      more: "Veuillez recharger la page dans un instant : elle dira alors où en sont les choses."
    },
    tooMany: {
      title: "Trop de demandes",
      lead: "De nombreuses pages ont été demandées depuis votre réseau en une minute.",
      more: "Veuillez patienter une minute, puis recharger la page."
    },
    unreadable: {
      title: "Ce formulaire n’a pas pu être lu",
      lead: "Il est arrivé incomplet, et rien n’a changé.",
      more: "Revenez en arrière, rechargez la page et envoyez le formulaire à nouveau."
    }
  },
  es: {
    dead: {
      title: "Este enlace no abre nada",
      lead: "Está incompleto, fue sustituido por uno nuevo o es demasiado antiguo.",
      more: "Compruebe que se copió la dirección completa. Si es así, pida el enlace actual a su asistente o al local."
    },
    unavailable: {
      title: "Ahora no podemos mostrar esta página",
      lead: "No se ha perdido nada.",
      more: "Vuelva a cargar la página dentro de un momento: entonces dirá cómo está todo."
    },
    tooMany: {
      title: "Demasiadas solicitudes",
      lead: "Desde su red se pidieron muchas páginas en un minuto.",
      more: "Espere un minuto y vuelva a cargar la página."
    },
    unreadable: {
      title: "No se pudo leer el formulario",
      lead: "Llegó incompleto y no ha cambiado nada.",
      more: "Vuelva atrás, cargue la página de nuevo y envíe el formulario otra vez."
    }
  },
  ja: {
    dead: {
      title: "このリンクでは何も開けません",
      lead: "アドレスが途中で切れているか、新しいリンクに替わったか、期限が過ぎています。",
      more: "アドレス全体がコピーされているかご確認ください。それでも開けないときは、アシスタントまたは施設に現在のリンクをお尋ねください。"
    },
    unavailable: {
      title: "ただいまページを表示できません",
      lead: "何も失われていません。",
      more: "しばらくしてからもう一度読み込んでください。そのときの状況が表示されます。"
    },
    tooMany: {
      title: "リクエストが多すぎます",
      lead: "お使いのネットワークから1分間に多くのページが要求されました。",
      more: "1分ほど待ってから、もう一度読み込んでください。"
    },
    unreadable: {
      title: "フォームを読み取れませんでした",
      lead: "途中までしか届かず、何も変わっていません。",
      more: "前のページに戻って読み込み直し、もう一度送信してください。"
    }
  }
}

const statuses: Readonly<Record<LinkProblem, number>> = { dead: 404, unavailable: 503, tooMany: 429, unreadable: 400 }

/** The page for such a request. `retryAfter`: in how many seconds it may come again. */
export const linkProblemPage = (
  problem: LinkProblem,
  language: Language,
  retryAfter = 5
): HttpServerResponse.HttpServerResponse => {
  const { lead, more, title } = messages[language][problem]
  return page(
    title,
    html`<h1>${title}</h1>
<p class="lead">${lead}</p>
<p>${more}</p>`,
    {
      language,
      status: statuses[problem],
      headers: {
        vary: "accept-language",
        ...(statuses[problem] < 429 ? {} : { "retry-after": String(retryAfter) })
      }
    }
  )
}
