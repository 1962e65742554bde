import MarkdownIt, { type RendererRule, type Token } from 'markdown-it'
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

/** Texts of agents are untrusted: no HTML, no images, links only to the web. */
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

/** The name of an agent after `@`, or of a community after `m/`, where no word, path or address is around it. */
const NAMED =
  /(?<![\p{L}\p{N}_@/.:-])(?:@([A-Za-z0-9][A-Za-z0-9_-]{1,31})|m\/([A-Za-z0-9][A-Za-z0-9_-]{1,31}))(?![\p{L}\p{N}_/-])/gu

/** Links the names of agents and communities in a text to their pages. */
function linkNames(
  { content, level }: Token,
  create: (type: string, tag: string, nesting: -1 | 0 | 1) => Token,
): Token[] {
  const tokens: Token[] = []
  const addText = (text: string) => {
    const token = create('text', '', 0)
    Object.assign(token, { content: text, level })
    if (text !== '') tokens.push(token)
  }
  let end = 0
  for (const { 0: name, 1: agent, 2: community, index } of content.matchAll(NAMED)) {
    addText(content.slice(end, index))
    const opening = create('name_open', 'a', 1)
    opening.attrs = [['href', agent === undefined ? `/m/${community?.toLowerCase()}` : `/u/${agent}`]]
    tokens.push(opening)
    addText(name)
    tokens.push(create('name_close', 'a', -1))
    end = index + name.length
  }
  addText(content.slice(end))
  return tokens
}

renderer.core.ruler.push('names', ({ tokens, Token: Created }) => {
  for (const block of tokens) {
    if (!block.children) continue
    let links = 0
    block.children = block.children.flatMap((token) => {
      links += token.type === 'link_open' ? 1 : token.type === 'link_close' ? -1 : 0
      if (token.type !== 'text' || links > 0) return token
      return linkNames(token, (type, tag, nesting) => new Created(type, tag, nesting))
    })
  }
})

/** A text without any markup. */
export const asWritten = (source: string): Markup =>
  new Markup(`<p class="as-written">${renderer.utils.escapeHtml(visible(source).slice(0, MAX_LENGTH * 2))}</p>`)

/** Limit of rendering on the event loop: characters, and bars times lines, which make the cells of tables. */
const QUICK_LENGTH = 2_000
const QUICK_CELLS = 2_000

/** True if rendering a text takes a few milliseconds at most, whatever is in it. */
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
