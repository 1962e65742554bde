import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import type { Agent, Author } from '../agents/schema.ts'
import { DELETED } from '../agents/view.ts'
import type { Post } from '../posts/schema.ts'
import type { Found } from '../search/schema.ts'
import type { Submolt } from '../submolts/schema.ts'
import { face } from './face.ts'
import { OUTWARD } from './markdown.ts'
import { excerpt, seen, seenLine } from './seen.ts'

const STEPS = [
  [31_536_000, 'year'],
  [2_592_000, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
] as const

/** How long ago something was, with the moment itself for programs and for those who point at it. */
export function ago(at: string, clock: Clock): Markup {
  const seconds = Math.max(0, Math.floor((clock.now() - Date.parse(at)) / 1000))
  const [size, unit] = STEPS.find(([size]) => seconds >= size) ?? [1, undefined]
  const count = Math.floor(seconds / size)
  const words = unit === undefined ? 'just now' : `${count} ${unit}${count === 1 ? '' : 's'} ago`
  return html`<time datetime="${at}" title="${at.replace('T', ' ').replace('Z', ' UTC')}">${words}</time>`
}

export const counted = (count: number, thing: string, things = `${thing}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? thing : things}`

/** Who wrote something, with a way to their page unless they are gone. */
export const byline = ({ name }: Pick<Author, 'name'>): Markup =>
  name === DELETED
    ? html`<span class="who">${DELETED}</span>`
    : html`<a class="who" href="/u/${encodeURIComponent(name)}">${face(name)}<bdi>${seenLine(name)}</bdi></a>`

const community = (name: string): Markup =>
  html`<a class="place" href="/m/${encodeURIComponent(name)}">m/<bdi>${name}</bdi></a>`

/** Where a link post leads, as a reader should know it before following it. */
function outward(url: string): Markup | undefined {
  const target = URL.parse(url)
  if (!target || !/^https?:$/.test(target.protocol)) return undefined
  return html`<a class="outward" href="${target.href}" rel="${OUTWARD}">${target.host}<span class="unseen"> (another site)</span></a>`
}

const points = (score: number): Markup =>
  html`<p class="score"><b>${score.toLocaleString('en')}</b> <span>${Math.abs(score) === 1 ? 'point' : 'points'}</span></p>`

const meta = (post: Post, clock: Clock): Markup =>
  html`<p class="meta">${community(post.submolt_name)} ${byline(post.author)} ${ago(post.created_at, clock)}</p>`

const titleOf = ({ title }: Post): string => seenLine(title) || 'untitled'

/** A post in a list. */
const postCard = (post: Post, clock: Clock): Markup => html`<li><article class="post">
${points(post.score)}
<div class="said">
<h2><a href="/p/${post.id}"><bdi>${titleOf(post)}</bdi></a></h2>
${meta(post, clock)}
${post.content !== null && post.content !== '' && html`<p class="excerpt" dir="auto">${excerpt(post.content, 220)}</p>`}
<p class="tail">${post.is_pinned && html`<span class="tag">pinned</span>`}
${post.url !== null && outward(post.url)}
<a href="/p/${post.id}#comments">${counted(post.comment_count, 'comment')}<span class="unseen"> on ${titleOf(post)}</span></a></p>
</div></article></li>`

/** The head of a post's own page. */
export const postHead = (post: Post, clock: Clock): Markup => html`${meta(post, clock)}
<h1><bdi>${titleOf(post)}</bdi></h1>
<div class="facts">${points(post.score)}${post.url !== null && outward(post.url)}</div>`

export const postList = (posts: readonly Post[], clock: Clock, none: string): Markup =>
  posts.length === 0
    ? html`<p class="empty">${none}</p>`
    : html`<ol class="posts">${posts.map((post) => postCard(post, clock))}</ol>`

/** The way to the next page. */
export const onward = (path: string, next: string | undefined, label: string): Markup | false =>
  next !== undefined &&
  html`<nav class="onward" aria-label="Pages"><a rel="next" href="${path}${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(next)}">${label}</a></nav>`

/** Ways to order one list; the first is usual and needs no word in the address. */
export const tabs = (path: string, words: readonly string[], chosen: string): Markup =>
  html`<nav class="tabs" aria-label="Order">${words.map(
    (word, at) =>
      html`<a href="${at === 0 ? path : `${path}?sort=${word}`}"${word === chosen && html` aria-current="page"`}>${word}</a>`,
  )}</nav>`

export const submoltLine = (submolt: Submolt): Markup => html`<li><a href="/m/${encodeURIComponent(submolt.name)}">
<b>m/${submolt.name}</b> <bdi>${seenLine(submolt.display_name)}</bdi></a>
<span class="quiet">${counted(submolt.subscriber_count, 'subscriber')}</span>
${submolt.description !== '' && html`<p dir="auto">${excerpt(submolt.description, 160)}</p>`}</li>`

export const agentLine = (agent: Agent): Markup => html`<li>${byline(agent)}
<span class="quiet">${agent.karma.toLocaleString('en')} karma</span>
${agent.description !== '' && html`<p dir="auto">${excerpt(agent.description, 160)}</p>`}</li>`

/** A comment that was found. */
export const foundLine = ({ id, content, author, post, created_at }: Found, clock: Clock): Markup => html`<li>
<a href="/p/${post.id}?under=${id}"><bdi>${seenLine(post.title) || 'untitled'}</bdi></a>
<p dir="auto">${excerpt(content, 220)}</p><p class="meta">${byline(author)} ${ago(created_at, clock)}</p></li>`

/** What somebody says of themselves, as plain words in the lines they were written in. */
export const plain = (text: string): Markup | false =>
  text !== '' && html`<p class="as-written" dir="auto">${seen(text)}</p>`
