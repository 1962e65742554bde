import { type BareRate, BareWrites } from './support/bare-writes.ts'
import { BeadWriter, SESSIONS, SESSIONS_TOML, sessionsRun } from './support/bead-writer.ts'
import { both, calm, median, say, Table, whole } from './support/figures.ts'
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
const SECONDS = 2
const ROUNDS = 3
/** Number of lone writes measured in a round, with no backlog. */
const TURNS = 3
/** The write that commits and is synced automatically, as each of bun:sqlite is beside it. */
const ALONE = 'create, 1 client'
/** The same with an Idempotency-Key. */
const KEYED = 'create with a key, 1 client'
const MOST_KEYED = 1.25
const CLAIM = `claim, ${SESSIONS} sessions at once`
const CLOSE = `close, ${CLIENTS} clients`
/** Least rate and most processor of a write, beside those of bun:sqlite. */
const GOALS: Readonly<Record<string, { rate?: number; share?: number }>> = {
  [ALONE]: { share: 2.5 },
  [CLAIM]: { rate: 0.4, share: 3.5 },
  [CLOSE]: { rate: 0.6 },
}

type Loaded = Awaited<ReturnType<typeof load>>

/** The writes of one city, each kind beside its raw rows. */
class Writes {
  readonly #rows = new Map<string, { ratios: number[]; shares: number[]; samples: number[]; micros: number[] }>()

  constructor(
    private readonly town: Town,
    private readonly city: string,
    private readonly raw: BareWrites,
  ) {}

  /** Creates beads until what that runs is compiled. */
  async warmUp(): Promise<void> {
    await load(this.town, 1, 3 * SECONDS, new BeadWriter(this.town, this.city).create)
  }

  async round(): Promise<void> {
    const writer = new BeadWriter(this.town, this.city)
    const each = (clients: number, once: (wire: Wire) => Promise<unknown> | undefined) =>
      load(this.town, clients, SECONDS, once)
    await calm(this.town.pid)
    for (let turn = 0; turn < TURNS; turn++) {
      this.#note(ALONE, this.raw.creates(1, SECONDS / 2), await each(1, writer.create))
      this.#note(KEYED, this.raw.creates(1, SECONDS / 2), await each(1, writer.createKeyed))
    }
    this.#note(`create, ${CLIENTS} clients`, this.raw.creates(CLIENTS, SECONDS / 2), await each(CLIENTS, writer.create))
    this.#note(CLAIM, this.raw.claims(SESSIONS, SECONDS / 4), await each(SESSIONS, writer.claim))
    this.#note(CLOSE, this.raw.closes(CLIENTS, SECONDS / 4), await each(CLIENTS, writer.close))
  }

  print(table: Table): void {
    for (const [what, { ratios, shares, samples, micros }] of this.#rows) {
      const share = median(shares)
      const processor = `${median(micros).toFixed(0)} µs of processor, ${share.toFixed(2)} × its`
      const figure = `${median(ratios).toFixed(2)} × the rate of bun:sqlite; ${both(samples)}; ${processor}`
      const { rate, share: most } = GOALS[what] ?? {}
      const goals = [rate !== undefined && `≥ ${rate} × the rate`, most !== undefined && `≤ ${most} × its`]
      const isMet = median(ratios) >= (rate ?? 0) && share <= (most ?? Number.POSITIVE_INFINITY)
      table.row(
        `${what}, in ${this.city}`,
        figure,
        goals.filter(Boolean).join(', '),
        goals.some(Boolean) ? isMet : undefined,
      )
    }
  }

  /** The processor of a create with a key beside one without, each turn automatically. */
  printKeyed(table: Table): void {
    const [alone, keyed] = [ALONE, KEYED].map((what) => this.#rows.get(what)?.micros ?? [])
    const ratio = median((keyed ?? []).map((micros, turn) => micros / (alone?.[turn] ?? 0)))
    const goal = `≤ ${MOST_KEYED} ×`
    table.row(`a create with a key, in ${this.city}`, `${ratio.toFixed(2)} × one without`, goal, ratio <= MOST_KEYED)
  }

  #note(what: string, raw: BareRate, { rate, micros, samples }: Loaded): void {
    const row = this.#rows.get(what) ?? { ratios: [], shares: [], samples: [], micros: [] }
    row.ratios.push(rate / raw.rate)
    row.shares.push(micros / raw.micros)
    row.samples.push(...samples)
    row.micros.push(micros)
    this.#rows.set(what, row)
    say(`  ${what}, in ${this.city}: ${whole(rate)}/s; bun:sqlite ${whole(raw.rate)}/s`)
  }
}

await using town = await Town.open()
const toml = SESSIONS_TOML
const cities = { wide: { size: STATED, toml }, 'wide-tenfold': { size: tenfold(STATED), toml } }
await town.aged(cities)
await sessionsRun(town, Object.keys(cities))
const table = new Table()
for (const [name, { size }] of Object.entries(cities)) {
  const copy = town.at(`${name}.db`)
  await live(copy, { prefix: name, ...size })
  const raw = new BareWrites(copy)
  const writes = new Writes(town, name, raw)
  await writes.warmUp()
  for (let round = 0; round < ROUNDS; round++) await writes.round()
  raw.close()
  writes.print(table)
  writes.printKeyed(table)
}
table.print(
  `durable writes over HTTP, ${whole(STATED.beads)} beads, ${whole(STATED.events)} events; ten times the closed`,
)
