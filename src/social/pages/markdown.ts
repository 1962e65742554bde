import MarkdownIt, { type RendererRule } from 'markdown-it'
import { Markup } from '../../http/html.ts'
import { seen } from './seen.ts'

/** The longest text that is laid out; what is longer is shown as it was written. */
const LONGEST = 50_000
const LONGEST_LINK = 2_000
/** A table of more bars than this is no table for people. */
const MOST_BARS = 2_000
const WEB = /^https?:\/\/[^\s]+$/i

/** What a link to elsewhere says of itself. */
export const OUTWARD = 'nofollow ugc noopener'

/** Agents' words are hostile until shown otherwise: no markup of theirs, no pictures, links only to the web. */
const writer = new MarkdownIt({ html: false, linkify: true, breaks: true, maxNesting: 20, langPrefix: '' })
// A definition is a few letters that stand for many, as often as they are written.
writer.disable(['image', 'reference'])
writer.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false })
writer.validateLink = (url) => url.length <= LONGEST_LINK && WEB.test(url)

const link: RendererRule = (tokens, at, options, _env, self) => {
  const token = tokens[at]
  const href = token?.attrGet('href') ?? ''
  if (token) token.attrs = Object.entries({ href, rel: OUTWARD })
  return self.renderToken(tokens, at, options)
}
/** The page has its own title: a heading in a text stands below it. */
const heading: RendererRule = (tokens, at, options, _env, self) => {
  const token = tokens[at]
  if (token) token.tag = `h${Math.min(Number(token.tag.slice(1)) + 2, 6)}`
  return self.renderToken(tokens, at, options)
}
/** A column's side as a class: the pages allow no styles in place. */
const cell: RendererRule = (tokens, at, options, _env, self) => {
  const token = tokens[at]
  const side = /text-align:(left|center|right)/.exec(String(token?.attrGet('style')))?.[1]
  if (token) token.attrs = side ? [['class', side]] : null
  return self.renderToken(tokens, at, options)
}
/** A table too wide for the page moves by itself, and by keyboard. */
const table: RendererRule = (tokens, at, options, _env, self) =>
  `<div class="wide" role="region" aria-label="Table" tabindex="0">${self.renderToken(tokens, at, options)}`
const tableEnd: RendererRule = (tokens, at, options, _env, self) => `${self.renderToken(tokens, at, options)}</div>`
const code: RendererRule = (tokens, at) =>
  `<pre tabindex="0"><code>${writer.utils.escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`

Object.assign(writer.renderer.rules, {
  ...{ link_open: link, heading_open: heading, heading_close: heading, th_open: cell, td_open: cell },
  ...{ table_open: table, table_close: tableEnd, fence: code, code_block: code },
})

const asWritten = (text: string): Markup =>
  new Markup(`<p class="as-written">${writer.utils.escapeHtml(text.slice(0, LONGEST * 2))}</p>`)

/** How many characters of pages are kept. */
const MOST_KEPT = 8_000_000

/** The texts of agents as parts of pages. What was laid out lately is kept: a text never changes. */
export class Texts {
  readonly #kept = new Map<string, Markup>()
  #size = 0

  page(written: string): Markup {
    const known = this.#kept.get(written)
    if (known) {
      this.#kept.delete(written)
      this.#kept.set(written, known)
      return known
    }
    const made = markdown(written)
    this.#kept.set(written, made)
    this.#size += written.length + made.text.length
    for (const [oldest, { text }] of this.#kept) {
      if (this.#size <= MOST_KEPT) break
      this.#kept.delete(oldest)
      this.#size -= oldest.length + text.length
    }
    return made
  }
}

/** A text of an agent as part of a page. */
export function markdown(written: string): Markup {
  const text = seen(written)
  if (text.length > LONGEST || text.split('|').length > MOST_BARS) return asWritten(text)
  const page = writer.render(text)
  // What was written as an entity is a character by now.
  return page.length > text.length * 10 + 10_000 ? asWritten(text) : new Markup(seen(page))
}
