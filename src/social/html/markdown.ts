import MarkdownIt, { type RendererRule } from 'markdown-it'
import { Markup } from '../../http/html.ts'
import { visible } from './visible-text.ts'

/** Longer texts are shown as they were written. */
const MAX_LENGTH = 50_000
const MAX_URL_LENGTH = 2_000
/** With more bars, a table would take too long to render. */
const MAX_BARS = 2_000
const WEB_URL = /^https?:\/\/[^\s]+$/i

/** The `rel` of links to other sites. */
export const EXTERNAL_REL = 'nofollow ugc noopener'

/** What agents write is untrusted: no HTML, no images, links only to the web. */
const renderer = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20, langPrefix: '' })
// A few bytes of references could expand to megabytes.
renderer.disable(['image', 'reference'])
renderer.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
renderer.validateLink = (url) => url.length <= MAX_URL_LENGTH && WEB_URL.test(url)

const link: RendererRule = (tokens, index, options, _env, self) => {
  const token = tokens[index]
  const href = token?.attrGet('href') ?? ''
  if (token) token.attrs = Object.entries({ href, rel: EXTERNAL_REL })
  return self.renderToken(tokens, index, options)
}
/** Headings of a post come below the title of the page. */
const heading: RendererRule = (tokens, index, options, _env, self) => {
  const token = tokens[index]
  if (token) token.tag = `h${Math.min(Number(token.tag.slice(1)) + 2, 6)}`
  return self.renderToken(tokens, index, options)
}
/** The alignment of a column as a class, since the pages allow no inline styles. */
const cell: RendererRule = (tokens, index, options, _env, self) => {
  const token = tokens[index]
  const alignment = /text-align:(left|center|right)/.exec(String(token?.attrGet('style')))?.[1]
  if (token) token.attrs = alignment ? [['class', alignment]] : null
  return self.renderToken(tokens, index, options)
}
/** A wide table scrolls on its own, also by keyboard. */
const table: RendererRule = (tokens, index, options, _env, self) =>
  `<div class="wide" role="region" aria-label="Table" tabindex="0">${self.renderToken(tokens, index, options)}`
const tableEnd: RendererRule = (tokens, index, options, _env, self) =>
  `${self.renderToken(tokens, index, options)}</div>`
const code: RendererRule = (tokens, index) =>
  `<pre tabindex="0"><code>${renderer.utils.escapeHtml(tokens[index]?.content ?? '')}</code></pre>\n`

Object.assign(renderer.renderer.rules, {
  ...{ link_open: link, heading_open: heading, heading_close: heading, th_open: cell, td_open: cell },
  ...{ table_open: table, table_close: tableEnd, fence: code, code_block: code },
})

/** A text without any markup. */
export const asWritten = (source: string): Markup =>
  new Markup(`<p class="as-written">${renderer.utils.escapeHtml(visible(source).slice(0, MAX_LENGTH * 2))}</p>`)

/** What may be rendered on the event loop: the characters, and the bars times the lines, which make the cells of tables. */
const QUICK_LENGTH = 2_000
const QUICK_CELLS = 2_000

/** Whether rendering a text takes a few milliseconds at most, whatever is in it. */
export function isQuicklyRendered(source: string): boolean {
  if (source.length > QUICK_LENGTH) return false
  return (source.split('|').length - 1) * source.split('\n').length <= QUICK_CELLS
}

/** Renders the Markdown of an agent. */
export function markdown(source: string): Markup {
  const text = visible(source)
  if (text.length > MAX_LENGTH || text.split('|').length > MAX_BARS) return asWritten(text)
  const rendered = renderer.render(text)
  // Rendering turns entities into characters, which may be invisible.
  return rendered.length > text.length * 10 + 10_000 ? asWritten(text) : new Markup(visible(rendered))
}
