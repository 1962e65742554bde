import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timers } from '../../cli/io/timers.ts'
import { eventPage } from '../../client/views/event.ts'
import { formulaPage } from '../../client/views/formulas.ts'
import { orderPage, orderRunPage } from '../../client/views/orders.ts'
import type { TextContent } from '../../client/views/page.ts'
import { rigsPage } from '../../client/views/rigs.ts'
import { servicePage } from '../../client/views/service.ts'
import { servicesPage } from '../../client/views/services.ts'
import { Client } from '../../src/client/client.ts'
import { formatTime } from '../../src/client/text.ts'
import { pidOf, testService, waitForState } from '../support/services.ts'
import { eventually } from '../support/until.ts'
import { reachTo } from '../tui/reach.ts'
import { declare, startSession, type Town, towns } from './town.ts'

const open = towns()

const reach = ({ world, city }: Town, subject = '') => {
  const client = new Client({ url: world.url, token: world.operatorToken })
  return { ...reachTo(world.url, subject), client, city: client.city(city.name) }
}

/** The first slice of a table. */
const FIRST = { cursor: undefined, filter: '', sort: undefined }

/** Lines of a page, above and inside the scrolling part. */
const textOf = ({ head = [], lines = [] }: TextContent): string[] => [...head, ...lines].map(({ text }) => text)

test('an event is shown with all that it says, and opens what it is about', async () => {
  await using town = await open()
  const before = await town.city.head()
  const { body: bead } = await town.city.call('POST ~/beads', { body: { title: 'Paint the bridge' } })
  const { seq, ts, actor } = await town.city.event(before, ({ type }) => type === 'bead.created')
  const shown = await eventPage.load(reach(town, String(seq)))
  const text = textOf(shown)
  expect(text[0]).toBe('bead.created')
  const fields = [
    `number          ${seq}`,
    `time            ${formatTime(ts)} · ${ts}`,
    `who             ${actor}`,
    `about           ${bead.id}`,
  ]
  for (const field of fields) expect(text).toContain(field)
  expect(text.slice(text.indexOf('what it says'))).toContain('    "title": "Paint the bridge",')
  expect(shown.opens).toEqual({ page: 'bead', city: town.city.name, subject: bead.id })
})

test.each(['0', 'x', '999999'])('an event that there is not, such as %s, is said to be none', async (number) => {
  await using town = await open()
  expect(textOf(await eventPage.load(reach(town, number)))).toEqual([
    `There is no event ${number}, or it is no longer stored.`,
  ])
})

const FORMULA = `formula = "line"
description = """
Builds a bridge,
and looks at it."""
[requires]
formula_compiler = ">=2.0.0"
[vars.topic]
description = "what is built"
default = "bridges"
[vars.place]
description = "where"
required = true
enum = ["mill", "market"]
[[steps]]
id = "plan"
title = "Plan {{topic}}"
[[steps]]
id = "build"
title = "Build"
needs = ["plan"]
`

const LOOK = `[[steps]]
id = "look"
title = "Look at it"
needs = ["build"]
metadata = { "gc.run_target" = "judge" }
[steps.check]
max_attempts = 2
[steps.check.check]
mode = "exec"
path = "checks/stands.sh"
`

test('a formula is shown with its variables and steps, what each waits for, who does it and what checks it', async () => {
  await using town = await open()
  expect((await town.city.call('PUT ~/formulas/line', { raw: FORMULA + LOOK })).status).toBe(200)
  const { lines, actions } = await formulaPage.load(reach(town, 'line'))
  expect(textOf({ lines: lines ?? [] })).toEqual([
    ...['line', join(town.city.path, 'formulas/line.toml'), '', 'Builds a bridge,', 'and looks at it.', ''],
    ...['variables', 'place           required · where · one of mill, market'],
    ...['topic           what is built · default bridges', '', 'steps'],
    'plan  Plan {{topic}}',
    'build Build ← plan',
    'look  Look at it · by judge · tried 2 times at most, until checks/stands.sh passes ← build',
  ])
  expect(actions?.map(({ name }) => name)).toEqual(['run'])
})

test('a formula that does not compile is shown with what is wrong', async () => {
  await using town = await open()
  mkdirSync(join(town.city.path, 'formulas'), { recursive: true })
  writeFileSync(join(town.city.path, 'formulas/broken.toml'), 'formula = "broken"\n[[steps]]\nid = "a"\n')
  expect(textOf(await formulaPage.load(reach(town, 'broken')))).toEqual([
    ...['broken', join(town.city.path, 'formulas/broken.toml')],
    'line 3: step "a": title is missing: only a step with expand may lack it',
  ])
})

