import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Composition, compose } from '../../src/config/compose/compose.ts'
import { FileCache } from '../../src/config/files/file-cache.ts'
import { FileSnapshot } from '../../src/config/files/file-snapshot.ts'
import { Table } from './support/figures.ts'

/**
 * Cost of composing a city of packs: from disk in a fresh process, and again after one changed file; with the memory
 * held. `bun test/bench/packs.bench.ts [packs] [agents] [rigs]`.
 */

const PACKS = Number(process.argv[2] ?? 30)
const AGENTS = Number(process.argv[3] ?? 300)
const RIGS = Number(process.argv[4] ?? 50)
const FOLDER = join(tmpdir(), `gc-bench-packs-${process.pid}`)
const PROMPT = `${'Do the work of {{ .AgentName }} in {{ .RigName }}.\n'.repeat(40)}`
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

function put(name: string, text: string): void {
  mkdirSync(dirname(join(FOLDER, name)), { recursive: true })
  writeFileSync(join(FOLDER, name), text)
}

/** Agents of the city in every pack; the rigs import one pack each, whose agents are for rigs. */
function writeCity(): void {
  const ofRigs = Math.floor(AGENTS / 2 / RIGS)
  const ofCity = AGENTS - ofRigs * RIGS
  const rigs = numbers(RIGS).map(
    (n) =>
      `[[rigs]]\nname = "rig${n}"\npath = "rigs/${n}"\nprefix = "r${n}"\n[rigs.imports.crew]\nsource = "packs/crew"\n`,
  )
  put('city.toml', `[workspace]\nprovider = "claude"\n${rigs.join('')}`)
  const imports = numbers(PACKS - 1).map((n) => `[imports.p${n}]\nsource = "packs/p${n}"\n`)
  put('pack.toml', `[pack]\nname = "town"\nschema = 2\n${imports.join('')}`)
  for (const n of numbers(PACKS - 1)) put(`packs/p${n}/pack.toml`, `[pack]\nname = "p${n}"\nschema = 2\n`)
  for (const n of numbers(ofCity)) putAgent(`packs/p${n % (PACKS - 1)}/agents/a${n}`, 'city')
  put('packs/crew/pack.toml', '[pack]\nname = "crew"\nschema = 2\n')
  for (const n of numbers(ofRigs)) putAgent(`packs/crew/agents/w${n}`, 'rig')
}

function putAgent(folder: string, scope: string): void {
  put(
    `${folder}/agent.toml`,
    `scope = "${scope}"\nstart_command = "run"\nmax_active_sessions = 3\nidle_timeout = "5m"\nenv = { A = "1", B = "2" }\npre_start = ["git fetch"]\n`,
  )
  put(`${folder}/prompt.template.md`, PROMPT)
}

const cache = new FileCache()
const once = (): Composition => compose(new FileSnapshot(FOLDER, new Map(), cache))

interface Cost {
  readonly ms: number
  /** The processor time, which says more than the clock where others work on the same machine. */
  readonly cpuMs: number
}

function timed(act: () => void): Cost {
  const [start, before] = [performance.now(), process.cpuUsage()]
  act()
  const { user, system } = process.cpuUsage(before)
  return { ms: performance.now() - start, cpuMs: (user + system) / 1000 }
}

const medianOf = (costs: readonly Cost[], key: keyof Cost): number =>
  costs.map((cost) => cost[key]).toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0

const used = (): number => {
  Bun.gc(true)
  return process.memoryUsage().heapUsed / 2 ** 20
}

try {
  put('empty/city.toml', '')
  compose(new FileSnapshot(join(FOLDER, 'empty')))
  writeCity()
  const before = used()
  let composition: Composition | undefined
  const first = timed(() => {
    composition = once()
  })
  if (!composition || composition.errors.length > 0) throw new Error(JSON.stringify(composition?.errors.slice(0, 3)))
  const held = used() - before
  // Files that were just written are read again until their times can be trusted.
  await Bun.sleep(2_100)
  once()
  const again = numbers(21).map((n) => {
    put('packs/p0/agents/a0/prompt.template.md', `${PROMPT}${n}`)
    return timed(() => {
      composition = once()
    })
  })
  const { agents, rigs } = composition.config
  const fresh = numbers(7).map(() => timed(() => void compose(new FileSnapshot(FOLDER))))
  const [uncached, median] = [medianOf(fresh, 'ms'), medianOf(again, 'ms')]
  const table = new Table()
  table.row('composed for the first time in a process', `${first.ms.toFixed(0)} ms`)
  table.row('composed from disk', `${uncached.toFixed(0)} ms`, '< 150 ms', uncached < 150)
  table.row('the same, processor', `${medianOf(fresh, 'cpuMs').toFixed(0)} ms`)
  table.row('composed again, one file changed', `${median.toFixed(1)} ms`, '< 30 ms', median < 30)
  table.row('the same, processor', `${medianOf(again, 'cpuMs').toFixed(1)} ms`)
  table.row('memory over an empty city', `${held.toFixed(1)} MB`, '< 20 MB', held < 20)
  table.print(`${PACKS} packs, ${agents.length} agents (with those of providers) in ${rigs.length} rigs`)
} finally {
  rmSync(FOLDER, { recursive: true, force: true })
}
