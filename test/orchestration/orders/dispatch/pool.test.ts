import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { resolvePool } from '../../../../src/orchestration/orders/dispatch/pool.ts'
import { scriptedTown } from '../../../support/city.ts'
import { writeOrders } from './world.ts'

const agent = (name: string) => `[[agent]]\nname = "${name}"\nstart_command = "true"\nmax_active_sessions = 3\n`

/** The targets of pools for the orders of a city that imports two packs and has agents of its own. */
async function openPools() {
  const town = scriptedTown(
    `${agent('own')}[imports.left]\nsource = "./packs/left"\n[imports.right]\nsource = "./packs/right"\n`,
  )
  for (const name of ['left', 'right']) {
    const folder = `${town.path}/packs/${name}`
    mkdirSync(`${folder}/orders`, { recursive: true })
    writeFileSync(
      `${folder}/pack.toml`,
      `[pack]\nname = "${name}"\nschema = 2\n${agent('smith')}${agent(`only-${name}`)}`,
    )
    writeFileSync(`${folder}/orders/of-${name}.toml`, '[order]\ntrigger = "manual"\nformula = "f"\npool = "smith"\n')
  }
  writeOrders(town.path, { orders: { mine: 'trigger = "manual"\nformula = "f"\npool = "smith"' } })
  const city = await town.open()
  const resolve = (order: string, pool: string): string => {
    const found = city.orderLibrary.find(order)
    if (!found) throw new Error(`there is no order ${order}`)
    return resolvePool(city.config.current, found, pool).agent.qualified
  }
  return { town, resolve }
}

describe('the pool of a formula order', () => {
  test('is an agent by its full name, else by the name that the own pack gives it, else by one that only one has', async () => {
    const { town, resolve } = await openPools()
    await using _ = town
    expect(resolve('mine', 'right.smith')).toBe('right.smith')
    expect(resolve('of-left', 'smith')).toBe('left.smith')
    expect(resolve('of-right', 'smith')).toBe('right.smith')
    expect(resolve('of-left', 'only-right')).toBe('right.only-right')
    expect(resolve('of-left', 'own')).toBe('own')
  })

  test('is rejected where several have its name, and taken as it is where no one has', async () => {
    const { town, resolve } = await openPools()
    await using _ = town
    expect(() => resolve('mine', 'smith')).toThrow(
      'ambiguous pool smith of order mine: name one of left.smith, right.smith in',
    )
    expect(resolve('mine', 'nobody')).toBe('nobody')
    expect(resolve('mine', 'saw/nobody')).toBe('saw/nobody')
  })
})
