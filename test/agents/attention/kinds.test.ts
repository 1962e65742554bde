import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { DiskSpace } from '../../../src/city/status/disk-space.ts'
import { toTimestamp } from '../../../src/core/clock.ts'
import { human } from '../../../src/http/guard.ts'
import { scriptedTown } from '../../support/city.ts'

const HOUR = 3_600_000

async function recorded(city: City, after: number): Promise<string[]> {
  await city.attention.whenIdle()
  return city.log.after(after, 100).map(({ type, payload }) => {
    const { id, kind, resolution }: Record<string, unknown> = Object(payload)
    return [type, id ?? kind, resolution].filter(Boolean).join(' ')
  })
}

/** Mail of a script, under a name of its own. */
const send = (city: City, to: string, subject: string) =>
  city.mail.send(human, { from: 'nightly', to, subject, body: 'May I delete the logs of last year?' })

describe('unread mail to people', () => {
  test('is listed with its text and its fix until it is read, and mail to others is not', async () => {
    await using town = scriptedTown('[[agent]]\nname = "worker"\nstart_command = "true"')
    const city = await town.open()
    await send(city, 'worker', 'not yours')
    await city.mail.send(human, { to: 'human', subject: 'a note to myself', body: '' })
    const { id } = await send(city, 'human', 'logs')
    const { head } = city.log
    await city.attention.whenIdle()
    expect(city.attention.list().items).toMatchObject([
      {
        ...{ id: `mail:${id}`, kind: 'mail', bead_id: id, asks: 'Mail from human: logs', cut: false },
        ...{ text: 'May I delete the logs of last year?', to_do: `gc mail read ${id}, or gc mail reply ${id} -m "…"` },
      },
    ])
    await city.mail.read(human, id)
    expect(await recorded(city, head)).toEqual([
      `attention.raised mail:${id}`,
      'bead.updated',
      'mail.marked_read',
      `attention.cleared mail:${id}`,
    ])
    expect(city.attention.list().items).toEqual([])
  })

  test('goes with its bead, and is counted beyond a hundred', async () => {
    await using town = scriptedTown()
    const city = await town.open()
    for (let n = 0; n < 102; n++) await send(city, 'human', `m${n}`)
    const { items } = city.attention.list()
    expect(items).toHaveLength(101)
    expect(items.find(({ id }) => id === 'mail:more')?.asks).toBe('2 more messages are unread.')
    const [first, second] = city.mail.list({ agent: 'human' }).items
    await city.beads.close(human, first?.id ?? '', {})
    await city.mail.archive(human, second?.id ?? '')
    await city.attention.whenIdle()
    expect(city.attention.list().items).toHaveLength(100)
  })
})

describe('a muted kind', () => {
  test('is not listed or announced until it is unmuted, and repeating that changes nothing', async () => {
    await using town = scriptedTown()
    let city = await town.open()
    const { id } = await send(city, 'human', 'logs')
    await city.attention.whenIdle()
    const { head } = city.log
    expect(await city.attentionMutes.mute(human, 'mail', undefined)).toMatchObject({ kind: 'mail', by: 'human' })
    expect(city.attention.list()).toMatchObject({ items: [], muted: [{ kind: 'mail' }] })
    const other = await send(city, 'human', 'more')
    const cleared = `attention.cleared mail:${id} items of the kind mail are muted`
    const beads = ['bead.created', 'mail.sent']
    const log = () =>
      recorded(city, head).then((all) => all.map((line) => line.replace(/^(bead.created|mail.sent).*/, '$1')))
    expect(await log()).toEqual(expect.arrayContaining(['attention.muted mail', cleared, ...beads]))
    await city.close({ endSessions: false })
    city = await town.open()
    expect(city.attention.list().items).toEqual([])
    const opened = city.log.head
    for (const _ of ['once', 'again']) await city.attentionMutes.unmute(human, 'mail')
    expect(await recorded(city, opened)).toEqual([
      'attention.unmuted mail',
      `attention.raised mail:${other.id}`,
      `attention.raised mail:${id}`,
    ])
    await expect(city.attentionMutes.mute(human, 'constructor', undefined)).rejects.toThrow('no kind of item called')
  })

  test('comes back at its time, also when that passed while the city was closed', async () => {
    await using town = scriptedTown()
    let city = await town.open()
    await send(city, 'human', 'logs')
    const until = () => toTimestamp(town.clock.now() + HOUR)
    await expect(city.attentionMutes.mute(human, 'mail', toTimestamp(town.clock.now()))).rejects.toThrow('future')
    await city.attentionMutes.mute(human, 'mail', until())
    await town.clock.advance(HOUR - 1)
    expect(city.attention.list().items).toEqual([])
    await town.clock.advance(2)
    await city.store.write(() => undefined)
    expect(city.attention.list().items).toHaveLength(1)
    await city.attentionMutes.mute(human, 'mail', until())
    await city.close({ endSessions: false })
    await town.clock.advance(2 * HOUR)
    city = await town.open()
    expect(city.attention.list()).toMatchObject({ items: [{ kind: 'mail' }] })
    expect(city.attentionMutes.list()).toEqual([])
  })
})

test('a disk is listed below its floor until there is clearly room again', async () => {
  await using town = scriptedTown()
  const city = await town.open()
  let free = 300
  let looks = 0
  const MIB = 1024 * 1024
  const disk = new DiskSpace(city, {
    folders: ['/data'],
    freeAt: async () => {
      looks++
      return free * MIB
    },
  })
  expect(disk.items()).toBeUndefined()
  await disk.start()
  const seen: string[] = []
  await town.clock.advance(600_000)
  expect(looks).toBe(1)
  await city.beads.create(human, { title: 'a' })
  for (free of [200, 300, 400]) {
    await town.clock.advance(60_000)
    seen.push((disk.items() ?? []).map(({ id, asks }) => `${id} ${/\d+ MiB/.exec(asks)}`).join())
  }
  disk.stop()
  await town.clock.advance(600_000)
  expect(looks).toBe(4)
  expect(seen).toEqual(['disk:/data 200 MiB', 'disk:/data 300 MiB', ''])
})
