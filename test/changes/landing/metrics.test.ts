import { expect, test } from 'bun:test'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { landingWorld } from './world.ts'

type World = Awaited<ReturnType<typeof landingWorld>>

/** The samples of the metrics that are not zero. */
function samples({ landings }: World): Record<string, number> {
  const all = landings
    .metrics()
    .flatMap(({ name, samples }) =>
      samples.map(
        ({ labels, value }) => [[name, ...Object.values(labels)].join(' ').replace('gc_landing', ''), value] as const,
      ),
    )
  return Object.fromEntries(all.filter(([, value]) => value !== 0))
}

test('metrics count outcomes, the time until branches land, checks by verdict and pushes, also over a restart', async () => {
  await using world = await landingWorld()
  expect(samples(world)).toEqual({})
  await world.pause()
  await world.send('a', { 'a.txt': 'a\n' })
  const broken = await world.send('b', { broken: 'x\n' })
  await world.clock.advance(120_000)
  await world.resume()
  await world.settle()
  const held = await world.send('c', { 'test.sh': '#!/bin/sh\n' })
  await world.settle()
  expect(samples(world)).toEqual({
    's red': 1,
    's held': 1,
    's_total landed': 1,
    's_total red': 1,
    's_total held': 1,
    _seconds_total: 120,
    ...Object.fromEntries(['300', '900', '3600', '14400', '86400', '+Inf'].map((le) => [`_seconds_bucket ${le}`, 1])),
    '_checks_total green': 1,
    '_checks_total red': 2,
    '_pushes_total arrived': 1,
    '_submissions_total first': 3,
  })
  for (const id of [broken, held]) await world.landings.change(human, 'cancel', id)
  await world.reopen()
  expect(samples(world)).toMatchObject({ 's_total cancelled': 2, 's_total landed': 1, '_decisions_total cancel': 2 })
  expect(Object.keys(samples(world)).filter((name) => /^s [a-z]/.test(name))).toEqual([])
})

test('metrics count pushes that others overtook, and the time for which the target itself fails', async () => {
  await using world = await landingWorld()
  world.branch('other', { broken: 'x\n' })
  git(world.rig, 'push', '-q', 'origin', 'other:main')
  await world.send('a', { 'a.txt': 'a\n' })
  await world.settle()
  expect(world.landings.status('shop').standing?.cause).toBe('base-red')
  await world.clock.advance(30_000)
  expect(samples(world)).toMatchObject({ _base_red_seconds_total: 30 })
  git(world.rig, 'checkout', '-q', 'other')
  git(world.rig, 'rm', '-q', 'broken')
  git(world.rig, 'commit', '-q', '-m', 'mend')
  git(world.rig, 'push', '-q', 'origin', 'other:main')
  git(world.rig, 'checkout', '-q', 'main')
  await world.clock.advance(60_000)
  await world.settle()
  git(world.rig, 'fetch', '-q', 'origin', 'main')
  world.branch('person', { p: 'p\n' }, git(world.remote, 'rev-parse', 'main'))
  git(world.rig, 'push', '-q', 'origin', 'person')
  world.hook(
    'pre-receive',
    '[ -e once ] || env -u GIT_QUARANTINE_PATH git update-ref refs/heads/main person; touch once',
  )
  await world.send('b', { 'b.txt': 'b\n' })
  await world.settle()
  expect(world.main().slice(0, 3)).toEqual(['b: b.txt', 'person: p', 'a: a.txt'])
  const after = samples(world)
  expect(after).toMatchObject({
    '_pushes_total arrived': 2,
    '_pushes_total overtaken': 1,
    's_total landed': 2,
    _wasted_checks_total: 1,
  })
  expect(after._base_red_seconds_total).toBeGreaterThanOrEqual(60)
})

test('the state of a rig says when its check probably ends, by the checks before it', async () => {
  await using world = await landingWorld({ judge: () => 'runs' })
  const land = async (name: string, ms: number) => {
    await world.send(name, { [`${name}.txt`]: 'x\n' })
    await world.settle()
    expect(world.landings.status('shop').batch?.expected_end).toBe(expectedEnd())
    await world.clock.advance(ms)
    world.judge = () => 0
    await world.settle()
    world.judge = () => 'runs'
  }
  const usual: (number | undefined)[] = [undefined, 40_000, 60_000, 40_000]
  const expectedEnd = () => {
    const usually = usual.shift()
    return usually === undefined ? undefined : new Date(world.clock.now() + usually).toISOString()
  }
  await land('a', 40_000)
  await land('b', 60_000)
  await land('c', 20_000)
  await land('d', 1_000)
  expect(usual).toEqual([])
})
