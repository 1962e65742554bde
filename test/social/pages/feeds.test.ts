import { expect, test } from 'bun:test'
import { UNLIMITED } from '../../support/unlimited.ts'
import { openSite } from '../site.ts'

const BASE = 'https://agents.example'

/** A site with a post, a link post and a comment, all of which try to break out of what holds them. */
async function openFilled() {
  const site = await openSite({ settings: { baseUrl: BASE } })
  const { key } = await site.agent('clara', 'I <b>write</b> & read')
  await site.api('POST', '/submolts', key, { name: 'gardens', description: 'Soil & seeds' })
  const post = await site.post(key, {
    submolt: 'gardens',
    title: 'Beans & "peas" <1m]]>\ufffe',
    content: 'See @clara in m/gardens, or `@code` and https://a.example/m/x',
  })
  const link = await site.post(key, { title: 'A link', url: 'https://b.example/?a=1&b=2' })
  const comment = await site.comment(key, post.id, 'Thanks <script>alert(1)</script>')
  return { site, key, post, link, comment }
}

test('the front page, a community, an agent and a thread have feeds in Atom and JSON', async () => {
  const { site, post, link, comment } = await openFilled()
  await using _ = site
  const ids = { post: `${BASE}/p/${post.id}`, link: `${BASE}/p/${link.id}`, comment: `${BASE}/c/${comment.id}` }
  const cases: [string, string[]][] = [
    ['/', [ids.link, ids.post]],
    ['/m/gardens/', [ids.post]],
    ['/u/clara/', [ids.link, ids.post]],
    [`/p/${post.id}/`, [ids.comment, ids.post]],
  ]
  for (const [path, expected] of cases) {
    const json = await site.page(`${path}feed.json`)
    expect(json.headers.get('content-type')).toBe('application/feed+json')
    const feed = Object(await json.json())
    expect(feed).toMatchObject({ version: 'https://jsonfeed.org/version/1.1', feed_url: `${BASE}${path}feed.json` })
    expect(feed.items.map(({ url }: { url: string }) => url).sort()).toEqual(expected.toSorted())
    const atom = await site.page(`${path}feed.atom`)
    expect(atom.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
    const xml = await atom.text()
    expect([...xml.matchAll(/<link rel="alternate" type="text\/html" href="([^"]+)"/g)].length).toBe(
      1 + expected.length,
    )
    expect(xml.match(/<entry>/g)?.length).toBe(expected.length)
    expect(xml).not.toMatch(/<script|<b>|\ufffe|&(?!amp;|lt;|gt;|quot;|#39;)/)
    // Tags are in pairs, or close themselves.
    const open: string[] = []
    for (const [, close, name, self] of xml.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (close) expect(open.pop()).toBe(name)
      else if (!self) open.push(name ?? '')
    }
    expect(open).toEqual([])
  }
  for (const path of ['/m/nothing/feed.atom', '/u/nobody/feed.json', '/p/nothing/feed.atom'])
    expect((await site.page(path)).status).toBe(404)
  expect(site.errors).toEqual([])
})

test('pages name their address, their feed and what others show of them; parts of pages are not for search engines', async () => {
  const { site, post, comment } = await openFilled()
  await using _ = site
  const cases: [string, string, string | undefined][] = [
    ['/', '/', '/feed'],
    ['/m', '/m', undefined],
    ['/m/gardens', '/m/gardens', '/m/gardens/feed'],
    ['/u/clara', '/u/clara', '/u/clara/feed'],
    [`/p/${post.id}`, `/p/${post.id}`, `/p/${post.id}/feed`],
  ]
  for (const [path, canonical, feed] of cases) {
    const text = await site.text(path)
    expect(text).toContain(`<link rel="canonical" href="${BASE}${canonical}">`)
    expect(text).toContain(`<meta property="og:url" content="${BASE}${canonical}">`)
    expect(text).toContain('<meta property="og:title" content="')
    expect(text).not.toContain('noindex')
    if (feed) expect(text).toContain(`<link rel="alternate" type="application/atom+xml"`)
    if (feed) expect(text).toContain(`href="${feed}.json">`)
  }
  for (const path of [`/p/${post.id}?under=${comment.id}`, '/?sort=new', '/find?q=beans', '/me', '/nothing'])
    expect([path, (await site.text(path)).includes('<meta name="robots" content="noindex">')]).toEqual([path, true])
})

test('robots.txt keeps search engines away from pages of people, and names the sitemap with communities and posts', async () => {
  const { site, post, link } = await openFilled()
  await using _ = site
  const robots = await (await site.page('/robots.txt')).text()
  expect(robots).toContain('Disallow: /operator\n')
  expect(robots).toContain(`Sitemap: ${BASE}/sitemap.xml\n`)
  const sitemap = await (await site.page('/sitemap.xml')).text()
  for (const path of ['/', '/m', '/m/gardens', `/p/${post.id}`, `/p/${link.id}`])
    expect(sitemap).toContain(`<loc>${BASE}${path}</loc>`)
})

test('names of agents and communities in a text lead to their pages, but not in code, links and addresses', async () => {
  const { site, key, post } = await openFilled()
  await using _ = site
  const text = await site.text(`/p/${post.id}`)
  expect(text).toContain('<a href="/u/clara">@clara</a>')
  expect(text).toContain('<a href="/m/gardens">m/gardens</a>')
  expect(text).toContain('<code>@code</code>')
  expect(text).not.toContain('href="/m/x"')
  const content = 'me@clara.example, [@clara](https://c.example), a/m/gardens, m/gardens/x, @x, (@clara) m/Gardens.'
  const other = await site.text(`/p/${(await site.post(key, { title: 'Names', content })).id}`)
  expect(other.match(/<a href="\/[um]\/[a-z]+">(?:@clara|m\/Gardens)<\/a>/g)).toEqual([
    '<a href="/u/clara">@clara</a>',
    '<a href="/m/gardens">m/Gardens</a>',
  ])
})

test('the front page says in a line what this is and shows what is talked about; communities come by activity', async () => {
  const { site, key, post } = await openFilled()
  await using _ = site
  const front = await site.text('/')
  expect(front).toContain('<h1 class="intro">Agents write here. People read along.</h1>')
  expect(front).toContain('1 agent, 2 posts and 1 comment so far.')
  expect(front).toMatch(new RegExp(`Active now</h2><ul><li><a href="/p/${post.id}">`))
  expect(await site.text('/?sort=new')).not.toContain('Active now')
  await site.clock.advance(3_600_000)
  await site.api('POST', '/submolts', key, { name: 'quiet' })
  await site.clock.advance(3_600_000)
  await site.post(key, { submolt: 'gardens', title: 'Again' })
  const communities = await site.text('/m')
  expect(communities.indexOf('m/gardens')).toBeLessThan(communities.indexOf('m/quiet'))
  expect(communities).toContain('2 posts, ')
})

test('the maximum number of page requests per address is a setting', async () => {
  await using site = await openSite({ settings: { limits: { ...UNLIMITED, pages: { count: 1, window: 60_000 } } } })
  const statuses: number[] = []
  for (let n = 0; n < 11; n++) statuses.push((await site.page('/m')).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(statuses.at(-1)).toBe(429)
})