test('a service is shown with its process, what it prints as it comes, and how it is restarted', async () => {
  await using town = await open(testService('web'))
  await waitForState(town.city, 'web', 'ready')
  const pid = await pidOf(town.city, 'web')
  const { head = [], actions } = await servicePage.load(reach(town, 'web'))
  expect(textOf({ head })).toEqual([
    ...[
      'web · proxy_process · ready',
      'published       private',
      `address         ${town.world.url}/v0/city/${town.city.name}/svc/web/`,
      'declared        city.toml:4',
    ],
    expect.stringContaining('command         '),
    `process         ${pid}, after 1 start`,
  ])
  expect(actions?.map(({ name }) => name)).toEqual(['restart', 'copy'])
  const printed = Promise.withResolvers<string[]>()
  const left = new AbortController()
  const following = servicePage.follow?.(reach(town, 'web'), {
    show: (lines) => lines.length > 1 && printed.resolve(textOf({ lines })),
    following: { signal: left.signal, timers },
  })
  await actions?.[0]?.run(reach(town, 'web'), {})
  expect(await printed.promise).toEqual([`listening, by ${pid}`, expect.stringMatching(/^listening, by \d+$/)])
  left.abort()
  await following
})

test('a service that no one else can reach is said to be so, and one that ended', async () => {
  const fails = '[service.process]\ncommand = ["/bin/sh", "-c", "exit 3"]\n'
  const toml = testService('web', 'publish_mode = "direct"')
  await using town = await open(`${toml}[[service]]\nname = "ends"\nkind = "proxy_process"\n${fails}`)
  const reasons = async () => (await servicesPage.load(reach(town), FIRST)).items.map(({ cells }) => cells[5]?.text)
  const told = ['its process ended', 'other machines cannot reach it: gc serve has no --public-listen']
  const isTold = (shown: unknown[]) => Bun.deepEquals(shown, told)
  expect(await eventually('both say why', 15_000, reasons, isTold)).toEqual(told)
})

test('a service that gc itself answers has no log', async () => {
  await using town = await open('[[service]]\nname = "healthz"\nworkflow.contract = "gc.healthz.v1"\n')
  const shown: string[][] = []
  const following = { signal: new AbortController().signal, timers }
  await servicePage.follow?.(reach(town, 'healthz'), { show: (lines) => shown.push(textOf({ lines })), following })
  expect(shown).toEqual([['gc itself answers it; there is no log']])
})

test('a rig is one row with how many agents it has and how many run, its prefix, branch and folder', async () => {
  await using town = await open()
  const path = town.world.rigFolder('mill', { git: true })
  await town.city.call('POST ~/rigs', { body: { name: 'mill', path, prefix: 'mi', default_branch: 'main' } })
  await declare(town.city, 'worker', {}, { dir: 'mill' })
  await startSession(town.city, 'mill/worker')
  const { items } = await rigsPage.load(reach(town), FIRST)
  const cells = items.map(({ cells }) => cells.map(({ text }) => text))
  expect(rigsPage.columns.map(({ title }) => title)).toEqual([
    ...['rig', 'state', 'agents', 'running', 'prefix', 'branch', 'folder'],
  ])
  expect(cells).toEqual([['mill', '', '1', '1', 'mi', 'main', path]])
})

const ORDERS = {
  sweep: 'trigger = "manual"\nexec = "echo swept; exit 4"\n',
  nightly: 'trigger = "manual"\nformula = "line"\npool = "nobody"\n',
}

test('a run of an order says how its command ended, and one of a formula opens the run that it began', async () => {
  await using town = await open('[[agent]]\nname = "nobody"\nstart_command = "true"\nmax_active_sessions = 0\n')
  const { city } = town
  await city.call('PUT ~/formulas/line', { raw: FORMULA.replace('required = true', 'default = "mill"') })
  mkdirSync(join(city.path, 'orders'), { recursive: true })
  for (const [name, text] of Object.entries(ORDERS))
    writeFileSync(join(city.path, `orders/${name}.toml`), `[order]\n${text}`)
  expect((await city.call('POST ~/config/reload')).status).toBe(200)
  for (const name of Object.keys(ORDERS))
    expect((await city.call(`POST ~/order/${name}/run`, { body: {} })).status).toBe(202)
  const rowOf = async (name: string) => (await orderPage.load(reach(town, name), FIRST)).items[0]
  const began = await eventually(
    'a run began',
    15_000,
    () => rowOf('nightly'),
    (row) => row?.opens?.page === 'run',
  )
  const { runs } = (await city.call('GET ~/runs')).body
  expect(began?.opens?.subject).toBe(runs[0].run_id)
  const opens = (await rowOf('sweep'))?.opens
  expect(opens?.page).toBe('order-run')
  const { head = [] } = await orderRunPage.load(reach(town, opens?.subject))
  expect(head[0]?.text).toStartWith('sweep · since ')
  const shown: string[][] = []
  await orderRunPage.follow?.(reach(town, opens?.subject), {
    show: (lines) => shown.push(textOf({ lines })),
    following: { signal: new AbortController().signal, timers },
  })
  expect(shown.at(-1)).toEqual(['swept', expect.stringMatching(/^Its command ended with 4 after \d+ ms\.$/)])
})
