import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentResponse } from '../../../src/agents/agents/schema.ts'
import type { AgentDetail } from '../../../src/city/status/schema.ts'
import { human } from '../../../src/http/guard.ts'
import { until } from '../../support/until.ts'
import { agentsWorld } from './world.ts'

/** So many that their rows are in several blocks. */
const WORKERS = 150

const worker = (n: number): string =>
  `[[agent]]\nname = "worker-${n}"\nprovider = "claude"\nmax_active_sessions = ${n % 2 === 0 ? 1 : -1}\n`

const TOWN = {
  'city.toml': `${Array.from({ length: WORKERS }, (_, n) => worker(n)).join('')}[[rigs]]\nname = "shop"\npath = "$"\n[providers.sleep]\ncommand = "sleep"\n`,
  'agents/mayor/agent.toml': 'provider = "claude"\nmax_active_sessions = 1\ndescription = "runs things"\n',
  'agents/crew/agent.toml': 'dir = "shop"\nprovider = "codex"\nmax_active_sessions = 3\nnamepool = ["opal"]\n',
  'agents/swarm/agent.toml': 'start_command = "./swarm"\n',
  'agents/guard/agent.toml': 'provider = "sleep"\nmax_active_sessions = 1\n',
  'agents/watch/agent.toml': 'provider = "sleep"\nmax_active_sessions = 1\n',
  'agents/loner/agent.toml': 'provider = "claude"\nmax_active_sessions = 1\n[env]\nANTHROPIC_API_KEY = "k"\n',
  'agents/poet/agent.toml': 'provider = "claude"\nmax_active_sessions = 1\nsession = "acp"\n',
}

type Town = Awaited<ReturnType<typeof agentsWorld>>

async function listed(town: Town): Promise<AgentResponse[]> {
  const { items } = (await town.get('agents')) as { items: AgentResponse[] }
  return items
}

/** The agents as they are when each is read alone, which keeps nothing. */
const readAlone = (town: Town, rows: readonly AgentResponse[]): AgentResponse[] =>
  rows.map(({ name }) => {
    const { idle_reason: _, ...shown } = town.agents.get(name)
    return shown
  })

/** What the status has to show of rows. */
function detailsOf(town: Town, rows: readonly AgentResponse[]): AgentDetail[] {
  const draining = new Set(
    town.sessionRepository.live().flatMap(({ state, sessionName }) => (state === 'draining' ? [sessionName] : [])),
  )
  const limits = new Map(town.config.current.agents.map((agent) => [agent.qualified, agent]))
  return rows.map(({ name, rig, running, suspended, session, pool }, index) => {
    const first = pool !== undefined && pool !== rows[index - 1]?.pool ? limits.get(pool) : undefined
    return {
      ...{ name: name.split('/').at(-1) ?? '', qualified_name: name, scope: rig === undefined ? 'city' : 'rig' },
      ...{ running, suspended },
      ...(session && { session_name: session.name, draining: draining.has(session.name) }),
      ...(pool !== undefined && { group_name: pool, expanded: true }),
      ...(first && { scale_label: `scaled (min=${first.minActive}, max=${first.maxActive ?? 'unlimited'})` }),
    }
  })
}

/** The rows of all agents, in the list and in the status, after making sure that none is older than the others. */
async function shown(town: Town): Promise<Map<string, AgentResponse>> {
  const rows = await listed(town)
  expect(rows).toEqual(readAlone(town, rows))
  expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length)
  const { agent_details, agents, agent_count } = (await town.status.status(false)).value
  expect(agent_details).toEqual(detailsOf(town, rows))
  const suspended = rows.filter((row) => row.suspended).length
  const quarantined = rows.filter(({ state }) => state === 'quarantined').length
  const running = rows.filter((row) => row.running && !row.suspended && row.state !== 'quarantined').length
  expect(agents).toEqual({ total: rows.length, running, suspended, quarantined })
  expect(agent_count).toBe(rows.length)
  for (const query of ['running=true', 'running=false', 'rig=shop', 'pool=worker-7']) {
    const filtered = (await town.get(`agents?${query}`)) as { items: AgentResponse[]; total: number }
    const [key = '', value] = query.split('=')
    const expected = rows.filter(
      (row) => String(row[key === 'pool' ? 'pool' : key === 'rig' ? 'rig' : 'running']) === value,
    )
    expect(filtered).toEqual({ items: expected, total: expected.length })
  }
  return new Map(rows.map((row) => [row.name, row]))
}

