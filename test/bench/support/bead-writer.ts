import { readdirSync, readFileSync } from 'node:fs'
import { took } from './figures.ts'
import type { Town } from './town.ts'
import { Wire } from './wire.ts'

/** Number of claiming sessions. */
export const SESSIONS = 8

/** A session that leaves its token where the bench finds it. */
const COMMAND = 'umask 077; printf %s $GC_TOKEN > $GC_HOME/token.$GC_SESSION_ID; exec sleep 100000'

/** Declarations of a city with those sessions. */
export const SESSIONS_TOML = `[[agent]]
name = "worker"
start_command = "${COMMAND}"
min_active_sessions = ${SESSIONS}
max_active_sessions = ${SESSIONS}
`

const BODY = { title: 'bead', labels: ['a'], description: 'x'.repeat(200), metadata: { 'gc.routed_to': 'worker' } }

/** The tokens of a city's sessions; its name ends where their number begins, as another city's may begin with it. */
function tokensOf(town: Town, city: string): string[] {
  const prefix = `token.${city}-`
  const own = readdirSync(town.home).filter(
    (name) => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length)),
  )
  return own.map((name) => readFileSync(`${town.home}/${name}`, 'utf8')).filter((token) => token !== '')
}

/** Waits until all sessions of these cities have left their tokens. */
export async function sessionsRun(town: Town, cities: readonly string[]): Promise<void> {
  for (const city of cities) await took(() => tokensOf(town, city).length >= SESSIONS)
}

/** The writes of one city: each bead it has created is claimed or closed once. */
export class BeadWriter {
  readonly #ids: string[] = []
  readonly #tokens: string[]

  constructor(
    private readonly town: Town,
    private readonly city: string,
  ) {
    this.#tokens = tokensOf(town, city)
  }

  /** Creates beads until so many wait to be claimed or closed. */
  async stock(beads: number): Promise<void> {
    const wires = await Promise.all(Array.from({ length: 16 }, () => Wire.open(this.town.url)))
    const fill = async (wire: Wire) => {
      while (this.#ids.length < beads) await this.create(wire)
    }
    await Promise.all(wires.map(fill))
    for (const wire of wires) wire.close()
  }

  readonly create = async (wire: Wire): Promise<void> => {
    this.#ids.push((await wire.json('POST', `/v0/city/${this.city}/beads`, BODY)).id)
  }

  /** Creates a bead by a request that can be repeated. */
  readonly createKeyed = async (wire: Wire): Promise<void> => {
    const key = Bun.randomUUIDv7()
    this.#ids.push((await wire.json('POST', `/v0/city/${this.city}/beads`, BODY, undefined, key)).id)
  }

  readonly claim = (wire: Wire): Promise<unknown> | undefined => {
    return this.#act(wire, 'claim', this.#tokens[Math.floor(Math.random() * this.#tokens.length)])
  }

  readonly close = (wire: Wire): Promise<unknown> | undefined => this.#act(wire, 'close')

  #act(wire: Wire, verb: string, token?: string): Promise<unknown> | undefined {
    const id = this.#ids.pop()
    return id === undefined ? undefined : wire.json('POST', `/v0/city/${this.city}/bead/${id}/${verb}`, {}, token)
  }
}
