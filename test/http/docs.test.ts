import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { docsPage } from '../../src/http/docs.ts'
import { documentOf } from '../../src/http/document.ts'
import { route } from '../../src/http/route.ts'
import { serve } from './serve.ts'

const EVIL = `<script>alert("x")</script>'&`
const Lamp = Type.Object(
  { id: Type.String({ description: EVIL }), [EVIL]: Type.Optional(Type.String()) },
  { $id: 'Lamp', description: EVIL },
)
const routes = [
  route(
    'GET ~/lamps',
    {
      id: 'get-lamps',
      summary: EVIL,
      description: EVIL,
      query: Type.Object({ limit: Type.Optional(Type.Integer({ default: 5, maximum: 9 })) }),
      ok: Lamp,
    },
    () => ({ id: '' }),
  ),
  route(
    'POST ~/lamps',
    { id: 'create-lamp', summary: 'Hang a lamp', body: Lamp, ok: { 201: Lamp }, errors: ['bead-not-found'] },
    (x) => x.body,
  ),
]
const page = () => docsPage(documentOf({ info: { title: EVIL, version: '1', description: EVIL }, routes }))

describe('the reference page', () => {
  test('is served without scripts or external resources', async () => {
    await using server = serve({ routes })
    const response = await server.get('/docs')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'")
    const text = await response.text()
    expect(text).not.toMatch(/<script|<link|<img|src=|@import|url\(/i)
    expect([...text.matchAll(/href="([^"]*)"/g)].every(([, to]) => to === '/openapi.json' || to?.startsWith('#'))).toBe(
      true,
    )
  })

  test('shows every operation with its path, parameters, body and responses', () => {
    const text = page()
    expect(text).toContain('<span class="verb POST">POST</span><code>/v0/city/{cityName}/lamps</code>')
    expect(text).toContain('integer, at most 9, default 5')
    expect(text).toContain('<details id="shape-Lamp">')
    expect(text).toContain('Errors: 400, 401, 403, 404, 408, 409, 413, 415, 421, 422, 500, 503')
  })

  test('has a target for every link', () => {
    const text = page()
    const ids = new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))
    for (const [, to = ''] of text.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(to)
  })

  test('escapes all text', () => {
    expect(page()).not.toContain('<script')
    expect(page()).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;&#39;&amp;')
  })

  test('closes every tag it opens', () => {
    const text = page()
    for (const tag of ['article', 'section', 'table', 'tr', 'td', 'details', 'summary', 'nav', 'main', 'a', 'code']) {
      const opened = text.match(new RegExp(`<${tag}[ >]`, 'g'))?.length
      expect([tag, opened]).toEqual([tag, text.match(new RegExp(`</${tag}>`, 'g'))?.length])
    }
  })
})
