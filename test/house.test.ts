import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { behindFaces, type Import, MAX_FUNCTION_LINES, readBuild, readHouse, roomOf } from './support/house.ts'

/** Allowed imports of each wing of `src` besides itself. A wing that is not named here may import nothing. */
const LAW: Readonly<Record<string, readonly string[]>> = {
  core: [],
  http: ['core'],
  manual: ['http', 'core'],
  programs: ['core'],
  host: ['programs', 'core'],
  config: ['programs', 'http', 'core'],
  work: ['config', 'http', 'core'],
  agents: ['work', 'config', 'host', 'programs', 'http', 'core'],
  orchestration: ['agents', 'work', 'config', 'programs', 'http', 'core'],
  connect: ['agents', 'work', 'config', 'programs', 'http', 'core'],
  changes: ['connect', 'orchestration', 'agents', 'work', 'config', 'host', 'programs', 'http', 'core'],
  city: ['changes', 'orchestration', 'connect', 'agents', 'work', 'config', 'host', 'programs', 'http', 'core'],
  social: ['http', 'core'],
  supervisor: [
    'city',
    'social',
    'changes',
    'orchestration',
    'connect',
    'agents',
    'work',
    'config',
    'host',
    'programs',
    'manual',
    'http',
    'core',
  ],
}

/** The rooms of each wing, lowest first: a room imports those before it. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  client: ['views'],
  core: ['tar', 'template', 'text', 'toml', 'metrics', 'store', 'events', 'replays', 'requests'],
  http: ['respond'],
  programs: ['entries', 'parts', 'limits', 'logs', 'protocol', 'opencode', 'claude', 'gemini', 'codex'],
  host: ['protocol', 'process', 'terminal', 'confine', 'client', 'command', 'acp', 'server'],
  config: [
    'accounts',
    'files',
    'git',
    'prompts',
    'declare',
    'providers',
    'land',
    'packs',
    'settings',
    'agents',
    'rigs',
    'services',
    'webhooks',
    'orders',
    'city',
    'suspensions',
    'confinement',
    'compose',
    'views',
    'patches',
    'catalog',
    'pack-api',
    'rig-api',
    'offline',
  ],
  work: ['beads', 'comments', 'sessions', 'convoys', 'search', 'claims', 'waits', 'mail', 'transfer'],
  agents: [
    'network',
    'project-files',
    'limits',
    'worktrees',
    'questions',
    'readiness',
    'confinement',
    'accounts',
    'launch',
    'conversations',
    'usage',
    'messaging',
    'rules',
    'lifecycle',
    'sessions',
    'agents',
    'attention',
  ],
  orchestration: ['formulas', 'gates', 'runs', 'orders'],
  supervisor: ['people', 'readers'],
  connect: ['forge-api', 'extmsg', 'github', 'services', 'webhooks'],
  changes: ['diffs', 'risk', 'turns', 'review', 'forges', 'yard', 'landing'],
  city: ['command-tokens', 'counters', 'status', 'maintenance', 'database', 'events', 'backup'],
  social: [
    'shared',
    'html',
    'limits',
    'accounts',
    'communities',
    'messages',
    'posts',
    'votes',
    'comments',
    'search',
    'home',
    'moving',
    'network',
    'pages',
  ],
}

/** Modules that the command line loads when a command needs them. */
const STARTED = [
  ...['src/supervisor', 'src/host', 'src/config', 'src/agents/confinement', 'src/agents/readiness'],
  ...['src/orchestration/formulas', 'src/core/template', 'src/programs/protocol', 'src/changes/landing', 'tui'],
]

const house = await readHouse()
const loadedFor = await readBuild()
/** Imports as they are written, and as they are with the names of faces traced to their files. */
const written = house.imports
const imports = behindFaces(written)
const inside = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
const isOurs = (path: string) => inside(path, 'src', 'client', 'cli', 'tui')
const wingOf = (path: string) =>
  path
    .split('/')
    .slice(0, path.startsWith('src/') ? 2 : 1)
    .at(-1) ?? ''
const described = ({ from, to }: Import) => `${from} imports ${to}`
const breaks = (folder: string, isAllowed: (each: Import) => boolean) =>
  imports.filter((each) => inside(each.from, folder) && isOurs(each.to) && !isAllowed(each)).map(described)

