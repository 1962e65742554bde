import { describe, expect, test } from 'bun:test'
import { defaultSettings } from '../../../src/social/shared/settings.ts'
import { UNLIMITED } from '../../support/unlimited.ts'
import { openSite } from '../site.ts'

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

describe('the website', () => {
  test('every page is complete, has no script, and forbids what it does not need', async () => {
    await using site = await openSite()
    const { key } = await site.agent('clara')
    const post = await site.post(key, { content: 'Something **strong**' })
    const comment = await site.comment(key, post.id, 'And a thought')
    const pages = [
      '/',
      '/?sort=new',
      '/m',
      '/m/general',
      '/u/clara',
      `/p/${post.id}`,
      '/find',
      '/find?q=strong',
      '/join',
    ]
    pages.push('/me', '/sign-in', `/p/${post.id}?under=${comment.id}`, '/nowhere')
    for (const path of pages) {
      const response = await site.page(path)
      const text = await response.text()
      expect(response.status).toBe(path === '/nowhere' ? 404 : 200)
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(response.headers.get('content-security-policy')).toBe(POLICY)
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      expect(text).toStartWith('<!doctype html>')
      expect(text.match(/<h1/g)?.length).toBe(1)
      expect(text).toContain('<main id="main">')
      expect(text).not.toMatch(/<script|\son\w+=|style=|undefined|\[object/i)
    }
    expect(site.errors).toEqual([])
  })

  test('the style sheet and the icon are cached for long, the style sheet under a name that depends on its content', async () => {
    await using site = await openSite()
    const sheet = /href="(\/style-[0-9a-f]{16}\.css)"/.exec(await site.text('/'))?.[1] ?? ''
    const response = await site.page(sheet)
    expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(response.headers.get('cache-control')).toContain('immutable')
    expect((await response.text()).length).toBeLessThan(20_000)
    expect((await site.page('/icon.svg')).headers.get('content-type')).toBe('image/svg+xml')
  })

  test('labels, roles, pins, and who moderates or wrote the post are marked, escaped', async () => {
    await using site = await openSite()
    const [owner, ada, bob] = [
      (await site.agent('olga')).key,
      (await site.agent('ada')).key,
      (await site.agent('bob')).key,
    ]
    await site.api('POST', '/submolts', owner, { name: 'bees' })
    await site.api('POST', '/submolts/bees/moderators', owner, { agent_name: 'bob', role: 'moderator' })
    await site.api('POST', '/submolts/bees/subscribe', ada)
    const define = async (draft: Record<string, unknown>): Promise<string> =>
      (await site.api('POST', '/submolts/bees/labels', owner, draft)).label.id
    const solved = await define({ key: 'solved', label: '<b>Solved', kind: 'status', color: 'emerald' })
    const keeper = await define({ key: 'keeper', label: 'Keeper', kind: 'role', prompt: 'Look at the hive' })
    const post = await site.post(ada, { submolt: 'bees', title: 'A swarm' })
    await site.api('POST', '/labels/attach', owner, {
      label_definition_id: solved,
      target_type: 'post',
      target_id: post.id,
    })
    await site.api('POST', '/labels/attach', owner, {
      label_definition_id: keeper,
      target_type: 'agent',
      target_id: 'ada',
    })
    await site.api('POST', `/posts/${post.id}/pin`, bob)
    for (const key of [owner, ada, bob]) await site.comment(key, post.id, 'Smoke calms them')
    const mark = '<span class="tag label emerald"><bdi>&lt;b&gt;Solved</bdi></span>'
    for (const path of ['/?sort=new', '/m/bees', '/u/ada', '/find?q=swarm', `/p/${post.id}`]) {
      const text = await site.text(path)
      expect(text).toContain(mark)
      expect(text).toContain('<span class="tag">pinned</span>')
    }
    const page = await site.text(`/p/${post.id}`)
    for (const role of ['owner', 'author', 'moderator']) expect(page).toContain(`<span class="tag">${role}</span>`)
    expect(await site.text('/u/ada')).toContain('<bdi>Keeper</bdi> in m/bees')
    expect(await site.text('/u/bob')).not.toContain('Keeper')
    expect(site.errors).toEqual([])
  })

  test('posts are listed in each order, in a community and by an agent, page by page', async () => {
    await using site = await openSite()
    const { key } = await site.agent('clara')
    for (let n = 1; n <= 30; n++) {
      await site.clock.advance(1_000)
      await site.post(key, { title: `Number ${n}.` })
    }
    for (const path of ['/?sort=new', '/m/general?sort=new', '/u/clara']) {
      const first = await site.text(path)
      expect(first).toContain('Number 30.')
      expect(first).not.toContain('Number 5.')
      const next = /rel="next" href="([^"]+)"/.exec(first)?.[1]?.replaceAll('&amp;', '&') ?? ''
      const second = await site.text(next)
      expect(second).toContain('Number 5.')
      expect(second).not.toContain('Number 30.')
      expect(second).not.toContain('rel="next"')
    }
    for (const sort of ['hot', 'top', 'rising', 'whatever'])
      expect((await site.page(`/?sort=${sort}`)).status).toBe(200)
    expect(await site.text('/?sort=top')).toContain('<a href="/?sort=top" aria-current="page">top</a>')
  })

  test('a post shows its comments as a tree, or a single thread', async () => {
    await using site = await openSite()
    const { key } = await site.agent('clara')
    const post = await site.post(key, { content: 'The beginning' })
    const one = await site.comment(key, post.id, 'first thought')
    const two = await site.comment(key, post.id, 'an answer to it', one.id)
    await site.comment(key, post.id, 'quite another')
    await site.api('DELETE', `/comments/${two.id}`, key)
    const page = await site.text(`/p/${post.id}`)
    expect(page).toContain('first thought')
    expect(page).toContain(`<li id="c-${two.id}">`)
    expect(page).not.toContain('an answer to it')
    expect(page).toContain('2 comments')
    const thread = await site.text(`/p/${post.id}?under=${one.id}`)
    expect(thread).toContain('first thought')
    expect(thread).not.toContain('quite another')
    expect((await site.page(`/p/${post.id}?under=nothing`)).status).toBe(404)
  })

  test('a post and a comment have permanent addresses that lead to them', async () => {
    await using site = await openSite()
    const { key } = await site.agent('clara')
    const post = await site.post(key, { content: 'The beginning' })
    const comment = await site.comment(key, post.id, 'first thought')
    const leadsTo = async (path: string) => {
      const { status, headers } = await site.page(path)
      return [status, headers.get('location')]
    }
    expect(await leadsTo(`/post/${post.id}`)).toEqual([301, `/p/${post.id}`])
    expect(await leadsTo(`/c/${comment.id}`)).toEqual([301, `/p/${post.id}?under=${comment.id}#c-${comment.id}`])
    expect(await site.text(`/p/${post.id}`)).toContain(`href="/c/${comment.id}"`)
    for (const path of ['/post/nothing', '/c/nothing']) expect((await site.page(path)).status).toBe(404)
  })

  test('replies that do not fit on a page are on the next', async () => {
    await using site = await openSite()
    const { key } = await site.agent('clara')
    const post = await site.post(key, {})
    const root = await site.comment(key, post.id, 'the root')
    for (let n = 0; n < 28; n++)
      await site.comment(key, post.id, `reply ${n} ${'x'.repeat(n < 14 ? 9_900 : 5)}`, root.id)
    const page = await site.text(`/p/${post.id}`)
    expect(page.length).toBeLessThan(200_000)
    expect(page).toMatch(new RegExp(`<a href="/p/${post.id}\\?under=${root.id}">2\\d more replies</a>`))
  })

  test('search finds posts, comments, agents and communities, and says when it finds nothing', async () => {
    await using site = await openSite()
    const { key } = await site.agent('zephyr', 'I look at winds')
    const post = await site.post(key, { title: 'Barometers', content: 'pressure falls' })
    await site.comment(key, post.id, 'my barometers agree')
    await site.api('POST', '/submolts', key, { name: 'barometry', display_name: 'Barometry', description: 'Air' })
    const results = await site.text('/find?q=barometers')
    expect(results).toContain('>Barometers<')
    expect(results).toContain('my barometers agree')
    expect(await site.text('/find?q=zephyr')).toContain('href="/u/zephyr"')
    expect(await site.text('/find?q=barometry')).toContain('href="/m/barometry"')
    const nothing = await site.text(`/find?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(nothing).toContain('No results')
    expect(nothing).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    expect((await site.page(`/find?q=${'x'.repeat(5_000)}`)).status).toBe(200)
  })

  test('unknown addresses are an error page, and JSON for a program', async () => {
    await using site = await openSite()
    for (const path of ['/p/nothing', '/u/nobody', '/m/nowhere', '/claim/nothing', '/x/y/z', '/p/%zz', '/u/%00']) {
      const response = await site.page(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.text()).toContain('<main id="main">')
    }
    const program = await fetch(`${site.url}/nowhere`)
    expect(program.status).toBe(404)
    expect(await program.json()).toMatchObject({ success: false, error: 'This page does not exist.' })
    const wrong = await site.page('/', { method: 'POST' })
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    const head = await site.page('/', { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await site.page('/?cursor=rubbish')).status).toBe(400)
    expect(site.errors).toEqual([])
  })

  test('a request for another host is rejected', async () => {
    await using site = await openSite({ hosts: ['agents.example'] })
    const request = async (host: string) => (await site.page('/', { headers: { host } })).status
    expect(await request('evil.example')).toBe(421)
    expect(await request('agents.example')).toBe(200)
    expect(await request('localhost:8080')).toBe(200)
    expect(await request('agents.example"><b>')).not.toBe(200)
  })

  test('the requests of one address are limited, and the error says when to retry', async () => {
    const { pages } = defaultSettings.limits
    await using site = await openSite({ settings: { proxied: true, limits: { ...UNLIMITED, pages } } })
    const request = (from: string) => site.page('/icon.svg', { headers: { 'x-forwarded-for': from } })
    for (let n = 0; n < 300; n++) expect((await request('192.0.2.1')).status).toBe(200)
    const late = await request('192.0.2.1')
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '60'])
    expect((await request('192.0.2.2')).status).toBe(200)
    await site.clock.advance(60_000)
    expect((await request('192.0.2.1')).status).toBe(200)
  })
})
