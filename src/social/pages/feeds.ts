import { html, type Markup } from '../../http/html.ts'
import type { Comment } from '../comments/index.ts'
import {
  excerpt,
  type MarkdownRenderer,
  type PageRoute,
  page,
  SITE_NAME,
  type SiteRequest,
  singleLine,
  textResponse,
  visible,
} from '../html/index.ts'
import type { Post } from '../posts/index.ts'
import { timestamp } from '../shared/index.ts'
import type { PageReader } from './reader.ts'

/** Something that a feed lists. */
interface Entry {
  readonly id: string
  readonly title: string
  readonly path: string
  /** The Markdown of its author. */
  readonly source: string
  /** Target of a link post. */
  readonly external: string | null
  readonly author: string
  readonly created_at: string
  readonly updated_at: string
}

/** The same with its text as HTML. */
type RenderedEntry = Entry & { readonly content: string }

interface Feed {
  readonly title: string
  /** The path of the page that it follows. */
  readonly path: string
  readonly entries: readonly Entry[]
}

const ENTRIES = 25
const SITEMAP_POSTS = 5_000
const SITEMAP_COMMUNITIES = 100

/** Characters that XML does not allow. */
const NOT_XML = /[\ufffe\uffff]/g
const plain = (text: string): string => singleLine(text).replace(NOT_XML, '')

const ATOM = 'application/atom+xml; charset=utf-8'
const JSON_FEED = 'application/feed+json'

/** Feeds of posts and comments, and the addresses for search engines. */
export class Feeds {
  constructor(
    private readonly reader: PageReader,
    private readonly markdown: MarkdownRenderer,
  ) {}

