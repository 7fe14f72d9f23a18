/** Messages of the desk, in Spanish. */
import type { Desk } from "../en/Desk.ts"

export const desk: Desk = {
  desk: {
    title: "Recepción",
    signInTitle: "Entrar en la recepción",
    signInLead: "Con la clave de acceso de este dispositivo o de su teléfono.",
    signIn: "Entrar con una clave de acceso",
    needsScript: "Las claves de acceso necesitan JavaScript, que está desactivado en este navegador.",
    noPasskey: "No se ha usado ninguna clave de acceso. Inténtelo de nuevo.",
    refused:
      "Esta clave de acceso no se ha aceptado, o la página ha estado abierta demasiado tiempo. Inténtelo de nuevo.",
    inviteAgain: "Si ya no tiene aquí una clave de acceso, pida otra invitación.",
    invitationTitle: (operator) => `Recepción de ${operator}`,
    invitationLead: (name) =>
      `Hola, ${name}. Cree una clave de acceso en este dispositivo: con ella entrará a partir de ahora. Este enlace solo funciona una vez.`,
    makePasskey: "Crear una clave de acceso",
    signedInAs: (name) => `Sesión de ${name}`,
    signOut: "Salir",
    search: "Nombre, número de reserva o teléfono",
    find: "Buscar",
    foundTitle: (words) => `Búsqueda: ${words}`,
    found: { one: "# reserva", other: "# reservas" },
    nothingFound: "Ninguna reserva coincide.",
    moreFound: "Hay más. Añada una palabra o indique el número de reserva.",
    toDay: "Volver al día",
    now: (time) => `Ahora: ${time}`,
    byHour: "Niños por hora",
    visits: "Visitas",
    toCollect: "Pendiente de pago ese día",
    room: "Sala",
    contact: "Contacto",
    history: "Historial",
    events: {
      held: "Retenida",
      confirmed: "Confirmada",
      paid: "Pagada",
      balance_paid: "Resto pagado",
      payment_failed: "Pago fallido",
      paid_late: "Pagada con retraso",
      changed: "Grupo cambiado",
      moved: "Cambiada de hora",
      kept: "Se mantiene",
      cancelled: "Cancelada",
      hold_expired: "No pagada a tiempo",
      balance_lapsed: "Resto no pagado a tiempo",
      refunded: "Reembolsada",
      refund_failed: "Reembolso fallido",
      disputed: "Pago impugnado",
      person_erased: "Nombre borrado"
    }
  }
}
