import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError, Unreachable } from '../../src/client/errors.ts'
import { resolveHome } from '../../src/client/home.ts'
import { countOf } from '../../src/client/text.ts'
import type { CityFiles } from '../../src/config/offline/index.ts'
import { type CommandContext, realPath } from '../context/context.ts'
import { loadOffline } from '../context/offline.ts'
import { checkDisk } from './machine-checks.ts'
import { HOOK_REVIEW } from './readiness.ts'
import { bad, type Check, type CheckResult, ok, usualFix } from './result.ts'

/** The checks of the city in a folder. */
export async function cityChecks(context: CommandContext, folder: string): Promise<Check[]> {
  const { readCityFiles } = await loadOffline()
  const city = readCityFiles(folder, resolveHome(context.io.env))
  return [
    { name: 'registered', run: () => checkRegistered(context, city) },
    { name: 'configuration', run: () => checkConfiguration(city) },
    { name: 'packs', run: () => checkPacks(context, city) },
    { name: 'rigs', run: async () => checkRigs(city, await runningCity(context, city)) },
    { name: 'programs', run: () => checkPrograms(context, city) },
    { name: 'protocol', run: () => checkProtocol(context, city) },
    { name: 'logins', run: () => checkLogins(context, city) },
    { name: 'hooks', run: () => checkHooks(city) },
    { name: 'unconfined', run: async () => checkUnconfined(await runningCity(context, city)) },
    {
      name: 'store',
      run: () => checkStore(folder),
      fix: () => void mkdirSync(join(folder, '.gc'), { recursive: true }),
    },
    counterCheck(folder, () => runningCity(context, city)),
    { name: 'city disk', run: () => checkDisk('city disk', folder) },
  ]
}

/** The running city of a folder; undefined when it does not run. */
async function runningCity({ client }: CommandContext, { path }: CityFiles): Promise<CityClient | undefined> {
  try {
    const { items } = await client.call('GET /v0/cities')
    const running = items.find((city) => city.running && realPath(city.path) === realPath(path))
    return running && client.city(running.name)
  } catch (error) {
    if (error instanceof Unreachable || error instanceof ApiError) return undefined
    throw error
  }
}

async function checkRegistered(context: CommandContext, { name, path }: CityFiles): Promise<CheckResult> {
  const cities = await context.cities().catch(() => undefined)
  if (cities === undefined) return bad('unknown', 'registered', `unknown without a supervisor`, usualFix('supervisor'))
  const city = cities.find((each) => realPath(each.path) === realPath(path))
  if (!city) return bad('warning', 'registered', `${name} is not registered`, '`gc start` registers and starts it')
  if (city.running && !city.error) return ok('registered', `${city.name} runs`)
  if (city.status === 'stopped')
    return bad('warning', 'registered', `${city.name} is stopped`, `\`gc start ${city.name}\``)
  return bad(
    'error',
    'registered',
    `${city.name}: ${city.error ?? city.status}`,
    `fix that, then \`gc start ${city.name}\``,
  )
}

function checkConfiguration({ errors, warnings }: CityFiles): CheckResult {
  if (errors.length > 0)
    return bad('error', 'configuration', countOf(errors.length, 'error'), usualFix('configuration'), errors)
  if (warnings.length > 0)
    return bad('warning', 'configuration', countOf(warnings.length, 'warning'), 'fix each line', warnings)
  return ok('configuration', 'no errors and no warnings')
}

async function checkPacks({ io }: CommandContext, { path, packs }: CityFiles): Promise<CheckResult> {
  const { CityPacks } = await loadOffline()
  const { env, signal } = io
  const issues = new CityPacks({ path, home: resolveHome(env), env, signal, progress: () => {} }).issues()
  if (issues.length === 0)
    return ok('packs', packs.length === 0 ? 'none' : `${countOf(packs.length, 'pack')}, as in packs.lock`)
  const status = issues.some(({ severity }) => severity === 'error') ? 'error' : 'warning'
  const repairs = [...new Set(issues.map(({ repair }) => repair))].join('; ')
  return bad(
    status,
    'packs',
    `${countOf(issues.length, 'pack')} not as the city requests`,
    repairs,
    issues.map(({ message }) => message),
  )
}

