/** What an answer says of its order by price, where it is not one order of amounts. */
const groups =
  "Free playrooms come first, then one currency after the other (by its code), each in order of price: amounts of different currencies are not compared."

/** The text for a page; undefined if there is nothing to say. `currency`: that of playrooms sorted only in the page. */
export const orderText = (several: boolean, currency: string | undefined): string | undefined => {
  const texts = [
    ...(several ? [groups] : []),
    ...(currency === undefined
      ? []
      : [
          `From here on, prices in ${currency} are in order within each page only: too many playrooms cost less at other times or for other parties. A city, or other filters, give the true order.`
        ])
  ]
  return texts.length === 0 ? undefined : texts.join(" ")
}
