import { describe, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { human } from '../../src/http/guard.ts'
import { git } from '../agents/worktrees/git.ts'
import { commit, workersWorld } from '../changes/landing/workers.ts'
import { landingWorld } from '../changes/landing/world.ts'
import { tempFolder } from '../support/folder.ts'

/** A PATH with a git that runs a script in place of one command; `run` is the real one. */
function deceivingGit(word: string, script: string): Disposable & { readonly path: string } {
  const folder = tempFolder()
  const text = `#!/bin/sh\nrun() { '${Bun.which('git')}' "$@"; }
for each; do if [ "$each" = ${word} ]; then ${script}\nexit; fi; done\nrun "$@"\n`
  writeFileSync(folder.at('git'), text, { mode: 0o755 })
  return { path: `${folder.path}:${process.env.PATH}`, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const CHECK = 'check = ["./test.sh"]\n'

describe('a branch', () => {
  test('that went on after it landed lands again, from the head that landed', async () => {
    await using world = await landingWorld()
    const first = world.branch('work', { 'base.txt': 'one\nX\nthree\n' })
    await world.submit('work')
    await world.settle()
    const id = await world.send('work', { 'base.txt': 'one\nX2\nthree\n' }, first)
    await world.settle()
    expect([world.state(id), world.file('base.txt')]).toEqual(['landed', 'one\nX2\nthree'])
  })

  test('that builds on another lands after it, also in one batch', async () => {
    await using world = await landingWorld()
    const parent = world.branch('parent', { 'base.txt': 'one\nP\nthree\n' })
    world.branch('child', { 'base.txt': 'one\nC\nthree\n' }, parent)
    await world.pause()
    await world.submit('child')
    const first = await world.submit('parent')
    await world.resume()
    await world.settle()
    expect([world.main(), world.file('base.txt')]).toEqual([
      ['child: base.txt', 'parent: base.txt', 'base'],
      'one\nC\nthree',
    ])
    expect(world.state(first)).toBe('landed')
  })

  test('is held where its bead was reopened or claimed by someone else', async () => {
    await using world = await landingWorld()
    const bead = await world.bead()
    await world.pause()
    await world.city.beads.close(human, bead)
    world.branch('work', { 'a.txt': 'a\n' })
    const id = await world.submit('work', bead)
    await world.city.beads.reopen(human, bead)
    await world.resume()
    await world.settle()
    expect([world.state(id), world.reason(id)]).toEqual(['held', `its bead ${bead} was reopened since`])
    expect(world.city.attention.list().items.map(({ id: each }) => each)).toContain(`landing:${id}`)
    await world.landings.change(human, 'release', id)
    await world.settle()
    expect(world.state(id)).toBe('landed')
  })

  test('is held where its bead was claimed by another session or deleted', async () => {
    await using world = await workersWorld()
    const worker = await world.claimed()
    const gone = await world.bead()
    await world.pause()
    for (const name of ['a', 'b']) world.branch(name, { [name]: '1\n' })
    const ids = [await world.submit('a', worker.bead), await world.submit('b', gone)]
    await world.city.store.write((tx) => world.city.beadRepository.remove(tx, gone))
    await world.resume()
    await world.settle()
    expect(ids.map((id) => [world.state(id), world.reason(id)])).toEqual([
      ['held', `its bead ${worker.bead} was claimed by ${worker.id} since`],
      ['held', `its bead ${gone} was deleted`],
    ])
  })

  test('frees the worktree of its session once it landed as a squash, even where the target changed its lines since', async () => {
    await using world = await workersWorld()
    const { city } = world
    const worker = await world.claimed()
    commit(worker.path, { 'base.txt': 'one\nW\nthree\n' })
    await city.beads.close(worker.caller, worker.bead)
    await world.settle()
    git(world.rig, 'pull', '-q', 'origin', 'main')
    const later = world.person({ 'base.txt': 'one\nP\nthree\n' })
    await world.end(worker)
    await city.worktrees.sweep()
    expect([world.file('base.txt'), git(world.rig, 'rev-parse', 'main')]).toEqual(['one\nP\nthree', later])
    expect([city.worktrees.list().items, existsSync(worker.path)]).toEqual([[], false])
  })

  test('is held where it builds on one that was cancelled, or has no history in common with its target', async () => {
    await using world = await landingWorld()
    await world.pause()
    const parent = world.branch('parent', { p: '1\n' })
    const cancelled = await world.submit('parent')
    world.branch('child', { c: '1\n' }, parent)
    const child = await world.submit('child')
    await world.landings.change(human, 'cancel', cancelled)
    const tree = git(world.rig, 'rev-parse', 'main^{tree}')
    git(world.rig, 'branch', 'alien', git(world.rig, 'commit-tree', tree, '-m', 'alien'))
    const alien = await world.submit('alien')
    await world.resume()
    await world.settle()
    expect([child, alien].map((id) => [world.state(id), world.reason(id)])).toEqual([
      ['held', `builds on ${cancelled}, which was cancelled`],
      ['held', 'its branch has no history in common with main'],
    ])
    await world.landings.change(human, 'release', child)
    await world.settle()
    expect([world.state(child), world.file('p'), world.file('c')]).toEqual(['landed', '1', '1'])
  })

  test('is held where its merge changes a file that it did not', async () => {
    using bin = deceivingGit(
      'merge-tree',
      `tree=$(run "$@" | tr -d '\\0'); blob=$(echo x | run hash-object -w --stdin)
(run ls-tree "$tree"; printf '100644 blob %s\\tforeign\\n' "$blob") | run mktree | tr '\\n' '\\0'`,
    )
    await using world = await landingWorld({ variables: { PATH: bin.path } })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect([world.state(id), world.reason(id), world.main()]).toEqual([
      'held',
      'the merge changes files that its branch does not: foreign',
      ['base'],
    ])
  })

  test('lands nothing with a git that cannot merge without a working tree, and gives the reason', async () => {
    using bin = deceivingGit('--version', 'echo git version 2.37.7')
    await using world = await landingWorld({ variables: { PATH: bin.path } })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect([world.state(id), world.yard, world.town.reports]).toEqual([
      'submitted',
      undefined,
      ['landing in rig shop: landing needs git 2.38 or later, and this is git version 2.37.7; install a newer one'],
    ])
  })

  test('that is cancelled or held does not land, and one that is retried does', async () => {
    await using world = await landingWorld()
    await world.pause()
    const [a, b] = [await world.send('a', { 'a.txt': 'a\n' }), await world.send('b', { 'b.txt': 'b\n' })]
    await world.landings.change(human, 'cancel', a, 'not wanted')
    await world.landings.change(human, 'hold', b)
    await world.resume()
    await world.settle()
    expect([world.state(a), world.reason(a), world.state(b), world.main()]).toEqual([
      'cancelled',
      'not wanted',
      'held',
      ['base'],
    ])
    await expect(world.landings.change(human, 'release', a)).rejects.toThrow('is cancelled')
    await world.landings.change(human, 'retry', b)
    await world.settle()
    expect([world.state(b), world.main()]).toEqual(['landed', ['b: b.txt', 'base']])
  })
})

describe('a batch', () => {
  test('of two that pass alone and fail together blames the second', async () => {
    await using world = await landingWorld({
      judge: (folder) => (['x', 'y'].every((name) => Bun.file(`${folder}/${name}`).size > 0) ? 1 : 0),
    })
    await world.pause()
    const ids = [await world.send('a', { x: '1\n' }), await world.send('b', { y: '1\n' })]
    await world.resume()
    await world.settle()
    expect(ids.map(world.state)).toEqual(['landed', 'red'])
  })

  test('lands whole after a check that failed by chance, and records the flake', async () => {
    let runs = 0
    await using world = await landingWorld({ judge: () => (runs++ === 0 ? 1 : 0) })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect([world.state(id), world.checks]).toEqual(['landed', 2])
    expect(world.recorded()).toContain('flaky')
  })

  test('on a red target blames no one and stands until the target is another', async () => {
    await using world = await landingWorld({ judge: (folder) => (Bun.file(`${folder}/fixed`).size > 0 ? 0 : 1) })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect([world.state(id), world.landings.status('shop').standing?.cause]).toEqual(['queued', 'base-red'])
    world.branch('main', { fixed: 'x\n' })
    git(world.rig, 'push', '-q', 'origin', 'main')
    await world.clock.advance(61_000)
    await world.settle()
    expect([world.state(id), world.landings.status('shop').standing]).toEqual(['landed', undefined])
    expect(world.recorded().filter((type) => ['standing', 'running', 'red'].includes(type))).toEqual([
      'standing',
      'running',
    ])
  })

  test('blames no branch and notifies a person when its check takes too long or cannot run', async () => {
    await using world = await landingWorld({ judge: () => 127 })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    expect([world.state(id), world.checks]).toEqual(['queued', 2])
    expect(world.landings.status('shop').standing).toMatchObject({ cause: 'no-verdict' })
    world.judge = () => 'runs'
    await world.resume()
    await world.settle()
    world.judge = () => 0
    await world.clock.advance(20 * 60_000 + 1)
    await world.settle()
    expect([world.state(id), world.checks]).toEqual(['landed', 4])
  })

  test('is merged again where the target moved before it was pushed', async () => {
    await using world = await landingWorld({ judge: () => 'runs' })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    world.branch('main', { other: 'x\n' })
    git(world.rig, 'push', '-q', 'origin', 'main')
    world.judge = () => 0
    await world.settle()
    expect([world.state(id), world.main(), world.checks]).toEqual(['landed', ['a: a', 'main: other', 'base'], 2])
    expect(world.recorded()).toContain('overtaken')
  })

  test('that was checked with the same files before is checked again only by another command or elsewhere', async () => {
    await using world = await landingWorld()
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    const again = async () => {
      git(world.remote, 'update-ref', 'refs/heads/main', world.base)
      const other = await world.send('b', { b: '1\n' })
      await world.settle()
      expect(world.state(id)).toBe('lost')
      await world.landings.change(human, 'cancel', other)
      await world.landings.change(human, 'retry', id)
      await world.resume()
      await world.settle()
      return [world.state(id), world.main(), world.checks]
    }
    expect(await again()).toEqual(['landed', ['a: a', 'base'], 1])
    world.declare('mode = "push"\ncheck = ["./other.sh"]\n')
    await world.city.config.reload()
    expect(await again()).toEqual(['landed', ['a: a', 'base'], 2])
    const keyIn = ({ landings }: typeof world) => landings.checks.keyOf('0'.repeat(40), { argv: ['./test.sh'] })
    await using other = await landingWorld({ variables: { PATH: `${process.env.PATH}:/nowhere` } })
    expect(keyIn(other)).not.toBe(keyIn(world))
  })
})

describe('a conflict', () => {
  test('that stays after all tries is parked, and its owner is not written to again', async () => {
    await using world = await landingWorld({ land: `mode = "push"\n${CHECK}tries = 2\n` })
    world.branch('main', { 'base.txt': 'one\nM\nthree\n' })
    git(world.rig, 'push', '-q', 'origin', 'main')
    const first = world.branch('a', { 'base.txt': 'one\nA\nthree\n' })
    const id = await world.submit('a')
    await world.settle()
    await world.send('a', { 'base.txt': 'one\nA2\nthree\n' }, first)
    await world.settle()
    expect([world.state(id), world.reason(id)]).toEqual(['parked', 'conflicts with main in base.txt, after 2 tries'])
    expect(world.landings.rows.lettersOf(id).length).toBe(1)
    await world.landings.change(human, 'give-up', id, 'no use')
    expect([world.state(id), world.reason(id)]).toEqual(['given_up', 'no use'])
  })

  test('with one that is ahead in the batch is none until that has landed', async () => {
    await using world = await landingWorld()
    await world.pause()
    const ids = [
      await world.send('a', { 'base.txt': 'one\nA\nthree\n' }),
      await world.send('b', { 'base.txt': 'one\nB\nthree\n' }),
    ]
    await world.resume()
    await world.landings.whenIdle()
    expect(ids.map(world.state)).toEqual(['in_batch', 'queued'])
    await world.settle()
    expect(ids.map(world.state)).toEqual(['landed', 'conflict'])
  })
})

describe('a target', () => {
  test('that rejects the push twice makes the rig stand; a cancelled batch that arrives after all has landed', async () => {
    await using world = await landingWorld()
    world.hook('pre-receive', 'echo no; exit 1')
    await world.pause()
    const id = await world.send('a', { a: '1\n' })
    const other = await world.send('b', { b: '1\n' })
    await world.resume()
    await world.settle()
    await world.clock.advance(3_000)
    await world.settle()
    expect(world.landings.status('shop').standing?.reason).toContain('pre-receive hook declined')
    const candidate = world.landings.log(other).batches[0]?.candidate ?? ''
    const before = world.city.log.head
    await world.landings.change(human, 'cancel', id)
    expect([world.state(other), world.recorded(before)]).toEqual(['queued', ['queued', 'cancelled']])
    expect(world.landings.rows.openPushes('shop').length).toBe(1)
    world.unhook()
    git(world.yard ?? '', 'push', '-q', world.remote, `${candidate}:refs/heads/main`)
    await world.resume()
    await world.settle()
    const states = [id, other].map(world.state)
    expect([states, world.landings.rows.openPushes('shop')]).toEqual([['landed', 'landed'], []])
  })

  test('that cannot be reached for ten minutes is told to a person, once', async () => {
    await using world = await landingWorld()
    git(world.rig, 'config', 'remote.origin.url', '../gone.git')
    const id = await world.send('a', { a: '1\n' })
    for (let minute = 0; minute < 13; minute++) {
      await world.settle()
      await world.clock.advance(61_000)
    }
    await world.settle()
    expect([world.state(id), world.landings.status('shop').standing?.cause]).toEqual(['queued', 'failing'])
    expect(world.recorded().filter((type) => type === 'standing').length).toBe(1)
    git(world.rig, 'config', 'remote.origin.url', '../remote.git')
    await world.clock.advance(61_000)
    await world.settle()
    expect([world.state(id), world.landings.status('shop').standing]).toEqual(['landed', undefined])
  })
})

describe('after a crash', () => {
  test('a check that runs is adopted, and its batch lands', async () => {
    await using world = await landingWorld({ judge: () => 'runs' })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    await world.reopen()
    expect(world.state(id)).toBe('in_batch')
    world.judge = () => 0
    await world.settle()
    expect([world.state(id), world.checks]).toEqual(['landed', 1])
  })

  test('a check that ended unseen runs again', async () => {
    await using world = await landingWorld({ judge: () => 'runs' })
    const id = await world.send('a', { a: '1\n' })
    await world.settle()
    await world.city.close({ endSessions: false })
    for (const key of world.town.host.running) await world.town.host.exit(key)
    await world.reopen()
    world.judge = () => 0
    await world.settle()
    expect([world.state(id), world.checks]).toEqual(['landed', 2])
  })
})

test('a local branch lands on the rig itself, and never under changed files', async () => {
  await using world = await landingWorld({ land: `mode = "local"\n${CHECK}` })
  const a = await world.send('a', { 'base.txt': 'A\n' })
  await world.settle()
  expect([world.state(a), world.read('base.txt'), git(world.rig, 'status', '--porcelain')]).toEqual([
    'landed',
    'A\n',
    '',
  ])
  const tip = git(world.rig, 'rev-parse', 'main')
  const b = await world.send('b', { 'base.txt': 'B\n' }, tip)
  await Bun.write(`${world.rig}/base.txt`, 'mine\n')
  await world.settle()
  await world.clock.advance(3_000)
  await world.settle()
  expect([world.state(b), world.read('base.txt'), git(world.rig, 'rev-parse', 'main')]).toEqual([
    'in_batch',
    'mine\n',
    tip,
  ])
  expect(world.landings.status('shop').standing?.reason).toContain('with changes in it')
  git(world.rig, 'checkout', '-q', '--', 'base.txt')
  await world.resume()
  await world.settle()
  expect([world.state(b), world.read('base.txt')]).toEqual(['landed', 'B\n'])
})
