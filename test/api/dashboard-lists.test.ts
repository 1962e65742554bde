import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timers } from '../../cli/io/timers.ts'
import { beadPage } from '../../client/views/bead.ts'
import { beadsPage } from '../../client/views/beads.ts'
import { citiesPage } from '../../client/views/cities.ts'
import { packsPage } from '../../client/views/configuration.ts'
import { convoyPage, convoysPage } from '../../client/views/convoys.ts'
import { doctorPage } from '../../client/views/doctor.ts'
import { mailPage } from '../../client/views/mail.ts'
import { ordersPage } from '../../client/views/orders.ts'
import type { Diagnosis, TablePage, TextPage } from '../../client/views/page.ts'
import { rigPage } from '../../client/views/rig.ts'
import { runPage } from '../../client/views/run.ts'
import { runsPage } from '../../client/views/runs.ts'
import { usagePage } from '../../client/views/usage.ts'
import { Client } from '../../src/client/client.ts'
import { Finder } from '../../tui/data/finder.ts'
import type { Message } from '../../tui/state/reducer.ts'
import type { Known } from '../../tui/state/state.ts'
import { eventually } from '../support/until.ts'
import { reachTo } from '../tui/reach.ts'
import { bead, declare, type Town, towns } from './town.ts'

const open = towns()
const FIRST = { cursor: undefined, filter: '', sort: undefined }

const reachOf = ({ world, city }: Town, subject = '') => {
  const client = new Client({ url: world.url, token: world.operatorToken })
  return { ...reachTo(world.url, subject), client, city: client.city(city.name) }
}

/** Text of a page, above and inside the scrolling part. */
async function read(town: Town, page: TextPage, subject = ''): Promise<string[]> {
  const { head = [], lines = [] } = await page.load(reachOf(town, subject))
  return [...head, ...lines].map(({ text }) => text)
}

/** Contents of a list: rows by column titles, and lines above them. */
async function list(town: Town, page: TablePage, subject = '') {
  const { items, head = [] } = await page.load(reachOf(town, subject), FIRST)
  const rows = items.map(({ cells, ...row }) => ({
    ...row,
    cells: Object.fromEntries(page.columns.map(({ title }, at) => [title, cells[at]?.text ?? ''])),
  }))
  return { rows, head: head.map(({ text }) => text) }
}

test('a convoy says how many of its beads are closed, and its page opens each of them', async () => {
  await using town = await open()
  const { city } = town
  const beads = [await bead(city, 'Lay the keel'), await bead(city, 'Set the mast')]
  const { body: convoy } = await city.call('POST ~/convoys', { body: { title: 'The ship', items: beads } })
  await city.call(`POST ~/bead/${beads[0]}/close`)
  const { rows } = await list(town, convoysPage)
  expect(rows.map(({ cells }) => [cells.title, cells.done])).toEqual([['The ship', '1/2']])
  const shown = await list(town, convoyPage, convoy.id)
  expect(shown.head).toEqual(['The ship', 'open', `${'█'.repeat(10)}${'░'.repeat(10)} 1 of 2 done`])
  expect(shown.rows.map(({ opens }) => opens?.subject).sort()).toEqual([...beads].sort())
})

const FORMULA = `formula = "line"
[requires]
formula_compiler = ">=2.0.0"
[vars.topic]
required = true
[[steps]]
id = "look"
title = "Look at {{topic}}"
[[steps]]
id = "tell"
title = "Tell of {{topic}}"
needs = ["look"]
`

test('runs of one formula are distinguished by what they were begun with, with how many of their steps are done', async () => {
  await using town = await open('[[agent]]\nname = "nobody"\nstart_command = "true"\nmax_active_sessions = 0\n')
  const { city } = town
  await city.call('PUT ~/formulas/line', { raw: FORMULA })
  for (const topic of ['bridges', 'ferries'])
    await city.call('POST ~/sling', { body: { target: 'nobody', formula: 'line', vars: { topic } } })
  const of = async (topic: string) =>
    (await list(town, runsPage)).rows.find(({ cells }) => cells['begun with'] === `topic=${topic}`)
  const [bridges, ferries] = [await of('bridges'), await of('ferries')]
  const steps = await list(town, runPage, bridges?.id)
  expect(steps.head).toContain('topic=bridges')
  expect(steps.head.at(-1)).toMatch(/^waits: .*Look at bridges/)
  await city.call(`POST ~/bead/${steps.rows.find(({ cells }) => cells.title === 'Look at bridges')?.id}/close`)
  expect((await of('bridges'))?.cells.done).toBe('1/3')
  expect(ferries?.cells.done).toBe('0/3')
  expect((await city.call('GET ~/runs/standing?ids=no-such')).body.runs).toEqual({})
  const many = Array.from({ length: 101 }, (_, at) => `r-${at}`).join(',')
  expect((await city.call(`GET ~/runs/standing?ids=${many}`)).status).toBe(400)
})

