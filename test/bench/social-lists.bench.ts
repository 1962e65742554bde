/**
 * Processor cost of the feed and of lists of posts in a network of 4,000 posts, beside a bare server that answers with the
 * same bytes, in alternating rounds. Pages that are asked for again are kept while nothing changes; the last rows read
 * other pages each time. `npm run bench social-lists`.
 */
import { mkdirSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { bareServer } from './support/bare.ts'
import { median, Table, whole } from './support/figures.ts'
import { load } from './support/load.ts'
import { filledNetwork } from './support/network-fill.ts'
import { KEY, ServedNetwork } from './support/served-network.ts'
import { Wire } from './support/wire.ts'

const SIZE = { agents: 800, submolts: 500, posts: 4_000, comments: 20_000, votes: 40_000 }
/** Processor time, of that of the bare server. */
const TARGET = 3
const [ROUNDS, SECONDS, WARM_UP_SECONDS, CONNECTIONS] = [3, 1, 3, 16]

interface Read {
  readonly what: string
  readonly path: (turn: number) => string
  readonly key?: string
  readonly target?: number
}

const same = (path: string) => () => path

/** So many pages of each of these sorts, together more than a network keeps. */
const [PAGES, SORTS] = [120, ['new', 'hot', 'rising']]

/** Asks for pages of a list, each in turn. */
async function others(path: string) {
  const wire = await Wire.open(served.url)
  const pages: string[] = []
  for (const sort of SORTS) {
    let page = `${path}?sort=${sort}`
    for (let at = 0; at < PAGES; at++) {
      pages.push(page)
      const { next_cursor } = await wire.json('GET', page, undefined, KEY)
      page = `${path}?sort=${sort}&cursor=${next_cursor}`
    }
  }
  wire.close()
  return (turn: number) => pages[turn % pages.length] ?? path
}

const table = new Table()
using folder = tempFolder()
const home = folder.at('home')
mkdirSync(home, { mode: 0o700 })
await filledNetwork(folder.at('home', 'social.db'), SIZE)
await using served = await ServedNetwork.open(home)

const reads: readonly Read[] = [
  { what: 'list of posts', path: same('/api/v1/posts'), key: KEY, target: TARGET },
  { what: 'list of posts, without a key', path: same('/api/v1/posts'), target: TARGET },
  { what: 'posts of one community', path: same('/api/v1/submolts/submolt2/feed'), key: KEY, target: TARGET },
  { what: 'feed', path: same('/api/v1/feed'), key: KEY, target: TARGET },
  { what: 'other pages of the list', path: await others('/api/v1/posts'), key: KEY },
  { what: 'other pages of the feed', path: await others('/api/v1/feed'), key: KEY },
]
await load(served, CONNECTIONS, WARM_UP_SECONDS, (wire, turn) =>
  wire.ask('GET', reads[turn % 4]?.path(turn) ?? '', undefined, KEY),
)

for (const { what, path, key, target } of reads) {
  const first = await Wire.open(served.url)
  const body = (await first.ask('GET', path(0), undefined, key)).text()
  first.close()
  await using bare = await bareServer(body)
  const [ours, than]: number[][] = [[], []]
  for (let round = -1; round < ROUNDS; round++) {
    const bareRound = await load(bare, CONNECTIONS, SECONDS, (wire) => wire.ask('GET', '/', undefined, key))
    const ourRound = await load(served, CONNECTIONS, SECONDS, async (wire, turn) => {
      const { status } = await wire.ask('GET', path(turn), undefined, key)
      if (status !== 200) throw new Error(`${path(turn)} answered ${status}`)
    })
    if (round < 0) continue
    than?.push(bareRound.micros)
    ours?.push(ourRound.micros)
  }
  const [our, bareMicros] = [median(ours ?? []), median(than ?? [])]
  const ratio = our / bareMicros
  const figure = `${ratio.toFixed(2)} ×: ${whole(our)} µs of processor, bare ${whole(bareMicros)} µs, ${whole(body.length)} bytes`
  table.row(what, figure, target ? `≤ ${target} ×` : '', target ? ratio <= target : undefined)
}
table.print(`lists of posts: ${whole(SIZE.posts)} posts`)
