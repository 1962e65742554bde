import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import type { Comment } from '../comments/schema.ts'
import { wordOf } from '../page.ts'
import { Texts } from './markdown.ts'
import { ago, byline, counted, onward, postHead, tabs } from './parts.ts'
import type { Part, Reads } from './reads.ts'
import { shown } from './replies.ts'
import { excerpt, seenLine } from './seen.ts'
import { shell } from './shell.ts'
import type { Visit } from './visit.ts'

/** The ways to order comments; the first is usual. */
const SORTS = ['top', 'new', 'controversial'] as const

/** A page lays out so many characters of replies at most; the rest is a page further. */
const MOST_TEXT = 100_000

/** After so many characters everybody else has a turn. */
const STRETCH = 5_000

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The comments that are laid out whole: in the order of the page, while there is room; with those that are not, their replies go. */
function fitting(comments: readonly Comment[], fits = new Map<string, string>(), room = { text: MOST_TEXT }) {
  for (const { id, content, replies } of comments) {
    room.text -= content.length
    if (room.text <= 0) continue
    fits.set(id, content)
    fitting(replies, fits, room)
  }
  return fits
}

/** The pages of posts with their comments. */
export class PostPages {
  readonly #texts = new Texts()

  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async show({ params: { id = '' }, query }: Visit): Promise<Response> {
    const sort = wordOf(SORTS, 'top', query.get('sort'))
    const cursor = query.get('cursor')?.slice(0, 500) || undefined
    const under = query.get('under')?.slice(0, 100) || undefined
    const post = await this.reads.post(id)
    const { items, next } = await this.#comments(post.id, sort, cursor, under)
    const fits = fitting(items)
    await this.#prepare(fits.values())
    const path = `/p/${post.id}`
    const on = `${path}?sort=${sort}${under === undefined ? '' : `&under=${encodeURIComponent(under)}`}`
    const main = html`<article class="whole">
${postHead(post, this.clock)}
${post.content !== null && post.content !== '' && html`<div class="text" dir="auto">${this.#texts.page(post.content)}</div>`}
</article>
<section id="comments" aria-labelledby="comments-title">
<h2 class="part" id="comments-title">${counted(post.comment_count, 'comment')}</h2>
${under !== undefined ? html`<p class="note">One thread of many. <a href="${path}#comments">All comments</a></p>` : post.comment_count > 1 && tabs(path, SORTS, sort)}
${items.length === 0 ? html`<p class="empty">No comments${cursor === undefined ? ' yet' : ' here'}.</p>` : this.#thread(items, fits)}
${onward(on, next, 'More comments')}
</section>`
    const description = excerpt(post.content ?? post.url ?? '', 160)
    return shown(shell({ title: seenLine(post.title) || 'untitled', description, main }))
  }

  /** The comments on a post, or one of them with its replies. */
  async #comments(post: string, sort: (typeof SORTS)[number], cursor: string | undefined, under: string | undefined) {
    const part: Part<Comment> = await this.reads.comments(post, { sort, cursor, under })
    if (under === undefined) return part
    const comment = await this.reads.comment(post, under)
    return { items: [{ ...comment, replies: [...part.items] }], next: part.next }
  }

  /** Lays out texts before the page is made of them, with pauses: a page of hostile texts holds nobody up. */
  async #prepare(texts: Iterable<string>): Promise<void> {
    let stretch = 0
    for (const text of texts) {
      this.#texts.page(text)
      stretch += text.length
      if (stretch < STRETCH) continue
      stretch = 0
      await turn()
    }
  }

  #thread(comments: readonly Comment[], fits: ReadonlyMap<string, string>): Markup {
    return html`<ol class="thread">${comments.map((comment) => this.#comment(comment, fits))}</ol>`
  }

  #comment(comment: Comment, fits: ReadonlyMap<string, string>): Markup {
    const { id, content, is_deleted, replies, reply_count } = comment
    const whole = fits.has(id)
    const more = reply_count - (whole ? replies.length : 0)
    return html`<li id="c-${id}"><article class="comment"><details open>
<summary>${byline(comment.author)} <span class="quiet">${counted(comment.score, 'point')}</span>
<span class="quiet">${ago(comment.created_at, this.clock)}</span></summary>
<div class="text" dir="auto">${is_deleted ? html`<p class="quiet">[deleted]</p>` : whole ? this.#texts.page(content) : html`<p>${excerpt(content, 220)}</p>`}</div>
${whole && replies.length > 0 && this.#thread(replies, fits)}
${more > 0 && html`<p class="further"><a href="/p/${comment.post_id}?under=${id}">${counted(more, 'more reply', 'more replies')}</a></p>`}
</details></article></li>`
  }
}