test('an order says how its last run ended', async () => {
  await using town = await open('')
  const { city } = town
  mkdirSync(join(city.path, 'orders'))
  for (const [name, exec] of [
    ['fine', 'true'],
    ['bad', 'exit 4'],
    ['never', 'true'],
  ])
    writeFileSync(join(city.path, 'orders', `${name}.toml`), `[order]\ntrigger = "manual"\nexec = "${exec}"\n`)
  await city.call('POST ~/config/reload', { body: {} })
  for (const name of ['fine', 'bad']) await city.call(`POST ~/order/${name}/run`, { body: {} })
  const last = async () =>
    Object.fromEntries((await list(town, ordersPage)).rows.map(({ id, cells }) => [id, cells.last]))
  const ended = await eventually('both have ended', 15_000, last, ({ fine, bad }) => fine !== 'runs' && bad !== 'runs')
  expect(ended).toEqual({ fine: 'success', bad: 'failed', never: '' })
})

test('a city is listed with what waits and what is ready in it, and a stopped one without', async () => {
  await using town = await open('')
  const { city } = town
  await bead(city, 'Raise the sail')
  const own = async () => (await list(town, citiesPage)).rows.find(({ id }) => id === city.name)?.cells
  const shown = await eventually('it waits for a route', 15_000, own, (cells) => cells?.waiting !== '')
  expect(shown).toMatchObject({ status: 'running', waiting: '! 1', sessions: '0', 'under way': '0', ready: '1' })
  await city.call('POST ~/stop', { body: {} })
  const stopped = await eventually('it has stopped', 15_000, own, (cells) => cells?.status !== 'running')
  expect(stopped).toMatchObject({ waiting: '', ready: '' })
  await city.call('POST ~/start', { body: {} })
})

const WITH_PACK = `
[imports.tools]
source = "./tools"
[[rigs]]
name = "shop"
path = "shop"
prefix = "sh"
[[agent]]
name = "hand"
dir = "shop"
start_command = "true"
max_active_sessions = 1
`

test('a rig is shown with how it is in git and its agents, and a pack with the agents that it brings', async () => {
  await using town = await open('')
  const { city } = town
  const agent = join(city.path, 'tools', 'agents', 'helper')
  mkdirSync(agent, { recursive: true })
  writeFileSync(join(city.path, 'tools', 'pack.toml'), '[pack]\nname = "tools"\nschema = 2\nversion = "1.0.0"\n')
  writeFileSync(join(agent, 'agent.toml'), 'start_command = "true"\nscope = "city"\ncolour = "red"\n')
  mkdirSync(join(city.path, 'shop'))
  Bun.spawnSync(['git', 'init', '-q', '-b', 'trunk'], { cwd: join(city.path, 'shop') })
  writeFileSync(join(city.path, 'shop', 'plan.txt'), 'new')
  writeFileSync(join(city.path, 'city.toml'), `[workspace]\nname = "${city.name}"\n${WITH_PACK}`)
  await city.call('POST ~/config/reload', { body: {} })
  const shop = await read(town, rigPage, 'shop')
  expect(shop).toContain('git             trunk · 1 changed file')
  expect(shop.slice(shop.indexOf('agents')).join()).toMatch(/shop\/hand +stopped/)
  const { rows, head } = await list(town, packsPage)
  expect(rows.map(({ cells }) => [cells.pack, cells.agents])).toEqual([['tools', 'tools.helper']])
  expect(head).toEqual(['1 remark on the configuration, packs among it; enter lists them'])
})