/** True if the folders of rigs are there, and what the city finds wrong with them while it runs. */
async function checkRigs({ rigs }: CityFiles, city: CityClient | undefined): Promise<CheckResult> {
  const listed = city && (await city.call('GET ~/rigs')).items
  const missing = rigs.filter(({ path }) => !existsSync(path))
  const faulty = (listed ?? []).filter(({ problems = [] }) => problems.length > 0)
  // The city may not have read its file yet, or keep what it had before.
  const gone = missing.filter(({ name }) => !faulty.some((rig) => rig.name === name))
  const wrong = [
    ...faulty.flatMap(({ name, problems = [] }) => problems.map((problem) => `${name}: ${problem}`)),
    ...gone.map(({ name, path }) => `${name}: ${path} is gone`),
  ]
  if (wrong.length === 0) return ok('rigs', rigs.length === 0 ? 'none' : countOf(rigs.length, 'rig'))
  const fix = city ? 'fix each line' : usualFix('rigs')
  const level = missing.length > 0 ? 'error' : 'warning'
  return bad(level, 'rigs', countOf(wrong.length, 'problem'), fix, wrong)
}

/** True if each agent's program is there: on the PATH of the supervisor, else on this one. */
async function checkPrograms(context: CommandContext, city: CityFiles): Promise<CheckResult> {
  const client = await runningCity(context, city)
  if (client) {
    const { items } = await client.call('GET ~/agents')
    const reasons = items.flatMap(({ name, unavailable_reason: why }) => (why ? [`${name}: ${why}`] : []))
    if (reasons.length === 0) return ok('programs', `${countOf(items.length, 'agent')} can start`)
    return bad(
      'error',
      'programs',
      `${countOf(reasons.length, 'agent')} cannot start`,
      'apply the fix of each; a missing program must be on the supervisor’s PATH',
      reasons,
    )
  }
  const { missingPrograms } = await loadOffline()
  const names = (some: CityFiles['programs']) => [...new Set(some.map(({ command }) => command))].join(', ')
  const missing = missingPrograms(city, context.io.env.PATH ?? '')
  if (missing.length === 0) return ok('programs', names(city.programs) || 'no agent names a program')
  const remedy = 'install them, put their folder on PATH, or set `command` of their provider'
  return bad('error', 'programs', `not found: ${names(missing)}`, remedy)
}

/** True if programs reach gc, and run its own protocol without asking. */
async function checkProtocol(context: CommandContext, city: CityFiles): Promise<readonly CheckResult[]> {
  const client = await runningCity(context, city)
  if (!client) return []
  const { items } = await client.call('GET ~/attention')
  const details = items.flatMap(({ kind, asks, to_do }) => (kind === 'program' ? [`${asks} → ${to_do}`] : []))
  if (details.length === 0) return [ok('protocol', "programs can run gc's own commands")]
  const what = `${countOf(details.length, 'program')} cannot run commands of gc unasked`
  return [bad('error', 'protocol', what, 'fix each line', details)]
}

async function checkLogins(context: CommandContext, city: CityFiles): Promise<CheckResult> {
  const { checkable: checked } = city
  if (checked.length === 0) return ok('logins', 'no agent runs a program whose login gc can check')
  try {
    const { items } = await context.client.call('GET /v0/readiness', { query: { items: checked.join() } })
    const { missingPrograms } = await loadOffline()
    const missing = missingPrograms(city, context.io.env.PATH ?? '')
    /** The supervisor asks only what is on its PATH; a program that the city has elsewhere is there all the same. */
    const isElsewhere = (name: string) =>
      city.programs.some((program) => program.provider === name && !missing.includes(program))
    const unchecked = Object.values(items).filter(({ name, status }) => status === 'not_installed' && isElsewhere(name))
    const problems = Object.values(items).filter((item) => item.status !== 'configured' && !unchecked.includes(item))
    const details = problems.map(({ name, status, detail }) => `${name}: ${detail ?? status}`)
    if (problems.length > 0) {
      return bad('error', 'logins', `not ready: ${countOf(problems.length, 'program')}`, 'fix each line', details)
    }
    const notes = unchecked.map(
      ({ name }) => `${name}: not on the supervisor’s PATH; its login shows only in the program`,
    )
    return { ...ok('logins', checked.join(', ')), ...(notes.length > 0 && { details: notes }) }
  } catch {
    return bad('unknown', 'logins', 'unknown without a supervisor', usualFix('supervisor'))
  }
}

