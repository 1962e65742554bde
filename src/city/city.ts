import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { stopAllSessions } from '../agents/lifecycle/act/stop-all.ts'
import { Config } from '../config/compose/config.ts'
import { configRecorder } from '../config/compose/recorder.ts'
import { openPackFolders } from '../config/packs/builtin-folders.ts'
import { gcPart } from '../core/actor.ts'
import { errorMessage } from '../core/errors.ts'
import { requireNoLinks } from '../core/folders.ts'
import { Lock } from '../core/lock.ts'
import { troubleReporter } from '../core/store/failure.ts'
import { Store, type StoreFailure, type StoreTrouble } from '../core/store/store.ts'
import { isKeyOf } from '../host/protocol/keys.ts'
import { repairCityCounters } from './counters/counter-checks.ts'
import { cityMigrations } from './database/migrations.ts'
import type { CityDependencies } from './dependencies.ts'
import { buildServices, type CityServices } from './services.ts'
import { ControllerStarted, ControllerStopped } from './status/events.ts'
import { StoreHealth } from './status/store-health.ts'

const CITY = gcPart('city')

/** A running city. */
export interface City extends CityServices {
  /** Closes the city. Its agents run on in the host, to be adopted by the next to open it, unless `endSessions`. */
  close(options: { endSessions: boolean }): Promise<void>
}

/** The files of its last good configuration. */
const LAST_GOOD_FILE = '.gc/last-good.json'

/** Where a city keeps its state. */
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
  'last-good.json',
].map((name) => join('.gc', name))

/** Opens the city in a folder and starts it; when a step fails, releases all that was begun and rethrows. */
export async function openCity(dependencies: CityDependencies): Promise<City> {
  const { name, path, home, phase, report, defaultConfine } = dependencies
  await using resources = new AsyncDisposableStack()
  phase('loading_config')
  for (const file of STATE) requireNoLinks(path, file)
  const config = resources.adopt(
    await Config.open(path, name, { folders: openPackFolders(home), lastGoodFile: LAST_GOOD_FILE, defaultConfine }),
    (opened) => opened.close(),
  )
  resources.adopt(Lock.acquire(join(path, '.gc', 'lock'), `the city ${name} of ${home}`), (lock) => lock.release())
  phase('starting_bead_store')
  const storeHealth = new StoreHealth(dependencies.clock)
  const onFailure = (failure: StoreFailure) => {
    report(failure.reason)
    storeHealth.fail(failure)
    dependencies.onStoreFailure?.(failure)
  }
  const reportTrouble = troubleReporter(name, report)
  const options = {
    keepsCopies: true,
    onFailure,
    onTrouble: (trouble: StoreTrouble | undefined) => {
      reportTrouble(trouble)
      storeHealth.setTrouble(trouble)
    },
    deadlines: dependencies.deadlines,
    onError: (error: unknown) => report(`${name}: ${errorMessage(error)}`),
    onMigrated(db: Database) {
      const corrected = repairCityCounters(db, dependencies.clock.now())
      const [first] = corrected
      if (first) report(`${name}: counters corrected: ${corrected.length}, such as ${first.counter} of ${first.id}`)
    },
  }
  const store = Store.open(join(path, '.gc', 'city.db'), cityMigrations, options)
  resources.defer(() => store.close())
  const services = buildServices({ ...dependencies, config, store, storeHealth })
  await start(services, resources)
  const running = resources.move()
  let closing: Promise<void> | undefined
  return {
    ...services,
    close({ endSessions }) {
      closing ??= close(services, running, endSessions)
      return closing
    },
  }
}

/** Starts every service; each is released in the reverse order, also when a later one cannot start. */
async function start(services: CityServices, resources: AsyncDisposableStack): Promise<void> {
  const { store, log, config, deadlines, phase, report } = services
  const {
    reactions,
    retention,
    archives,
    clones,
    packs,
    claims,
    waits,
    transfer,
    backup,
    maintenance,
    mail,
    gates,
    instantiator,
  } = services
  const { reconciler, sessionServices, worktrees, projectFiles, search, logs, attention } = services
  let started = false
  resources.defer(() => log.close())
  resources.defer(async () => {
    if (started) await store.write((tx) => void log.append(tx, ControllerStopped, {}, {}), CITY).catch(() => {})
  })
  phase('resolving_formulas')
  config.recordWith(configRecorder(services))
  config.watch(deadlines, report)
  resources.defer(() => services.webhooks.close())
  resources.defer(() => services.monitors.stop())
  services.monitors.start()
  resources.defer(() => reactions.stop())
  reactions.start()
  resources.defer(() => retention.stop())
  retention.start()
  resources.defer(() => archives.stop())
  await archives.start(deadlines)
  resources.defer(() => packs.close())
  resources.defer(() => clones.close())
  await clones.recover()
  resources.defer(() => claims.stop())
  await claims.start()
  resources.defer(() => waits.stop())
  waits.start()
  resources.defer(() => services.externalMessages.stop())
  services.externalMessages.start()
  resources.defer(() => gates.stop())
  gates.start()
  resources.defer(() => services.formulaLibrary.stop())
  resources.defer(() => instantiator.stop())
  instantiator.start()
  backup.removeStages()
  resources.defer(() => services.budgets.close())
  resources.defer(() => services.metering.close())
  resources.defer(() => services.counters.stop())
  services.counters.start()
  resources.defer(() => maintenance.stop())
  maintenance.start()
  resources.defer(() => mail.retention.stop())
  mail.retention.start()
  resources.defer(() => services.networkHeartbeat.stop())
  services.networkHeartbeat.start()
  phase('adopting_sessions')
  resources.defer(() => services.confinedAgents.stop())
  services.confinedAgents.start()
  resources.defer(() => sessionServices.exitReceiver.stop())
  resources.defer(() => reconciler.close())
  await reconciler.start()
  resources.defer(() => attention.stop())
  attention.start()
  resources.defer(() => projectFiles.close())
  projectFiles.start()
  resources.defer(() => worktrees.close())
  worktrees.start()
  resources.defer(() => transfer.stop())
  resources.defer(() => services.privateFolders.stop())
  services.privateFolders.start()
  resources.defer(() => search.words.stop())
  search.words.start()
  resources.defer(() => logs.stop())
  logs.start()
  await services.runs.continueCanceling()
  await services.runControls.recover()
  await services.runRestarts.recover()
  resources.defer(() => services.checkRunner.stop())
  await services.checkRunner.start()
  resources.defer(() => services.orderDispatcher.stop())
  await services.orderDispatcher.start()
  resources.defer(() => services.wispRetention.stop())
  services.wispRetention.start()
  resources.defer(() => services.drainUnits.stop())
  services.drainUnits.start()
  resources.defer(() => services.runEngine.stop())
  services.runEngine.start()
  resources.defer(() => services.services.stop())
  await services.services.start()
  phase('starting_agents')
  await store.write((tx) => void log.append(tx, ControllerStarted, {}, {}), CITY)
  started = true
}

async function close(services: CityServices, resources: AsyncDisposableStack, endSessions: boolean): Promise<void> {
  try {
    await services.reconciler.close()
    await services.orderDispatcher.stop()
    await services.checkRunner.stop()
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
