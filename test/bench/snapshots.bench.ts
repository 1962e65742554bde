import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { calm, Table, took } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of snapshots while some sessions write constantly and the others are idle. `bun test/bench/snapshots.bench.ts
 * [worktrees] [files] [active] [seconds]`.
 */

const WORKTREES = Number(process.argv[2] ?? 12)
const FILES = Number(process.argv[3] ?? 20_000)
const ACTIVE = Number(process.argv[4] ?? 5)
const SECONDS = Number(process.argv[5] ?? 90)
const CITY = '/v0/city/mill'
/** The rate is what counts: idle worktrees cost nothing, which the figure for all shows. */
const TARGET = 3

const WRITES = `i=0; while :; do i=$((i+1)); echo $i > d$((i%100))/f$((i%97)).ts; echo $i > new$((i%20)).ts; echo tick $i; sleep 1; done`
const toml = (interval: string) => `[daemon]
max_wakes_per_tick = 20
[session]
worktree_limit = 1000
snapshot_interval = "${interval}"
[[rigs]]
name = "shop"
path = "../shop"
[[agent]]
name = "writer"
dir = "shop"
worktree = true
start_command = '''while [ ! -f "$GC_HOME/go" ]; do sleep 1; done; ${WRITES}'''
min_active_sessions = ${ACTIVE}
max_active_sessions = ${ACTIVE}
[[agent]]
name = "idler"
dir = "shop"
worktree = true
start_command = "exec sleep 100000"
min_active_sessions = ${WORKTREES - ACTIVE}
max_active_sessions = ${WORKTREES - ACTIVE}
`

/** Processor time of the supervisor and of every program that it ran and waited for, in milliseconds. */
function cpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 10
}

function fill(folder: string): void {
  const text = 'export const value = 1\n'.repeat(40)
  for (let folderAt = 0; folderAt < FILES / 200; folderAt++) {
    mkdirSync(join(folder, `d${folderAt}`), { recursive: true })
    for (let at = 0; at < 200; at++) writeFileSync(join(folder, `d${folderAt}`, `f${at}.ts`), `${text}// ${at}\n`)
  }
  for (const words of [
    ['init', '-q', '-b', 'main'],
    ['add', '-A'],
    ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '-m', 'first'],
  ]) {
    if (!Bun.spawnSync(['git', '-C', folder, ...words]).success) throw new Error(`git ${words.join(' ')}`)
  }
}

const share = async (pid: number): Promise<number> => {
  const before = cpu(pid)
  await Bun.sleep(SECONDS * 1000)
  return (cpu(pid) - before) / SECONDS / 10
}

await using town = await Town.open()
mkdirSync(town.at('shop'))
fill(town.at('shop'))
await town.city('mill', toml('24h'))
const wire = await Wire.open(town.url)
const count = async (): Promise<number> => (await wire.json('GET', `${CITY}/sessions?limit=1&state=active`)).total
await took(async () => (await count()) === WORKTREES, 1_800_000)
await Bun.write(town.at('home', 'go'), '')
await Bun.sleep(15_000)
await calm(town.pid)
const without = await share(town.pid)
town.declare('mill', toml('30s'))
await Bun.sleep(40_000)
await calm(town.pid)
const withThem = await share(town.pid)
const { total } = await wire.json('GET', `${CITY}/worktrees/snapshots`)
const size = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

const table = new Table()
table.row('supervisor and its git, without snapshots', `${without.toFixed(2)} % of a core`)
table.row('supervisor and its git, with snapshots', `${withThem.toFixed(2)} % of a core`)
const cost = withThem - without
table.row('snapshots', `${cost.toFixed(2)} % of a core`, `< ${TARGET} %`, cost < TARGET)
table.row('snapshots stored', String(total))
table.row('files in the repository of snapshots', String(size(town.at('mill/.gc/snapshots/shop.git'))))
table.print(`${WORKTREES} worktrees of ${FILES} files, ${ACTIVE} that change every second, for ${SECONDS} s`)
wire.close()
