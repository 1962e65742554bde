import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import type { Comment } from '../comments/index.ts'
import {
  excerpt,
  htmlResponse,
  layout,
  type MarkdownRenderer,
  movedTo,
  plural,
  type RevisedText,
  type Share,
  type SiteRequest,
  singleLine,
  timeAgo,
} from '../html/index.ts'
import type { Post } from '../posts/index.ts'
import { parseWord } from '../shared/index.ts'
import { byline, editedMark, nextPageLink, postHead, tabs } from './components.ts'
import type { ListPage, PageReader } from './reader.ts'

/** The sort orders of comments; the first is the default. */
const SORTS = ['top', 'new', 'controversial'] as const

/** The maximum characters of comments that a page renders; the rest is on other pages. */
const MAX_TEXT = 100_000

/** The comments that are shown in full, in order, while there is room. The replies of the others are left out. */
function selectFull(comments: readonly Comment[], full: RevisedText[] = [], room = { text: MAX_TEXT }) {
  for (const { id, updated_at, content, replies } of comments) {
    room.text -= content.length
    if (room.text <= 0) continue
    full.push({ id, revision: updated_at, source: content })
    selectFull(replies, full, room)
  }
  return full
}

/** Marks beside the name of an agent in a thread. */
type Marks = (name: string) => readonly string[]

/** The pages of posts with their comments. */
export class PostPages {
  constructor(
    private readonly reader: PageReader,
    private readonly markdown: MarkdownRenderer,
    private readonly clock: Clock,
  ) {}

  async show({ params: { id = '' }, query, visitor, base }: SiteRequest): Promise<Response> {
    const sort = parseWord(SORTS, 'top', query.get('sort'))
    const cursor = query.get('cursor')?.slice(0, 500) || undefined
    const under = query.get('under')?.slice(0, 100) || undefined
    const post = await this.reader.post(id)
    const { items, next } = await this.#comments(post.id, sort, cursor, under)
    const source = post.content ?? ''
    const texts = [...(source === '' ? [] : [{ id: post.id, revision: post.updated_at, source }]), ...selectFull(items)]
    const rendered = await this.markdown.render(texts, visitor)
    const marks = await this.#marksOf(post)
    const path = `/p/${post.id}`
    const repeats = await this.reader.repeatCount(post.id)
    const { total: repeated } = await this.reader.repeatedComments(post.id, undefined)
    const on = `${path}?sort=${sort}${under === undefined ? '' : `&under=${encodeURIComponent(under)}`}`
    const main = html`<article class="full-post">
${postHead(post, this.reader.labelsOf([post]), this.clock)}
${rendered.has(post.id) && html`<div class="text" dir="auto">${rendered.get(post.id)}</div>`}
${repeats > 0 && html`<p class="note"><a href="${path}/repeats">${plural(repeats, 'other post says', 'other posts say')} nearly the same</a></p>`}
</article>
<section id="comments" aria-labelledby="comments-title">
<h2 class="part" id="comments-title">${plural(post.comment_count, 'comment')}</h2>
${under !== undefined ? html`<p class="note">This is one thread. <a href="${path}#comments">All comments</a></p>` : post.comment_count > 1 && tabs(path, SORTS, sort)}
${items.length === 0 ? html`<p class="empty">No comments${cursor === undefined ? ' yet' : ' here'}.</p>` : this.#thread(items, rendered, marks)}
${nextPageLink(on, next, 'More comments')}
${repeated > 0 && html`<p class="further"><a href="${path}/repeated-comments">${plural(repeated, 'comment repeats', 'comments repeat')} others</a></p>`}
</section>`
    const description = excerpt(post.content ?? post.url ?? '', 160)
    const isPart = cursor !== undefined || under !== undefined || sort !== 'top'
    const image = post.author.avatar_url
    const share: Share = { base, path, type: 'article', image, feed: `${path}/feed`, isPart }
    return htmlResponse(layout({ title: singleLine(post.title) || 'untitled', description, main, share }))
  }

  /** The page of a post under the address that other services give it. */
  async redirect({ params: { id = '' } }: SiteRequest): Promise<Response> {
    return movedTo(`/p/${(await this.reader.post(id)).id}`)
  }

  /** The permanent address of a comment leads to it within its thread. */
  async redirectToComment({ params: { id = '' } }: SiteRequest): Promise<Response> {
    const comment = await this.reader.anyComment(id)
    return movedTo(`/p/${comment.post_id}?under=${comment.id}#c-${comment.id}`)
  }

  /** The comments on a post, or one of them with its replies. */
  async #comments(post: string, sort: (typeof SORTS)[number], cursor: string | undefined, under: string | undefined) {
    const page: ListPage<Comment> = await this.reader.comments(post, { sort, cursor, under })
    if (under === undefined) return page
    const comment = await this.reader.comment(post, under)
    return { items: [{ ...comment, replies: [...page.items] }], next: page.next }
  }

  /** Marks beside names in a thread: the author of the post, and moderators of its community. */
  async #marksOf({ author, submolt_name }: Post): Promise<Marks> {
    const moderators = await this.reader.moderatorsOf(submolt_name)
    return (name) => {
      const role = moderators.get(name)
      return [...(name === author.name ? ['author'] : []), ...(role === undefined ? [] : [role])]
    }
  }

  #thread(comments: readonly Comment[], rendered: ReadonlyMap<string, Markup>, marks: Marks): Markup {
    return html`<ol class="thread">${comments.map((comment) => this.#comment(comment, rendered, marks))}</ol>`
  }

  #comment(comment: Comment, rendered: ReadonlyMap<string, Markup>, marks: Marks): Markup {
    const { id, content, is_deleted, replies, reply_count } = comment
    const text = rendered.get(id)
    const more = reply_count - (text ? replies.length : 0)
    return html`<li id="c-${id}"><article class="comment"><details open>
<summary>${byline(comment.author)} ${marks(comment.author.name).map((mark) => html`<span class="tag">${mark}</span> `)}<span class="quiet">${plural(comment.score, 'point')}</span>
<a class="quiet" href="/c/${id}">${timeAgo(comment.created_at, this.clock)}</a>${editedMark(comment, this.clock)}</summary>
<div class="text" dir="auto">${is_deleted ? html`<p class="quiet">[deleted]</p>` : (text ?? html`<p>${excerpt(content, 220)}</p>`)}</div>
${text && replies.length > 0 && this.#thread(replies, rendered, marks)}
${more > 0 && html`<p class="further"><a href="/p/${comment.post_id}?under=${id}">${plural(more, 'more reply', 'more replies')}</a></p>`}
</details></article></li>`
  }
}
