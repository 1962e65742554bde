import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { Unreachable } from '../../src/client/errors.ts'
import { resolveHome } from '../../src/client/home.ts'
import { describeSessionCgroups } from '../confine/cgroup-support.ts'
import { findUnconfinedNotice } from '../confine/unconfined-notice.ts'
import type { CommandContext } from '../context/context.ts'
import { commit, version } from '../context/version.ts'
import { bad, type Check, type CheckResult, ok, usualFix } from './result.ts'

const GIB = 1024 ** 3
const MIN_FREE = GIB / 4
const LOW_FREE = 2 * GIB
const MIN_FILES = 1024
/** No clock of a machine that this program was built for shows an earlier time. */
const EARLIEST = Date.parse('2026-01-01T00:00:00Z')

/** The checks of this machine: no city is needed for them. */
export function machineChecks(context: CommandContext): Check[] {
  const home = resolveHome(context.io.env)
  return [
    { name: 'version', run: () => checkVersion(context) },
    { name: 'supervisor', run: () => checkSupervisor(context) },
    {
      name: 'home',
      run: () => checkHome(home),
      async fix() {
        const { Home } = await import('../../src/supervisor/home.ts')
        Home.open(home)
      },
    },
    { name: 'disk', run: () => checkDisk('disk', home) },
    { name: 'landings', run: () => checkLandings(home) },
    { name: 'path', run: () => checkPath(context) },
    { name: 'time', run: checkTime },
    { name: 'limits', run: checkLimits },
    { name: 'backend', run: () => checkBackend(context) },
    { name: 'confinement', run: () => checkConfinement(context) },
  ]
}

async function checkVersion({ client }: CommandContext): Promise<CheckResult> {
  const own = `gc ${version} (${commit})`
  try {
    const { version: running, build_id: build } = await client.call('GET /health')
    if (running === version && (build === undefined || build === commit)) return ok('version', own)
    const theirs = `gc ${running}${build ? ` (${build})` : ''}`
    return bad(
      'warning',
      'version',
      `this is ${own}, and the supervisor is ${theirs}`,
      'restart the supervisor with this gc: `gc supervisor stop --keep-sessions`, then `gc supervisor start`',
    )
  } catch {
    return ok('version', own)
  }
}

async function checkSupervisor({ client, io }: CommandContext): Promise<CheckResult> {
  try {
    const { status, cities_running, cities_total } = await client.call('GET /health')
    if (status !== 'ok') {
      return bad(
        'error',
        'supervisor',
        status,
        'fix that; a city that stopped accepting writes then needs `gc restart <city>`',
      )
    }
    return ok('supervisor', `running at ${client.access.url}, ${cities_running} of ${cities_total} cities run`)
  } catch (error) {
    if (!(error instanceof Unreachable)) {
      const message = error instanceof Error ? error.message : String(error)
      return bad(
        'error',
        'supervisor',
        `${client.access.url} does not respond like a supervisor: ${message}`,
        'another program uses this port: start gc with `gc serve --port <port>`, or stop that program',
      )
    }
    return bad(
      'warning',
      'supervisor',
      `none responds at ${error.url}`,
      io.env.GC_URL ? 'check GC_URL' : usualFix('supervisor'),
    )
  }
}

