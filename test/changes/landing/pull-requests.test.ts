import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { human } from '../../../src/http/guard.ts'
import { git } from '../../agents/worktrees/git.ts'
import { type Dialect, OWN_TOKEN, ScriptedForge } from '../../support/forge.ts'
import { eventually } from '../../support/until.ts'
import { landingWorld } from './world.ts'

const CHECK = 'check = ["./test.sh"]\n'

/** A rig that lands by pull requests at a scripted forge over its remote. */
async function proposingWorld(dialect: Dialect, { token = OWN_TOKEN, mode = 'pr' } = {}) {
  const world = await landingWorld({ land: '' })
  const forge = new ScriptedForge(dialect, world.remote)
  if (token !== '') {
    const file = join(world.town.hosts.home, 'forges.toml')
    writeFileSync(file, `[[token]]\nhost = "${forge.host}"\ntoken = "${token}"\n`, { mode: 0o600 })
  }
  const table = `mode = "${mode}"\n${CHECK}forge = { kind = "${dialect}", url = "${forge.url}", repository = "acme/shop" }\n`
  world.declare(table)
  await world.reopen()
  /** Lets time pass until a landing is in a state. */
  const until = async (id: string, state: string) => {
    await eventually(
      `${id} is ${state}`,
      20_000,
      async () => {
        await world.settle()
        if (world.state(id) !== state) await world.clock.advance(5_000)
        return world.state(id)
      },
      (now) => now === state,
    )
  }
  return {
    ...{ world, forge, until, declareAgain: () => world.declare(table) },
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]()
      forge[Symbol.dispose]()
    },
  }
}

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

test('a red check of the forge goes back to the owner, and a supervisor that starts again goes on', async () => {
  await using town = await proposingWorld('gitea')
  const { world, forge, until } = town
  forge.rules.requiredChecks = ['ci']
  const id = await world.send('work', { 'a.txt': 'a\n' })
  await until(id, 'pr_waiting')
  await world.reopen()
  forge.report(forge.tip(`gc/land/${id}`), 'ci', 'red')
  await until(id, 'red')
  expect(world.main()).toEqual(['base'])
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
