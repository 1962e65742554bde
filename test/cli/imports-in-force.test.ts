import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

test('a rig is added with the packs that are imported for it', async () => {
  const pack = join(town.city, 'packs', 'hands')
  mkdirSync(join(pack, 'agents', 'hand'), { recursive: true })
  writeFileSync(join(pack, 'pack.toml'), '[pack]\nname = "hands"\nschema = 2\n')
  writeFileSync(join(pack, 'agents', 'hand', 'agent.toml'), 'start_command = "sleep 600"\nscope = "rig"\n')
  for (const name of ['barn', 'shed']) mkdirSync(town.at(name))
  const added = await town.gc(['rig', 'add', town.at('barn'), '--include', pack])
  expect([added.status, added.out]).toEqual([0, 'Rig barn was added to town.\nAdded import "hands" for it.\n'])
  expect(readFileSync(join(town.city, 'city.toml'), 'utf8')).toContain('source = "./packs/hands"')
  const { agents } = await town.json<{ agents: unknown[] }>(['agent', 'list'])
  expect(agents).toContainEqual(expect.objectContaining({ qualified_name: 'barn/hands.hand' }))
  const without = await town.gc(['rig', 'add', town.at('shed'), '--include', town.at('no-pack')])
  expect([without.status, without.err]).toEqual([1, expect.stringContaining('rig shed was added without its packs: ')])
  for (const name of ['barn', 'shed']) await town.gc(['rig', 'remove', name])
})

test('an import of agents that cannot start says why', async () => {
  const pack = join(town.city, 'packs', 'odd')
  mkdirSync(join(pack, 'agents', 'hand'), { recursive: true })
  writeFileSync(join(pack, 'pack.toml'), '[pack]\nname = "odd"\nschema = 2\n')
  writeFileSync(join(pack, 'agents', 'hand', 'agent.toml'), 'start_command = \n')
  const { status, out, err } = await town.gc(['import', 'add', pack])
  expect([status, out]).toEqual([0, 'Added import "odd" from ./packs/odd\n'])
  expect(err).toStartWith('gc: packs/odd/agents/hand/agent.toml:1: is not TOML: ')
  expect((await town.gc(['import', 'remove', 'odd'])).err).toBe('')
})
