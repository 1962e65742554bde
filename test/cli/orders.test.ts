import { describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTown, type Town } from './town.ts'

const ORDERS = {
  breaks: 'trigger = "manual"\nexec = "echo out; echo bad >&2; exit 3"\n',
  hooked: 'trigger = "webhook"\nexec = "echo \\"ref=$GC_WEBHOOK_ARG_REF\\""\n[order.params.ref]\nrequired = true\n',
  later: 'trigger = "cron"\nschedule = "0 0 29 2 *"\ntz = "UTC"\nexec = "true"\n',
  loud: 'description = "prints"\ntrigger = "manual"\nexec = "printf \'\\\\033[31mred\\\\033[0m\\nno line end\'"\n',
  off: 'trigger = "manual"\nexec = "true"\nenabled = false\ndescription = "not now"\n',
  slow: 'trigger = "manual"\nexec = "echo begun; while [ ! -f go ]; do sleep 0.05; done; echo over"\n',
  bad: 'trigger = "cron"\nschedule = "*/0 * * * *"\nexec = "true"\n',
}

async function townWithOrders(): Promise<Town> {
  const town = await openTown()
  mkdirSync(join(town.city, 'orders'))
  for (const [name, text] of Object.entries(ORDERS)) {
    writeFileSync(join(town.city, `orders/${name}.toml`), `[order]\n${text}`)
  }
  await town.gc(['reload'])
  return town
}