/** Announces the review that Codex asks for; whether it happened cannot be read from outside. */
function checkHooks({ hookReviews }: CityFiles): readonly CheckResult[] {
  return hookReviews.length === 0 ? [] : [{ ...ok('hooks', HOOK_REVIEW), details: hookReviews }]
}

const SQLITE_HEADER = 'SQLite format 3\0'

/** True if the database looks like one; a running city looks after it itself. */
function checkStore(folder: string): CheckResult {
  const file = join(folder, '.gc', 'city.db')
  if (!existsSync(file)) return ok('store', 'no database yet')
  const head = Buffer.alloc(SQLITE_HEADER.length)
  const descriptor = openSync(file, 'r')
  try {
    readSync(descriptor, head, 0, head.length, 0)
  } finally {
    closeSync(descriptor)
  }
  if (head.toString('latin1') !== SQLITE_HEADER)
    return bad(
      'error',
      'store',
      `${file} is not a database`,
      'restore the city from a backup: `gc restore <file> <folder>`',
    )
  return ok('store', `${(statSync(file).size / 1024 ** 2).toFixed(1)} MiB`)
}

const NAME = 'unconfined'
/** Maximum sessions that a sentence names. */
const NAMED = 5

/** Running sessions without a sandbox in a city that has sandboxes. */
async function checkUnconfined(city: CityClient | undefined): Promise<CheckResult> {
  if (!city) return ok(NAME, 'unknown while the city is stopped')
  const { items } = await city.call('GET ~/unconfined-sessions')
  if (items.length === 0) return ok(NAME, 'every session has the sandbox it should have')
  const named = items.slice(0, NAMED).map(({ session_name }) => session_name)
  const more = items.length > NAMED ? ` and ${items.length - NAMED} more` : ''
  const message = `${countOf(items.length, 'session')} without a sandbox: ${named.join(', ')}${more}`
  return bad('warning', NAME, message, 'set confine = "default" on their agents, or keep this on purpose')
}

interface Wrong {
  readonly counter: string
  readonly id: string
  readonly stored: unknown
  readonly counted: unknown
}

/** Rounds of repairs, each of which corrects a limited number of values. */
const MAX_ROUNDS = 100

/** Compares the stored counters of a city with what they count: through its supervisor, or under its lock when none runs it. */
function counterCheck(folder: string, runningCity: () => Promise<CityClient | undefined>): Check {
  const repaired: Wrong[] = []
  return {
    name: 'counters',
    async run() {
      const city = await runningCity()
      const wrong = city ? (await city.call('GET ~/counters/check')).items : await closedCity(folder, false)
      return wrong === undefined ? ok('counters', 'nothing to check yet') : judge(wrong, repaired)
    },
    async fix() {
      const city = await runningCity()
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const corrected = city ? (await city.call('POST ~/counters/repair')).items : await closedCity(folder, true)
        if (!corrected || corrected.length === 0) return
        repaired.push(...corrected)
      }
    },
  }
}

async function closedCity(folder: string, repairs: boolean): Promise<readonly Wrong[] | undefined> {
  const { checkClosedCity } = await import('../../src/supervisor/closed-city-counters.ts')
  return checkClosedCity(folder, { repairs })
}

function judge(wrong: readonly Wrong[], repaired: readonly Wrong[]): CheckResult {
  if (wrong.length > 0) {
    const message = `${countOf(wrong.length, 'counter')} wrong`
    return bad('error', 'counters', message, usualFix('counters'), wrong.map(describe))
  }
  if (repaired.length === 0) return ok('counters', 'correct')
  return { ...ok('counters', `${countOf(repaired.length, 'counter')} corrected`), details: repaired.map(describe) }
}

function describe({ counter, id, stored, counted }: Wrong): string {
  const isStuck = counter === 'beads.blockers' && Number(counted) === 0
  return `${counter} of ${id}: ${stored} instead of ${counted}${isStuck ? ', so the bead never becomes ready although nothing blocks it' : ''}`
}
