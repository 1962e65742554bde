import { expect, test } from 'bun:test'
import { OPERATOR, openSite } from './site.ts'

test('the operator sees with the token what is reported anywhere, escaped and uncached; nobody else does', async () => {
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
