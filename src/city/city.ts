import { join } from 'node:path'
import { stopAllSessions } from '../agents/lifecycle/index.ts'
import { Config, configRecorder } from '../config/compose/index.ts'
import { openPackFolders } from '../config/packs/index.ts'
import { gcPart } from '../core/actor.ts'
import { errorMessage } from '../core/errors.ts'
import { requireNoLinks } from '../core/folders.ts'
import { Lock } from '../core/lock.ts'
import { type Service, startServices } from '../core/service.ts'
import { Store, troubleReporter } from '../core/store/index.ts'
import { isKeyOf } from '../host/protocol/index.ts'
import { repairCityCounters } from './counters/index.ts'
import { cityMigrations } from './database/index.ts'
import { databaseStamp } from './database-stamp.ts'
import { type CityDependencies, holderOf } from './dependencies.ts'
import { ControllerStarted, ControllerStopped } from './events.ts'
import { type ExpectedRest, expectRest, type Rest } from './rest.ts'
import { buildServices, type CityServices } from './services.ts'
import { StoreHealth } from './status/index.ts'

const CITY = gcPart('city')

/** A running city. */
export interface City extends CityServices {
  /**
   * Closes the city. Its agents run on in the host, to be adopted by the next to open it, unless `endSessions`. Resolves
   * with its rest, if nothing would happen in it when it is opened again.
   */
  close(options: { endSessions: boolean }): Promise<Rest | undefined>
}

/** The files of its last good configuration. */
const LAST_GOOD_FILE = '.gc/last-good.json'

/** Folder of a city's state. */
const STATE = [
  'city.db',
  'city.db-wal',
  'city.db-shm',
  'lock',
  'lock.holder',
  'lock.edit',
  'lock.edit.holder',
  'site.toml',
  'runtime',
  'worktrees',
  'snapshots',
  'last-good.json',
].map((name) => join('.gc', name))

/** Opens the city in a folder and starts it; when a step fails, releases all that was begun and rethrows. */
export async function openCity(given: CityDependencies): Promise<City> {
  const { name, path, home, phase } = given
  await using resources = new AsyncDisposableStack()
  const dependencies = { ...given, deadlines: given.deadlines.part() }
  resources.defer(() => dependencies.deadlines.close())
  phase('loading_config')
  for (const file of STATE) requireNoLinks(path, file)
  const config = resources.adopt(await openConfig(dependencies), (opened) => opened.close())
  resources.adopt(Lock.acquire(join(path, '.gc', 'lock'), holderOf(name, home)), (lock) => lock.release())
  let database: string | undefined
  resources.defer(() => {
    // The lock is still held, and the database closed.
    database = databaseStamp(path)
  })
  phase('starting_bead_store')
  const storeHealth = new StoreHealth(dependencies.clock)
  const store = resources.adopt(openStore(dependencies, storeHealth), (opened) => opened.close())
  const services = buildServices({ ...dependencies, config, store, storeHealth })
  await start(services, resources)
  return running(services, resources.move(), () => database)
}

const openConfig = ({ name, path, home, defaultConfine }: CityDependencies): Promise<Config> =>
  Config.open(path, name, { folders: openPackFolders(home), lastGoodFile: LAST_GOOD_FILE, defaultConfine })

function openStore(dependencies: CityDependencies, storeHealth: StoreHealth): Store {
  const { name, path, clock, deadlines, report } = dependencies
  const reportTrouble = troubleReporter(name, report)
  return Store.open(join(path, '.gc', 'city.db'), cityMigrations, {
    keepsCopies: true,
    onFailure(failure) {
      report(failure.reason)
      storeHealth.fail(failure)
      dependencies.onStoreFailure?.(failure)
    },
    onTrouble(trouble) {
      reportTrouble(trouble)
      storeHealth.setTrouble(trouble)
    },
    deadlines,
    onError: (error) => report(`${name}: ${errorMessage(error)}`),
    onMigrated(db) {
      const corrected = repairCityCounters(db, clock.now())
      const [first] = corrected
      if (first) report(`${name}: counters corrected: ${corrected.length}, such as ${first.counter} of ${first.id}`)
    },
  })
}