async function checkHome(home: string): Promise<CheckResult> {
  if (!existsSync(home))
    return bad('warning', 'home', `${home} does not exist yet`, '`gc serve` or `gc doctor --fix` creates it')
  const { mode, uid } = statSync(home)
  if (process.getuid && uid !== process.getuid()) {
    return bad('error', 'home', `${home} belongs to another user (${uid})`, 'set GC_HOME to a folder of your own')
  }
  const { Home } = await import('../../src/supervisor/home.ts')
  if (Home.isShared(home)) {
    return bad(
      'error',
      'home',
      `${home} is a folder that others use`,
      'set GC_HOME to a folder of its own, such as ~/.gc',
    )
  }
  if ((mode & 0o077) !== 0) {
    return bad(
      'error',
      'home',
      `other users can read the tokens in ${home}`,
      `\`chmod 700 ${home}\`, or \`gc doctor --fix\``,
    )
  }
  if (!isWritable(home)) {
    const remedy = `\`chmod 700 ${home}\`, \`gc doctor --fix\`, or mount it read-write`
    return bad('error', 'home', `${home} is not writable, and a supervisor must write there`, remedy)
  }
  return ok('home', home)
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Free space on the disk of a folder. */
export function checkDisk(name: string, folder: string): CheckResult {
  if (!existsSync(folder)) return ok(name, `${folder} does not exist yet`)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const message = `${(free / GIB).toFixed(1)} GiB free at ${folder}`
  if (free < MIN_FREE) return bad('error', name, message, 'free some space; gc cannot write to a full disk')
  if (free < LOW_FREE) return bad('warning', name, message, 'free some space soon')
  return ok(name, message)
}

/** Commits of deleted cities that did not land. */
async function checkLandings(home: string): Promise<CheckResult> {
  const { listKeptYards } = await import('../../src/changes/landing/gone-yards.ts')
  const kept = listKeptYards(home)
  if (kept.length === 0) return ok('landings', 'nothing of deleted cities is left')
  const details = kept.flatMap(({ path, city, rig, unlanded }) =>
    unlanded.map((ref) => `rig ${rig} of ${city}: git -C ${path} log -1 ${ref}`),
  )
  const count = kept.reduce((sum, { unlanded }) => sum + unlanded.length, 0)
  const what = `${count === 1 ? '1 submitted commit' : `${count} submitted commits`} of deleted cities did not land`
  const remedy = `fetch what you need, then remove ${kept.map(({ path }) => path).join(' and ')}`
  return bad('warning', 'landings', what, remedy, details)
}

/** The programs that gc and packs call. What agents run is checked with the city. */
function checkPath({ io }: CommandContext): CheckResult {
  const PATH = io.env.PATH ?? ''
  const missing = (names: readonly string[]) => names.filter((name) => Bun.which(name, { PATH }) === null)
  const [needed, useful] = [missing(['sh', 'git']), missing(['jq'])]
  if (needed.length > 0) return bad('error', 'path', `not on PATH: ${needed.join(', ')}`, usualFix('path'))
  if (useful.length > 0)
    return bad('warning', 'path', `not on PATH: ${useful.join(', ')}, which scripts in packs often use`, 'install it')
  const bin = join(resolveHome(io.env), 'bin')
  const own = ['gc', 'bd'].filter((name) => !existsSync(join(bin, name)))
  if (own.length > 0 && existsSync(bin)) {
    return bad(
      'warning',
      'path',
      `${own.join(' and ')} are missing in ${bin}, where agents look for them`,
      'restart the supervisor, which links them',
    )
  }
  return ok('path', 'sh, git and jq are installed')
}

function checkTime(): CheckResult {
  const now = new Date()
  if (now.getTime() < EARLIEST) return bad('error', 'time', `the clock shows ${now.toISOString()}`, usualFix('time'))
  return ok('time', `${now.toISOString()}, ${Intl.DateTimeFormat().resolvedOptions().timeZone}`)
}

/** The limits of this shell, which a supervisor that it starts inherits. */
function checkLimits(): CheckResult {
  const files = softLimit('Max open files')
  if (files === undefined) return ok('limits', 'not known on this system')
  if (files < MIN_FILES)
    return bad(
      'warning',
      'limits',
      `${files} open files`,
      `raise the limit before \`gc serve\`: \`ulimit -n ${MIN_FILES * 4}\``,
    )
  const watches = readNumber('/proc/sys/fs/inotify/max_user_watches')
  if (watches !== undefined && watches < 8192)
    return bad(
      'warning',
      'limits',
      `${watches} inotify watches`,
      'raise it: `sysctl fs.inotify.max_user_watches=65536`',
    )
  return ok('limits', `${files === Number.POSITIVE_INFINITY ? 'unlimited' : files} open files`)
}

function softLimit(name: string): number | undefined {
  try {
    const line = readFileSync('/proc/self/limits', 'utf8')
      .split('\n')
      .find((each) => each.startsWith(name))
    const [, soft] = /(\d+|unlimited)/.exec(line?.slice(name.length) ?? '') ?? []
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : soft === undefined ? undefined : Number(soft)
  } catch {
    return undefined
  }
}

function readNumber(file: string): number | undefined {
  try {
    return Number(readFileSync(file, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

async function checkBackend({ io }: CommandContext): Promise<CheckResult> {
  const { findBackendProblem } = await import('../../src/config/declare/fields.ts')
  const problem = findBackendProblem(io.env.GC_SESSION)
  const remedy = usualFix('backend')
  return problem === undefined
    ? ok('backend', 'sessions run in terminals of gc')
    : bad('error', 'backend', problem, remedy)
}

const NAME = 'confinement'
const ON_PURPOSE = 'until then gc starts only agents with confine = "off"'

/** Checks this machine's support for sandboxes and resource shares. */
async function checkConfinement(context: CommandContext): Promise<CheckResult> {
  const kept = await findUnconfinedNotice(context.io.env)
  if (kept) return bad('warning', NAME, kept.what, kept.remedy)
  if (process.platform === 'darwin') return ok(NAME, 'sandbox-exec; macOS does not enforce shares of cpu and memory')
  if (process.platform !== 'linux') return bad('warning', NAME, `gc has no sandbox on ${process.platform}`, ON_PURPOSE)
  const { landlockVersion } = await import('../../src/host/confine/landlock.ts')
  const { hasListener } = await import('../../src/host/confine/enter.ts')
  const landlock = landlockVersion()
  if (landlock === 0) {
    const remedy = `run Linux 5.13 or later with landlock in its \`lsm=\` list; ${ON_PURPOSE}`
    return bad('warning', NAME, `this kernel (${release()}) has no Landlock, or it is off`, remedy)
  }
  const { INHERITED, outerSession } = await import('../../src/host/confine/outer.ts')
  const listener = outerSession() ? INHERITED : 'seccomp with a listener'
  if (!hasListener()) {
    const remedy = `allow gc to use seccomp; containers can forbid it; ${ON_PURPOSE}`
    return bad('warning', NAME, `seccomp passes no system calls to gc on this kernel (${release()})`, remedy)
  }
  const { yamaObstacle } = await import('../../src/host/confine/yama.ts')
  const yama = yamaObstacle()
  if (yama !== undefined) return bad('warning', NAME, yama, `set it with sysctl; ${ON_PURPOSE}`)
  return ok(NAME, `Landlock ABI ${landlock}, ${listener}; ${await describeSessionCgroups(context)}`)
}
