import { readFileSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { type CityClient, Client } from '../../src/client/client.ts'
import { accessFrom } from '../../src/client/home.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

/** Where a command runs: the supervisor it speaks to, the city and the rig it means. */
export class Here {
  #client: Client | undefined

  constructor(
    readonly io: Io,
    private readonly program: Command,
  ) {}

  get client(): Client {
    this.#client ??= new Client(accessFrom(this.io.env), this.io.signal)
    return this.#client
  }

  /**
   * The city that is meant: `--city`, `GC_CITY`, the folder one stands in (a city's, or a rig's), or the only one
   * there is. Anything else is a question back.
   */
  async city(): Promise<CityClient> {
    const cities = await this.#candidates()
    const [only, ...others] = cities
    if (only === undefined) throw failure('there is no city yet; make one with `gc init <folder>`')
    if (others.length === 0) return this.client.city(only)
    throw failure(`which city? There are ${cities.join(', ')}; say \`--city <name>\`, or run gc in the folder of one`)
  }

  /** The city that is meant, where that is clear. */
  async clearCity(): Promise<string | undefined> {
    const cities = await this.#candidates()
    return cities.length === 1 ? cities[0] : undefined
  }

  async #candidates(): Promise<string[]> {
    const told = this.program.opts<{ city?: string }>().city
    if (told) return [await this.#named(told)]
    const { GC_CITY_NAME: name, GC_CITY: city } = this.io.env
    if (name || city) return [name || (await this.#named(city ?? ''))]
    return this.#standing()
  }

  /** The rig that is meant: what was said, `GC_RIG`, or the one whose folder one stands in. */
  async rig(city: CityClient, told: string | undefined): Promise<string | undefined> {
    if (told !== undefined) return told || undefined
    if (this.io.env.GC_RIG) return this.io.env.GC_RIG
    if (this.io.env.GC_SESSION_ID) return undefined
    const { items } = await city.call('GET ~/rigs')
    return items.filter(({ path }) => inside(path, this.io.cwd)).sort(byDepth)[0]?.name
  }

  /** The text of a file that an argument names; `-` is standard input. */
  async text(file: string): Promise<string> {
    if (file === '-') return this.io.read()
    try {
      return readFileSync(resolve(this.io.cwd, file), 'utf8')
    } catch {
      throw failure(`cannot read ${file}`)
    }
  }

  /** The city that an argument names, or else the one that is meant. */
  async cityCalled(told: string | undefined): Promise<CityClient> {
    return told ? this.client.city(await this.#named(told)) : this.city()
  }

  async cities(): Promise<CityInfo[]> {
    const { items } = await this.client.call('GET /v0/cities')
    return items
  }

  async #named(told: string): Promise<string> {
    if (!isPath(told)) return told
    const path = real(resolve(this.io.cwd, told))
    const found = (await this.cities()).find((city) => real(city.path) === path)
    if (!found) throw failure(`no city is registered at ${path}; register it with \`gc register ${told}\``)
    return found.name
  }

  /** The city around the folder one stands in, or else all there are. */
  async #standing(): Promise<string[]> {
    const cities = await this.cities()
    const around = cities.filter(({ path }) => inside(path, this.io.cwd)).sort(byDepth)[0]?.name
    const standing = around ?? (await this.#byRig(cities))
    return standing === undefined ? cities.map(({ name }) => name) : [standing]
  }

  async #byRig(cities: readonly CityInfo[]): Promise<string | undefined> {
    if (cities.length < 2) return undefined
    const found: { city: string; path: string }[] = []
    for (const { name } of cities.filter(({ running }) => running)) {
      const rigs = await this.client.city(name).call('GET ~/rigs')
      found.push(
        ...rigs.items.filter(({ path }) => inside(path, this.io.cwd)).map(({ path }) => ({ city: name, path })),
      )
    }
    return found.sort(byDepth)[0]?.city
  }
}

const isPath = (told: string): boolean => isAbsolute(told) || told.startsWith('.') || /[/\\]/.test(told)

const byDepth = (a: { path: string }, b: { path: string }): number => b.path.length - a.path.length

/** Whether a folder is another one or lies below it, links followed. */
function inside(folder: string, at: string): boolean {
  const way = relative(real(folder), real(at))
  return way === '' || !(way === '..' || way.startsWith(join('..', '/')) || isAbsolute(way))
}

/** The folder as the disk knows it; of one that does not exist, as far as it does. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return dirname(path) === path ? path : join(real(dirname(path)), relative(dirname(path), path))
  }
}