/** Groups of nodes that reach each other, by Tarjan's algorithm. */
function circles(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (node: string): number => {
    const index = order.size
    let lowest = index
    order.set(node, index)
    stack.push(node)
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) lowest = Math.min(lowest, visit(next))
      else if (stack.includes(next)) lowest = Math.min(lowest, order.get(next) ?? lowest)
    }
    low.set(node, lowest)
    if (lowest === index) {
      const circle = stack.splice(stack.indexOf(node))
      if (circle.length > 1) cycles.push(circle.sort())
    }
    return lowest
  }
  for (const node of edges.keys()) if (!order.has(node)) visit(node)
  return cycles
}

const edgesOf = (chosen: readonly Import[]): Map<string, Set<string>> => {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of chosen) edges.set(from, (edges.get(from) ?? new Set()).add(to))
  return edges
}

describe('files', () => {
  test('of the program are there to be checked', () => {
    expect(house.files.length).toBeGreaterThan(100)
    expect(written.filter(({ to }) => isOurs(to) && !existsSync(to)).map(described)).toEqual([])
  })

  test('do not import each other in a circle', () => {
    expect(circles(edgesOf(written.filter(({ to }) => isOurs(to))))).toEqual([])
  })

  test(`have no function of more than ${MAX_FUNCTION_LINES} lines, and no default export`, () => {
    expect(house.longFunctions).toEqual([])
    expect(house.defaultExports).toEqual([])
  })

  test('declare only tables for drizzle that code uses, themselves or the type of their rows', async () => {
    const unused: string[] = []
    for (const file of house.files.filter((path) => path.endsWith('/table.ts') && inside(path, 'src'))) {
      const text = await Bun.file(file).text()
      const users = imports.filter(({ from, to }) => to === file && !from.endsWith('/index.ts'))
      const taken = new Set(users.flatMap(({ names }) => names.map(({ name }) => name)))
      for (const [, name = ''] of text.matchAll(/const (\w+) = sqliteTable\(/g))
        if (!taken.has(name) && !text.includes(`typeof ${name}.$infer`)) unused.push(`${file} declares ${name}`)
    }
    expect(unused).toEqual([])
  })
})

describe('wings', () => {
  for (const [wing, below] of Object.entries(LAW)) {
    test(`${wing} imports only ${below.join(', ') || 'itself'}`, () => {
      const allowed = [wing, ...below].map((name) => `src/${name}`)
      expect(breaks(`src/${wing}`, ({ to }) => inside(to, ...allowed))).toEqual([])
    })
  }

  test('are the folders of src, each with a law of its own', () => {
    const wings = new Set(house.files.filter((path) => inside(path, 'src')).map(wingOf))
    expect([...wings].filter((wing) => LAW[wing] === undefined && wing !== 'client')).toEqual([])
  })
})

describe('rooms', () => {
  test('are listed by wing, lowest first', () => {
    const rooms: Record<string, string[]> = {}
    for (const room of new Set(house.files.flatMap((path) => roomOf(path) ?? []))) {
      const [wing = '', name = ''] = room.split('/').slice(-2)
      rooms[wing] = [...(rooms[wing] ?? []), name].sort()
    }
    expect(rooms).toEqual(Object.fromEntries(Object.entries(ROOMS).map(([wing, names]) => [wing, [...names].sort()])))
  })

  test('import only those below them in their wing', () => {
    const heightOf = (path: string) => ROOMS[wingOf(path)]?.indexOf(roomOf(path)?.split('/').at(-1) ?? '') ?? 0
    const upward = imports.filter(
      ({ from, to }) =>
        roomOf(from) !== undefined &&
        roomOf(to) !== undefined &&
        wingOf(from) === wingOf(to) &&
        heightOf(to) > heightOf(from),
    )
    expect(upward.map(described)).toEqual([])
  })

  test('of all wings, commands and pages do not import each other in a circle', () => {
    const place = (path: string) => roomOf(path) ?? (/^(src|[a-z]+\/[^/]+$)/.test(path) ? path : dirname(path))
    const between = imports
      .filter(({ to, lazy }) => isOurs(to) && !lazy)
      .map((each) => ({ ...each, from: place(each.from), to: place(each.to) }))
    expect(circles(edgesOf(between.filter(({ from, to }) => from !== to)))).toEqual([])
  })

  test('have a face that re-exports and does nothing else', () => {
    expect(house.busyFaces).toEqual([])
  })

  test('have a face that exports only what other rooms import', () => {
    const taken = new Set(written.flatMap(({ to, names }) => names.map(({ name }) => `${to} ${name}`)))
    const offered = [...house.offers].flatMap(([face, names]) => names.map((name) => `${face} ${name}`))
    expect(offered.filter((each) => !taken.has(each))).toEqual([])
  })

  test('are entered by their faces', () => {
    const past = written.filter(({ from, to, lazy }) => {
      const room = roomOf(to)
      return room !== undefined && room !== roomOf(from) && to !== `${room}/index.ts` && to.endsWith('.ts') && !lazy
    })
    expect(past.map(described)).toEqual([])
  })

  test('are loaded lazily by their files, since a lazily loaded face is loaded whole', () => {
    const whole = written.filter(({ to, lazy }) => lazy && to === `${roomOf(to)}/index.ts`)
    expect(whole.map(described)).toEqual([])
  })

  test('keep their tables to themselves', () => {
    const foreign = imports.filter(
      ({ from, to, typeOnly }) => !typeOnly && /^src\/.*\/table\.ts$/.test(to) && dirname(from) !== dirname(to),
    )
    expect(foreign.map(described)).toEqual([])
  })

  test('have routes that know their service by type only, and no database', () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.endsWith('/routes.ts') &&
        (/drizzle|bun:sqlite|core\/store/.test(to) || (isOurs(to) && !typeOnly && /\/table\.ts$/.test(to))),
    )
    expect(wrong.map(described)).toEqual([])
  })
})

