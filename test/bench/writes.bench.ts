import { readdirSync, readFileSync } from 'node:fs'
import { BareWrites } from './support/bare-writes.ts'
import { both, median, say, Table, took, whole } from './support/figures.ts'
import { live, STATED, tenfold } from './support/history.ts'
import { load } from './support/load.ts'
import { Town } from './support/town.ts'
import type { Wire } from './support/wire.ts'

/**
 * The durable writes of a city over HTTP, beside bare bun:sqlite that writes the same rows into a copy of the same
 * database in commits as large: in a city with a long history, and in one with ten times the closed beads.
 * `npm run bench writes`; what the writes cost without HTTP: `npm run bench beads`.
 */

const CLIENTS = 64
const HANDS = 8
const SECONDS = 2
const ROUNDS = 3

/** A session that leaves its token where the bench finds it. */
const KEEPS = 'umask 077; printf %s $GC_TOKEN > $GC_HOME/token.$GC_SESSION_ID; exec sleep 100000'
const toml = `[[agent]]\nname = "worker"\nstart_command = "${KEEPS}"\nmin_active_sessions = ${HANDS}\nmax_active_sessions = ${HANDS}\n`

const BODY = { title: 'bead', labels: ['a'], description: 'x'.repeat(200), metadata: { 'gc.routed_to': 'worker' } }

type Loaded = Awaited<ReturnType<typeof load>>

/** The writes of one city, each kind beside its raw rows. */
class Writes {
  readonly #rows = new Map<string, { ratios: number[]; samples: number[]; micros: number[] }>()

  constructor(
    private readonly town: Town,
    private readonly city: string,
    private readonly raw: BareWrites,
  ) {}

  async round(): Promise<void> {
    const ids: string[] = []
    const create = async (wire: Wire) => {
      ids.push((await wire.json('POST', `/v0/city/${this.city}/beads`, BODY)).id)
    }
    const each = (clients: number, once: (wire: Wire) => Promise<unknown> | undefined) =>
      load(this.town, clients, SECONDS, once)
    this.#note('create, 1 client', this.raw.creates(1, SECONDS / 2), await each(1, create))
    this.#note(`create, ${CLIENTS} clients`, this.raw.creates(CLIENTS, SECONDS / 2), await each(CLIENTS, create))
    const tokens = this.#tokens()
    const claim = (wire: Wire) => this.#act(wire, ids.pop(), 'claim', tokens[Math.floor(Math.random() * tokens.length)])
    this.#note(`claim, ${HANDS} sessions at once`, this.raw.claims(HANDS, SECONDS / 4), await each(HANDS, claim))
    const close = (wire: Wire) => this.#act(wire, ids.pop(), 'close')
    this.#note(`close, ${CLIENTS} clients`, this.raw.closes(CLIENTS, SECONDS / 4), await each(CLIENTS, close))
  }

  print(table: Table): void {
    for (const [what, { ratios, samples, micros }] of this.#rows) {
      const figure = `${median(ratios).toFixed(2)} × bun:sqlite; ${both(samples)}; ${median(micros).toFixed(0)} µs of processor`
      table.row(`${what}, in ${this.city}`, figure)
    }
  }

  #act(wire: Wire, id: string | undefined, verb: string, token?: string): Promise<unknown> | undefined {
    return id === undefined ? undefined : wire.json('POST', `/v0/city/${this.city}/bead/${id}/${verb}`, {}, token)
  }

  #tokens(): string[] {
    const files = readdirSync(this.town.home).filter((name) => name.startsWith(`token.${this.city}-`))
    const own = files.filter((name) => /^\d+$/.test(name.slice(`token.${this.city}-`.length)))
    return own.map((name) => readFileSync(`${this.town.home}/${name}`, 'utf8'))
  }

  #note(what: string, raw: number, { rate, micros, samples }: Loaded): void {
    const row = this.#rows.get(what) ?? { ratios: [], samples: [], micros: [] }
    row.ratios.push(rate / raw)
    row.samples.push(...samples)
    row.micros.push(micros)
    this.#rows.set(what, row)
    say(`  ${what}, in ${this.city}: ${whole(rate)}/s; bun:sqlite ${whole(raw)}/s`)
  }
}

await using town = await Town.open()
const cities = { wide: { size: STATED, toml }, 'wide-tenfold': { size: tenfold(STATED), toml } }
await town.aged(cities)
const tokens = () => readdirSync(town.home).filter((name) => name.startsWith('token.wide'))
await took(() => tokens().length >= 2 * HANDS)
const table = new Table()
for (const [name, { size }] of Object.entries(cities)) {
  const copy = town.at(`${name}.db`)
  await live(copy, { prefix: name, ...size })
  const raw = new BareWrites(copy)
  const writes = new Writes(town, name, raw)
  for (let round = 0; round < ROUNDS; round++) await writes.round()
  raw.close()
  writes.print(table)
}
table.print(
  `durable writes over HTTP, ${whole(STATED.beads)} beads, ${whole(STATED.events)} events; ten times the closed`,
)
