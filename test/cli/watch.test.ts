import { expect, test } from 'bun:test'
import { shareTown, type Town } from './town.ts'

let town: Town

shareTown(async (opened) => {
  town = opened
  await town.gc(['agent', 'add', 'mayor', '--command', 'cat'])
})

test.each([
  { list: ['status'], change: ['bead', 'create', 'Sweep'], shows: /1 ready, 0 in progress/ },
  { list: ['agent', 'list'], change: ['agent', 'add', 'painter', '--command', 'cat'], shows: /painter/ },
  { list: ['status'], change: ['agent', 'suspend', 'mayor'], shows: /1 suspended/ },
  { list: ['agent', 'list'], change: ['agent', 'resume', 'mayor'], shows: /mayor +stopped/ },
  {
    list: ['session', 'list'],
    change: ['session', 'new', 'mayor', '--title', 'Door', '--alias', 'porter'],
    shows: /mayor .*Door/,
  },
  { list: ['service', 'list'], change: ['service', 'list'], shows: /no services/ },
  { list: ['order', 'list'], change: ['order', 'list'], shows: /no orders/ },
  { list: ['session', 'show', 'porter'], change: ['session', 'rename', 'porter', 'Gate'], shows: /title +Gate/ },
  { list: ['agent', 'show', 'mayor'], change: ['agent', 'suspend', 'mayor'], shows: /state +suspended/ },
  { list: ['rig', 'list'], change: ['rig', 'suspend', 'shop'], shows: /suspended/ },
  { list: ['bead', 'ready'], change: ['bead', 'create', 'Oil the hinge'], shows: /Oil the hinge/ },
])('$list --watch shows what changes, until it is interrupted', async ({ list, change, shows }) => {
  const end = new AbortController()
  const begun = Promise.withResolvers<void>()
  const onOutput = (out: string) => {
    begun.resolve()
    if (shows.test(out)) end.abort()
  }
  const signal = AbortSignal.any([end.signal, AbortSignal.timeout(15_000)])
  const watching = town.gc([...list, '--watch'], { signal, onOutput })
  await begun.promise
  await town.gc(change)
  const { status, out } = await watching
  expect(out).toMatch(shows)
  expect(status).toBe(0)
})