/** Starts every service; `resources` stops them in the reverse order. */
async function start(services: CityServices, resources: AsyncDisposableStack): Promise<void> {
  const { phase, log } = services
  const controller = new Controller(services)
  await startServices([{ stop: () => log.close() }, controller], resources)
  phase('resolving_formulas')
  await startServices(workServices(services), resources)
  phase('adopting_sessions')
  await startServices(sessionServices(services), resources)
  await startServices(runServices(services), resources)
  phase('starting_agents')
  await controller.recordStart()
}

/** Records when the city was up, and when it is down again. */
class Controller {
  #isUp = false

  constructor(private readonly services: Pick<CityServices, 'store' | 'log'>) {}

  async recordStart(): Promise<void> {
    const { store, log } = this.services
    await store.write((tx) => void log.append(tx, ControllerStarted, {}, {}), CITY)
    this.#isUp = true
  }

  async stop(): Promise<void> {
    const { store, log } = this.services
    if (this.#isUp) await store.write((tx) => void log.append(tx, ControllerStopped, {}, {}), CITY).catch(() => {})
  }
}

/** Configuration, events, work, and what is kept about them. */
const workServices = (services: CityServices): Service[] => [
  { start: () => watchConfig(services) },
  services.webhooks,
  services.monitors,
  services.reactions,
  services.retention,
  services.archives,
  services.packs,
  services.clones,
  services.claims,
  services.waits,
  services.externalMessages,
  services.gates,
  services.formulaLibrary,
  services.instantiator,
  { start: () => services.backup.removeStages() },
  services.budgets,
  services.metering,
  services.counters,
  services.maintenance,
  services.mail.retention,
  services.networkHeartbeat,
]

function watchConfig(services: CityServices): void {
  const { config, deadlines, report } = services
  config.recordWith(configRecorder(services))
  config.watch(deadlines, report)
}

/** Sessions, with what they work in and what is read of them. The reconciler starts the receiver of their exits. */
const sessionServices = (services: CityServices): Service[] => [
  services.confinedAgents,
  { stop: () => services.sessionServices.exitReceiver.stop() },
  services.reconciler,
  services.diskSpace,
  services.attentionMutes,
  services.rules,
  services.attention,
  services.projectFiles,
  services.snapshots,
  services.worktrees,
  services.changeTracker,
  services.changeAsks,
  services.transfer,
  services.privateFolders,
  services.search.words,
  services.logs,
]

/** Runs, with the checks, orders and services that start programs of their own. */
const runServices = (services: CityServices): Service[] => [
  { start: () => services.runs.continueCanceling() },
  { start: () => services.runControls.recover() },
  { start: () => services.runRestarts.recover() },
  services.checkRunner,
  services.landings,
  services.orderDispatcher,
  services.wispRetention,
  services.drainUnits,
  services.runEngine,
  services.services,
]

function running(
  services: CityServices,
  resources: AsyncDisposableStack,
  databaseOnceClosed: () => string | undefined,
): City {
  let closing: Promise<Rest | undefined> | undefined
  const end = async (endSessions: boolean): Promise<Rest | undefined> => {
    const expected = restOf(services)
    await close(services, resources, endSessions)
    const database = databaseOnceClosed()
    // The event that a city ended is its last; another one may matter to the next to open it.
    const isAsExpected = expected !== undefined && services.log.head === expected.head + 1
    return isAsExpected && database !== undefined ? { ...expected, head: services.log.head, database } : undefined
  }
  return {
    ...services,
    close({ endSessions }) {
      closing ??= end(endSessions)
      return closing
    },
  }
}

/** Rest of a city that is about to be closed; undefined for one that cannot be read. */
function restOf(services: CityServices): ExpectedRest | undefined {
  try {
    return expectRest(services)
  } catch {
    return undefined
  }
}

/** Closes the services that start programs first, so that nothing starts while sessions end. */
async function close(services: CityServices, resources: AsyncDisposableStack, endSessions: boolean): Promise<void> {
  try {
    await services.reconciler.stop()
    await services.orderDispatcher.stop()
    await services.checkRunner.stop()
    await services.landings.stop()
    await services.services.stop()
    if (endSessions) await stopSessions(services)
  } finally {
    await resources.disposeAsync()
  }
}

async function stopSessions({ host, name, clock, config, sessionServices }: CityServices): Promise<void> {
  await stopAllSessions({ ...sessionServices, clock }, config.current)
  const own = (await host.list()).filter(({ key, state }) => state === 'running' && isKeyOf(key, name))
  await Promise.all(own.map(({ key }) => host.end(key)))
}
