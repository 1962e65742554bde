import { describe, expect, test } from 'bun:test'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'

interface Import {
  from: string
  to: string
  typeOnly: boolean
  lazy: boolean
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[\s\S]*?\sfrom\s+)?'([^']+)'|import\('([^']+)'\)/gm

async function readImports(): Promise<Import[]> {
  const imports: Import[] = []
  for await (const from of new Glob('{src,cli,tui}/**/*.{ts,tsx}').scan('.')) {
    for (const [, typed, target, lazily] of (await Bun.file(from).text()).matchAll(IMPORT)) {
      const named = target ?? lazily ?? ''
      const to = named.startsWith('.') ? normalize(join(dirname(from), named)) : named
      imports.push({ from, to, typeOnly: typed !== undefined, lazy: lazily !== undefined })
    }
  }
  return imports
}

/** What each wing of `src` may import besides itself. A wing that is not named here may import nothing. */
const LAW: Readonly<Record<string, readonly string[]>> = {
  core: [],
  http: ['core'],
  host: ['core'],
  config: ['http', 'core'],
  work: ['config', 'http', 'core'],
  agents: ['work', 'config', 'host', 'http', 'core'],
  orchestration: ['agents', 'work', 'config', 'http', 'core'],
  connect: ['agents', 'work', 'config', 'http', 'core'],
  city: ['orchestration', 'connect', 'agents', 'work', 'config', 'host', 'http', 'core'],
  social: ['http', 'core'],
  supervisor: ['city', 'social', 'orchestration', 'connect', 'agents', 'work', 'config', 'host', 'http', 'core'],
}

/** What the command line loads when a command needs it. */
const STARTED = [
  ...['src/supervisor', 'src/host', 'src/config', 'src/agents/confinement', 'src/orchestration/formulas'],
  ...['src/core/template', 'tui'],
]

const imports = await readImports()
const inside = (path: string, ...folders: string[]) => folders.some((folder) => path.startsWith(`${folder}/`))
const isOurs = (path: string) => inside(path, 'src', 'cli', 'tui')
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

function edgesBetween(chosen: readonly Import[], nodeOf: (path: string) => string): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const { from, to } of chosen) {
    const [start, end] = [nodeOf(from), nodeOf(to)]
    if (start !== end) edges.set(start, (edges.get(start) ?? new Set()).add(end))
  }
  return edges
}

describe('who may import what', () => {
  test('there is something to check', () => {
    expect(imports.length).toBeGreaterThan(100)
  })

  test('every relative import names a file', async () => {
    const missing: string[] = []
    for (const each of imports)
      if (isOurs(each.to) && !(await Bun.file(each.to).exists())) missing.push(described(each))
    expect(missing).toEqual([])
  })

  for (const [wing, below] of Object.entries(LAW)) {
    test(`${wing} imports only ${below.join(', ') || 'itself'}`, () => {
      const allowed = [wing, ...below].map((name) => `src/${name}`)
      expect(breaks(`src/${wing}`, ({ to }) => inside(to, ...allowed))).toEqual([])
    })
  }

  test('every folder of src is a wing with a law of its own', async () => {
    const folders = new Set<string>()
    for await (const path of new Glob('src/*/**/*.ts').scan('.')) folders.add(path.split('/')[1] ?? '')
    expect([...folders].filter((folder) => LAW[folder] === undefined && folder !== 'client')).toEqual([])
  })

  test('no files import each other in a circle', () => {
    const ours = imports.filter(({ to }) => isOurs(to))
    expect(circles(edgesBetween(ours, (path) => path))).toEqual([])
  })

  test('no folders import each other’s values in a circle', () => {
    const values = imports.filter(({ to, typeOnly, lazy }) => isOurs(to) && !typeOnly && !lazy)
    expect(circles(edgesBetween(values, dirname))).toEqual([])
  })

  test('the client sees wire shapes and routes, as types, and nothing else', () => {
    const isWire = ({ to, typeOnly }: Import) =>
      inside(to, 'src/client') || (typeOnly && /(schema|event|routes?)\.ts$/.test(to))
    expect(breaks('src/client', isWire)).toEqual([])
  })

  test('cli and tui see the client; what they start they load when asked to', () => {
    const isWire = ({ to, typeOnly }: Import) => inside(to, 'src/client') || (typeOnly && to.endsWith('schema.ts'))
    expect(breaks('tui', (each) => isWire(each) || inside(each.to, 'tui'))).toEqual([])
    const isStarted = ({ to, lazy, typeOnly }: Import) => (lazy || typeOnly) && inside(to, ...STARTED)
    expect(breaks('cli', (each) => isWire(each) || isStarted(each) || inside(each.to, 'cli'))).toEqual([])
  })

  test('a table belongs to its folder', () => {
    const foreign = imports.filter(
      ({ from, to, typeOnly }) => !typeOnly && /^src\/.*\/table\.ts$/.test(to) && dirname(from) !== dirname(to),
    )
    expect(foreign.map(described)).toEqual([])
  })

  test('routes know their service by type only, and no database', () => {
    const wrong = imports.filter(
      ({ from, to, typeOnly }) =>
        from.endsWith('/routes.ts') &&
        (/drizzle|bun:sqlite|core\/store/.test(to) || (isOurs(to) && !typeOnly && /\/table\.ts$/.test(to))),
    )
    expect(wrong.map(described)).toEqual([])
  })

  test('only http and the network know Elysia', () => {
    const elysia = imports.filter(({ from, to }) => to === 'elysia' && !inside(from, 'src/http', 'src/social'))
    expect(elysia.map(({ from }) => from)).toEqual([])
  })

  test('nothing is a default export, and no file is longer than 300 lines', async () => {
    const wrong: string[] = []
    for await (const path of new Glob('{src,cli,tui}/**/*.{ts,tsx}').scan('.')) {
      const text = await Bun.file(path).text()
      if (/^export default/m.test(text)) wrong.push(`${path} has a default export`)
      if (text.split('\n').length > 300) wrong.push(`${path} is longer than 300 lines`)
    }
    expect(wrong).toEqual([])
  })
})