/** The names of what differs. */
const differing = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((name) => !Bun.deepEquals(a.get(name), b.get(name))).sort()

async function inProgress(town: Town, assignee: string): Promise<string> {
  const draft = { title: 'work', status: 'in_progress', assignee }
  return (await town.store.write((tx) => town.beadRepository.add(tx, draft))).id
}

const close = (town: Town, bead: string) => town.store.write((tx) => town.beadRepository.close(tx, bead))

const reload = async (town: Town, name: string, text: string) => {
  town.put(name, text.replaceAll('$', town.folder.path))
  await town.config.reload()
}

/** A login has no quota for a minute. */
const fill = (town: Town, id: string) =>
  town.store.write((tx) =>
    town.limits.reached(tx, { id, provider: 'claude' }, { until: town.clock.now() + 60_000, text: 'full' }),
  )

const uninstall = (town: Town, name: string) => rmSync(join(town.path, 'bin', name))

const ALL_WORKERS = Array.from({ length: WORKERS }, (_, n) => `worker-${n}`)
const CLAUDES = ['mayor', 'poet', ...ALL_WORKERS].sort()
const ALL_CLAUDES = ['loner', ...CLAUDES].sort()
const CREW = ['shop/crew-2', 'shop/crew-3', 'shop/opal']

/** A change, the rows that differ after it, and how it is undone if the rows are then those of before. */
interface Change {
  readonly rows: readonly string[]
  make(town: Town): Promise<unknown>
  undo?(town: Town): Promise<unknown>
}

let bead = ''

const CHANGES: Record<string, Change> = {
  'the bead that an idle agent works on': {
    rows: ['worker-77'],
    make: async (town) => {
      bead = await inProgress(town, 'worker-77')
    },
    undo: (town) => close(town, bead),
  },
  'the bead that a slot of a pool works on': {
    rows: ['shop/crew-2'],
    make: async (town) => {
      bead = await inProgress(town, 'shop/crew-2')
    },
    undo: (town) => close(town, bead),
  },
  'a suspended agent': {
    rows: ['worker-130'],
    make: (town) => town.send('POST', 'agent/worker-130/suspend'),
    undo: (town) => town.send('POST', 'agent/worker-130/resume'),
  },
  'a suspended rig': {
    rows: CREW,
    make: (town) => town.send('POST', 'rig/shop/suspend'),
    undo: (town) => town.send('POST', 'rig/shop/resume'),
  },
  'a program that is gone': {
    rows: ALL_CLAUDES,
    make: async (town) => uninstall(town, 'claude'),
    undo: async (town) => town.install('claude'),
  },
  'a login of its own without quota': {
    rows: ['loner'],
    make: (town) => fill(town, 'agent:loner'),
    undo: async (town) => town.clock.stop(61_000),
  },
  'a login without quota, and that it has some again': {
    rows: CLAUDES,
    make: (town) => fill(town, 'claude'),
    undo: async (town) => town.clock.stop(61_000),
  },
  'a strict budget of one agent': {
    rows: ['watch'],
    make: async (town) => {
      await town.budgets.set(human, { scope: 'agent', name: 'watch', unit: 'tokens', per: 'hour', limit: 1000 })
      await town.budgets.makeStrict(human)
    },
    undo: (town) => town.budgets.remove(human, { scope: 'agent', name: 'watch', unit: 'tokens', per: 'hour' }),
  },
  'an agent that is declared otherwise': {
    rows: ['mayor'],
    make: (town) => reload(town, 'agents/mayor/agent.toml', 'provider = "claude"\nmax_active_sessions = 1\n'),
    undo: (town) => reload(town, 'agents/mayor/agent.toml', TOWN['agents/mayor/agent.toml']),
  },
  'an agent that is new': {
    rows: ['clerk'],
    make: (town) => reload(town, 'agents/clerk/agent.toml', 'provider = "claude"\nmax_active_sessions = 1\n'),
    undo: async (town) => {
      rmSync(join(town.path, 'agents/clerk'), { recursive: true })
      await town.config.reload()
    },
  },
  'a provider that is named otherwise': {
    rows: ALL_CLAUDES,
    make: (town) =>
      reload(
        town,
        'city.toml',
        `${TOWN['city.toml']}[providers.claude]\ndisplay_name = "Claudia"\nbase = "builtin:claude"\n`,
      ),
    undo: (town) => reload(town, 'city.toml', TOWN['city.toml']),
  },
  'a suspended city, whose rows are the same': {
    rows: [],
    make: (town) => town.status.change(human, { suspended: true }),
    undo: (town) => town.status.change(human, { suspended: false }),
  },
}

