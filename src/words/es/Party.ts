/**
 * Messages of the page on which a family changes its party, in Spanish.
 */
import type { Party } from "../en/Party.ts"

export const party: Party = {
  party: {
    change: "Cambiar su grupo",
    changeDetails: "Cambiar sus peticiones",
    lead: (until) =>
      `Hasta el ${until} puede cambiar todo esto usted. Antes de que se cambie nada, verá lo que cuesta o lo que se le devuelve.`,
    detailsOnly:
      "El nombre, el correo electrónico, el teléfono, las edades y las peticiones se pueden cambiar hasta que empiece su visita. No cuesta nada.",
    correct: "Corregir el nombre o el correo",
    contactOnly: "Si su nombre, su correo electrónico o su teléfono no son correctos, corríjalos aquí.",
    headcountFinal: (when) =>
      `El número de personas es definitivo desde el ${when}. Para cambiarlo, pregunte al local.`,
    growsOnly: "Su grupo puede crecer, pero no reducirse. Si van a ser menos, pregunte al local.",
    notSold: "Lo que reservó ya no se vende así, por lo que el grupo no se puede cambiar aquí. Pregunte al local.",
    ages: "Edades de los niños",
    agesHint: "Una por cada niño, por ejemplo 4, 5, 5. O déjelo vacío.",
    agesPriced: "Una por cada niño, por ejemplo 4, 5, 5. El precio depende de ellas: sin ellas, es el más alto.",
    extras: "Extras",
    perChild: (price) => `${price} por niño`,
    each: (price) => `${price} cada uno`,
    name: "Nombre",
    emailHint:
      "Si lo corrige, los mensajes y un enlace nuevo llegan a la dirección nueva, y los enlaces anteriores dejan de funcionar.",
    phone: "Teléfono",
    check: "Ver qué cambia",
    title: "¿Cambiar esta reserva?",
    none: "ninguno",
    before: (value) => `Hasta ahora: ${value}`,
    costsNothing: "No cuesta nada.",
    confirm: "Cambiar la reserva",
    edit: "Volver a editar",
    changed: "La reserva sigue como estaba: entretanto ha habido otro cambio. Así está ahora.",
    same: "Todavía no ha cambiado nada.",
    tooMany: "No se ha cambiado nada: ese día ya tiene el máximo de reservas gratuitas o sin pagar. Pregunte al local.",
    errors: {
      lead: "No se ha cambiado nada. Revise los campos marcados.",
      number: "Indique un número entero.",
      children: (least, most) => `Su paquete es para entre ${least} y ${most} niños.`,
      adults: (most) => `Como máximo ${most} adultos.`,
      ages: (n) => `Indique ${n} edades, una por niño, o ninguna.`,
      ageRange: (from, to) =>
        `Esta sala es para niños de ${from} a ${to} años. Solo el local puede hacer una excepción.`,
      room: (left) => `A esta hora hay sitio para ${left} niños como máximo.`,
      extra: (most) => `Como máximo ${most} a esta hora.`,
      name: "Indique un nombre.",
      email: "Indique una dirección de correo, como ana@example.com.",
      phone: "Indique un número de teléfono, por ejemplo +34 910 10 10 10.",
      notes: "Escriba como máximo 1.000 caracteres.",
      closed: "El local está cerrado a esta hora: no se ha cambiado nada. Pregunte al local."
    }
  },
  venueAsks: {
    title: "El local pregunta",
    lead: "Sus respuestas van al local. Puede cambiarlas hasta que empiece su visita.",
    open: {
      one: "El local tiene # pregunta para usted antes de su visita.",
      other: "El local tiene # preguntas para usted antes de su visita."
    },
    answer: "Responder",
    change: "Cambiar sus respuestas",
    needed: "El local necesita esta respuesta.",
    choose: "Elija",
    save: "Guardar sus respuestas",
    again: "No se ha guardado nada: algo ha cambiado mientras tanto. Revise sus respuestas otra vez.",
    stored: (answer) => `Guardado entretanto: ${answer}`,
    tooLong: "Escriba como máximo 500 caracteres.",
    notOffered: "Elija una de las respuestas.",
    answers: "Respuestas",
    unanswered: "Aún sin respuesta"
  }
}
