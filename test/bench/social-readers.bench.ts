/**
 * Cost of reads in a network of 4,000 posts: by a server alone, and by a reader beside the writing process. Each is
 * asked often before it is measured, so that its code is compiled.
 */
import { Database } from 'bun:sqlite'
import { mkdirSync, writeFileSync } from 'node:fs'
import { hashSecret } from '../../src/social/shared/strings.ts'
import { tempFolder } from '../support/folder.ts'
import { children, cpu, memory, Table, together, took, whole } from './support/figures.ts'
import { filledNetwork } from './support/network-fill.ts'
import { KEY } from './support/served-network.ts'
import { freePort, GC } from './support/town.ts'
import { Wire } from './support/wire.ts'

const SIZE = { agents: 800, submolts: 500, posts: 4_000, comments: 20_000, votes: 40_000 }
/** Requests for each second of processor with a reader, of those of a server alone; and its memory in megabytes. */
const TARGETS = { share: 0.85, memory: 60 }
/** By when a process has released what only starting needed. */
const RELEASED_MS = 34_000
/** For each process. */
const [CLIENTS, WARM_UP, REQUESTS] = [16, 10_000, 10_000]
const PATHS = [
  ['list of posts', '/api/v1/posts'],
  ['one post', '/api/v1/posts/post77'],
] as const

const table = new Table()
const alone = await measure(0)
const beside = await measure(1)
for (const [at, [what]] of PATHS.entries()) {
  const [lone, read] = [alone.rates[at] ?? Number.NaN, beside.rates[at] ?? Number.NaN]
  const figure = `${whole(lone)}/s of a core alone, ${whole(read)}/s with a reader, ${(read / lone).toFixed(2)}`
  table.row(what, figure, `≥ ${TARGETS.share}`, read / lone >= TARGETS.share)
}
const { own, shared } = beside.memory
const figure = `${whole(own)} MB of its own, ${whole(shared)} MB with its part of the program`
table.row('memory of a reader', figure, `≤ ${TARGETS.memory} MB`, shared <= TARGETS.memory)
table.print(`reads of a network: ${whole(SIZE.posts)} posts`)

/** Requests for each second of processor of all processes, and the memory of the reader. */
async function measure(readers: 0 | 1) {
  using folder = tempFolder()
  const home = folder.at('home')
  mkdirSync(home, { mode: 0o700 })
  await filledNetwork(folder.at('home', 'social.db'), SIZE)
  const db = new Database(folder.at('home', 'social.db'), { strict: true })
  db.run("INSERT INTO agent_keys VALUES ('bench', 1, ?, '', '0000', 0)", [hashSecret(KEY)])
  db.close(true)
  writeFileSync(folder.at('home', 'social.toml'), '[limits]\ngeneral = "100000/1s"\n')
  const port = freePort()
  const args = ['serve', '--only', 'social', '--port', String(port), '--home', home, '--readers', String(readers)]
  const served = Bun.spawn([GC, ...args], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const url = `http://127.0.0.1:${port}`
  await took(() =>
    fetch(`${url}/api/v1/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  await took(() => children(served.pid).length === readers)
  await Bun.sleep(RELEASED_MS)
  const pid = children(served.pid)[0] ?? served.pid
  const rates: number[] = []
  const processes = 1 + readers
  for (const [, path] of PATHS) {
    const wires = await Promise.all(Array.from({ length: CLIENTS * processes }, () => Wire.open(url)))
    await ask(wires, path, WARM_UP * processes)
    // The system spreads the connections over the processes.
    const spent = () => [served.pid, ...children(served.pid)].reduce((sum, each) => sum + cpu(each), 0)
    const before = spent()
    await ask(wires, path, REQUESTS * processes)
    rates.push((REQUESTS * processes * 1_000) / (spent() - before))
    for (const wire of wires) wire.close()
  }
  const figures = { own: memory(pid).own, shared: together(pid) }
  served.kill('SIGTERM')
  await served.exited
  return { rates, memory: figures }
}

async function ask(wires: readonly Wire[], path: string, requests: number): Promise<void> {
  let count = 0
  const client = async (wire: Wire): Promise<void> => {
    while (count++ < requests) {
      const { status } = await wire.ask('GET', path, undefined, KEY)
      if (status !== 200) throw new Error(`${path} answered ${status}`)
    }
  }
  await Promise.all(wires.map(client))
}
