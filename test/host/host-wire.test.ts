import { describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { systemClock } from '../../src/core/clock.ts'
import { Ring } from '../../src/core/ring.ts'
import { connectToHosts } from '../../src/host/client/host-client.ts'
import { encodeFrame, type Frame, FrameReader } from '../../src/host/protocol/frames.ts'
import { QueryFilter } from '../../src/host/server/query-filter.ts'
import { exitOf, hostWorld, output, sh } from './world.ts'

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** A raw connection to a host's socket; collects its frames and notes when it is closed. */
async function speak(socket: string) {
  const frames: Frame[] = []
  const reader = new FrameReader()
  const closed = Promise.withResolvers<void>()
  let wake = () => {}
  const connection = await Bun.connect({
    unix: socket,
    socket: {
      data: (_socket, bytes) => {
        reader.push(new Uint8Array(bytes), (frame) => frames.push(frame))
        wake()
      },
      close: () => closed.resolve(),
    },
  })
  const next = async (): Promise<Frame['header']> => {
    while (frames.length === 0) {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      await promise
    }
    return frames.shift()?.header ?? {}
  }
  return { connection, next, closed: closed.promise, send: (header: object) => connection.write(encodeFrame(header)) }
}

const hello = (protocol: number) => ({ hello: { protocol, build: 'test', pid: 1 } })

describe('the wire protocol of a host', () => {
  test('closes a connection that sends an invalid frame and keeps serving the others', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'exec sleep 60'))
    const socket = world.folder.at('home', 'host', 'dev', 'socket')
    const garbage = [
      Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      new Uint8Array(64).fill(0xff),
      encodeFrame({ op: 'list', id: 1 }),
      Buffer.from([0, 0, 0, 2, 0, 0, 0, 0, 0x5b, 0x5d]),
    ]
    for (const bytes of garbage) {
      const { connection, closed } = await speak(socket)
      connection.write(bytes)
      await closed
    }
    expect(await host.list()).toMatchObject([{ key: 'a', state: 'running' }])
  })

  test('rejects an unsupported protocol version with an error frame', async () => {
    await using world = hostWorld()
    await world.launch()
    const other = await speak(world.folder.at('home', 'host', 'dev', 'socket'))
    other.send(hello(99))
    expect(await other.next()).toEqual({
      push: 'refused',
      code: 'conflict-wrong-state',
      detail: 'this host speaks protocol 1, not 99',
    })
    await other.closed
  })

  test('rejects unknown operations and fields and keeps the connection open', async () => {
    await using world = hostWorld()
    await world.launch()
    const other = await speak(world.folder.at('home', 'host', 'dev', 'socket'))
    other.send(hello(1))
    expect(await other.next()).toMatchObject({ hello: { protocol: 1, build: 'dev' } })
    other.send({ op: 'fly', id: 1 })
    expect(await other.next()).toMatchObject({ re: 1, refusal: { code: 'not-implemented' } })
    other.send({ op: 'resize', id: 2, key: 'a', cols: 'wide', rows: 24 })
    expect(await other.next()).toMatchObject({ re: 2, refusal: { code: 'invalid-request' } })
    other.send({ op: 'list', id: 3 })
    expect(await other.next()).toEqual({ re: 3, ok: { sessions: [] } })
    other.connection.end()
  })

  test('bounds the memory for a client that reads nothing, without delaying the others', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'read _; head -c 100000000 /dev/zero | tr "\\0" x; echo end; exec sleep 60'))
    const deaf = await speak(world.folder.at('home', 'host', 'dev', 'socket'))
    deaf.send(hello(1))
    await deaf.next()
    deaf.connection.pause()
    deaf.send({ op: 'follow', id: 1, key: 'a', stream: 1, from: 0, grant: 1_000_000_000 })
    const [before] = await host.status()
    await host.write('a', '\r')
    await output(host, 'a', (seen) => seen.includes('end'), 'end')
    const [after] = await host.status()
    expect((after?.memory ?? 0) - (before?.memory ?? 0)).toBeLessThan(80 << 20)
    deaf.connection.end()
  }, 30_000)

  test('does not use a host with a different protocol version, and reports it', async () => {
    await using world = hostWorld()
    const folder = world.folder.at('home', 'host', 'dev')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    await Bun.write(`${folder}/lock`, '')
    const foreign = Bun.listen({
      unix: `${folder}/socket`,
      socket: { data: (socket) => void socket.write(encodeFrame(hello(99))) },
    })
    const options = { home: world.home, clock: systemClock, deadlines: world.deadlines, launch: ['/bin/false'] }
    await expect(connectToHosts(options)).rejects.toThrow('the session host of build test speaks protocol 99, not 1')
    foreign.stop(true)
  })

  test('skips output for a slow reader of one session instead of buffering it', async () => {
    await using world = hostWorld()
    const host = await world.connect()
    await host.start(sh(world, 'a', 'read _; head -c 3000000 /dev/zero | tr "\\0" x; echo end'))
    const slow = host.follow('a', 0, AbortSignal.timeout(10_000))[Symbol.asyncIterator]()
    const first = slow.next()
    await host.write('a', '\r')
    await first
    await exitOf(host, 'a')
    let [read, missed] = [0, 0]
    for (let item = await slow.next(); !item.done; item = await slow.next()) {
      if ('gap' in item.value) missed += item.value.gap.to - item.value.gap.from
      else read += item.value.bytes.length
    }
    expect(missed).toBeGreaterThan(1_000_000)
    expect(read).toBeLessThan(1_000_000)
  })
})