describe('rows of agents that were listed before show', () => {
  for (const [what, { rows, make, undo }] of Object.entries(CHANGES)) {
    test(what, async () => {
      await using town = await agentsWorld(TOWN)
      town.install('claude', 'codex')
      const before = await shown(town)
      await make(town)
      const after = await shown(town)
      expect(differing(before, after)).toEqual([...rows])
      await undo?.(town)
      expect(differing(before, await shown(town))).toEqual([])
    })
  }

  test('a hold after failed starts, until it ends', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('codex')
    const before = await shown(town)
    town.host.startError = 'no terminal is left'
    await town.pool('shop/crew', 1)
    for (const wait of [1000, 2000]) {
      await town.clock.advance(wait)
      await town.reconciler.settle()
    }
    const held = await shown(town)
    expect(differing(before, held)).toEqual(CREW)
    expect(CREW.map((name) => held.get(name)?.state)).toEqual(['quarantined', 'quarantined', 'quarantined'])
    await town.finishWork()
    for (const { id } of town.sessionRepository.liveByTemplate('shop/crew'))
      await town.sessions.running.close(id, human)
    for (const _ of ['once', 'again']) expect(differing(held, await shown(town))).toEqual([])
    town.clock.stop(60_000)
    expect(CREW.map((name) => town.agents.get(name).state)).toEqual(['stopped', 'stopped', 'stopped'])
    expect(differing(before, await shown(town))).toEqual([])
  })

  test('sessions of a pool that start, move to another slot and end', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('claude', 'codex')
    const before = await shown(town)
    const [first, second] = await town.pool('shop/crew', 2)
    await town.finishWork()
    expect(differing(before, await shown(town))).toEqual(['shop/crew-2', 'shop/opal'])
    await town.sessions.running.close(second?.id ?? '', human)
    expect(differing(before, await shown(town))).toEqual(['shop/opal'])
    await town.session('worker-7')
    const free = await town.session('worker-7')
    const more = await shown(town)
    expect([...more.values()].filter(({ pool }) => pool === 'worker-7').length).toBe(2)
    await town.sessions.running.close(first?.id ?? '', human)
    await town.sessions.running.close(free.id, human)
    expect([...(await shown(town)).values()].filter(({ pool }) => pool === 'worker-7').length).toBe(1)
  })
})

/** What may change of a session that runs, and the fields of its row that then differ. */
interface SessionChange {
  readonly fields: readonly string[]
  prepare?: SessionChange['make']
  make(town: Town, session: RunningSession): Promise<unknown>
}

interface RunningSession {
  readonly id: string
  readonly hostKey: string
  readonly sessionName: string
}

const ready = { conversation: 'c', resumed: false, resumable: true, modes: [] }
const said = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Yes.' } }

