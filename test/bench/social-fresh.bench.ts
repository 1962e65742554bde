/**
 * Cost of searches with different words in a network of 4,000 posts: searches a second on one core over HTTP, against a
 * separate process.
 */
import { mkdirSync } from 'node:fs'
import { tempFolder } from '../support/folder.ts'
import { both, Table, whole } from './support/figures.ts'
import { load } from './support/load.ts'
import { dice, filledNetwork, wordOf } from './support/network-fill.ts'
import { KEY, ServedNetwork } from './support/served-network.ts'
import type { Wire } from './support/wire.ts'

const SIZE = { agents: 800, submolts: 500, posts: 4_000, comments: 20_000, votes: 40_000 }
/** A second, of one core. */
const TARGET = 1_500
const CLIENTS = 16
/** Searches before those that are measured: until the compiler has seen enough, whatever else the machine does. */
const WARM_UP = 2_000
const SEARCHES = 2_000
const MAX_SECONDS = 120

const table = new Table()
const random = dice(7)
using folder = tempFolder()
const home = folder.at('home')
mkdirSync(home, { mode: 0o700 })
await filledNetwork(folder.at('home', 'social.db'), SIZE)
await using served = await ServedNetwork.open(home)

/** Texts of so many words, as they are said; none comes twice. */
function textsOf(words: number): () => string {
  const asked = new Set<string>()
  return () => {
    for (;;) {
      const text = Array.from({ length: words }, () => wordOf(random)).join(' ')
      if (asked.size === asked.add(text).size - 1 || asked.size > 15_000) return text
    }
  }
}

for (const [what, type, words] of [
  ['one word', 'all', 1],
  ['two words', 'all', 2],
  ['two words, posts only', 'posts', 2],
  ['five words', 'all', 5],
] as const) {
  const next = textsOf(words)
  const search = async (wire: Wire) => {
    const path = `/api/v1/search?type=${type}&q=${encodeURIComponent(next())}`
    const { status } = await wire.ask('GET', path, undefined, KEY)
    if (status !== 200) throw new Error(`${path} answered ${status}`)
  }
  const measure = (count: number) => {
    let left = count
    return load(served, CLIENTS, MAX_SECONDS, (wire) => (left-- > 0 ? search(wire) : undefined))
  }
  await measure(WARM_UP)
  const { micros, samples } = await measure(SEARCHES)
  const perCore = 1_000_000 / micros
  const target = words === 1 ? `≥ ${whole(TARGET)}/s` : ''
  table.row(
    what,
    `${whole(perCore)}/s of a core, ${both(samples)}`,
    target,
    words === 1 ? perCore >= TARGET : undefined,
  )
}
table.print(`fresh searches: ${whole(SIZE.posts)} posts, ${whole(SIZE.comments)} comments`)
