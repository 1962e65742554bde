import { readFileSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { BridgeOptions } from '../../src/client/bridge.ts'
import { type CityClient, Client } from '../../src/client/client.ts'
import { resolveAccess, resolveHome } from '../../src/client/home.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import { failure, notFound } from '../io/exit.ts'
import type { Io } from '../io/io.ts'
import { timers } from '../io/timers.ts'
import { ensureSupervisor, mayStartSupervisor, waitForCities } from './launch-supervisor.ts'

/** Time a command of a session waits for a supervisor that restarts. */
const MAX_OUTAGE_MS = 30_000

/** The context of a command: its supervisor, its city and its rig. */
export class CommandContext {
  #client: Client | undefined

  constructor(
    readonly io: Io,
    private readonly program: Command,
    private readonly startsSupervisor = true,
  ) {}

  /** The same context, looking for its supervisor again. */
  renewed(): CommandContext {
    return new CommandContext(this.io, this.program, this.startsSupervisor)
  }

  /** The same context, for a look that starts no supervisor. */
  withoutStarting(): CommandContext {
    return new CommandContext(this.io, this.program, false)
  }

  /** The same context, for the options of another program. */
  of(program: Command): CommandContext {
    return new CommandContext(this.io, program, this.startsSupervisor)
  }

  /** The same context, with other output. */
  printingTo(io: Io): CommandContext {
    return new CommandContext(io, this.program, this.startsSupervisor)
  }

  /** True if `--city` names the city to work in. */
  get isCityNamed(): boolean {
    return this.program.opts<{ city?: string }>().city !== undefined
  }

  get client(): Client {
    this.#client ??= new Client(resolveAccess(this.io.env), this.io.signal, this.#bridge)
    return this.#client
  }

  /** Programs that gc started wait while the supervisor restarts; a person sees immediately that there is none. */
  get #bridge(): BridgeOptions | undefined {
    const { env } = this.io
    if (!env.GC_TOKEN) return undefined
    return { timers, maxOutageMs: MAX_OUTAGE_MS, locate: () => resolveAccess(env) }
  }

  /**
   * The city to work in: `--city`, `GC_CITY`, that of the current folder (a city's, or a rig's), or the only one.
   * Throws when that leaves a choice.
   */
  async city(): Promise<CityClient> {
    const cities = await this.#candidates()
    const [only, ...others] = cities
    if (only === undefined) throw failure('there is no city yet; create one with `gc init <folder>`')
    if (others.length === 0) return this.client.city(only)
    throw failure(`which city? There are ${cities.join(', ')}; give \`--city <name>\`, or run gc in the folder of one`)
  }

  /** The name of the city to work in, unless that leaves a choice. */
  async unambiguousCity(): Promise<string | undefined> {
    const cities = await this.#candidates()
    return cities.length === 1 ? cities[0] : undefined
  }

  /** The supervisor, which is started for a person who needs one when this machine runs none. */
  async supervisor(): Promise<Client> {
    await this.#start()
    return this.client
  }

  /**
   * The context for a command that says itself that it starts a supervisor. Throws where none answers and none may be
   * started.
   */
  async withSupervisor(): Promise<CommandContext> {
    if (!this.#mayStart) await this.client.call('GET /health')
    else if (await ensureSupervisor(this)) {
      const started = this.renewed()
      await waitForCities(started)
      return started
    }
    return this
  }

  /** True if this command may start a supervisor, as far as its options and the environment say. */
  get #mayStart(): boolean {
    const { autostart } = this.program.opts<{ autostart?: boolean }>()
    return this.startsSupervisor && autostart !== false && !this.io.env.GC_NO_AUTOSTART
  }

  async #start(): Promise<void> {
    if (!this.#mayStart || !mayStartSupervisor(this.io.env)) return
    if (!(await ensureSupervisor(this))) return
    this.#client = undefined
    await waitForCities(this)
    this.io.err('gc: started the supervisor; `gc down` ends it and its agents\n')
  }

  async #candidates(): Promise<string[]> {
    await this.#start()
    const { city: option, rig } = this.program.opts<{ city?: string; rig?: string }>()
    if (option) return [await this.#resolveName(option)]
    const { GC_CITY_NAME: name, GC_CITY: city } = this.io.env
    if (name || city) return [name || (await this.#resolveName(city ?? ''))]
    return (rig && (await this.#withRig(rig))) || this.#aroundFolder()
  }

  /** The only city with a rig of this name or folder; undefined when there are none or several. */
  async #withRig(rig: string): Promise<string[] | undefined> {
    const isMeant = ({ name, path }: { name: string; path: string }) =>
      name === rig || (isPath(rig) && realPath(path) === realPath(resolve(this.io.cwd, rig)))
    const matches = (await this.#rigs()).filter(({ rig: each }) => isMeant(each)).map(({ city }) => city)
    return matches.length === 1 ? matches : undefined
  }

  /** The rig to work in: the option, `GC_RIG`, or that of the current folder. */
  async rig(city: CityClient, name: string | undefined): Promise<string | undefined> {
    if (name === '') return undefined
    if (name !== undefined) return this.rigNamed(city, name)
    if (this.io.env.GC_RIG) return this.io.env.GC_RIG
    if (this.io.env.GC_SESSION_ID) return undefined
    return this.rigAt(city, '.')
  }

  /** The rig that a path is in. */
  async rigAt(city: CityClient, path: string): Promise<string | undefined> {
    const { items } = await city.call('GET ~/rigs')
    const target = resolve(this.io.cwd, path)
    return items.filter((rig) => isInside(rig.path, target)).sort(byDepth)[0]?.name
  }

  /** The rig of a name or folder, or the city itself by its name; throws when there is none. */
  async rigNamed(city: CityClient, name: string): Promise<string> {
    if (name === city.name) return name
    const { items } = await city.call('GET ~/rigs')
    const path = isPath(name) ? realPath(resolve(this.io.cwd, name)) : undefined
    const rig = items.find((each) => (path === undefined ? each.name === name : realPath(each.path) === path))
    if (rig) return rig.name
    throw notFound('rig-not-found', `${city.name} has no rig ${name}; \`gc rig list\` lists its rigs`)
  }

  /** The text of a file; `-` is standard input. */
  async readFile(file: string): Promise<string> {
    if (file === '-') return this.io.readInput()
    try {
      return readFileSync(resolve(this.io.cwd, file), 'utf8')
    } catch {
      throw failure(`cannot read ${file}`)
    }
  }

  /** The city of an argument, or else the city to work in. */
  async cityNamed(name: string | undefined): Promise<CityClient> {
    if (!name) return this.city()
    const supervisor = await this.supervisor()
    return supervisor.city(await this.#resolveName(name))
  }

  async cities(): Promise<CityInfo[]> {
    const { items } = await this.client.call('GET /v0/cities')
    return items
  }

  async #resolveName(name: string): Promise<string> {
    if (!isPath(name)) return name
    const path = realPath(resolve(this.io.cwd, name))
    const city = (await this.cities()).find((city) => realPath(city.path) === path)
    if (!city) throw failure(`no city is registered at ${path}; register it with \`gc register ${name}\``)
    return city.name
  }

  /** The city of the current folder, or else all cities. */
  async #aroundFolder(): Promise<string[]> {
    const cities = await this.cities()
    const enclosing = cities.filter(({ path }) => isInside(path, this.io.cwd)).sort(byDepth)[0]?.name
    const name = enclosing ?? (await this.#aroundRig(cities))
    return name === undefined ? cities.map((each) => each.name) : [name]
  }

  /** The city with a rig around the current folder; one that does not run is asked for its files. */
  async #aroundRig(cities: readonly CityInfo[]): Promise<string | undefined> {
    if (cities.length < 2) return undefined
    const innermost = (rigs: readonly CityRig[]) =>
      rigs.filter(({ rig }) => isInside(rig.path, this.io.cwd)).sort((a, b) => byDepth(a.rig, b.rig))[0]?.city
    return innermost(await this.#rigs()) ?? innermost(await this.#rigsOnDisk(cities.filter(({ running }) => !running)))
  }

  async #rigsOnDisk(cities: readonly CityInfo[]): Promise<CityRig[]> {
    if (cities.length === 0 || this.io.env.GC_TOKEN) return []
    const { loadOffline } = await import('./offline.ts')
    const { readCityFiles } = await loadOffline()
    return cities.flatMap(({ name, path }) => {
      try {
        return readCityFiles(path, resolveHome(this.io.env)).rigs.map((rig) => ({ city: name, rig }))
      } catch {
        // Its files cannot be read; it is none that can be meant by a folder.
        return []
      }
    })
  }

  /** The rigs of every running city. */
  async #rigs(): Promise<CityRig[]> {
    const running = (await this.cities()).filter(({ running }) => running)
    const lists = running.map(async ({ name }) => {
      const { items } = await this.client.city(name).call('GET ~/rigs')
      return items.map((rig) => ({ city: name, rig }))
    })
    return (await Promise.all(lists)).flat()
  }
}

interface CityRig {
  readonly city: string
  readonly rig: { readonly name: string; readonly path: string }
}

const isPath = (name: string): boolean => isAbsolute(name) || name.startsWith('.') || /[/\\]/.test(name)

const byDepth = (a: { path: string }, b: { path: string }): number => b.path.length - a.path.length

/** True if a path is a folder or below it, following links. */
function isInside(folder: string, target: string): boolean {
  const path = relative(realPath(folder), realPath(target))
  return path === '' || !(path === '..' || path.startsWith(join('..', '/')) || isAbsolute(path))
}

/** The path with links resolved, as far as it exists. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), relative(dirname(path), path))
  }
}