describe('gc order', () => {
  test('lists orders with why each is due or not, and names broken files apart', async () => {
    await using town = await townWithOrders()
    const { out, err } = await town.gc(['order', 'list'])
    const [header, ...lines] = out.trimEnd().split('\n')
    expect(header).toMatch(/^NAME +TYPE +TRIGGER +INTERVAL\/SCHED +TARGET +WHY$/)
    expect(lines.map((line) => line.replace(/ {2,}/g, ' | '))).toEqual([
      'breaks | exec | manual | - | - | manual trigger — use gc order run',
      'hooked | exec | webhook | - | - | webhook trigger — dispatched by the webhook receiver',
      'later | exec | cron | 0 0 29 2 * | - | cron: schedule not matched',
      'loud | exec | manual | - | - | manual trigger — use gc order run',
      'slow | exec | manual | - | - | manual trigger — use gc order run',
    ])
    expect(err).toStartWith('gc order list: orders/bad.toml:3: [order] schedule: ')
    expect((await town.gc(['order', 'list', '--all'])).out).toContain('disabled in its file: not now')
    const { orders, ...more } = await town.json<{ orders: object[] }>(['order', 'list'])
    expect(more).toMatchObject({ city_name: 'town', city_path: town.city, ok: true })
    expect(orders[3]).toEqual({
      ...{ name: 'loud', scoped_name: 'loud', type: 'exec', description: 'prints', trigger: 'manual', enabled: true },
      ...{ exec: "printf '\\033[31mred\\033[0m\nno line end'", source: join(town.city, 'orders/loud.toml') },
      formula_layer: join(town.city, 'formulas'),
    })
  })

  test('runs one now, prints what it prints without its escapes, and lists and shows the run', async () => {
    await using town = await townWithOrders()
    const ran = await town.gc(['order', 'run', 'loud'])
    expect([ran.status, ran.out]).toEqual([0, 'red\nno line end\nOrder "loud" executed (exec)\n'])
    const { entries, summary } = await town.json<{ entries: Record<string, string>[]; summary: object }>([
      ...['order', 'history', 'loud'],
    ])
    expect(summary).toEqual({ total: 1 })
    expect(entries[0]).toMatchObject({ order: 'loud', exit_code: '0', has_output: true })
    const shown = await town.gc(['order', 'show', entries[0]?.bead_id ?? ''])
    expect(shown.out).toEndWith('\nred\nno line end\n')
    expect((await town.gc(['order', 'history'])).out).toMatch(/^ORDER .*\nloud .* success /)
  })

  test('fails with a failed run, after all that it printed', async () => {
    await using town = await townWithOrders()
    const { status, out, err } = await town.gc(['order', 'run', 'breaks'])
    const bead = /gc order show (\S+)`/.exec(err)?.[1] ?? ''
    const shown = (await town.gc(['order', 'show', bead])).out.replace(/ {2,}/g, ' | ')
    expect(shown).toContain('\norder | breaks\n')
    expect(shown).toContain('\noutcome | failed\nexit code | 3\ntook | ')
    expect([status, out]).toEqual([1, 'out\nbad\n'])
    expect(err).toMatch(/^gc: order breaks failed after [\d.]+ s: exit status 3; `gc order show \S+` shows the run\n$/)
    const json = await town.gc(['order', 'run', 'breaks', '--json'])
    expect(json.status).toBe(1)
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, action: 'exec', exit_code: '3', output: 'out\nbad\n' })
  })

  test('gives arguments to a run, and says which are missing', async () => {
    await using town = await townWithOrders()
    const missing = await town.gc(['order', 'run', 'hooked'])
    expect([missing.status, missing.err]).toEqual([
      ...[
        1,
        'gc: rejected: order "hooked": missing required param(s): ref; give them in vars, or as --var ref=<value>\n',
      ],
    ])
    const { out } = await town.gc(['order', 'run', 'hooked', '--var', "ref=a 'b'; $(exit 9)"])
    expect(out).toStartWith("ref=a 'b'; $(exit 9)\n")
  })

  test('follows a command that runs, as often as it is asked', async () => {
    await using town = await townWithOrders()
    const { tracking_id: bead } = await town.json<{ tracking_id: string }>(['order', 'run', 'slow', '--detach'])
    const followed = [town.gc(['order', 'show', 'slow', '--follow']), town.gc(['order', 'show', bead, '--follow'])]
    writeFileSync(join(town.city, 'go'), '')
    for (const { status, out, err } of await Promise.all(followed)) {
      expect([status, out]).toEqual([0, 'begun\nover\n'])
      expect(err).toMatch(/^order slow succeeded after [\d.]+ s\n$/)
    }
    const idle = await town.gc(['order', 'show', 'slow', '--follow'])
    expect([idle.status, idle.err]).toEqual([1, 'gc: order slow does not run now; `gc order run slow` runs it\n'])
  })

  test('ends with an error, and does nothing, while an override is of an order that is not there', async () => {
    await using town = await townWithOrders()
    const file = join(town.city, 'city.toml')
    const before = readFileSync(file, 'utf8')
    const line = before.split('\n').length + 1
    writeFileSync(file, `${before}\n[[orders.overrides]]\nname = "lout"\nenabled = false\n`)
    await town.gc(['reload'])
    const error = `city.toml:${line + 1}: [[orders.overrides]] name: changes nothing: there is no order "lout" in the city; correct its name or rig, or delete it`
    for (const args of [['show'], ['run'], ['history'], ['enable'], ['disable']]) {
      const { status, out, err } = await town.gc(['order', ...args, 'loud'])
      expect([status, out, err]).toEqual([1, '', `gc: ${error}\n`])
    }
    expect(await town.gc(['order', 'check'])).toMatchObject({ status: 1, out: '', err: `gc: ${error}\n` })
    const list = await town.gc(['order', 'list'])
    expect([list.status, list.err.includes(error), list.out.includes('loud ')]).toEqual([1, true, true])
    expect(JSON.parse((await town.gc(['order', 'list', '--json'])).out)).toMatchObject({ ok: false })
    expect((await town.gc(['order', 'sweep-tracking', '--quiet'])).status).toBe(0)
    writeFileSync(file, before)
    await town.gc(['reload'])
    expect((await town.json<{ entries: object[] }>(['order', 'history'])).entries).toEqual([])
    expect((await town.gc(['order', 'run', 'loud'])).status).toBe(0)
  })

  test('checks what is due, with status 1 when nothing is', async () => {
    await using town = await townWithOrders()
    const { status, out } = await town.gc(['order', 'check', '--json'])
    const { orders, ...counts } = JSON.parse(out)
    expect(status).toBe(1)
    expect(counts).toEqual({ schema_version: '1', ok: true, any_due: false, orders_total: 5, due_total: 0 })
    expect(orders[2]).toEqual({
      ...{ name: 'later', scoped_name: 'later', trigger: 'cron', due: false, reason: 'cron: schedule not matched' },
    })
    const one = JSON.parse((await town.gc(['order', 'check', 'later', '--json'])).out)
    expect([one.orders_total, one.orders]).toEqual([1, [orders[2]]])
    await town.gc(['order', 'disable', 'later'])
    const disabled = await town.gc(['order', 'check', 'later'])
    expect([disabled.status, disabled.err]).toEqual([
      ...[1, 'gc: order later is disabled and never due; `gc order enable later` enables it\n'],
    ])
  })

  test('enables and disables', async () => {
    await using town = await townWithOrders()
    expect((await town.gc(['order', 'disable', 'loud'])).out).toBe('Order loud is disabled.\n')
    expect(readFileSync(join(town.city, 'city.toml'), 'utf8')).toEndWith('name = "loud"\nenabled = false\n')
    const disabled = await town.gc(['order', 'run', 'loud'])
    expect([disabled.status, disabled.err]).toEqual([
      ...[1, 'gc: order not found: loud: it is disabled; gc order enable loud\n'],
    ])
    expect((await town.gc(['order', 'show', 'loud'])).out).toContain('no, by an override')
    expect((await town.gc(['order', 'enable', 'loud'])).out).toBe('Order loud is enabled.\n')
  })

  test('says what to do about an order that is not there', async () => {
    await using town = await townWithOrders()
    const errors: [args: string[], error: string][] = [
      [['show', 'nope'], 'gc: there is no order and no run "nope"; `gc order list --all` lists valid names\n'],
      [['run', 'nope'], 'gc: order not found: nope; `gc order list --all` lists valid names\n'],
      [['check', 'nope'], 'gc: order not found: nope; `gc order list --all` lists valid names\n'],
      [['disable', 'nope'], 'gc: order not found: nope; `gc order list --all` lists valid names\n'],
      [['history', 'nope'], 'gc: order not found: nope; `gc order list --all` lists valid names\n'],
      [['history', 'laud'], 'gc: order not found: laud; did you mean loud?\n'],
      [
        ['run', 'loud', '--rig', 'shed'],
        'gc: town has no rig shed; `gc rig list` lists its rigs; did you mean shop?\n',
      ],
    ]
    for (const [args, error] of errors) {
      const { status, err } = await town.gc(['order', ...args])
      expect([status, err]).toEqual([1, error])
    }
    const approve = await town.gc(['order', 'approve'])
    expect([approve.status, approve.err]).toEqual([
      ...[
        2,
        expect.stringMatching(
          /^gc: look at them with `gc order list`, then approve them with `gc order approve --all`\n/,
        ),
      ],
    ])
    expect((await town.gc(['order', 'approve', '--all'])).out).toStartWith('No order waited; ')
    expect((await town.gc(['order', 'sweep-tracking'])).out).toStartWith('closed 0 stale order-tracking bead(s)')
    expect((await town.gc(['order', 'sweep-tracking', '--quiet'])).out).toBe('')
  })
})