describe('a ring buffer', () => {
  test('keeps the last bytes by absolute offset', () => {
    const ring = new Ring(8)
    let all = ''
    for (const piece of ['abc', 'defgh', 'i', 'jklmnopqrstuvw', '', 'xy']) {
      ring.push(Buffer.from(piece))
      all += piece
      expect(ring.end).toBe(all.length)
      expect(ring.oldest).toBe(Math.max(0, all.length - 8))
      expect(text(ring.read(ring.oldest, 100))).toBe(all.slice(-8))
    }
    expect(text(ring.read(ring.oldest + 2, 3))).toBe(all.slice(-6, -3))
    expect(() => ring.read(ring.oldest - 1, 1)).toThrow('is not kept')
  })
})

describe('terminal queries', () => {
  const passedOn = [
    '\x1b[31m',
    '\x1b]2;what? a title\x07',
    '\x1b[?25l',
    '\x1b[2J',
    '\x1b[>1u',
    '\x1b(B',
    '\x1b[8;24;80t',
    'ünï',
  ]
  const queries = [
    ...[
      '\x1b[c',
      '\x1b[0c',
      '\x1b[>c',
      '\x1b[=c',
      '\x1b[5n',
      '\x1b[6n',
      '\x1b[?6n',
      '\x1b[?996n',
      '\x1b[?u',
      '\x1b[>q',
    ],
    ...['\x1b[>0q', '\x1b[?2026$p', '\x1b[18t', '\x1b]10;?\x07', '\x1b]11;?\x1b\\', '\x1b]4;1;?\x07', '\x1bP$qm\x1b\\'],
    ...[
      '\x1bP+q544e\x1b\\',
      '\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\',
      '\x05',
      '\x1bZ',
      '\x1b[x',
      '\x1b]52;c;?\x07',
    ],
  ]

  test('are removed wherever the output is split, and nothing else is', () => {
    const all = passedOn
      .flatMap((one, at) => [one, queries[at] ?? '', 'x', queries[at + passedOn.length] ?? ''])
      .join('')
    const rest = queries.slice(2 * passedOn.length).join('')
    const input = Buffer.from(`${all}${rest}end`)
    const expected = `${passedOn.map((one) => `${one}x`).join('')}end`
    for (let size = 1; size <= input.length; size++) {
      const filter = new QueryFilter()
      const out: Uint8Array[] = []
      for (let at = 0; at < input.length; at += size) out.push(filter.push(input.subarray(at, at + size)))
      expect(Buffer.concat([...out, filter.flush()]).toString()).toBe(expected)
    }
  })

  test('do not delay a long redraw', () => {
    const filter = new QueryFilter()
    const image = `\x1bPq${'#0~'.repeat(1000)}`
    expect(text(filter.push(Buffer.from(image)))).toBe(image)
    expect(text(filter.push(Buffer.from('~~\x1b\\after')))).toBe('~~\x1b\\after')
  })
})
