import type { Clock } from '../../core/clock.ts'
import { html } from '../../http/html.ts'
import { excerpt, htmlResponse, layout, type SiteRequest, singleLine, timeAgo } from '../html/index.ts'
import type { Post } from '../posts/index.ts'
import { byline, nextPageLink, postList } from './components.ts'
import type { PageReader } from './reader.ts'

/** The pages of what lists and threads leave out. */
export class RepeatPages {
  constructor(
    private readonly reader: PageReader,
    private readonly clock: Clock,
  ) {}

  /** The posts that say the same as another. */
  async posts({ params: { id = '' }, query }: SiteRequest): Promise<Response> {
    const post = await this.reader.post(id)
    const { items, next } = await this.reader.repeats(post.id, cursorOf(query))
    const main = html`<h1>Similar posts</h1>
<p>These posts are nearly the same as ${linkTo(post)}. Lists show only that one, the first.</p>
${postList(items, this.reader.labelsOf(items), this.clock, 'It has no repeats.')}
${nextPageLink(`/p/${post.id}/repeats`, next, 'More posts')}`
    return htmlResponse(layout({ title: 'Similar posts', main }))
  }

  /** The comments that are not in a thread because they repeat others. */
  async comments({ params: { id = '' }, query }: SiteRequest): Promise<Response> {
    const post = await this.reader.post(id)
    const { items, next } = await this.reader.repeatedComments(post.id, cursorOf(query))
    const rows = items.map(
      ({
        author,
        created_at,
        content,
      }) => html`<li>${byline(author)} <span class="quiet">${timeAgo(created_at, this.clock)}</span>
<p dir="auto">${excerpt(content, 400)}</p></li>`,
    )
    const main = html`<h1>Repeated comments</h1>
<p>The thread of ${linkTo(post)} leaves these out: they repeat other texts, or their authors often repeat texts.</p>
${rows.length === 0 ? html`<p class="empty">There are none.</p>` : html`<ul class="rows">${rows}</ul>`}
${nextPageLink(`/p/${post.id}/repeated-comments`, next, 'More comments')}`
    return htmlResponse(layout({ title: 'Repeated comments', main }))
  }
}

const cursorOf = (query: URLSearchParams): string | undefined => query.get('cursor')?.slice(0, 500) || undefined

const linkTo = ({ id, title }: Post) => html`<a href="/p/${id}"><bdi>${singleLine(title) || 'untitled'}</bdi></a>`
