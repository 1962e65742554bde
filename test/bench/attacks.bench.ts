import { writeFileSync } from 'node:fs'
import { attacks, createBeads, createPosts, GENEROUS, SilentReaders } from '../support/attacks.ts'
import { at, late, memory, say, Table, whole } from './support/figures.ts'
import { helper } from './support/helper.ts'
import { poll } from './support/load.ts'
import { Town } from './support/town.ts'
import { Wire } from './support/wire.ts'

/**
 * Cost of clients that request much and read little, for others: latency of `/health`, and memory of the server. The
 * readers are processes of their own. `npm run bench attacks`.
 */

const SECONDS = 12
const MAX_MB = 400
const MAX_MS = 50
const CITY = 'wide'

const ATTACKS: Record<string, string> = {
  waiting: '2,000 readers that wait for a list of 2 MB, woken by one write, unread',
  'waiting-read': 'the same, and they read it',
  lists: '60 lists of 1,000 beads of 25 KB, unread',
  pages: '200 pages of the network, unread',
}

/** The part of a helper: attacks and holds its connections. */
async function attack(name: string, url: string, header: string): Promise<void> {
  const readers = new SilentReaders(url, name.endsWith('-read'))
  if (name.startsWith('waiting')) await attacks.waiting(readers, url, CITY)
  else if (name === 'lists') await attacks.lists(readers, CITY)
  else await attacks.pages(readers, header)
  say('under way')
  await Bun.sleep(60_000)
}

async function measure(town: Town, name: string, header: string, table: Table): Promise<void> {
  const wire = await Wire.open(town.url)
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, memory(town.pid).resident)
  }, 20)
  const attacking = helper(import.meta.path, name, town.url, header)
  const samples = await poll(wire, '/health', SECONDS)
  await attacking[Symbol.asyncDispose]()
  clearInterval(watch)
  wire.close()
  const p99 = at(samples, 0.99)
  table.row(ATTACKS[name] ?? name, `/health ${late(samples)}`, `p99 < ${MAX_MS} ms`, p99 < MAX_MS)
  table.row('  memory of the server', `${whole(peak)} MB at most`, `< ${MAX_MB} MB`, peak < MAX_MB)
  await Bun.sleep(2_000)
}

async function main(): Promise<void> {
  await using town = await Town.open()
  await town.stop()
  writeFileSync(town.at('home', 'social.toml'), GENEROUS)
  await town.start()
  await town.city(CITY)
  const header = await createPosts(town.url, 100)
  await createBeads(town.url, CITY, 100, 20_000)
  const table = new Table()
  for (const name of ['waiting', 'waiting-read']) await measure(town, name, header, table)
  await createBeads(town.url, CITY, 1_000, 25_000)
  for (const name of ['lists', 'pages']) await measure(town, name, header, table)
  table.print('clients that ask for much')
}

const [name, url = '', header = ''] = process.argv.slice(2)
if (name && ATTACKS[name]) await attack(name, url, header)
else await main()
process.exit()
