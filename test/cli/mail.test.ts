import { describe, expect, test } from 'bun:test'
import type { WaitListBody, WaitView } from '../../src/work/waits/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
  await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600'])
})

const send = (...args: string[]) => town.json(['mail', 'send', ...args])

describe('gc mail', () => {
  test('inbox and list show new mail with --watch', async () => {
    for (const args of [
      ['mail', 'inbox', 'clerk', '--unread'],
      ['mail', 'list'],
    ]) {
      const stop = new AbortController()
      const subject = `Comes to ${args[1]}`
      let begun = false
      const onOutput = (out: string) => {
        if (!begun) void send('clerk', '-s', subject)
        begun = true
        if (out.includes(subject)) stop.abort()
      }
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(10_000)])
      expect((await town.gc([...args, '--watch'], { signal, onOutput })).out).toContain(subject)
    }
  })
})

describe('gc wait', () => {
  test('reports what is not a wait, also when it is a bead', async () => {
    const { id } = await town.json<{ id: string }>(['bead', 'create', 'a task'])
    for (const [verb, argument] of [
      ['inspect', id],
      ['cancel', 'to-99999'],
      ['ready', id],
    ] as const)
      expect(await town.gc(['wait', verb, argument])).toEqual({
        status: 1,
        out: '',
        err: `gc: ${argument} is not a wait; \`gc wait list\` lists the open ones\n`,
      })
  })

  test('creates, lists, shows and cancels', async () => {
    const { id: session } = await town.json<{ id: string }>(['session', 'new', 'clerk', '--alias', 'carl'])
    const { id: bead } = await town.json<{ id: string }>(['bead', 'create', 'first'])
    const wait = await town.json<WaitView>(['wait', 'create', bead, '--session', 'carl', '--note', 'go on', '--any'])
    expect(wait).toMatchObject({
      session_id: session,
      dep_ids: [bead],
      dep_mode: 'any',
      state: 'pending',
      note: 'go on',
    })
    expect((await town.json<WaitListBody>(['wait', 'list', '--session', session])).waits).toEqual([wait])
    expect((await town.gc(['wait', 'list'])).out).toContain('go on')
    expect((await town.gc(['wait', 'inspect', wait.id])).out).toContain('go on')
    const onOutput = (out: string) => {
      if (out.includes('pending') && !out.includes('canceled')) void town.gc(['wait', 'cancel', wait.id])
    }
    const watched = await town.gc(['wait', 'inspect', wait.id, '--watch'], { onOutput })
    expect([watched.status, watched.out]).toEqual([0, expect.stringMatching(/state +pending.*state +canceled/s)])
    expect((await town.gc(['wait', 'cancel', wait.id])).out).toBe(`Wait ${wait.id} is canceled.\n`)
    expect((await town.gc(['wait', 'list'])).out).toBe('No sessions are waiting for beads.\n')
    expect((await town.gc(['wait', 'inspect', 'to-99'])).status).toBe(1)
    const soon = await town.json<WaitView>(['wait', 'create', bead, '--session', 'carl'])
    expect((await town.gc(['wait', 'ready', soon.id])).out).toMatch(/^Wait \S+ is (ready|closed)\.\n$/)
    const other = await town.json<WaitView>(['wait', 'create', bead, '--session', 'carl'])
    await town.json(['bead', 'close', other.id])
    const over = await town.gc(['wait', 'inspect', other.id, '--watch'], { signal: AbortSignal.timeout(10_000) })
    expect(over.out).toMatch(/state +canceled\nwhy +its bead was closed\n/)
  }, 15_000)
})