describe('a process that starts often', () => {
  /** Files of ours that each loads, and their number. A number may only fall. */
  const LOADED: readonly [string, readonly string[], number][] = [
    ['gc hook', ['cli/run-command.ts', 'cli/program.ts', 'cli/hook/hook.ts', 'cli/names/suggest.ts'], 37],
    ['bd ready', ['cli/run-command.ts', 'cli/bd/program.ts', 'cli/bd/print.ts'], 59],
    ['gc hook permission', ['cli/hook/permission.ts', 'src/programs/protocol/permission.ts'], 7],
    ['gc host', ['cli/host.ts', 'src/supervisor/session-host.ts'], 120],
    ['gc __confine', ['src/host/confine/confined-command.ts'], 14],
    ['the worker of formulas', ['src/orchestration/formulas/compile.worker.ts'], 48],
    ['the worker of imports', ['src/work/transfer/bulk/import.worker.ts'], 51],
    ['the worker of prompts', ['src/config/prompts/prompt.worker.ts'], 16],
    ['the worker of a database', ['src/core/store/database.worker.ts'], 4],
    ['the broker of confined commands', ['src/host/confine/broker/broker.worker.ts'], 25],
  ]

  test.each(LOADED)('%s loads only the files that it uses', (_, entries, most) => {
    expect(loadedFor(entries).size).toBe(most)
  })
})

/** The codes of errors are part of the wire. */
const isCatalogue = (path: string) => path === 'src/core/error-catalogue.ts'

describe('clients', () => {
  test('see wire shapes and routes, as types, and nothing else of the server', () => {
    const isWire = ({ to, typeOnly }: Import) =>
      inside(to, 'src/client') || isCatalogue(to) || (typeOnly && /(schema|event|routes?)\.ts$/.test(to))
    expect(breaks('src/client', isWire)).toEqual([])
  })

  test('of people see the client; what they start they load when asked to', () => {
    const isWire = ({ to, typeOnly }: Import) =>
      inside(to, 'src/client') || isCatalogue(to) || (typeOnly && to.endsWith('schema.ts'))
    expect(breaks('client', (each) => isWire(each) || inside(each.to, 'client'))).toEqual([])
    expect(breaks('tui', (each) => isWire(each) || inside(each.to, 'client', 'tui'))).toEqual([])
    const isStarted = ({ to, lazy, typeOnly }: Import) => (lazy || typeOnly) && inside(to, ...STARTED)
    const isOwn = ({ to }: Import) => inside(to, 'cli', 'client', 'src/manual')
    expect(breaks('cli', (each) => isWire(each) || isStarted(each) || isOwn(each))).toEqual([])
  })

  test('declare what they show in rooms that know no terminal and no browser', () => {
    const packages = written.filter(({ from, to }) => inside(from, 'client') && !isOurs(to))
    expect(packages.map(described)).toEqual([])
  })

  test('of http are its own and the network: no one else knows Elysia', () => {
    const elysia = written.filter(({ from, to }) => to === 'elysia' && !inside(from, 'src/http', 'src/social'))
    expect(elysia.map(({ from }) => from)).toEqual([])
  })
})
