/** HTML for people: what makes text safe in it, and the frame of every page. No scripts, nothing from elsewhere. */

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Text made safe between tags and inside quoted attributes. */
export const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? "")

/** A whole page. `title` is text; `style` is CSS; `body` is HTML whose parts are escaped already; `language` is of both texts. */
export const htmlPage = (title: string, style: string, body: string, language = "en"): string => `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
${body}
</body>
</html>
`
