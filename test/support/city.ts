import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type City, openCity } from '../../src/city/city.ts'
import { cityMigrations } from '../../src/city/database/migrations.ts'
import type { CityDependencies } from '../../src/city/dependencies.ts'
import { systemClock } from '../../src/core/clock.ts'
import { Deadlines } from '../../src/core/deadlines.ts'
import { errorMessage } from '../../src/core/errors.ts'
import type { SessionHost } from '../../src/host/client/session-host.ts'
import { type HostWorld, hostWorld } from '../host/world.ts'
import { TestClock } from './clock.ts'
import { emptyDatabase } from './empty-database.ts'
import { type TempFolder, tempFolder } from './folder.ts'
import { ScriptedHost } from './scripted-host.ts'

/** A city of one test: the real `City` on a folder, a database and a session host of its own. */
export interface TestTown extends AsyncDisposable {
  readonly folder: TempFolder
  readonly hosts: HostWorld
  readonly path: string
  /** Errors that services reported instead of throwing. */
  readonly reports: string[]
  /** Writes city.toml; a running city reads it again automatically. */
  declare(toml: string): void
  /** Opens the city; what is given replaces a dependency. Closed with the town, or by the test. */
  open(dependencies?: Partial<CityDependencies>): Promise<City>
}

/** A town whose time and programs are in the test's hands. */
export interface ScriptedTown extends TestTown {
  readonly clock: TestClock
  readonly host: ScriptedHost
}

/** A town whose city runs real programs; in real time, unless there is a clock. */
export const testTown = (toml = '', { clock }: { clock?: TestClock } = {}): TestTown => makeTown(toml, clock)

/** A town whose city starts no process, and in which time passes only when the test advances it. */
export function scriptedTown(toml = ''): ScriptedTown {
  const clock = new TestClock()
  const host = new ScriptedHost(clock)
  return { ...makeTown(toml, clock, host), clock, host }
}

async function ensureDatabase(path: string): Promise<void> {
  const file = join(path, '.gc', 'city.db')
  if (existsSync(file)) return
  const empty = await emptyDatabase(cityMigrations)
  mkdirSync(join(path, '.gc'), { recursive: true })
  writeFileSync(file, empty)
}

/** A town whose city is called mill, with ids that begin with `mi`. */
function makeTown(toml: string, clock?: TestClock, host?: SessionHost): TestTown {
  const folder = tempFolder()
  const hosts = hostWorld()
  const path = folder.at('city')
  const reports: string[] = []
  const resources = new AsyncDisposableStack()
  resources.defer(() => folder[Symbol.dispose]())
  resources.use(hosts)
  const town: TestTown = {
    folder,
    hosts,
    path,
    reports,
    declare: (text) => writeFileSync(`${path}/city.toml`, `[workspace]\nname = "mill"\nprefix = "mi"\n${text}`),
    async open(dependencies = {}) {
      await ensureDatabase(path)
      const report = (error: unknown) => reports.push(errorMessage(error))
      const deadlines = new Deadlines(clock ?? systemClock, clock, report)
      const city = await openCity({
        name: 'mill',
        path,
        home: hosts.home,
        bin: 'gc',
        version: '0.0.0',
        env: process.env,
        tokenRequirement: { canBeRequired: false, demand: () => false },
        defaultConfine: 'off',
        url: () => 'http://127.0.0.1:1',
        host: dependencies.host ?? host ?? (await hosts.connect()),
        clock: clock ?? systemClock,
        deadlines,
        tokenMirror: { issued: () => {}, ended: () => {} },
        report: (message) => reports.push(message),
        phase: () => {},
        ...dependencies,
      }).catch((error) => {
        deadlines.close()
        throw error
      })
      resources.defer(() => deadlines.close())
      resources.defer(async () => void (await city.close({ endSessions: false })))
      return city
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
  mkdirSync(path, { recursive: true })
  town.declare(toml)
  return town
}
