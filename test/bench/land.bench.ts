import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Table, took, whole } from './support/figures.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * 100 finished branches land in a repository of 20,000 files: 30 change the same line as four others each, five break
 * the check, and two pass it alone and fail it together. Owners resolve conflicts immediately and give red branches up.
 * `bun test/bench/land.bench.ts [branches] [files] [batch]`.
 */

const BRANCHES = Number(process.argv[2] ?? 100)
const FILES = Number(process.argv[3] ?? 20_000)
const BATCH = Number(process.argv[4] ?? 8)
const LINES = 6
const PER_LINE = 5
const BROKEN = 5
const SECONDS = 1
const CITY = '/v0/city/mill'
const CHECK = '! ls broken-* >/dev/null 2>&1 && ! { test -e left && test -e right; }'

const env = {
  ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

function git(words: readonly string[], { input = '', index = '' } = {}): string {
  const variables = index === '' ? env : { ...env, GIT_INDEX_FILE: index }
  const ran = Bun.spawnSync(['git', ...words], { env: variables, stdin: Buffer.from(input) })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

interface Branch {
  readonly name: string
  readonly path: string
  readonly text: string
}

/** The branches, in an order that mixes their kinds. */
function planBranches(): Branch[] {
  const shared = Array.from({ length: LINES * PER_LINE }, (_, n) => ({
    ...{ name: `shared-${n}`, path: `line-${n % LINES}`, text: `first\nshared-${n}\nlast\n` },
  }))
  const broken = Array.from({ length: BROKEN }, (_, n) => ({
    ...{ name: `broken-${n}`, path: `broken-${n}`, text: 'x\n' },
  }))
  const pair = ['left', 'right'].map((name) => ({ name, path: name, text: 'x\n' }))
  const special = [...shared, ...broken, ...pair]
  const own = Array.from({ length: BRANCHES - special.length }, (_, n) => ({
    ...{ name: `own-${n}`, path: `d${n % 100}/f${n}.ts`, text: `export const value = ${n}\n` },
  }))
  const placeOf = ({ name }: Branch) => Bun.hash.crc32(name)
  return [...special, ...own].sort((a, b) => placeOf(a) - placeOf(b))
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

/** A remote of many files and a clone of it that has the branches. */
function makeRig(rig: string, remote: string, branches: readonly Branch[]): void {
  git(['init', '-q', '-b', 'main', rig])
  const commit = (ref: string, subject: string) =>
    `commit refs/heads/${ref}\ncommitter a <a@b> 1700000000 +0000\n${data(subject)}`
  const file = (path: string, text: string) => `M 100644 inline ${path}\n${data(text)}`
  const body = 'export const value = 1\n'.repeat(40)
  const files = Array.from({ length: FILES }, (_, n) => file(`d${n % 100}/f${n}.ts`, `${body}// ${n}\n`))
  const lines = Array.from({ length: LINES }, (_, n) => file(`line-${n}`, 'first\nsecond\nlast\n'))
  const changes = branches.map(
    ({ name, path, text }) => `${commit(name, `Add ${name}`)}from refs/heads/main\n${file(path, text)}`,
  )
  const input = [commit('main', 'Begin'), ...files, ...lines, ...changes].join('')
  git(['-C', rig, 'fast-import', '--quiet'], { input })
  git(['-C', rig, 'reset', '-q', '--hard', 'main'])
  git(['clone', '-q', '--bare', '--single-branch', '--branch', 'main', rig, remote])
  git(['-C', rig, 'remote', 'add', 'origin', remote])
}

/** Processor time of a process and of what it ran and waited for, in milliseconds. */
function cpu(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 10
}

interface Landing {
  readonly id: string
  readonly branch: string
  readonly state: string
  readonly head: string
}

interface Check {
  readonly of: string
  readonly verdict?: string
  readonly started_at?: string
  readonly ended_at?: string
}

interface Batch {
  readonly id: string
  readonly size: number
  readonly outcome?: string
  readonly checks: readonly Check[]
}

/** An owner who keeps what is on main and adds his own. */
function resolveConflict(rig: string, { branch, head }: Landing, path: string): void {
  git(['-C', rig, 'fetch', '-q', 'origin', 'main'])
  const main = git(['-C', rig, 'rev-parse', 'FETCH_HEAD'])
  const theirs = git(['-C', rig, 'show', `${main}:${path}`]).split('\n')
  const text = `${theirs[0]}\n${theirs[1]} ${branch}\n${theirs[2]}\n`
  const index = join(rig, '.git', 'owner-index')
  const blob = git(['-C', rig, 'hash-object', '-w', '--stdin'], { input: text })
  git(['-C', rig, 'read-tree', main], { index })
  git(['-C', rig, 'update-index', '--cacheinfo', `100644,${blob},${path}`], { index })
  const tree = git(['-C', rig, 'write-tree'], { index })
  const commit = git(['-C', rig, 'commit-tree', tree, '-p', head, '-p', main, '-m', 'Resolve'])
  git(['-C', rig, 'update-ref', `refs/heads/${branch}`, commit, head])
}

const list = async (wire: Wire): Promise<Landing[]> => (await wire.json('GET', `${CITY}/landings?limit=500`)).items

/** Plays the owners until nothing is left to do; how long that took them. */
async function settle(wire: Wire, rig: string, branches: readonly Branch[]): Promise<number> {
  let owners = 0
  const paths = new Map(branches.map(({ name, path }) => [name, path]))
  const isOver = async (): Promise<boolean> => {
    const landings = await list(wire)
    for (const landing of landings.filter(({ state }) => state === 'conflict')) {
      const start = performance.now()
      resolveConflict(rig, landing, paths.get(landing.branch) ?? '')
      owners += performance.now() - start
      await wire.json('POST', `${CITY}/rig/shop/land`, { branch: landing.branch })
    }
    for (const { id } of landings.filter(({ state }) => state === 'red')) {
      await wire.json('POST', `${CITY}/landing/${id}/give-up`, {})
    }
    return landings.every(({ state }) => state === 'landed' || state === 'given_up')
  }
  while (!(await isOver())) await Bun.sleep(50)
  return owners
}

/** All batches there were. */
async function batchesOf(wire: Wire): Promise<Batch[]> {
  const batches = new Map<string, Batch>()
  for (const { id } of await list(wire)) {
    const log: { batches: Batch[] } = await wire.json('GET', `${CITY}/landing/${id}/log`)
    for (const batch of log.batches) batches.set(batch.id, batch)
  }
  return [...batches.values()]
}

const ran = ({ checks }: Batch): Check[] => checks.filter(({ started_at }) => started_at !== undefined)
const duration = ({ started_at = '', ended_at = '' }: Check): number => Date.parse(ended_at) - Date.parse(started_at)
const isRed = ({ checks }: Batch): boolean => checks.some(({ verdict }) => verdict === 'red')

/** The checks that a batch with one culprit may take: halving, once more to confirm, and the base if it was never checked. */
const allowed = (batch: Batch): number =>
  1 + Math.ceil(Math.log2(batch.size)) + 1 + (ran(batch).some(({ of }) => of === 'base') ? 1 : 0)

/** Holds the remote against what was to land: each branch once, each shared line with all who changed it. */
function verify(remote: string, landings: readonly Landing[]): void {
  const bodies = git(['-C', remote, 'log', '--format=%(trailers:key=Gc-Landing,valueonly)', 'main']).split('\n')
  const there = bodies.filter(Boolean).map((line) => line.split('/')[1] ?? '')
  const said = landings.filter(({ state }) => state === 'landed').map(({ id }) => id)
  if (there.sort().join() !== said.sort().join()) throw new Error('the remote has not what is said to have landed')
  if (said.length !== BRANCHES - BROKEN - 1) throw new Error(`${said.length} branches landed`)
  for (let n = 0; n < LINES; n++) {
    const [, line = ''] = git(['-C', remote, 'show', `main:line-${n}`]).split('\n')
    if (new Set(line.split(' ')).size !== PER_LINE) throw new Error(`line-${n} is ${line}`)
  }
}

async function lettersOf(wire: Wire): Promise<number> {
  const { items }: { items: unknown[] } = await wire.json('GET', `${CITY}/events?type=land.conflict&limit=1000`)
  return items.length
}

await using town = await Town.open()
const [rig, remote] = [town.at('shop'), town.at('remote.git')]
const branches = planBranches()
makeRig(rig, remote, branches)
const land = `[rigs.land]\nmode = "push"\nbatch = ${BATCH}\ncheck = ["sh", "-c", '${CHECK}']\n`
await town.city('mill', `[[rigs]]\nname = "shop"\npath = "../shop"\n${land}`)
const wire = await Wire.open(town.url)
await took(async () => (await wire.ask('GET', `${CITY}/rig/shop/land`)).status === 200)
const used = cpu(town.pid)
const start = performance.now()
for (const { name } of branches) await wire.json('POST', `${CITY}/rig/shop/land`, { branch: name })
const owners = await settle(wire, rig, branches)
const wall = performance.now() - start
const own = cpu(town.pid) - used
verify(remote, await list(wire))
const batches = await batchesOf(wire)
const checks = batches.flatMap(ran)
const checking = checks.reduce((sum, check) => sum + duration(check), 0)
const red = batches.filter(isRed)
const worst = red.toSorted((a, b) => ran(b).length - allowed(b) - (ran(a).length - allowed(a)))[0]
const letters = (await lettersOf(wire)) / LINES
const seconds = (wall - checking) / BRANCHES / 1000

const table = new Table()
table.row('besides checks, for a branch', `${seconds.toFixed(2)} s`, `< ${SECONDS} s`, seconds < SECONDS)
table.row('  processor time, for a branch', `${(own / BRANCHES / 1000).toFixed(2)} s`)
table.row('whole', `${(wall / 1000).toFixed(1)} s, of which checks ${(checking / 1000).toFixed(1)} s`)
table.row('  owners in that time', `${(owners / 1000).toFixed(1)} s`)
table.row('batches, and checks that ran', `${batches.length}, ${checks.length}`)
if (worst) {
  const most = `${ran(worst).length} for a batch of ${worst.size}`
  table.row(
    'most checks for a culprit, with one to confirm it',
    most,
    `<= ${allowed(worst)}`,
    ran(worst).length <= allowed(worst),
  )
}
table.row('  of all red batches', red.map((batch) => `${ran(batch).length} of ${batch.size}`).join(', '))
table.row('letters for each shared line', letters.toFixed(1), `<= ${PER_LINE - 1}`, letters <= PER_LINE - 1)
table.print(`${BRANCHES} branches in ${whole(FILES)} files, ${BATCH} a batch`)
wire.close()
