import { describe, expect, test } from 'bun:test'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { landingWorld } from './world.ts'

/** What the landings of a city ask of a person. */
async function asksOf({ city: { attention } }: Awaited<ReturnType<typeof landingWorld>>): Promise<string[]> {
  await attention.whenIdle()
  return attention.list().items.flatMap(({ kind, asks }) => (kind === 'landing' ? [asks] : []))
}

const CHECK = 'check = ["./test.sh"]\n'

describe('a branch', () => {
  test('lands as one checked commit, and its bead is closed in the write that saw it there', async () => {
    await using world = await landingWorld()
    const bead = await world.bead()
    world.branch('work', [{ 'a.txt': 'a\n' }, { 'b.txt': 'b\n' }])
    const { head: start } = world.city.log
    const id = await world.submit('work', bead)
    await world.settle()
    const { state, merged } = world.landings.show(id)
    expect([state, world.main(), world.checks]).toEqual(['landed', ['work: a.txt', 'base'], 1])
    expect(git(world.remote, 'rev-parse', 'main')).toBe(merged ?? '')
    expect(world.yard).toMatch(/\/land\/[0-9a-f]{20}\.git$/)
    expect(world.city.beadRepository.get(bead)).toMatchObject({
      status: 'closed',
      metadata: { merged_sha: merged ?? '', merged_target: 'main' },
    })
    expect(world.city.log.after(start, 100).map(({ type }) => type)).toEqual([
      ...[
        'land.submitted',
        'land.queued',
        'land.batched',
        'land.checking',
        'land.pushing',
        'land.landed',
        'bead.closed',
      ],
    ])
    expect(git(world.rig, 'status', '--porcelain')).toBe('')
    expect(await world.submit('work')).not.toBe(id)
    await world.settle()
    expect(world.landings.list({}).items.map((each) => each.state)).toEqual(['already', 'landed'])
  })

  test('is held for a person where it touches what judges it, secrets, submodules or what was replaced', async () => {
    await using world = await landingWorld({
      land: `mode = "push"\n${CHECK}protected_paths = ["ci/**"]\nhold = ["large:50"]\n`,
    })
    const tip = world.branch('main', [
      { 'test.sh': '#!/bin/sh\n', 'c.txt': 'old\n' },
      { 'base.txt': 'new\n', 'c.txt': 'new\n' },
    ])
    git(world.rig, 'push', '-q', 'origin', 'main')
    const held: Record<string, Record<string, string>> = {
      'test.sh': { 'test.sh': '#!/bin/sh\ntrue\n' },
      ci: { 'ci/run.yml': 'x\n' },
      secret: { 'k.txt': `ghp_${'a1B2'.repeat(9)}\n` },
      large: { 'l.txt': 'x\n'.repeat(60) },
      stale: { 'base.txt': 'one\ntwo\nthree\n', 'c.txt': 'old\n' },
    }
    const ids: string[] = []
    for (const [name, files] of Object.entries(held)) ids.push(await world.send(`b-${name}`, files, tip))
    await world.settle()
    expect(ids.map((id) => world.reason(id))).toEqual([
      'it changes protected files: test.sh',
      'it changes protected files: ci/run.yml',
      'it adds a GitHub token in k.txt',
      'it changes 60 lines, and the rig holds what changes more than 50',
      'it brings contents back that main replaced, as a branch does that was not up to date: base.txt, c.txt',
    ])
    expect([world.checks, git(world.remote, 'rev-parse', 'main')]).toEqual([0, tip])
  })
})

describe('a batch', () => {
  test('leaves a branch for later that conflicts with one ahead, which may fail and leave it the place', async () => {
    await using world = await landingWorld()
    await world.pause()
    const first = await world.send('a', { 'base.txt': 'one\nA\nthree\n', broken: 'x\n' })
    const second = await world.send('b', { 'base.txt': 'one\nB\nthree\n' })
    await world.resume()
    await world.settle()
    expect([first, second].map(world.state)).toEqual(['red', 'landed'])
    expect(world.landings.rows.lettersOf(second)).toEqual([])
  })

  test('with a culprit blames it alone, lands what is ahead of it in the same pass, and the rest in the next', async () => {
    await using world = await landingWorld()
    await world.pause()
    const ids: string[] = []
    for (let n = 0; n < 8; n++) ids.push(await world.send(`b${n}`, n === 5 ? { broken: 'x\n' } : { [`f${n}`]: 'x\n' }))
    await world.resume()
    await world.settle()
    expect(ids.map(world.state)).toEqual(ids.map((_, n) => (n === 5 ? 'red' : 'landed')))
    // The whole, three halves, the culprit again, and the two that were behind it.
    expect([world.checks, world.main().length]).toEqual([6, 8])
    const checks = world.landings.log(ids[5] ?? '').batches.flatMap((batch) => batch.checks)
    expect(
      checks
        .map(({ verdict }) => verdict)
        .sort()
        .join(' '),
    ).toBe('green green red red red')
    expect(checks.find(({ verdict }) => verdict === 'red')?.output).toBe('some output')
    expect(world.landings.rows.lettersOf(ids[5] ?? '').map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'red failed',
    ])
  })
})

