import { describe, expect, test } from 'bun:test'
import { errorMessage } from '../../../src/core/errors.ts'
import { formsOf } from '../browser.ts'
import { OPERATOR, openSite } from '../site.ts'

test('the operator sees with the token what is reported anywhere, escaped and uncached; no one else does', async () => {
  await using site = await openSite()
  const [ada, bob, cyd] = [(await site.agent('ada')).key, (await site.agent('bob')).key, (await site.agent('cyd')).key]
  const spam = await site.post(ada, { title: 'Spam' })
  const worse = await site.post(ada, { title: '<b>Worse</b>' })
  await site.api('POST', `/posts/${spam.id}/report`, bob, { reason: 'boring' })
  for (const key of [bob, cyd]) await site.api('POST', `/posts/${worse.id}/report`, key, { reason: '<i>bad</i>' })
  site.recorded()
  const read = (password: string, scheme = 'Basic') =>
    site.page('/operator/reports', { headers: { authorization: `${scheme} ${btoa(`me:${password}`)}` } })
  for (const response of [
    await site.page('/operator/reports'),
    await read('wrong'),
    await read(bob),
    await read(OPERATOR, 'Bearer'),
  ]) {
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toStartWith('Basic')
    expect(await response.text()).not.toContain('Spam')
  }
  const response = await read(OPERATOR)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const text = await response.text()
  expect(text.indexOf('Worse')).toBeLessThan(text.indexOf('Spam'))
  expect(text).toContain('2 reports')
  expect(text).not.toMatch(/<b>Worse|<i>bad/)
  await site.api('DELETE', `/posts/${worse.id}`, ada)
  expect(await (await read(OPERATOR)).text()).not.toContain('Worse')
  expect(site.recorded()).toEqual(['post.deleted'])
})

