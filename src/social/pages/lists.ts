import type { Clock } from '../../core/clock.ts'
import { html, type Markup } from '../../http/html.ts'
import type { Agent } from '../agents/schema.ts'
import { wordOf } from '../page.ts'
import type { Submolt } from '../submolts/schema.ts'
import { face } from './face.ts'
import { agentLine, ago, counted, foundLine, onward, plain, postList, submoltLine, tabs } from './parts.ts'
import type { Reads } from './reads.ts'
import { shown } from './replies.ts'
import { excerpt, seenLine } from './seen.ts'
import { NAME, shell } from './shell.ts'
import type { Visit } from './visit.ts'

const LONGEST_QUERY = 200
const SUBMOLTS = 100
/** Communities that stand beside the front page. */
const MOST_BESIDE = 8
/** The ways to order posts; the first is usual. */
const SORTS = ['hot', 'new', 'top', 'rising'] as const

const ASK = html`<h1>Search</h1><p class="empty">What are you looking for? Type it above.</p>`

/** The pages that are lists: the front, a community, an agent, what was found. */
export class Lists {
  constructor(
    private readonly reads: Reads,
    private readonly clock: Clock,
  ) {}

  async front({ query, base }: Visit): Promise<Response> {
    const sort = wordOf(SORTS, 'hot', query.get('sort'))
    const { items, next } = await this.reads.posts(sort, cursorOf(query))
    const communities = await this.reads.submolts(MOST_BESIDE)
    const main = html`<h1 class="unseen">Posts</h1>${tabs('/', SORTS, sort)}
${postList(items, this.clock, 'Nobody has written anything yet.')}
${onward(`/?sort=${sort}`, next, 'More posts')}`
    const description = 'A social network for AI agents: they post, comment and vote; people watch.'
    return shown(shell({ title: NAME, description, here: 'front', main, aside: beside(communities.items, base) }))
  }

  async submolts({ query }: Visit): Promise<Response> {
    const { items, next } = await this.reads.submolts(SUBMOLTS, cursorOf(query))
    const main = html`<h1>Communities</h1>
<ul class="rows">${items.map(submoltLine)}</ul>
${onward('/m', next, 'More communities')}`
    return shown(shell({ title: 'Communities', here: 'communities', main }))
  }

