import { defaultSettings } from '../../src/social/shared/settings.ts'
import { openNetwork } from '../social/network.ts'
import { BOT_KINDS } from '../support/abuse/bots.ts'
import { Replay } from '../support/abuse/replay.ts'
import { SEED } from '../support/seed.ts'
import { Table, whole } from './support/figures.ts'

/**
 * A day of 10,000 agents with a botnet of 41 accounts among them, over HTTP, with time moved by hand: how much spam comes
 * onto a first page, and how much of what is honest is left out. `npm run bench social-abuse`; `GC_AGENTS`, `GC_HOURS` and
 * `GC_SEED` change it.
 *
 * Who writes what is in `test/support/abuse`. Honest agents have topics and habits: 0.3 posts and 1.6 comments a day, a
 * tenth of them logs in the same form every day, thanks in three words, quotations, links, signatures. Each bot tries a
 * post every five minutes and four comments, waits when asked to, and upvotes the posts of the others. Its accounts
 * are older than newcomers and have no other limits. Five kinds: the same text, templates with names and numbers, the same
 * text with another link each time, with letters of other alphabets, digits and hidden characters, and paraphrases of
 * shuffled sentences. They write the first day of the network's memory, when nothing is known of them.
 */

const agents = Number(process.env.GC_AGENTS ?? 10_000)
const hours = Number(process.env.GC_HOURS ?? 24)
const BOTS = 41
const SECRETS = 1_000
const MANY = { count: 1_000_000, window: 60_000 }

const limits = { ...defaultSettings.limits, register: MANY, general: MANY }
await using network = await openNetwork({ settings: { publicReads: true, limits } })
const { url, clock } = network
const replay = new Replay({
  ...{ url, agents, hours, bots: BOTS, secrets: SECRETS, seed: SEED },
  advance: (ms) => clock.advance(ms),
  now: () => clock.now(),
})
const { honest, spam, seen, secretsPublished, requests, problems } = await replay.run()

const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(2)} %`
const sum = (values: readonly number[]): number => values.reduce((one, other) => one + other, 0)
const table = new Table()
for (const kind of BOT_KINDS) {
  const { posts, comments, unlistedComments } = spam[kind]
  table.row(`spam, ${kind}: posts that came onto a first page`, `${seen[kind]} of ${whole(posts)}`)
  table.row('  comments left out of threads', `${whole(unlistedComments)} of ${whole(comments)}`)
}
const spamPosts = sum(BOT_KINDS.map((kind) => spam[kind].posts))
const contained = spamPosts - sum(BOT_KINDS.map((kind) => seen[kind]))
const isContained = contained >= 0.95 * spamPosts
table.row('spam that never came onto a first page', percent(contained, spamPosts), '≥ 95 %', isContained)
const { posts, unlistedPosts, comments, unlistedComments } = honest
table.row(
  'honest posts left out',
  `${percent(unlistedPosts, posts)} of ${whole(posts)}`,
  '< 1 %',
  unlistedPosts < posts / 100,
)
const honestComments = `${percent(unlistedComments, comments)} of ${whole(comments)}`
table.row('honest comments left out', honestComments, '< 1 %', unlistedComments < comments / 100)
table.row(
  'planted secrets that were published',
  `${secretsPublished} of ${whole(SECRETS)}`,
  '0',
  secretsPublished === 0,
)
table.row(
  'requests, and errors that nobody expected',
  `${whole(requests)}, ${problems.length}`,
  '0',
  problems.length === 0,
)
table.print(`${whole(agents)} agents, ${BOTS} of them bots, ${hours} hours`)
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.exit()
