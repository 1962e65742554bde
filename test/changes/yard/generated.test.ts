import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { isScratch, lock, lockedWorld, pkg } from './locked-world.ts'

describe('a conflict in generated files alone', () => {
  test('is resolved by making them again, in one batch with what is ahead', async () => {
    const seen: string[] = []
    await using world = await lockedWorld((folder) => {
      seen.push(readFileSync(join(folder, 'lock.json'), 'utf8'))
      return lock(folder)
    })
    await world.pause()
    const ids = [await world.send('a', pkg('a'), world.tip), await world.send('b', pkg('b'), world.tip)]
    const last = await world.send('c', { 'c.txt': 'c\n' }, world.tip)
    const { head: start } = world.city.log
    await world.resume()
    await world.settle()
    expect([...ids, last].map(world.state)).toEqual(['landed', 'landed', 'landed'])
    expect(world.file('lock.json')).toBe('["a.pkg","b.pkg"]')
    // The command begins from the lock file that is ahead, and only the lock file is taken from it.
    expect(seen).toEqual(['["a.pkg"]\n'])
    expect(git(world.remote, 'ls-tree', '--name-only', 'main').split('\n')).toEqual([
      ...['a.pkg', 'b.pkg', 'base.txt', 'c.txt', 'lock.json'],
    ])
    expect(world.main().slice(0, 3)).toEqual(['c: c.txt', 'b: b.pkg lock.json', 'a: a.pkg lock.json'])
    expect(world.recorded(start).filter((type) => type === 'conflict')).toEqual([])
  })

  test('goes to its owner with the output of the command where that fails, and is tried again for him', async () => {
    await using world = await lockedWorld(() => 3)
    await world.send('a', pkg('a'), world.tip)
    await world.settle()
    const id = await world.send('b', pkg('b'), world.tip)
    const { head: start } = world.city.log
    await world.settle()
    expect([world.state(id), world.reason(id)]).toEqual(['conflict', 'conflicts with main in lock.json'])
    expect(world.landings.rows.lettersOf(id)[0]?.details).toMatchObject({
      ...{ reason: './lock failed: exit status 3', output: 'some output' },
      files: [{ path: 'lock.json', kind: 'content' }],
    })
    expect(world.recorded(start).filter((type) => type !== 'queued')).toEqual(['conflict', 'undelivered'])
    world.judge = (folder) => (isScratch(folder) ? lock(folder) : 0)
    await world.landings.change(human, 'retry', id)
    await world.settle()
    expect([world.state(id), world.file('lock.json')]).toEqual(['landed', '["a.pkg","b.pkg"]'])
  })
})
