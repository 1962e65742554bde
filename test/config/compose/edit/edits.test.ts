import { describe, expect, test } from 'bun:test'
import { Config } from '../../../../src/config/compose/config.ts'
import type { Actor } from '../../../../src/core/actor.ts'
import { cityFiles } from '../../city-files.ts'
import { importedAgents, withLowest } from '../layers/extra-layer.ts'

const OPERATOR: Actor = { kind: 'operator', name: 'operator' }

const CITY = `[workspace]
provider = "claude"

[[agent]] # first
name = "a"

[[agent]] # second
name = "b"
dir = "shop"

[[rigs]]
name = "shop"
path = "/srv/shop"
`

/** A city that also has the agents of another folder, which are composed before its own. */
async function cityWithImports(imported: string) {
  const pack = cityFiles({ 'pack.toml': imported })
  const city = cityFiles({ 'city.toml': CITY })
  const config = await Config.open(city.path, undefined, { layers: withLowest(importedAgents(pack.path)) })
  return {
    ...{ city, pack, config },
    [Symbol.dispose]: () => {
      city[Symbol.dispose]()
      pack[Symbol.dispose]()
    },
  }
}

describe('an edit of what the city declares', () => {
  test('changes its block, whatever other layers declare before it', async () => {
    using town = await cityWithImports('[[agent]]\nname = "x"\n[[agent]]\nname = "y"\n')
    await town.config.changeAgent(OPERATOR, 'shop/b', { provider: 'codex' })
    expect(town.city.all()['city.toml']).toBe(CITY.replace('dir = "shop"\n', 'dir = "shop"\nprovider = "codex"\n'))
    expect(town.config.agent('shop/b').provider).toBe('codex')
  })

  test('cuts out its block and no other', async () => {
    using town = await cityWithImports('[[agent]]\nname = "x"\n')
    await town.config.removeAgent(OPERATOR, 'a')
    expect(town.city.all()['city.toml']).toBe(CITY.replace('\n[[agent]] # first\nname = "a"\n', ''))
    await town.config.removeRig(OPERATOR, 'shop')
    expect(town.config.current.agents.map(({ name }) => name)).toEqual(['x'])
  })

  test('that would not compose changes nothing', async () => {
    using town = await cityWithImports('')
    await expect(town.config.changeAgent(OPERATOR, 'a', { scope: 'rig' })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect(town.city.all()).toEqual({ 'city.toml': CITY })
  })
})

describe('declarations in files that are not the city’s own', () => {
  const conflict = {
    code: 'conflict-wrong-state',
    message: expect.stringMatching(/^conflict: agent ".*" is declared in .*pack\.toml, which does not belong/),
  }

  test('can be neither changed nor removed, and nothing is written', async () => {
    using town = await cityWithImports('[[agent]]\nname = "x"\n')
    await expect(town.config.changeAgent(OPERATOR, 'x', { provider: 'codex' })).rejects.toMatchObject(conflict)
    await expect(town.config.removeAgent(OPERATOR, 'x')).rejects.toMatchObject(conflict)
    expect(town.city.all()).toEqual({ 'city.toml': CITY })
    expect(town.pack.all()).toEqual({ 'pack.toml': '[[agent]]\nname = "x"\n' })
  })

  test('keeps the rig it works in from being removed', async () => {
    using town = await cityWithImports('[[agent]]\nname = "x"\ndir = "shop"\n')
    await expect(town.config.removeRig(OPERATOR, 'shop')).rejects.toThrow(
      'there is no rig "shop"; add it, or take dir out',
    )
    expect(town.city.all()).toEqual({ 'city.toml': CITY })
  })
})