type Update = Record<string, unknown>

const usage = (used: number, size: number): Update => ({ sessionUpdate: 'usage_update', used, size })

/** Its program, which speaks ACP, is ready, and then reports updates; resolves once they are known. */
async function report(town: Town, { id, hostKey }: RunningSession, more: Update, updates: Update[]): Promise<void> {
  await town.clock.advance(1000)
  await town.host.report(hostKey, { type: 'ready', ...ready, ...more })
  for (const update of updates) await town.host.report(hostKey, { type: 'update', update })
  const sizes = updates.flatMap(({ used, size }) => (size ? [size, (100 * Number(used)) / Number(size)] : []))
  const expected = [...(more.model ? [more.model] : []), ...sizes]
  await until(() => {
    const known = Object.values(town.logs.status(id) ?? {})
    return known.length > 0 && expected.every((value) => known.includes(value))
  })
}

const SESSION_CHANGES: Record<string, SessionChange> = {
  'that somebody looks at it': {
    fields: ['session'],
    make: async (town, { id }) => town.sessionServices.activity.addViewer(id),
  },
  'when its program last printed': {
    fields: ['session'],
    make: async (town, { id }) => town.sessionServices.activity.recordOutput(id, town.clock.now() + 5000),
  },
  'that it is in a turn': {
    fields: ['activity'],
    make: (town, session) => report(town, session, {}, []),
  },
  'its model': {
    fields: ['model'],
    prepare: (town, session) => report(town, session, { model: 'sonnet' }, [said]),
    make: (town, session) => report(town, session, { model: 'opus' }, [said]),
  },
  'how much of its context is used': {
    fields: ['context_pct'],
    prepare: (town, session) => report(town, session, {}, [said, usage(24_000, 200_000)]),
    make: (town, session) => report(town, session, {}, [said, usage(48_000, 200_000)]),
  },
  'the size of its context': {
    fields: ['context_window'],
    prepare: (town, session) => report(town, session, {}, [said, usage(24_000, 200_000)]),
    make: (town, session) => report(town, session, {}, [said, usage(48_000, 400_000)]),
  },
  'that it asks something': {
    fields: ['state'],
    make: async (town, { hostKey }) => {
      const choices = [{ id: 'yes', name: 'Yes', kind: 'allow_once' }]
      await town.host.report(hostKey, { type: 'asked', request: 'r', tool: { title: 'git push' }, choices })
      await until(() => town.sessionServices.questions.asking().size === 1)
    },
  },
  'the bead that it works on': {
    fields: ['active_bead', 'state'],
    make: (town, { sessionName }) => inProgress(town, sessionName),
  },
}

describe('the row of an agent with a session that was listed before shows', () => {
  for (const [what, { fields, prepare, make }] of Object.entries(SESSION_CHANGES)) {
    test(what, async () => {
      await using town = await agentsWorld(TOWN)
      town.install('claude')
      const { id, sessionName, hostKey } = await town.session('poet')
      const session = { id, sessionName, hostKey: hostKey ?? '' }
      await prepare?.(town, session)
      const before = (await shown(town)).get('poet')
      await make(town, session)
      const after = (await shown(town)).get('poet')
      const both = [new Map(Object.entries(before ?? {})), new Map(Object.entries(after ?? {}))] as const
      expect(differing(...both)).toEqual([...fields])
    })
  }

  test('that it waits once its program is quiet for long, though nothing was recorded', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('claude')
    const { sessionName } = await town.session('mayor')
    await inProgress(town, sessionName)
    expect((await shown(town)).get('mayor')?.state).toBe('working')
    const { head } = town.log
    town.clock.stop(11 * 60_000)
    expect((await shown(town)).get('mayor')?.state).toBe('waiting')
    expect(town.log.head).toBe(head)
  })

  test('that it drains, in the status', async () => {
    await using town = await agentsWorld(TOWN)
    town.install('claude')
    const { id, sessionName } = await town.session('mayor')
    await inProgress(town, sessionName)
    const draining = async () => {
      await shown(town)
      const { agent_details = [] } = (await town.status.status(true)).value
      return agent_details.flatMap(({ session_name, draining }) => (session_name === undefined ? [] : [draining]))
    }
    expect(await draining()).toEqual([false])
    await town.sessions.running.drain(id, human)
    expect(await draining()).toEqual([true])
    await town.store.write((tx) => void town.sessionRepository.transition(tx, id, 'undrain', { drainAt: null }))
    expect(await draining()).toEqual([false])
  })
})

