import { readFileSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { type CityClient, Client } from '../../src/client/client.ts'
import { resolveAccess } from '../../src/client/home.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

/** Where a command runs: the supervisor it speaks to, the city and the rig it means. */
export class CommandContext {
  #client: Client | undefined

  constructor(
    readonly io: Io,
    private readonly program: Command,
  ) {}

  get client(): Client {
    this.#client ??= new Client(resolveAccess(this.io.env), this.io.signal)
    return this.#client
  }

  /**
   * The city that is meant: `--city`, `GC_CITY`, the folder one stands in (a city's, or a rig's), or the only one
   * there is. Anything else is a question back.
   */
  async city(): Promise<CityClient> {
    const cities = await this.#candidates()
    const [only, ...others] = cities
    if (only === undefined) throw failure('there is no city yet; create one with `gc init <folder>`')
    if (others.length === 0) return this.client.city(only)
    throw failure(`which city? There are ${cities.join(', ')}; give \`--city <name>\`, or run gc in the folder of one`)
  }

  /** The city that is meant, where that is clear. */
  async unambiguousCity(): Promise<string | undefined> {
    const cities = await this.#candidates()
    return cities.length === 1 ? cities[0] : undefined
  }

  async #candidates(): Promise<string[]> {
    const option = this.program.opts<{ city?: string }>().city
    if (option) return [await this.#resolveName(option)]
    const { GC_CITY_NAME: name, GC_CITY: city } = this.io.env
    if (name || city) return [name || (await this.#resolveName(city ?? ''))]
    return this.#aroundFolder()
  }

  /** The rig that is meant: what was said, `GC_RIG`, or the one whose folder one stands in. */
  async rig(city: CityClient, name: string | undefined): Promise<string | undefined> {
    if (name !== undefined) return name || undefined
    if (this.io.env.GC_RIG) return this.io.env.GC_RIG
    if (this.io.env.GC_SESSION_ID) return undefined
    const { items } = await city.call('GET ~/rigs')
    return items.filter(({ path }) => isInside(path, this.io.cwd)).sort(byDepth)[0]?.name
  }

  /** The text of a file that an argument names; `-` is standard input. */
  async readFile(file: string): Promise<string> {
    if (file === '-') return this.io.readInput()
    try {
      return readFileSync(resolve(this.io.cwd, file), 'utf8')
    } catch {
      throw failure(`cannot read ${file}`)
    }
  }

  /** The city that an argument names, or else the one that is meant. */
  async cityNamed(name: string | undefined): Promise<CityClient> {
    return name ? this.client.city(await this.#resolveName(name)) : this.city()
  }

  async cities(): Promise<CityInfo[]> {
    const { items } = await this.client.call('GET /v0/cities')
    return items
  }

  async #resolveName(name: string): Promise<string> {
    if (!isPath(name)) return name
    const path = realPath(resolve(this.io.cwd, name))
    const found = (await this.cities()).find((city) => realPath(city.path) === path)
    if (!found) throw failure(`no city is registered at ${path}; register it with \`gc register ${name}\``)
    return found.name
  }

  /** The city around the folder one stands in, or else all there are. */
  async #aroundFolder(): Promise<string[]> {
    const cities = await this.cities()
    const around = cities.filter(({ path }) => isInside(path, this.io.cwd)).sort(byDepth)[0]?.name
    const standing = around ?? (await this.#aroundRig(cities))
    return standing === undefined ? cities.map(({ name }) => name) : [standing]
  }

  async #aroundRig(cities: readonly CityInfo[]): Promise<string | undefined> {
    if (cities.length < 2) return undefined
    const found: { city: string; path: string }[] = []
    for (const { name } of cities.filter(({ running }) => running)) {
      const rigs = await this.client.city(name).call('GET ~/rigs')
      found.push(
        ...rigs.items.filter(({ path }) => isInside(path, this.io.cwd)).map(({ path }) => ({ city: name, path })),
      )
    }
    return found.sort(byDepth)[0]?.city
  }
}

const isPath = (name: string): boolean => isAbsolute(name) || name.startsWith('.') || /[/\\]/.test(name)

const byDepth = (a: { path: string }, b: { path: string }): number => b.path.length - a.path.length

/** Whether a folder is another one or lies below it, links followed. */
function isInside(folder: string, at: string): boolean {
  const way = relative(realPath(folder), realPath(at))
  return way === '' || !(way === '..' || way.startsWith(join('..', '/')) || isAbsolute(way))
}

/** The folder as the disk knows it; of one that does not exist, as far as it does. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), relative(dirname(path), path))
  }
}
