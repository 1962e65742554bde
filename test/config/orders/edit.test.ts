import { describe, expect, test } from 'bun:test'
import { Config } from '../../../src/config/compose/config.ts'
import { switchOrder } from '../../../src/config/orders/edit.ts'
import type { Actor } from '../../../src/core/actor.ts'
import { cityFiles } from '../city-files.ts'

const OPERATOR: Actor = { kind: 'operator', name: 'operator' }
const ORDER = '[order]\ntrigger = "manual"\nexec = "true"\n'
const RIG = '[[rigs]] # the shop\nname = "shop"\npath = "/srv/shop"\nformulas_dir = "shop/formulas"\n'
const override = (...lines: string[]) => `[[orders.overrides]]\nname = "tidy"\n${lines.join('\n')}\n`

/** Switches an order of a city with this city.toml; what the files are then, and whether it is enabled. */
async function switched(cityToml: string, enabled: boolean, rig?: string, files: Record<string, string> = {}) {
  using city = cityFiles({
    'city.toml': cityToml,
    'orders/tidy.toml': ORDER,
    'shop/orders/tidy.toml': ORDER,
    ...files,
  })
  const config = await Config.open(city.path)
  try {
    await config.edit(OPERATOR, (base) => switchOrder(base, { name: 'tidy', rig, enabled }))
    const after = config.current.orders.all.find((order) => order.rig === rig)
    expect(after?.enabled).toBe(enabled)
    return city.all()
  } finally {
    config.close()
  }
}

describe('switching an order', () => {
  test('adds an override, and every other byte stays', async () => {
    const text = `# mine\n[orders] # all of them\nmax_timeout   =   "1h"\n\n${RIG}`
    expect((await switched(text, false))['city.toml']).toBe(
      `# mine\n[orders] # all of them\nmax_timeout   =   "1h"\n\n${override('enabled = false')}\n${RIG}`,
    )
    expect((await switched(RIG, false, 'shop'))['city.toml']).toBe(
      `${RIG}\n${override('rig = "shop"', 'enabled = false')}`,
    )
  })

  test('sets one key of the override that the order has', async () => {
    const text = `${override('interval = "2m" # often', 'enabled = false # for now', 'env = { A = "1" }')}${RIG}`
    expect((await switched(text, true))['city.toml']).toBe(text.replace('enabled = false', 'enabled = true'))
    const without = `${override('interval = "2m" # often')}${RIG}`
    expect((await switched(without, false))['city.toml']).toBe(
      without.replace('# often\n', '# often\nenabled = false\n'),
    )
  })

  test('adds one when a later override for every instance says otherwise', async () => {
    const text = `${RIG}${override('rig = "shop"', 'enabled = true')}${override('rig = "*"', 'enabled = false')}`
    expect((await switched(text, true, 'shop'))['city.toml']).toBe(
      `${text}\n${override('rig = "shop"', 'enabled = true')}`,
    )
  })

  test('changes the file whose overrides are in effect', async () => {
    const files = { 'more.toml': override('enabled = false') }
    const after = await switched(`include = ["more.toml"]\n${RIG}`, true, undefined, files)
    expect(after['more.toml']).toBe(override('enabled = true'))
    expect(after['city.toml']).toBe(`include = ["more.toml"]\n${RIG}`)
  })

  test('of what is written in one line is left to a person', async () => {
    const text = '[orders]\noverrides = [{ name = "tidy", enabled = false }]\n'
    expect(switched(text, true)).rejects.toThrow('does not write enabled as a [[block]]; change it there by hand')
  })
})
