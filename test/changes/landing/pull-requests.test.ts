import { expect, test } from 'bun:test'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { OWN_TOKEN } from '../../support/forge.ts'
import { proposingWorld } from './proposing-world.ts'

test.each(['github', 'gitea'] as const)(
  'a branch lands by a pull request at %s, and its bead is closed',
  async (dialect) => {
    await using town = await proposingWorld(dialect)
    const { world, forge, until } = town
    forge.rules.requiredChecks = ['ci']
    const bead = await world.bead()
    world.branch('work', { 'a.txt': 'a\n' })
    const { head: start } = world.city.log
    const id = await world.submit('work', bead)
    await until(id, 'pr_waiting')
    expect(world.reason(id)).toBe('pull request 1: waiting for checks: ci')
    expect(world.main()).toEqual(['base'])
    forge.report(forge.tip(`gc/land/${id}`), 'ci', 'green')
    await until(id, 'landed')
    expect(git(world.remote, 'diff', '--name-only', world.base, 'main')).toBe('a.txt')
    expect(world.landings.show(id).merged).toBe(forge.tip())
    expect(world.city.beadRepository.get(bead)).toMatchObject({
      status: 'closed',
      metadata: { merged_sha: forge.tip() },
    })
    expect(forge.tip(`gc/land/${id}`)).toBe('')
    expect(world.recorded(start)).toEqual([
      'submitted',
      'queued',
      'batched',
      'checking',
      'proposed',
      'merging',
      'landed',
    ])
  },
)

test('a red check of the forge goes back to the owner, and a supervisor that starts again continues', async () => {
  await using town = await proposingWorld('gitea')
  const { world, forge, until } = town
  forge.rules.requiredChecks = ['ci']
  const id = await world.send('work', { 'a.txt': 'a\n' })
  await until(id, 'pr_waiting')
  await world.reopen()
  forge.report(forge.tip(`gc/land/${id}`), 'ci', 'red')
  await until(id, 'red')
  expect(world.main()).toEqual(['base'])
  const details = { output: 'ci', reason: 'checks of the forge failed' }
  expect(world.landings.rows.lettersOf(id)[0]?.details).toMatchObject(details)
})

test('a landing that is released after the forge held it lands by another pull request, and the first one goes away', async () => {
  await using town = await proposingWorld('gitea')
  const { world, forge, until } = town
  forge.script(/merge$/, { status: 405, body: { message: 'User not allowed to merge PR' } })
  const id = await world.send('work', { 'a.txt': 'a\n' })
  await until(id, 'held')
  expect(world.reason(id)).toBe('the forge does not let gc merge: User not allowed to merge PR')
  expect(forge.tip(`gc/land/${id}`)).not.toBe('')
  await world.landings.change(human, 'release', id)
  await until(id, 'landed')
  expect([world.main().length, forge.pulls.size]).toEqual([2, 2])
  expect([forge.tip(`gc/land/${id}`), forge.tip(`gc/land/${id}-2`)]).toEqual(['', ''])
})

test('nothing lands without a token, and the train says what to do', async () => {
  await using town = await proposingWorld('gitea', { token: '' })
  const { world, forge } = town
  await world.send('work', { 'a.txt': 'a\n' })
  await world.settle()
  const { standing } = world.landings.status('shop')
  expect(standing).toMatchObject({ cause: 'no-forge', reason: expect.stringContaining('gc rig token add --host') })
  expect([forge.requests, world.main()]).toEqual([[], ['base']])
})

test('a bead that asks for a pull request which the rig cannot open holds its own branch alone', async () => {
  await using town = await proposingWorld('gitea', { token: '', mode: 'push' })
  const { world } = town
  const bead = await world.bead()
  await world.city.beads.update(human, bead, { metadata: { merge_strategy: 'mr' } })
  world.branch('asks', { 'a.txt': 'a\n' })
  const { head } = world.city.log
  const [asks, other] = [await world.submit('asks', bead), await world.send('other', { 'b.txt': 'b\n' })]
  await world.settle()
  expect([world.state(asks), world.state(other)]).toEqual(['held', 'landed'])
  expect(world.reason(asks)).toContain('its bead asks for a pull request, and there is no token for')
  expect(world.landings.status('shop').standing).toBeUndefined()
  await world.landings.change(human, 'release', asks)
  await world.settle()
  expect([world.state(asks), world.recorded(head).filter((type) => type === 'held').length]).toEqual(['landed', 1])
})

test('a branch that an agent of a pack was handed is not landed', async () => {
  await using town = await proposingWorld('gitea', { mode: 'push' })
  const { world, until } = town
  const id = await world.bead()
  const metadata = { branch: 'work', 'gc.routed_to': 'shop/refinery' }
  await world.city.beads.update(human, id, { metadata })
  world.branch('work', { 'a.txt': 'a\n' })
  const landing = await world.submit('work', id)
  await until(landing, 'held')
  expect(world.reason(landing)).toBe('shop/refinery merges this branch itself; gc does not land it as well')
  expect(world.main()).toEqual(['base'])
})

test.each(['github', 'gitea'] as const)(
  'a landing that is undone leaves no pull request and no branch at %s',
  async (dialect) => {
    await using town = await proposingWorld(dialect)
    const { world, forge, until } = town
    forge.rules.requiredChecks = ['ci']
    const settled = async (number: number) => {
      for (let n = 0; n < 20 && forge.tip(`gc/land/${ids[number - 1]}`) !== ''; n++) {
        await world.settle()
        await world.clock.advance(5_000)
      }
      return forge.pulls.get(number)?.state
    }
    const ids = [await world.send('one', { 'a.txt': 'a\n' }), await world.send('two', { 'b.txt': 'b\n' })]
    const [one = '', two = ''] = ids
    await until(one, 'pr_waiting')
    await until(two, 'pr_waiting')
    const { head: start } = world.city.log
    forge.script(/PATCH .*pulls\/1/, 'lost')
    await world.landings.change(human, 'cancel', one)
    await world.reopen()
    expect([await settled(1), forge.tip(`gc/land/${one}`)]).toEqual(['closed', ''])
    forge.report(forge.tip(`gc/land/${two}`), 'ci', 'red')
    await until(two, 'red')
    expect(forge.pulls.get(2)?.state).toBe('open')
    await world.landings.change(human, 'give-up', two, 'not worth it')
    expect([await settled(2), forge.tip(`gc/land/${two}`), world.state(two)]).toEqual(['closed', '', 'given_up'])
    expect(world.recorded(start)).toEqual(['cancelled', 'red', 'undelivered', 'cancelled'])
    expect([world.main(), forge.count(/PATCH/)]).toEqual([['base'], 2])
  },
)

test('a landing whose pull request was merged before it was cancelled has landed', async () => {
  await using town = await proposingWorld('gitea')
  const { world, forge, until } = town
  forge.rules.requiredChecks = ['ci']
  const id = await world.send('work', { 'a.txt': 'a\n' })
  await until(id, 'pr_waiting')
  const sha = forge.tip(`gc/land/${id}`)
  forge.report(sha, 'ci', 'green')
  const headers = { authorization: `token ${OWN_TOKEN}` }
  const body = JSON.stringify({ Do: 'squash', head_commit_id: sha })
  await world.pause()
  await fetch(`${forge.url}/api/v1/repos/acme/shop/pulls/1/merge`, { method: 'POST', headers, body })
  await world.landings.change(human, 'cancel', id)
  await until(id, 'landed')
  expect(world.main().length).toBe(2)
})
