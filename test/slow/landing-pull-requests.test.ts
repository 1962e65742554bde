import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../src/http/guard.ts'
import { git } from '../agents/worktrees/git.ts'
import { proposingWorld } from '../changes/landing/proposing-world.ts'
import { eventually } from '../support/until.ts'

test('pull requests go side by side, and one whose target moved is made again', async () => {
  await using town = await proposingWorld('gitea')
  const { world, forge, until } = town
  forge.rules.requiredChecks = ['ci']
  const [first, second] = [await world.send('one', { 'a.txt': 'a\n' }), await world.send('two', { 'b.txt': 'b\n' })]
  await until(first, 'pr_waiting')
  await until(second, 'pr_waiting')
  expect(forge.pulls.size).toBe(2)
  forge.report(forge.tip(`gc/land/${second}`), 'ci', 'green')
  await until(second, 'landed')
  const before = forge.tip(`gc/land/${first}`)
  forge.report(before, 'ci', 'green')
  await eventually(
    'the first is made again',
    20_000,
    async () => {
      await world.settle()
      await world.clock.advance(5_000)
      return forge.tip(`gc/land/${first}`)
    },
    (tip) => tip !== before,
  )
  forge.report(forge.tip(`gc/land/${first}`), 'ci', 'green')
  await until(first, 'landed')
  expect(forge.pulls.size).toBe(2)
  expect(git(world.remote, 'rev-list', '--count', `${world.base}..main`)).toBe('2')
})

test('a pull request continues where the yard is gone, and is held where its branch is gone as well', async () => {
  await using town = await proposingWorld('gitea')
  const { world, forge, until } = town
  forge.rules.requiredChecks = ['ci']
  const [kept, gone] = [await world.send('a', { 'a.txt': 'a\n' }), await world.send('b', { 'b.txt': 'b\n' })]
  await until(kept, 'pr_waiting')
  await until(gone, 'pr_waiting')
  const tip = forge.tip(`gc/land/${kept}`)
  await world.city.close({ endSessions: false })
  rmSync(join(world.town.hosts.home, 'land'), { recursive: true })
  git(world.remote, 'update-ref', '-d', `refs/heads/gc/land/${gone}`)
  await world.reopen()
  forge.report(tip, 'ci', 'green')
  await until(kept, 'landed')
  await until(gone, 'held')
  expect([world.landings.show(kept).merged, forge.tip()]).toEqual([tip, tip])
  await world.landings.change(human, 'release', gone)
  await until(gone, 'pr_waiting')
  forge.report(forge.tip(`gc/land/${gone}-2`), 'ci', 'green')
  await until(gone, 'landed')
  expect([world.file('a.txt'), world.file('b.txt')]).toEqual(['a', 'b'])
})

test('a bead can ask for a pull request, or to stay on its branch, where the rig pushes', async () => {
  await using town = await proposingWorld('gitea', { mode: 'push' })
  const { world, until } = town
  const bead = async (name: string, merge_strategy: string) => {
    const id = await world.bead()
    await world.city.beads.update(human, id, { metadata: { merge_strategy } })
    world.branch(name, { [`${name}.txt`]: 'x\n' })
    return world.submit(name, id)
  }
  const [local, mr, direct] = [await bead('a', 'local'), await bead('b', 'mr'), await bead('c', 'direct')]
  await until(direct, 'landed')
  await until(local, 'held')
  expect(world.reason(local)).toBe('its bead asks to stay on its branch: merge_strategy = local')
  await until(mr, 'landed')
  expect(town.forge.pulls.size).toBe(1)
})
