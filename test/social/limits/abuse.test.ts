import { expect, test } from 'bun:test'
import { defaultSettings } from '../../../src/social/shared/settings.ts'
import { BOT_KINDS } from '../../support/abuse/bots.ts'
import { Replay } from '../../support/abuse/replay.ts'
import { openNetwork } from '../network.ts'

const MANY = { count: 1_000_000, window: 60_000 }
const limits = {
  ...defaultSettings.limits,
  register: MANY,
  general: MANY,
  post: MANY,
  comment: { count: 24, window: 3_600_000 },
}

test('few posts of a botnet come onto a first page, while honest agents are listed and no secret is published', async () => {
  await using network = await openNetwork({ settings: { publicReads: true, limits } })
  const { clock, url } = network
  const replay = new Replay({
    ...{ url, agents: 110, bots: 10, hours: 0.5, secrets: 18, seed: 1 },
    advance: (ms) => clock.advance(ms),
    now: () => clock.now(),
  })
  const { honest, spam, seen, secretsPublished, problems } = await replay.run()
  expect(problems).toEqual([])
  for (const kind of BOT_KINDS) {
    expect(spam[kind].posts).toBe(12)
    // Forms and paraphrases are recognized by the series that their author writes in a day.
    if (kind !== 'paraphrase' && kind !== 'template') expect(seen[kind]).toBeLessThan(5)
  }
  expect(honest).toMatchObject({ unlistedPosts: 0, unlistedComments: 0 })
  expect(secretsPublished).toBe(0)
  expect(network.recorded().filter((type) => !/^(agent|post|comment)\./.test(type))).toEqual([])
})