describe('actions of the operator on a reported post', () => {
  const credentials = `Basic ${btoa(`me:${OPERATOR}`)}`

  /** A site with one reported post, and what sends a form of the page. */
  async function openReported() {
    const site = await openSite()
    const [ada, bob] = [(await site.agent('ada')).key, (await site.agent('bob')).key]
    const post = await site.post(ada, { title: 'Spam' })
    await site.api('POST', `/posts/${post.id}/report`, bob, { reason: 'spam' })
    site.recorded()
    const read = async () => (await site.page('/operator/reports', { headers: { authorization: credentials } })).text()
    const form = formsOf(await read()).find(({ action }) => action.endsWith('/confirm'))
    const submit = (path: string, fields: [string, string][], headers: Record<string, string> = {}) =>
      site.page(`/operator/reports/${path}`, {
        method: 'POST',
        headers: {
          ...{ authorization: credentials, origin: site.url, 'content-type': 'application/x-www-form-urlencoded' },
          ...headers,
        },
        body: new URLSearchParams([['form_token', String(form?.fields.form_token)], ...fields]).toString(),
        redirect: 'manual',
      })
    const send = (action: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) => {
      const token = fields.form_token ?? String(form?.fields.form_token)
      return site.page('/operator/reports/apply', {
        method: 'POST',
        headers: {
          ...{ authorization: credentials, origin: site.url, 'content-type': 'application/x-www-form-urlencoded' },
          ...headers,
        },
        body: new URLSearchParams({ action, post: post.id, ...fields, form_token: token }).toString(),
        redirect: 'manual',
      })
    }
    return { site, ada, bob, post, read, send, submit }
  }

  test('the reports are dismissed, and the post stays', async () => {
    const { site, post, read, send, bob } = await openReported()
    await using _ = site
    const response = await send('dismiss')
    expect([response.status, response.headers.get('location')]).toEqual([
      ...[303, `/operator/reports?done=dismiss&count=1&post=${post.id}`],
    ])
    expect(await read()).toContain('No reported posts')
    expect((await site.api('GET', `/posts/${post.id}`, bob)).post.title).toBe('Spam')
    expect(site.recorded()).toEqual(['post.reports_dismissed'])
    expect((await send('dismiss')).status).toBe(303)
    expect(site.recorded()).toEqual([])
  })

  test('the post is deleted, once', async () => {
    const { site, read, send } = await openReported()
    await using _ = site
    expect((await send('delete')).status).toBe(303)
    expect(await read()).toContain('No reported posts')
    const again = await send('delete')
    expect([again.status, again.headers.get('location')]).toEqual([303, '/operator/reports?done=delete&count=1'])
    expect(site.recorded()).toEqual(['post.deleted'])
  })

  test('the author is suspended and told why; the post stays in the queue', async () => {
    const { site, ada, read, send } = await openReported()
    await using _ = site
    expect((await send('suspend', { reason: 'What you posted was reported' })).status).toBe(303)
    expect(await read()).toContain('Spam')
    const draft = { submolt: 'general', title: 'More', content: 'More of it' }
    const written = await site.api('POST', '/posts', ada, draft).then(() => 'written', errorMessage)
    expect(written).toContain('What you posted was reported')
    expect((await send('suspend', { reason: ' ' })).status).toBe(400)
    expect(site.recorded()).toEqual(['agent.suspended'])
  })

  test('several posts are selected, confirmed by name, and decided on together; a filter narrows them down', async () => {
    const { site, ada, bob, post, read, submit } = await openReported()
    await using _ = site
    const { key: cyd } = await site.agent('cyd')
    await site.api('POST', '/submolts', cyd, { name: 'gardens' })
    const other = await site.post(cyd, { submolt: 'gardens', title: 'More <b>spam</b>' })
    for (const key of [ada, bob]) await site.api('POST', `/posts/${other.id}/report`, key)
    site.recorded()
    const filtered = async (query: string) =>
      (await site.page(`/operator/reports?${query}`, { headers: { authorization: credentials } })).text()
    for (const [query, hasFirst, hasOther] of [
      ['community=gardens', false, true],
      ['author=ADA', true, false],
      ['min=2', false, true],
      ['community=none', false, false],
      ['min=x', true, true],
    ] as const) {
      const text = await filtered(query)
      expect([query, text.includes(post.id), text.includes(other.id)]).toEqual([query, hasFirst, hasOther])
    }
    expect((await submit('confirm', [['action', 'delete']])).status).toBe(400)
    const asked = await submit('confirm', [
      ['action', 'delete'],
      ['post', post.id],
      ['post', other.id],
    ])
    const question = await asked.text()
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(question).toContain('<h1>Delete 2 posts?</h1>\n<p>This cannot be undone.</p>')
    expect(question).toContain('More &lt;b&gt;spam')
    expect(site.recorded()).toEqual([])
    const all = await submit('confirm', [
      ['action', 'suspend'],
      ['all', 'yes'],
      ['listed', post.id],
      ['listed', other.id],
    ])
    expect(await all.text()).toContain('Suspend the authors of 2 posts?')
    const deleteAll = () =>
      submit('apply', [
        ['action', 'delete'],
        ['post', post.id],
        ['post', other.id],
        ['post', 'nothing'],
      ])
    for (const sent of [...(await Promise.all([deleteAll(), deleteAll()])), await deleteAll()]) {
      expect(sent.headers.get('location')).toBe('/operator/reports?done=delete&count=2')
    }
    expect(await read()).toContain('No reported posts')
    expect(site.recorded()).toEqual(['post.deleted', 'post.deleted'])
  })

  test('a dismissal and a suspension are undone', async () => {
    const { site, ada, post, read, send, submit } = await openReported()
    await using _ = site
    const dismissed = await send('dismiss')
    const page = await site.page(dismissed.headers.get('location') ?? '', { headers: { authorization: credentials } })
    const undo = formsOf(await page.text()).find(({ action }) => action.endsWith('/undo'))
    expect(undo?.fields).toMatchObject({ action: 'dismiss', post: post.id })
    expect(
      (
        await submit('undo', [
          ['action', 'dismiss'],
          ['post', post.id],
        ])
      ).status,
    ).toBe(303)
    expect(await read()).toContain('Spam')
    await send('suspend', { reason: 'What you posted was reported' })
    expect(
      (
        await submit('undo', [
          ['action', 'suspend'],
          ['post', post.id],
        ])
      ).status,
    ).toBe(303)
    await site.post(ada, { title: 'Back again' })
    expect(
      (
        await submit('undo', [
          ['action', 'delete'],
          ['post', post.id],
        ])
      ).status,
    ).toBe(400)
    expect(site.recorded()).toEqual([
      ...['post.reports_dismissed', 'post.reports_reopened', 'agent.suspended', 'agent.reinstated', 'post.created'],
    ])
  })

  test('no form of another site, without the token, or of somebody else changes anything', async () => {
    const { site, bob, send } = await openReported()
    await using _ = site
    const statuses = [
      await send('delete', {}, { origin: 'https://evil.example' }),
      await send('delete', { form_token: '' }),
      await send('delete', { form_token: '0'.repeat(64) }),
      await send('delete', {}, { authorization: `Basic ${btoa(`me:${bob}`)}` }),
      await send('delete', {}, { authorization: '' }),
    ].map(({ status }) => status)
    expect(statuses).toEqual([403, 403, 403, 401, 401])
    expect(site.recorded()).toEqual([])
  })
})
