/** Markup that is already safe to are in a page. */
export class Markup {
  constructor(readonly text: string) {}
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as it is in a page. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)

type HtmlPart = Markup | string | number | false | undefined | readonly HtmlPart[]

const renderPart = (piece: HtmlPart): string => {
  if (piece instanceof Markup) return piece.text
  if (Array.isArray(piece)) return piece.map(renderPart).join('')
  return piece === false || piece === undefined ? '' : escapeHtml(String(piece))
}

/** Markup with pieces put in; everything that is not markup itself is escaped. */
export const html = (strings: TemplateStringsArray, ...pieces: HtmlPart[]): Markup =>
  new Markup(String.raw({ raw: strings }, ...pieces.map(renderPart)))

/** A sentence of a document: what stands between backticks is code. */
export const prose = (sentence: string): Markup =>
  html`${sentence.split(/(`[^`]+`)/).map((part) => (/^`.+`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`
