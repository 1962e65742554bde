import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register, startSession } from '../api/town.ts'
import { writeOrders } from '../orchestration/orders/dispatch/world.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'

interface Item {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly asks: string
  readonly to_do: string
  readonly same?: string
  readonly session_id?: string
}

const itemsOf = async (city: TestCity): Promise<Item[]> => (await city.call('GET ~/attention')).body.items

/** A city with an order that fails, and an agent in a worktree that leaves a file there. */
async function troubled(world: World): Promise<TestCity> {
  const rig = world.rigFolder('shop', { git: true })
  writeFileSync(join(rig, 'README'), 'hello')
  for (const words of [
    ['add', '-A'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '-m', 'first'],
  ])
    Bun.spawnSync(['git', '-C', rig, ...words])
  const path = world.folder.at('mill')
  mkdirSync(path)
  writeOrders(path, { orders: { tidy: 'trigger = "manual"\nexec = "echo no broom >&2; exit 3"\n' } })
  const keeps = 'printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"; echo draft > draft; exec sleep 600'
  return register(
    world,
    'mill',
    `[[rigs]]\nname = "shop"\npath = "${rig}"
[[agent]]\nname = "worker"\ndir = "shop"\nworktree = true\nstart_command = '''${keeps}'''
[[agent]]\nname = "nobody"\nstart_command = "true"\nmax_active_sessions = 0\n`,
  )
}

/** Runs the order three times, one after the other. */
async function failThrice(city: TestCity): Promise<void> {
  for (let runs = 1; runs <= 3; runs++) {
    await city.call('POST ~/order/tidy/run', { body: {} })
    const over = async () => (await city.call('GET ~/events?type=order.failed&limit=9')).body.items.length
    await eventually(`run ${runs} failed`, 10_000, over, (count) => count >= runs)
  }
}

/** Starts a run, and closes its only step as failed. */
async function failRun(city: TestCity): Promise<void> {
  await city.call('PUT ~/formulas/line', { raw: 'formula = "line"\n[[steps]]\nid = "look"\ntitle = "Look at it"\n' })
  await city.call('POST ~/sling', { body: { target: 'nobody', formula: 'line' } })
  const beads: { id: string; title: string }[] = (await city.call('GET ~/beads?limit=100')).body.items
  const step = beads.find(({ title }) => title === 'Look at it')?.id
  const metadata = { 'gc.outcome': 'fail', 'gc.failure_reason': 'no idea' }
  await city.call(`PATCH ~/bead/${step}`, { body: { status: 'closed', metadata } })
}

test('attention is one list, each item with its fix; each kind can be muted and snoozed', async () => {
  await using world = await World.open()
  const city = await troubled(world)
  const { id: session } = await startSession(city, 'shop/worker')
  const { path } = (await city.call('GET ~/worktrees')).body.items[0]
  await eventually('it left a file', 10_000, async () => existsSync(join(path, 'draft')), Boolean)
  await city.call(`POST ~/session/${session}/close`)
  const mail = await city.call('POST ~/mail', {
    body: { from: 'nightly', to: 'human', subject: 'Logs', body: 'May I delete the logs of last year?' },
  })
  await Promise.all([failThrice(city), failRun(city)])
  const expected = {
    mail: ['Mail from human: Logs', `gc mail read ${mail.body.id}`],
    order: ['The last 3 runs of order tidy failed', 'gc order run tidy'],
    run: ['step "Look at it" failed: no idea', 'gc run show'],
    worktree: [session, 'gc worktree'],
  }
  const ours = async () => (await itemsOf(city)).filter(({ kind }) => kind in expected)
  const items = await eventually('all are listed', 15_000, ours, (all) => all.length === 4)
  for (const [kind, [asks = '', fix = '']] of Object.entries(expected)) {
    const item = items.find((each) => each.kind === kind)
    expect([kind, item?.asks, item?.to_do]).toEqual([kind, expect.stringContaining(asks), expect.stringContaining(fix)])
    const until = kind === 'mail' ? { until: new Date(Date.now() + 1_500).toISOString() } : {}
    await city.call(`POST ~/attention-kind/${kind}/mute`, { body: until })
    expect((await ours()).map((each) => each.kind)).not.toContain(kind)
  }
  await eventually('a snoozed kind is back', 10_000, ours, (all) => all.length === 1 && all[0]?.kind === 'mail')
  for (const kind of Object.keys(expected)) await city.call(`POST ~/attention-kind/${kind}/unmute`)
  expect((await ours()).length).toBe(4)
}, 60_000)

const DIALOG = join(import.meta.dir, '../host/terminal/programs/dialog.ts')

const asking = (name: string, command: string) => `
[providers.p${name}]
base = "builtin:claude"
command = "${command}"
path_check = "${process.execPath}"
[[agent]]
name = "${name}"
provider = "p${name}"
`

describe('equal questions', () => {
  test('take one answer, without one that restarted and without a dialog that an agent only printed', async () => {
    await using world = await World.open()
    const log = (name: string) => join(world.home, `answers.${name}`)
    const dialog = (name: string) => asking(name, `${process.execPath} ${DIALOG} --log ${log(name)}`)
    // The dialog stands above the input line, where an agent's words are.
    const printed = ['Accessing workspace:', ' /etc', '', '❯ 1. Yes', '  2. No', '─'.repeat(40), '❯ ', '─'.repeat(40)]
    writeFileSync(world.folder.at('printed'), printed.join('\n'))
    const names = ['first', 'second', 'third']
    const fake = asking('fake', `sh -c 'cat ${world.folder.at('printed')}; exec sleep 600'`)
    const city = await register(world, 'town', names.map(dialog).join('') + fake)
    for (const name of [...names, 'fake'])
      await city.outcome((await city.call('POST ~/sessions', { body: { kind: 'agent', name } })).body)
    const listed = async () => (await itemsOf(city)).filter(({ kind }) => kind === 'dialog')
    const items = await eventually('all ask', 20_000, listed, (all) => all.length >= names.length)
    expect(new Set(items.map(({ same }) => same)).size).toBe(1)
    const [restarted, ...others] = items
    await city.call(`POST ~/session/${restarted?.session_id}/restart`)
    const isNew = (all: Item[]) => all.length === 3 && all.every(({ id }) => id !== restarted?.id)
    await eventually('it asks anew', 20_000, listed, isNew)
    const body = { ids: items.map(({ id }) => id), same: restarted?.same, answer: '1' }
    const { answered, left } = (await city.call('POST ~/attention/answer', { body })).body
    expect([answered.sort(), left]).toEqual([
      others.map(({ id }) => id).sort(),
      [{ id: restarted?.id, reason: expect.stringContaining('ended without an answer') }],
    ])
    const given = names.filter((name) => existsSync(log(name)) && readFileSync(log(name), 'utf8').includes('Yes'))
    expect(given).toEqual(others.map(({ agent }) => agent).sort())
    expect((await listed()).map(({ agent }) => agent)).toEqual([restarted?.agent ?? ''])
  }, 60_000)
})
