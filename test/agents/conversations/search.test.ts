import { expect, test } from 'bun:test'
import { excerptOf, toWords } from '../../../src/agents/conversations/search/match.ts'
import { scriptedTown } from '../../support/city.ts'

test('an excerpt is the line with most of the words, cut around the first', () => {
  const words = toWords(['Red', 'fox'])
  expect(excerptOf('a red hat\nthe FOX and the Red hen\nred', words)).toBe('the FOX and the Red hen')
  expect(excerptOf('a fox\n', words)).toBeUndefined()
  expect(excerptOf('a fox\nin red', words)).toBe('a fox')
  const long = excerptOf(`${'😀'.repeat(300)} fox red ${'z'.repeat(900)}`, words) ?? ''
  expect(long).toStartWith('…')
  expect(long).toEndWith('z…')
  expect(long).toContain(' fox red z')
  expect(long.isWellFormed()).toBe(true)
  expect(long.length).toBeLessThanOrEqual(242)
})

test('one request reads twenty conversations at most, whatever it finds, and the next continues behind them', async () => {
  await using town = scriptedTown(`
[[agent]]
name = "worker"
start_command = "sleep 600"
min_active_sessions = 21
max_active_sessions = 21
`)
  const city = await town.open()
  await city.reconciler.settle()
  const live = city.sessionRepository.live()
  expect(live).toHaveLength(21)
  for (const { hostKey } of live) town.host.screens.set(hostKey ?? '', ['nothing here'])
  const oldest = live.at(-1)
  town.host.screens.set(oldest?.hostKey ?? '', ['a needle'])
  const { signal } = new AbortController()
  const first = await city.sessions.reading.search({ q: 'needle' }, signal)
  const { next_cursor: cursor = '' } = first
  expect(first).toEqual({ items: [], searched: 20, next_cursor: cursor })
  const second = await city.sessions.reading.search({ q: 'needle', cursor }, signal)
  expect(second).toMatchObject({ items: [{ session: oldest?.id, excerpt: 'a needle' }], searched: 1 })
  expect(second.next_cursor).toBeUndefined()
  expect(await city.sessions.reading.search({ q: 'needle' }, AbortSignal.abort())).toEqual({ items: [], searched: 0 })
})