test('usage has the budgets that limit it, and the doctor says first what is wrong', async () => {
  await using town = await open('')
  await town.city.call('PUT ~/budgets', { body: { scope: 'city', unit: 'usd', per: 'day', limit: 5 } })
  expect(await read(town, usagePage)).toContain(`${'budget'.padEnd(26)} ${'░'.repeat(14)} $0.00 of $5.00 a day`)
  const results: Diagnosis[] = [
    { name: 'disk', status: 'ok', message: 'is fine' },
    { name: 'clock', status: 'warning', message: 'is late' },
    { name: 'login', status: 'error', message: 'is dead', fix_hint: 'log in' },
  ]
  const machine = { ...reachOf(town).machine, diagnose: async () => results }
  const { lines = [] } = await doctorPage.load({ ...reachOf(town), machine })
  const names = lines.map(({ text }) => /(\w+):/.exec(text)?.[1]).filter(Boolean)
  expect(names).toEqual(['login', 'clock', 'disk'])
})

test('work is found while its words are typed and by its id, on the list and in the palette, closed work as well', async () => {
  await using town = await open('')
  const { city } = town
  const [sails, id] = [await bead(city, 'Mend the sails'), await bead(city, 'Caulk the planks')]
  await city.call(`POST ~/bead/${id}/close`)
  const listed = async (filter: string) => (await beadsPage.load(reachOf(town), { ...FIRST, filter })).items
  const found = async (text: string) => {
    const answer = Promise.withResolvers<readonly Known[]>()
    const dispatch = (message: Message) => message.type === 'found' && answer.resolve(message.known)
    new Finder({ client: reachOf(town).client, timers, dispatch }).find(city.name, text)
    return (await answer.promise).filter(({ kind }) => kind === 'bead').map(({ location }) => location.subject)
  }
  for (const [text, wanted] of [
    ['cau', [id]],
    ['the', [id, sails]],
    [id, [id]],
    ['aulk', []],
    ['no-such-bead', []],
  ] as const) {
    expect([text, (await listed(text)).map((row) => row.id)]).toEqual([text, [...wanted]])
    expect([text, await found(text)]).toEqual([text, [...wanted]])
  }
})

test('mail for the operator stands out, is listed alone, and is marked as read and not read', async () => {
  await using town = await open('')
  const { city } = town
  await declare(city, 'clerk')
  await city.call('POST ~/mail', { body: { to: 'clerk', subject: 'Sweep' } })
  const { body: mine } = await city.call('POST ~/mail', { body: { to: 'human', subject: 'The bridge sways' } })
  const all = await list(town, mailPage)
  expect(all.rows.map(({ cells }) => cells.to)).toEqual(['you', 'clerk'])
  const { items } = await mailPage.load(reachOf(town), { ...FIRST, sort: 'yours, read and unread' })
  expect(items.map(({ id }) => id)).toEqual([mine.id])
  const mark = () =>
    mailPage.load(reachOf(town), FIRST).then(({ items: [first] }) => first?.actions().find(({ key }) => key === 'm'))
  const reading = await mark()
  expect(reading?.confirm).toBeUndefined()
  const outcome = await reading?.run(reachOf(town), {})
  expect(outcome?.text).toBe(`${mine.id} is read`)
  expect((await city.call(`GET ~/mail/${mine.id}`)).body.read).toBe(true)
  await outcome?.undo?.run(reachOf(town), {})
  expect((await city.call(`GET ~/mail/${mine.id}`)).body.read).toBe(false)
  const others = (await mailPage.load(reachOf(town), FIRST)).items[1]?.actions().find(({ key }) => key === 'm')
  expect(others?.confirm).toContain('clerk is no longer notified of it')
})

test('a bead opens what it is linked with', async () => {
  await using town = await open('')
  const { city } = town
  const [epic, first] = [await bead(city, 'The harbour'), await bead(city, 'Dredge it')]
  const second = await bead(city, 'Light it', { parent: epic })
  await city.call(`POST ~/bead/${second}/deps`, { body: { depends_on_id: first, type: 'blocks' } })
  const related = async (id: string) => (await beadPage.load(reachOf(town, id))).actions?.find(({ key }) => key === 'v')
  const action = await related(second)
  expect(action?.fields?.[0]?.choices).toEqual([epic, `${first} Dredge it`])
  const outcome = await action?.run(reachOf(town, second), { bead: `${first} Dredge it` })
  expect(outcome?.opens?.subject).toBe(first)
  const only = await related(first)
  expect(only?.fields).toBeUndefined()
  expect((await only?.run(reachOf(town, first), {}))?.opens?.subject).toBe(second)
  const alone = await related(await bead(city, 'Rest'))
  expect(alone?.disabled).toBe('it is linked with no other bead')
})