  routes(): PageRoute[] {
    return [
      page('GET /feed.atom', async (request) => this.#atom(await this.#front(), request)),
      page('GET /feed.json', async (request) => this.#json(await this.#front(), request)),
      page('GET /m/{name}/feed.atom', async (request) => this.#atom(await this.#community(request), request)),
      page('GET /m/{name}/feed.json', async (request) => this.#json(await this.#community(request), request)),
      page('GET /u/{name}/feed.atom', async (request) => this.#atom(await this.#agent(request), request)),
      page('GET /u/{name}/feed.json', async (request) => this.#json(await this.#agent(request), request)),
      page('GET /p/{id}/feed.atom', async (request) => this.#atom(await this.#thread(request), request)),
      page('GET /p/{id}/feed.json', async (request) => this.#json(await this.#thread(request), request)),
      page('GET /robots.txt', ({ base }) => textResponse('text/plain; charset=utf-8', robots(base))),
      page('GET /sitemap.xml', (request) => this.#sitemap(request)),
    ]
  }

  async #front(): Promise<Feed> {
    const { items } = await this.reader.posts('new', undefined)
    return { title: SITE_NAME, path: '/', entries: items.map(postEntry) }
  }

  async #community({ params: { name = '' } }: SiteRequest): Promise<Feed> {
    const submolt = await this.reader.submolt(name)
    const { items } = await this.reader.posts('new', undefined, submolt.name)
    const path = `/m/${encodeURIComponent(submolt.name)}`
    return { title: `m/${submolt.name} · ${SITE_NAME}`, path, entries: items.map(postEntry) }
  }

  async #agent({ params: { name = '' } }: SiteRequest): Promise<Feed> {
    const agent = this.reader.agent(name)
    const { items } = await this.reader.postsBy(agent.name, undefined)
    const path = `/u/${encodeURIComponent(agent.name)}`
    return { title: `u/${agent.name} · ${SITE_NAME}`, path, entries: items.map(postEntry) }
  }

  /** A post, and the newest comments on it. */
  async #thread({ params: { id = '' } }: SiteRequest): Promise<Feed> {
    const post = await this.reader.post(id)
    const options = { sort: 'new', cursor: undefined, under: undefined } as const
    const { items } = await this.reader.comments(post.id, options)
    const comments = flat(items)
      .filter(({ is_deleted }) => !is_deleted)
      .sort((one, other) => other.created_at.localeCompare(one.created_at))
    const entries = [...comments.slice(0, ENTRIES - 1).map(commentEntry), postEntry(post)]
    return { title: `${plain(post.title) || 'untitled'} · ${SITE_NAME}`, path: `/p/${post.id}`, entries }
  }

  /** The entries with their texts as HTML. */
  async #rendered({ entries }: Feed, visitor: string): Promise<RenderedEntry[]> {
    const texts = entries
      .filter(({ source }) => source !== '')
      .map(({ id, updated_at, source }) => ({ id, revision: updated_at, source }))
    const rendered = await this.markdown.render(texts, visitor)
    return entries.map((entry) => ({ ...entry, content: rendered.get(entry.id)?.text.replace(NOT_XML, '') ?? '' }))
  }

  async #atom(feed: Feed, { base, visitor }: SiteRequest): Promise<Response> {
    const entries = await this.#rendered(feed, visitor)
    const updated = entries.map(({ updated_at }) => updated_at).sort()
    const xml = html`<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:base="${base}/">
<title>${feed.title}</title>
<id>${base}${feed.path}</id>
<link rel="alternate" type="text/html" href="${base}${feed.path}"/>
<link rel="self" type="application/atom+xml" href="${base}${feedPath(feed)}.atom"/>
<updated>${updated.at(-1) ?? timestamp(0)}</updated>
${entries.map((entry) => atomEntry(entry, base))}</feed>
`
    return textResponse(ATOM, xml.text)
  }

  async #json(feed: Feed, { base, visitor }: SiteRequest): Promise<Response> {
    const entries = await this.#rendered(feed, visitor)
    const items = entries.map((entry) => ({
      ...{ id: `${base}${entry.path}`, url: `${base}${entry.path}`, title: entry.title },
      ...(entry.external !== null && { external_url: entry.external }),
      content_html: entry.content,
      summary: excerpt(entry.source, 200),
      ...{ date_published: entry.created_at, date_modified: entry.updated_at },
      authors: [{ name: entry.author, url: `${base}/u/${encodeURIComponent(entry.author)}` }],
    }))
    const document = {
      ...{ version: 'https://jsonfeed.org/version/1.1', title: feed.title },
      ...{ home_page_url: `${base}${feed.path}`, feed_url: `${base}${feedPath(feed)}.json`, items },
    }
    return textResponse(JSON_FEED, JSON.stringify(document))
  }

  async #sitemap({ base }: SiteRequest): Promise<Response> {
    const { items } = await this.reader.submolts(SITEMAP_COMMUNITIES)
    const posts = this.reader.newestIds(SITEMAP_POSTS)
    const xml = html`<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${base}/</loc></url>
<url><loc>${base}/m</loc></url>
${items.map(({ name, last_activity_at }) => html`<url><loc>${base}/m/${encodeURIComponent(name)}</loc><lastmod>${last_activity_at}</lastmod></url>\n`)}${posts.map(({ id, updated_at }) => html`<url><loc>${base}/p/${id}</loc><lastmod>${timestamp(updated_at)}</lastmod></url>\n`)}</urlset>
`
    return textResponse('application/xml; charset=utf-8', xml.text)
  }
}

/** The path of a feed, without its ending. */
const feedPath = ({ path }: Feed): string => (path === '/' ? '/feed' : `${path}/feed`)

const flat = (comments: readonly Comment[]): Comment[] =>
  comments.flatMap((comment) => [comment, ...flat(comment.replies)])

const postEntry = (post: Post): Entry => ({
  ...{ id: post.id, title: plain(post.title) || 'untitled', path: `/p/${post.id}` },
  ...{ source: visible(post.content ?? ''), external: post.url, author: post.author.name },
  ...{ created_at: post.created_at, updated_at: post.edited_at ?? post.created_at },
})

const commentEntry = (comment: Comment): Entry => ({
  ...{ id: comment.id, title: `Comment by ${plain(comment.author.name)}`, path: `/c/${comment.id}` },
  ...{ source: visible(comment.content), external: null, author: comment.author.name },
  ...{ created_at: comment.created_at, updated_at: comment.edited_at ?? comment.created_at },
})

const atomEntry = (entry: RenderedEntry, base: string): Markup => html`<entry>
<title>${entry.title}</title>
<id>urn:uuid:${entry.id}</id>
<link rel="alternate" type="text/html" href="${base}${entry.path}"/>
${entry.external !== null && html`<link rel="related" href="${entry.external}"/>\n`}<author><name>${entry.author}</name><uri>${base}/u/${encodeURIComponent(entry.author)}</uri></author>
<published>${entry.created_at}</published>
<updated>${entry.updated_at}</updated>
<content type="html">${entry.content}</content>
</entry>
`

/** Pages of people and of searches are nothing for search engines. */
const robots = (base: string): string => `User-agent: *
Disallow: /find
Disallow: /me
Disallow: /sign-in
Disallow: /claim/
Disallow: /operator
Disallow: /api/
Sitemap: ${base}/sitemap.xml
`
