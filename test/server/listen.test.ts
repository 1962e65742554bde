import { describe, expect, test } from 'bun:test'
import { listen } from '../../src/server/listen.ts'
import { route } from '../../src/server/route.ts'
import { echo, serve, Thing } from './serve.ts'

describe('the server', () => {
  test('does not share a port: the second to ask is told what to do', async () => {
    await using server = serve({ routes: [] })
    const { deadlines, port } = server
    const again = () =>
      listen({ fetch: () => new Response(), stop: () => {} }, { host: '127.0.0.1', port, deadlines, report: () => {} })
    expect(again).toThrow(
      expect.objectContaining({
        code: 'service-unavailable',
        message: `cannot listen on 127.0.0.1:${port}: another program listens there; stop it or choose another port`,
      }),
    )
  })

  test('says which address it cannot have', async () => {
    await using server = serve({ routes: [] })
    const { deadlines } = server
    const elsewhere = () =>
      listen(
        { fetch: () => new Response(), stop: () => {} },
        { host: '192.0.2.1', port: 0, deadlines, report: () => {} },
      )
    expect(elsewhere).toThrow(/^cannot listen on 192\.0\.2\.1:0: /)
  })

  test('lets requests under way finish when it stops, and takes no more', async () => {
    let arrived = () => {}
    let answer = () => {}
    const under = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const slow = route('GET ~/slow', { id: 'get-slow', summary: 'Take a while', ok: Thing }, async () => {
      arrived()
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return { id: 'done' }
    })
    const server = serve({ routes: [slow, echo('GET ~/echo')] })
    const asked = server.get('/v0/city/c/slow')
    await under
    const stopped = server.stop()
    answer()
    expect(await (await asked).json()).toEqual({ id: 'done' })
    await stopped
    await expect(fetch(`${server.url}/v0/city/c/echo`)).rejects.toThrow()
  })

  test('stops in bounded time when a request does not finish', async () => {
    let arrived = () => {}
    const under = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const stuck = route('GET ~/stuck', { id: 'get-stuck', summary: 'Never end', ok: Thing }, () => {
      arrived()
      return new Promise<never>(() => {})
    })
    const server = serve({ routes: [stuck] })
    const asked = server.get('/v0/city/c/stuck').catch(() => 'cut')
    await under
    const stopped = server.stop(2_000)
    await server.clock.advance(2_000)
    await stopped
    expect(await asked).toBe('cut')
  })
})
