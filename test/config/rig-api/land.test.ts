import { describe, expect, test } from 'bun:test'
import { agentsWorld } from '../../agents/agents/world.ts'

const RIG = '# ours\n[[rigs]]\nname = "shop"   # sells\npath = "."\n'

const changed = (town: Awaited<ReturnType<typeof agentsWorld>>, body: object) =>
  town.send('PATCH', 'rig/shop/land/settings', body)

describe('the landing of a rig', () => {
  test('is shown with its defaults, and is off until it is declared', async () => {
    await using town = await agentsWorld({ 'city.toml': RIG })
    expect(await town.get('rig/shop/land/settings')).toMatchObject({
      ...{ rig: 'shop', declared: false, mode: 'off', batch: 8, check_timeout: '20m', hold: [] },
    })
    expect(await town.get('rig/mill/land/settings')).toMatchObject({ status: 404, code: 'rig-not-found' })
  })

  test('is written below its rig, changed and removed key by key, and nothing else of the file changes', async () => {
    await using town = await agentsWorld({ 'city.toml': `${RIG}\n[rigs.imports]\n` })
    const body = { mode: 'pr', check: ['npm', 'test'], pr: { labels: ['gc'], draft: true }, hold: ['large:9'] }
    expect(await changed(town, body)).toEqual({ status: 200, body: { status: 'updated' } })
    const table = '[rigs.land]\nmode = "pr"\ncheck = ["npm", "test"]\n'
    const written = `${RIG}\n[rigs.imports]\n\n${table}pr = { labels = ["gc"], draft = true }\nhold = ["large:9"]\n`
    expect(town.text('city.toml')).toBe(written)
    const generated = [{ glob: 'lock', command: ['npm', 'i'] }]
    await changed(town, { pr: null, hold: null, generated })
    const rows = 'generated = [{ glob = "lock", command = ["npm", "i"] }]\n'
    expect(town.text('city.toml')).toBe(`${RIG}\n[rigs.imports]\n\n${table}${rows}`)
    expect(await town.get('rig/shop/land/settings')).toMatchObject({
      ...{ declared: true, mode: 'pr', check: ['npm', 'test'], pr: { labels: [], draft: false }, generated },
    })
    const payload = { files: ['city.toml'], total: 1 }
    expect(town.recorded()).toMatchObject([
      { type: 'config.changed', payload },
      { type: 'config.changed', payload },
    ])
  })

  test.each([
    [
      'inline',
      'land = { mode = "push", batch = 2, pr = { draft = true } }\n',
      'land = { mode = "off", pr = { draft = true } }\n',
    ],
    ['with tables below it', '[rigs.land]\nmode = "push"\n[rigs.land.pr]\ndraft = true\n', undefined],
  ])('is changed where it is written %s', async (_, before, after) => {
    await using town = await agentsWorld({ 'city.toml': RIG + before })
    expect(await changed(town, { mode: 'off', batch: null })).toMatchObject({ status: 200 })
    expect(town.text('city.toml')).toBe(RIG + (after ?? before.replace('push', 'off')))
    expect(await changed(town, { pr: { draft: false } })).toMatchObject({ status: 200 })
    expect(await town.get('rig/shop/land/settings')).toMatchObject({ mode: 'off', pr: { draft: false } })
  })

  test('is left as it is by a change that would not be valid', async () => {
    await using town = await agentsWorld({ 'city.toml': `${RIG}[rigs.land]\nmode = "off"\n` })
    const before = town.text('city.toml')
    const refused = await changed(town, { mode: 'push', batch: 65 })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid-request' } })
    expect(JSON.stringify(refused)).toContain('[rigs.land] batch: must be 64 or less, not 65')
    expect(town.text('city.toml')).toBe(before)
    expect(town.recorded()).toEqual([])
  })

  test('is changed by hand where its keys are dotted', async () => {
    await using town = await agentsWorld({ 'city.toml': `${RIG}land.mode = "push"\n` })
    const refused = await changed(town, { mode: 'off' })
    expect(refused).toMatchObject({ status: 409 })
    expect(JSON.stringify(refused)).toContain('change it there by hand')
  })
})
