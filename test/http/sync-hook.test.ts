import { expect, test } from 'bun:test'
import { type Context, Elysia } from 'elysia'
import { syncHook } from '../../src/http/respond/sync-hook.ts'

const respond = ({ set }: Context) => {
  set.headers['x-seen'] = '1'
  return new Response('here')
}
const request = () => new Request('http://localhost/lamp')

test('a handler is called synchronously by fetch, and the headers it sets are sent', async () => {
  const handler = syncHook('({ set }) => response', ({ set }: Context) => respond({ set } as Context))
  const response = new Elysia().get('/lamp', handler).fetch(request())
  expect(response).toBeInstanceOf(Response)
  expect((await response).headers.get('x-seen')).toBe('1')
  expect(await (await response).text()).toBe('here')
})

test('a hook passed without syncHook delays its response by a tick', async () => {
  const other = { respond }
  const response = new Elysia().get('/lamp', (context) => other.respond(context)).fetch(request())
  expect(response).toBeInstanceOf(Promise)
  expect(await (await response).text()).toBe('here')
})
