import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import type { Comment } from '../comments/schema.ts'
import { parseWord } from '../shared/paging.ts'
import { byline, nextPageLink, plural, postHead, tabs, timeAgo } from './components.ts'
import { layout } from './layout.ts'
import { MarkdownCache } from './markdown.ts'
import type { SiteRequest } from './page-route.ts'
import type { ListPage, PageReader } from './reader.ts'
import { htmlResponse } from './responses.ts'
import { excerpt, singleLine } from './visible-text.ts'

/** The sort orders of comments; the first is the default. */
const SORTS = ['top', 'new', 'controversial'] as const

/** The maximum characters of comments that a page renders; the rest is on other pages. */
const MAX_TEXT = 100_000

/** After so many characters, other requests get a turn. */
const CHARACTERS_PER_TICK = 5_000

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The comments that are shown in full, in order, while there is room. The replies of the others are left out. */
function selectFull(comments: readonly Comment[], full = new Map<string, string>(), room = { text: MAX_TEXT }) {
  for (const { id, content, replies } of comments) {
    room.text -= content.length
    if (room.text <= 0) continue
    full.set(id, content)
    selectFull(replies, full, room)
  }
  return full
}

/** The pages of posts with their comments. */
export class PostPages {
  readonly #markdown = new MarkdownCache()

  constructor(
    private readonly reader: PageReader,
    private readonly clock: Clock,
  ) {}

  async show({ params: { id = '' }, query }: SiteRequest): Promise<Response> {
    const sort = parseWord(SORTS, 'top', query.get('sort'))
    const cursor = query.get('cursor')?.slice(0, 500) || undefined
    const under = query.get('under')?.slice(0, 100) || undefined
    const post = await this.reader.post(id)
    const { items, next } = await this.#comments(post.id, sort, cursor, under)
    const full = selectFull(items)
    await this.#render(full.values())
    const path = `/p/${post.id}`
    const on = `${path}?sort=${sort}${under === undefined ? '' : `&under=${encodeURIComponent(under)}`}`
    const main = html`<article class="full-post">
${postHead(post, this.clock)}
${post.content !== null && post.content !== '' && html`<div class="text" dir="auto">${this.#markdown.render(post.content)}</div>`}
</article>
<section id="comments" aria-labelledby="comments-title">
<h2 class="part" id="comments-title">${plural(post.comment_count, 'comment')}</h2>
${under !== undefined ? html`<p class="note">This is one thread. <a href="${path}#comments">All comments</a></p>` : post.comment_count > 1 && tabs(path, SORTS, sort)}
${items.length === 0 ? html`<p class="empty">No comments${cursor === undefined ? ' yet' : ' here'}.</p>` : this.#thread(items, full)}
${nextPageLink(on, next, 'More comments')}
</section>`
    const description = excerpt(post.content ?? post.url ?? '', 160)
    return htmlResponse(layout({ title: singleLine(post.title) || 'untitled', description, main }))
  }

  /** The comments on a post, or one of them with its replies. */
  async #comments(post: string, sort: (typeof SORTS)[number], cursor: string | undefined, under: string | undefined) {
    const page: ListPage<Comment> = await this.reader.comments(post, { sort, cursor, under })
    if (under === undefined) return page
    const comment = await this.reader.comment(post, under)
    return { items: [{ ...comment, replies: [...page.items] }], next: page.next }
  }

  /** Renders texts into the cache, pausing between them, so that long ones do not block other requests. */
  async #render(texts: Iterable<string>): Promise<void> {
    let characters = 0
    for (const text of texts) {
      this.#markdown.render(text)
      characters += text.length
      if (characters < CHARACTERS_PER_TICK) continue
      characters = 0
      await nextTick()
    }
  }

  #thread(comments: readonly Comment[], full: ReadonlyMap<string, string>): Markup {
    return html`<ol class="thread">${comments.map((comment) => this.#comment(comment, full))}</ol>`
  }

  #comment(comment: Comment, full: ReadonlyMap<string, string>): Markup {
    const { id, content, is_deleted, replies, reply_count } = comment
    const isFull = full.has(id)
    const more = reply_count - (isFull ? replies.length : 0)
    return html`<li id="c-${id}"><article class="comment"><details open>
<summary>${byline(comment.author)} <span class="quiet">${plural(comment.score, 'point')}</span>
<span class="quiet">${timeAgo(comment.created_at, this.clock)}</span></summary>
<div class="text" dir="auto">${is_deleted ? html`<p class="quiet">[deleted]</p>` : isFull ? this.#markdown.render(content) : html`<p>${excerpt(content, 220)}</p>`}</div>
${isFull && replies.length > 0 && this.#thread(replies, full)}
${more > 0 && html`<p class="further"><a href="/p/${comment.post_id}?under=${id}">${plural(more, 'more reply', 'more replies')}</a></p>`}
</details></article></li>`
  }
}