describe('a conflict', () => {
  test('goes to one owner at a time; the others wait, and who resolves it keeps his place', async () => {
    await using world = await landingWorld()
    world.branch('main', { 'base.txt': 'one\nM\nthree\n' })
    git(world.rig, 'push', '-q', 'origin', 'main')
    const ids = [
      await world.send('a', { 'base.txt': 'one\nA\nthree\n' }),
      await world.send('b', { 'base.txt': 'one\nB\nthree\n' }),
      await world.send('c', { 'base.txt': 'one\nC\nthree\n' }),
      await world.send('d', { 'd.txt': 'd\n' }),
    ]
    await world.settle()
    expect(ids.map(world.state)).toEqual(['conflict', 'waits_turn', 'waits_turn', 'landed'])
    const [a = '', b = ''] = ids
    const letters = ids.flatMap((id) => world.landings.rows.lettersOf(id))
    expect(letters.map(({ landing, try: number, kind, details }) => ({ landing, number, kind, details }))).toEqual([
      {
        ...{ landing: a, number: 1, kind: 'conflict' },
        details: {
          ...{ target: git(world.remote, 'rev-parse', 'main~1'), start: world.base },
          changedBy: [expect.objectContaining({ path: 'base.txt', subject: 'main: base.txt' })],
          files: [{ path: 'base.txt', kind: 'content', hunks: [{ ours: 'M\n', ancestor: 'two\n', theirs: 'A\n' }] }],
        },
      },
    ])
    await expect(world.submit('a')).rejects.toThrow('commit what resolves it')
    git(world.rig, 'checkout', '-q', 'a')
    Bun.spawnSync(['git', '-C', world.rig, 'merge', '-q', 'main'])
    git(world.rig, 'checkout', '-q', '--ours', 'base.txt')
    git(world.rig, 'commit', '-q', '-am', 'resolved')
    git(world.rig, 'checkout', '-q', '-f', 'main')
    expect(await world.submit('a')).toBe(a)
    await world.settle()
    expect(ids.map(world.state)).toEqual(['landed', 'conflict', 'waits_turn', 'landed'])
    expect(world.file('base.txt')).toBe('one\nA\nthree')
    expect(world.landings.show(b).files).toEqual(['base.txt'])
    await world.clock.advance(30 * 60_000 + 1)
    await world.settle()
    expect(ids.map(world.state)).toEqual(['landed', 'conflict', 'conflict', 'landed'])
  })
})

describe('a target', () => {
  test('that answers yes and does nothing is not believed', async () => {
    await using world = await landingWorld()
    world.hook('post-receive', `while read -r old new ref; do git update-ref "$ref" "$old"; done`)
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    await world.clock.advance(3_000)
    await world.settle()
    expect([world.state(id), world.main(), world.landings.status('shop').standing?.cause]).toEqual([
      'in_batch',
      ['base'],
      'refused',
    ])
    world.unhook()
    await world.resume()
    await world.settle()
    expect([world.state(id), world.main(), world.checks]).toEqual(['landed', ['a: a', 'base'], 1])
  })

  test('that moved to another address is followed there', async () => {
    await using world = await landingWorld()
    await world.send('a', { a: '1\n' })
    await world.settle()
    git(world.town.folder.path, 'clone', '-q', '--bare', world.remote, 'moved.git')
    git(world.rig, 'remote', 'set-url', 'origin', '../moved.git')
    const before = world.city.log.head
    const id = await world.send('b', { b: '1\n' })
    await world.settle()
    expect([world.state(id), world.main()]).toEqual(['landed', ['a: a', 'base']])
    expect(git(world.town.folder.at('moved.git'), 'log', '-1', '--format=%s', 'main')).toBe('b: b')
    expect(world.recorded(before)).toEqual(['submitted', 'queued', 'batched', 'checking', 'pushing', 'landed'])
  })

  test('that is set back makes what had landed lost, and lands nothing until a person looked', async () => {
    await using world = await landingWorld()
    const bead = await world.bead()
    world.branch('a', { a: '1\n' })
    const id = await world.submit('a', bead)
    await world.settle()
    git(world.remote, 'update-ref', 'refs/heads/main', world.base)
    const other = await world.send('b', { b: '1\n' })
    await world.settle()
    expect([world.state(id), world.state(other)]).toEqual(['lost', 'queued'])
    expect(world.city.beadRepository.get(bead).metadata?.merged_sha ?? '').toBe('')
    const { cause, reason } = world.landings.status('shop').standing ?? {}
    expect(cause).toBe('rewound')
    expect(await asksOf(world)).toContain(`Nothing lands in rig shop: ${reason}.`)
    await world.landings.change(human, 'retry', id)
    await world.resume()
    await world.settle()
    expect([world.state(id), world.state(other)]).toEqual(['landed', 'landed'])
  })
})

describe('after a crash', () => {
  test('a push that arrived is seen to have, and one that did not is made again', async () => {
    await using world = await landingWorld()
    world.hook('pre-receive', 'exit 1')
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    const [push] = world.landings.rows.openPushes('shop')
    const path = world.yard ?? ''
    await world.city.close({ endSessions: false })
    world.unhook()
    git(path, 'push', '-q', world.remote, `${push?.new}:refs/heads/main`)
    Bun.write(`${path}/packed-refs.lock`, '')
    await world.reopen()
    await world.settle()
    expect([world.state(id), world.main()]).toEqual(['landed', ['a: a', 'base']])
  })
})

test('a rig without [rigs.land] submits nothing, runs nothing and has no repository of its own', async () => {
  await using world = await landingWorld({ land: '' })
  world.branch('work', { 'a.txt': 'a\n' })
  await expect(world.submit('work')).rejects.toThrow('rig shop lands nothing')
  await world.settle()
  expect([world.yard, world.recorded(), world.landings.list({}).items]).toEqual([undefined, [], []])
})