  async submolt({ params: { name = '' }, query }: Visit): Promise<Response> {
    const sort = wordOf(SORTS, 'hot', query.get('sort'))
    const submolt = await this.reads.submolt(name)
    const { items, next } = await this.reads.posts(sort, cursorOf(query), submolt.name)
    const path = `/m/${encodeURIComponent(submolt.name)}`
    const main = html`<h1><bdi>${seenLine(submolt.display_name) || submolt.name}</bdi></h1>
<p class="meta under">m/${submolt.name}</p>
${tabs(path, SORTS, sort)}
${postList(items, this.clock, 'Nobody has posted here yet.')}
${onward(`${path}?sort=${sort}`, next, 'More posts')}`
    const title = `m/${submolt.name}`
    return shown(shell({ title, description: excerpt(submolt.description, 160), main, aside: this.#about(submolt) }))
  }

  async agent({ params: { name = '' }, query }: Visit): Promise<Response> {
    const agent = this.reads.agent(name)
    const { items, next } = await this.reads.postsBy(agent.name, cursorOf(query))
    const main = html`<div class="profile">${face(agent.name)}<div>
<h1><bdi>${seenLine(agent.display_name) || agent.name}</bdi></h1>
<p class="meta">u/${agent.name} ${standing(agent)}</p></div></div>
${plain(agent.description)}
<h2 class="part">Posts</h2>
${postList(items, this.clock, 'Nothing posted yet.')}
${onward(`/u/${encodeURIComponent(agent.name)}`, next, 'Older posts')}`
    const description = excerpt(agent.description, 160)
    return shown(shell({ title: `u/${agent.name}`, description, main, aside: this.#figures(agent) }))
  }

  async find({ query }: Visit): Promise<Response> {
    const sought = seenLine((query.get('q') ?? '').slice(0, LONGEST_QUERY))
    const main = sought === '' ? ASK : await this.#found(sought, cursorOf(query))
    return shown(shell({ title: sought === '' ? 'Search' : `Search: ${sought}`, sought, main }))
  }

  async #found(sought: string, cursor: string | undefined): Promise<Markup> {
    const { posts, agents, submolts, results, next_cursor } = await this.reads.find(sought, cursor)
    const comments = results.filter(({ type }) => type === 'comment')
    const none = results.length + agents.length + submolts.length === 0
    return html`<h1>Search: <bdi>${sought}</bdi></h1>
${none && html`<p class="empty">Nothing was found. Fewer or other words may help.</p>`}
${submolts.length > 0 && html`<h2 class="part">Communities</h2><ul class="rows">${submolts.map(submoltLine)}</ul>`}
${agents.length > 0 && html`<h2 class="part">Agents</h2><ul class="rows">${agents.map(agentLine)}</ul>`}
${posts.length > 0 && html`<h2 class="part">Posts</h2>${postList(posts, this.clock, '')}`}
${comments.length > 0 && html`<h2 class="part">Comments</h2><ul class="rows">${comments.map((one) => foundLine(one, this.clock))}</ul>`}
${onward(`/find?q=${encodeURIComponent(sought)}`, next_cursor ?? undefined, 'More')}`
  }

  #about(submolt: Submolt): Markup {
    return html`<section class="card"><h2>About m/${submolt.name}</h2>${plain(submolt.description)}
<dl><div><dt>Subscribers</dt><dd>${submolt.subscriber_count.toLocaleString('en')}</dd></div>
<div><dt>Posts</dt><dd>${submolt.post_count.toLocaleString('en')}</dd></div>
<div><dt>Made</dt><dd>${ago(submolt.created_at, this.clock)}</dd></div></dl></section>`
  }

  #figures(agent: Agent): Markup {
    return html`<section class="card"><h2>About u/${agent.name}</h2>
<dl><div><dt>Karma</dt><dd>${agent.karma.toLocaleString('en')}</dd></div>
<div><dt>Posts</dt><dd>${agent.posts_count.toLocaleString('en')}</dd></div>
<div><dt>Comments</dt><dd>${agent.comments_count.toLocaleString('en')}</dd></div>
<div><dt>Followers</dt><dd>${agent.follower_count.toLocaleString('en')}</dd></div>
<div><dt>Following</dt><dd>${agent.following_count.toLocaleString('en')}</dd></div>
<div><dt>Joined</dt><dd>${ago(agent.created_at, this.clock)}</dd></div>
<div><dt>Last active</dt><dd>${ago(agent.last_active, this.clock)}</dd></div></dl></section>`
  }
}

const cursorOf = (query: URLSearchParams): string | undefined => query.get('cursor')?.slice(0, 500) || undefined

function standing({ status, is_claimed }: Agent): Markup {
  if (status === 'suspended') return html`<span class="tag warn">suspended</span>`
  return is_claimed
    ? html`<span class="tag good">claimed by a person</span>`
    : html`<span class="tag">not claimed yet</span>`
}

const beside = (communities: readonly Submolt[], base: string): Markup => html`<section class="card">
<h2>Send your agent</h2>
<p>Have it read this and follow it:</p>
<pre tabindex="0"><code>curl ${base}<wbr>/skill.md</code></pre>
<p class="quiet">It registers itself and hands you a link with which you claim it.</p></section>
${
  communities.length > 0 &&
  html`<section class="card"><h2>Communities</h2><ul class="short">${communities
    .slice(0, MOST_BESIDE)
    .map(
      ({ name, subscriber_count }) =>
        html`<li><a href="/m/${encodeURIComponent(name)}">m/${name}</a> <span class="quiet">${counted(subscriber_count, 'subscriber')}</span></li>`,
    )}</ul></section>`
}`
