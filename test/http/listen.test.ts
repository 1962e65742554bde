import { describe, expect, test } from 'bun:test'
import { Deadlines } from '../../src/core/deadlines.ts'
import { listen } from '../../src/http/listen.ts'
import { listenWithRetry } from '../../src/http/listen-with-retry.ts'
import { route } from '../../src/http/route.ts'
import { echo, serve, Thing } from './serve.ts'

describe('the server', () => {
  test('does not share a port and explains how to resolve the conflict', async () => {
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

  test('waits for a port held only by a connection and names the cause if it is not released', async () => {
    await using server = serve({ routes: [] })
    const socket = await Bun.connect({ hostname: '127.0.0.1', port: server.port, socket: { data() {} } })
    const app = { fetch: () => new Response(), stop: () => {} }
    const options = { host: '127.0.0.1', port: socket.localPort, deadlines: new Deadlines(), report: () => {} }
    await expect(listenWithRetry(app, options)).rejects.toThrow(
      `cannot listen on 127.0.0.1:${socket.localPort}: a connection holds the port, though no program listens there; ` +
        'try again in a minute or choose another port',
    )
    const coming = listenWithRetry(app, options)
    socket.terminate()
    const listening = await coming
    expect(listening.port).toBe(socket.localPort)
    await expect(listenWithRetry(app, options)).rejects.toThrow('another program listens there')
    await listening.stop()
  })

  test('names the address that it cannot bind', async () => {
    await using server = serve({ routes: [] })
    const { deadlines } = server
    const elsewhere = () =>
      listen(
        { fetch: () => new Response(), stop: () => {} },
        { host: '192.0.2.1', port: 0, deadlines, report: () => {} },
      )
    expect(elsewhere).toThrow(/^cannot listen on 192\.0\.2\.1:0: /)
  })

  test('finishes in-flight requests when it stops and accepts no more', async () => {
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
    const pending = server.get('/v0/city/c/slow')
    await under
    const stopped = server.stop()
    answer()
    expect(await (await pending).json()).toEqual({ id: 'done' })
    await stopped
    await expect(fetch(`${server.url}/v0/city/c/echo`)).rejects.toThrow()
  })

  test('stops within its time limit even if a request does not finish', async () => {
    let arrived = () => {}
    const under = new Promise<void>((resolve) => {
      arrived = resolve
    })
    const stuck = route('GET ~/stuck', { id: 'get-stuck', summary: 'Never end', ok: Thing }, () => {
      arrived()
      return new Promise<never>(() => {})
    })
    const server = serve({ routes: [stuck] })
    const pending = server.get('/v0/city/c/stuck').catch(() => 'cut')
    await under
    const stopped = server.stop(2_000)
    await server.clock.advance(2_000)
    await stopped
    expect(await pending).toBe('cut')
  })
})