test('the row of a suspended agent that was listed before shows that its session ended', async () => {
  await using town = await agentsWorld(TOWN)
  town.install('claude')
  const { id, sessionName } = await town.session('mayor')
  await inProgress(town, sessionName)
  await town.send('POST', 'agent/mayor/suspend')
  expect((await shown(town)).get('mayor')).toMatchObject({ state: 'suspended', running: true })
  await town.sessions.running.kill(id, human)
  expect((await shown(town)).get('mayor')).toMatchObject({ state: 'suspended', running: false })
})

test('the row of a session whose name another has taken over shows the screen of that', async () => {
  const named = `[workspace]\nsession_template = "{{.Agent}}"\n${TOWN['city.toml']}`
  await using town = await agentsWorld({ ...TOWN, 'city.toml': named })
  town.install('claude')
  const screen = async () => {
    const [session] = await town.pool('mayor', 1)
    await town.finishWork()
    const { id = '', hostKey, sessionName } = session ?? {}
    town.host.screens.set(hostKey ?? '', [id])
    await shown(town)
    const { items } = (await town.get('agents?peek=true&running=true')) as { items: AgentResponse[] }
    expect(items.map(({ last_output }) => last_output)).toEqual([id])
    await town.sessions.running.close(id, human)
    return sessionName
  }
  expect(await screen()).toBe(await screen())
})

test('agents that share a name with a slot of a pool both show the bead that is assigned to it', async () => {
  await using town = await agentsWorld({
    'agents/gang/agent.toml': 'provider = "claude"\nmax_active_sessions = 2\n',
    'agents/gang-2/agent.toml': 'provider = "claude"\nmax_active_sessions = 1\n',
  })
  const working = async () => {
    const rows = await listed(town)
    return rows.flatMap(({ name, pool, active_bead }) => (active_bead === undefined ? [] : [[pool, name]]))
  }
  expect(await working()).toEqual([])
  await inProgress(town, 'gang-2')
  expect(await working()).toEqual([
    ['gang', 'gang-2'],
    [undefined, 'gang-2'],
  ])
})

test('rows that nothing singles out stay the same, and so do the blocks they are in', async () => {
  const many = 'provider = "claude"\nmax_active_sessions = 1000\n'
  await using town = await agentsWorld({ ...TOWN, 'agents/miners/agent.toml': many, 'agents/smiths/agent.toml': many })
  town.install('claude')
  const first = await town.agents.rows()
  const changedSince = ({ blocks }: typeof first) => blocks.map((block, index) => block !== first.blocks[index])
  expect(changedSince(await town.agents.rows())).toEqual([false, false, false])
  await inProgress(town, 'smiths-700')
  const after = await town.agents.rows()
  expect(changedSince(after)).toEqual([false, true, false])
  const now = after.rows()
  const changed = first.rows().filter((row, index) => row !== now[index])
  expect(changed.map(({ shown }) => shown.name)).toEqual(['smiths-700'])
  await shown(town)
})

test('a list that a change overtakes while it is made is not shown after it', async () => {
  await using town = await agentsWorld(TOWN)
  town.install('claude')
  const slow = town.agents.rows()
  await town.send('POST', 'agent/worker-130/suspend')
  const quick = town.agents.rows()
  await Promise.all([slow, quick])
  expect((await shown(town)).get('worker-130')?.suspended).toBe(true)
})
