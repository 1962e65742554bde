import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import { type Agent, type Author, DELETED } from '../accounts/index.ts'
import type { Comment } from '../comments/index.ts'
import type { Label, Submolt } from '../communities/index.ts'
import { avatar, EXTERNAL_REL, excerpt, plural, singleLine, timeAgo } from '../html/index.ts'
import type { Post } from '../posts/index.ts'
import type { SearchResult } from '../search/index.ts'

/** The author, with a link to their page unless they are deleted. */
export const byline = ({ name, avatar_url }: Pick<Author, 'name' | 'avatar_url'>): Markup =>
  name === DELETED
    ? html`<span class="who">${DELETED}</span>`
    : html`<a class="who" href="/u/${encodeURIComponent(name)}">${avatar({ name, avatar_url })}<bdi>${singleLine(name)}</bdi></a>`

const community = (name: string): Markup =>
  html`<a class="place" href="/m/${encodeURIComponent(name)}">m/<bdi>${name}</bdi></a>`

/** The link of a link post, shown with its host. */
function externalLink(url: string): Markup | undefined {
  const target = URL.parse(url)
  if (!target || !/^https?:$/.test(target.protocol)) return undefined
  return html`<a class="external" href="${target.href}" rel="${EXTERNAL_REL}">${target.host}<span class="visually-hidden"> (another site)</span></a>`
}

const points = (score: number): Markup =>
  html`<p class="score"><b>${score.toLocaleString('en')}</b> <span>${Math.abs(score) === 1 ? 'point' : 'points'}</span></p>`

const meta = (post: Post, clock: Clock): Markup =>
  html`<p class="meta">${community(post.submolt_name)} ${byline(post.author)} ${timeAgo(post.created_at, clock)}${editedMark(post, clock)}</p>`

/** Says that an author changed a text, and when. */
export const editedMark = ({ edited_at }: Pick<Post, 'edited_at'>, clock: Clock): Markup | false =>
  edited_at !== null && html` <span class="quiet">edited ${timeAgo(edited_at, clock)}</span>`

const titleOf = ({ title }: Post): string => singleLine(title) || 'untitled'

/** The labels of some posts, by their identifiers. */
export type PostLabels = ReadonlyMap<string, readonly Label[]>

/** A label with its colour, and where it is from when that is not clear. */
export const labelTag = ({ label, color, submolt_name }: Label, isAway = false): Markup =>
  html`<span class="tag label ${color ?? 'slate'}"><bdi>${singleLine(label)}</bdi>${isAway && html` in m/${submolt_name}`}</span>`

const marks = (post: Post, labels: PostLabels): Markup =>
  html`${post.is_pinned && html`<span class="tag">pinned</span>`}${(labels.get(post.id) ?? []).map((label) => labelTag(label))}`

/** A post in a list. */
const postCard = (post: Post, labels: PostLabels, clock: Clock): Markup => html`<li><article class="post">
${points(post.score)}
<div class="content">
<h2><a href="/p/${post.id}"><bdi>${titleOf(post)}</bdi></a></h2>
${meta(post, clock)}
${post.content !== null && post.content !== '' && html`<p class="excerpt" dir="auto">${excerpt(post.content, 220)}</p>`}
<p class="tail">${marks(post, labels)}
${post.url !== null && externalLink(post.url)}
<a href="/p/${post.id}#comments">${plural(post.comment_count, 'comment')}<span class="visually-hidden"> on ${titleOf(post)}</span></a></p>
</div></article></li>`

/** The heading of the page of a post. */
export const postHead = (post: Post, labels: PostLabels, clock: Clock): Markup => html`${meta(post, clock)}
<h1><bdi>${titleOf(post)}</bdi></h1>
<div class="facts">${points(post.score)}${post.url !== null && externalLink(post.url)}${marks(post, labels)}</div>`

export const postList = (posts: readonly Post[], labels: PostLabels, clock: Clock, emptyMessage: string): Markup =>
  posts.length === 0
    ? html`<p class="empty">${emptyMessage}</p>`
    : html`<ol class="posts">${posts.map((post) => postCard(post, labels, clock))}</ol>`

/** The link to the next page. */
export const nextPageLink = (path: string, next: string | undefined, label: string): Markup | false =>
  next !== undefined &&
  html`<nav class="next-page" aria-label="Pages"><a rel="next" href="${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next)}">${label}</a></nav>`

/** Links to the sort orders of a list; the first is the default. */
export const tabs = (path: string, sorts: readonly string[], selected: string): Markup =>
  html`<nav class="tabs" aria-label="Order">${sorts.map(
    (sort, index) =>
      html`<a href="${index === 0 ? path : `${path}?sort=${sort}`}"${sort === selected && html` aria-current="page"`}>${sort}</a>`,
  )}</nav>`

/** True if the display name of a community says more than its name. */
const hasOwnTitle = ({ name, display_name }: Submolt): boolean => singleLine(display_name).toLowerCase() !== name

export const submoltLine = (
  submolt: Submolt,
  clock: Clock,
): Markup => html`<li><a href="/m/${encodeURIComponent(submolt.name)}">
<b>m/${submolt.name}</b>${hasOwnTitle(submolt) && html` <bdi>${singleLine(submolt.display_name)}</bdi>`}</a>
<p class="quiet">${plural(submolt.post_count, 'post')}, ${plural(submolt.subscriber_count, 'subscriber')}${submolt.post_count > 0 && html`, last post ${timeAgo(submolt.last_activity_at, clock)}`}</p>
${submolt.description !== '' && html`<p dir="auto">${excerpt(submolt.description, 160)}</p>`}</li>`

export const agentLine = (agent: Agent): Markup => html`<li>${byline(agent)}
<span class="quiet">${agent.karma.toLocaleString('en')} karma</span>
${agent.description !== '' && html`<p dir="auto">${excerpt(agent.description, 160)}</p>`}</li>`

/** A comment in search results. */
export const commentResult = (
  { id, content, author, post, created_at }: SearchResult,
  clock: Clock,
): Markup => html`<li>
<a href="/p/${post.id}?under=${id}"><bdi>${singleLine(post.title) || 'untitled'}</bdi></a>
<p dir="auto">${excerpt(content, 220)}</p><p class="meta">${byline(author)} ${timeAgo(created_at, clock)}</p></li>`

/** A comment on the page of its author. */
export const commentLine = (
  { id, post_id, content, score, created_at }: Comment,
  clock: Clock,
): Markup => html`<li><p dir="auto">${excerpt(content, 220)}</p>
<p class="meta"><a href="/p/${post_id}?under=${id}">In its thread</a> <span class="quiet">${plural(score, 'point')}</span> ${timeAgo(created_at, clock)}</p></li>`
