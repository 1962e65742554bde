import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { agentsPage } from '../../client/views/agents.ts'
import { beadPage } from '../../client/views/bead.ts'
import { convoysPage } from '../../client/views/convoys.ts'
import { mailPage } from '../../client/views/mail.ts'
import { ordersPage } from '../../client/views/orders.ts'
import type { Action, Reach, TablePage } from '../../client/views/page.ts'
import { budgetsPage } from '../../client/views/usage.ts'
import { Client } from '../../src/client/client.ts'
import { eventually } from '../support/until.ts'
import { reachTo } from '../tui/reach.ts'
import { bead, declare, type Town, towns } from './town.ts'

const open = towns()

const reach = ({ world, city }: Town, subject = ''): Reach => {
  const client = new Client({ url: world.url, token: world.operatorToken })
  return { ...reachTo(world.url, subject), client, city: client.city(city.name) }
}

const named = (actions: readonly Action[], name: string): Action => {
  const action = actions.find((each) => each.name === name)
  if (!action) throw new Error(`there is no ${name}`)
  return action
}

/** An action of the first row of a page, as it is now. */
async function onFirst(town: Town, page: TablePage, name: string): Promise<Action> {
  const { items } = await page.load(reach(town), { cursor: undefined, filter: '', sort: undefined })
  return named([...(items[0]?.actions() ?? []), ...(page.actions?.({ page: '', city: '', subject: '' }) ?? [])], name)
}

const onBead = async (town: Town, id: string, name: string): Promise<Action> =>
  named((await beadPage.load(reach(town, id))).actions ?? [], name)

/** Does an action and takes it back: what was said of both, and the events that both recorded. */
async function bothWays(town: Town, action: Action, values: Record<string, string> = {}) {
  let there: string | undefined
  let back: string | undefined
  const done = await town.city.types(async () => {
    const { text, undo } = await action.run(reach(town), values)
    there = text
    back = (await undo?.run(reach(town), {}))?.text
  })
  return { there, back, done }
}

describe('taking an action back', () => {
  test('leaves a bead as it was, for each field that is changed', async () => {
    await using town = await open()
    const id = await bead(town.city, 'Paint the bridge', { description: 'two coats\nof blue', priority: 2 })
    const before = (await town.city.call(`GET ~/bead/${id}`)).body
    const said: Record<string, string>[] = []
    for (const [name, value] of Object.entries({ edit: 'Burn it', describe: 'ash', priority: '0' })) {
      const field = { edit: 'title', describe: 'description' }[name] ?? name
      const { there = '', back = '', done } = await bothWays(town, await onBead(town, id, name), { [field]: value })
      said.push({ there, back })
      expect(done).toEqual(['bead.updated', 'bead.updated'])
    }
    expect(said).toEqual([
      { there: `the title of ${id} is "Burn it"`, back: `the title of ${id} is "Paint the bridge" again` },
      { there: `the description of ${id} is "ash"`, back: `the description of ${id} is "two coats…" again` },
      { there: `the priority of ${id} is "0"`, back: `the priority of ${id} is "2" again` },
    ])
    const { updated_at: _, ...after } = (await town.city.call(`GET ~/bead/${id}`)).body
    expect(after).toEqual(Object.fromEntries(Object.entries(before).filter(([key]) => key !== 'updated_at')))
  })

  test('opens and closes beads and convoys, brings mail back, and starts what was held', async () => {
    await using town = await open()
    await declare(town.city, 'mayor', {}, { max_active_sessions: 1 })
    const id = await bead(town.city, 'Paint the bridge')
    const close = await bothWays(town, await onBead(town, id, 'close'))
    expect(close).toMatchObject({ there: `${id} is closed`, back: `${id} is open again` })
    expect(close.done.filter((type) => type.startsWith('bead.'))).toEqual(['bead.closed', 'bead.updated'])
    await town.city.call('POST ~/convoys', { body: { title: 'bridges', items: [] } })
    const add = await bothWays(town, await onFirst(town, convoysPage, 'add'), { beads: id })
    expect(add.there).toMatch(new RegExp(`^${id} is in `))
    expect(add.back).toMatch(new RegExp(`^${id} is in .* no more$`))
    expect((await bothWays(town, await onFirst(town, convoysPage, 'close'))).back).toMatch(/is open again$/)
    await town.city.call('POST ~/mail', { body: { to: 'human', subject: 'It sways', body: 'Look.' } })
    expect((await bothWays(town, await onFirst(town, mailPage, 'read'))).back).toMatch(/is not read$/)
    expect((await bothWays(town, await onFirst(town, mailPage, 'archive'))).back).toMatch(/is in the mail again$/)
    expect((await town.city.call('GET ~/mail')).body.items).toMatchObject([{ subject: 'It sways', read: false }])
    const suspend = await bothWays(town, await onFirst(town, agentsPage, 'suspend'))
    expect(suspend).toMatchObject({ there: 'mayor is suspended', back: 'mayor is resumed' })
    mkdirSync(join(town.city.path, 'orders'))
    writeFileSync(join(town.city.path, 'orders', 'sweep.toml'), '[order]\ntrigger = "manual"\nexec = "true"\n')
    const orders = async () => (await town.city.call('GET ~/order-files')).body.orders.length
    await eventually('the order is there', 15_000, orders, (count) => count > 0)
    const disable = await bothWays(town, await onFirst(town, ordersPage, 'disable'))
    expect(disable).toMatchObject({ there: 'sweep is disabled', back: 'sweep is enabled' })
    await (await onFirst(town, budgetsPage, 'budget')).run(reach(town), {
      ...{ scope: 'city', limit: '5', unit: 'usd', per: 'day' },
    })
    const remove = await bothWays(town, await onFirst(town, budgetsPage, 'remove'))
    expect(remove).toMatchObject({ back: expect.stringContaining('is set again') })
    expect((await town.city.call('GET ~/budgets')).body.items).toMatchObject([{ scope: 'city', limit: 5 }])
  })

  test('is offered only to who did it: a bead that another has closed in between stays closed', async () => {
    await using town = await open()
    const id = await bead(town.city, 'Paint the bridge')
    const close = await onBead(town, id, 'close')
    await town.city.call(`POST ~/bead/${id}/close`)
    const types = await town.city.types(async () => {
      expect(await close.run(reach(town), {})).toEqual({ text: `${id} was already closed; nothing changed` })
    })
    expect(types).toEqual([])
  })

  test('never writes over what somebody else has changed', async () => {
    await using town = await open()
    const id = await bead(town.city, 'Paint the bridge')
    const edit = await onBead(town, id, 'edit')
    const { undo } = await edit.run(reach(town), { title: 'Burn it' })
    await town.city.call(`PATCH ~/bead/${id}`, { body: { title: 'Gild it' } })
    const types = await town.city.types(async () => {
      await expect(undo?.run(reach(town), {})).rejects.toThrow(
        `the title of ${id} has changed since; nothing was undone`,
      )
      await expect(edit.run(reach(town), { title: 'Tear it down' })).rejects.toThrow(
        `the title of ${id} has changed since you opened it; nothing was saved`,
      )
    })
    expect(types).toEqual([])
    expect((await town.city.call(`GET ~/bead/${id}`)).body.title).toBe('Gild it')
  })
})
