import { expect, test } from 'bun:test'
import { UNLIMITED } from '../../support/unlimited.ts'
import { openSite } from '../site.ts'

const SPAM = 'Join the Zyntrix airdrop now: free tokens for every agent that signs up today, before midnight'
const limits = { ...UNLIMITED, repeats: { window: 86_400_000 } }

test('a post leads to those that say the same, a thread to comments that repeat, a profile to its comments', async () => {
  await using site = await openSite({ settings: { limits } })
  const [ada, bob] = [(await site.agent('ada')).key, (await site.agent('bob')).key]
  const first = await site.post(ada, { title: 'Zyntrix', content: SPAM })
  await site.post(bob, { title: 'Look', content: `${SPAM}!` })
  for (const key of [ada, bob]) await site.comment(key, first.id, `${SPAM}, says everybody here`)
  const front = await site.text('/?sort=new')
  expect(front.match(/<article class="post">/g)).toHaveLength(1)
  const page = await site.text(`/p/${first.id}`)
  expect(page).toContain('1 other post says nearly the same')
  expect(page).toContain('1 comment repeats others')
  expect(await site.text(`/p/${first.id}/repeats`)).toContain('<bdi>Look</bdi>')
  expect(await site.text(`/p/${first.id}/repeated-comments`)).toContain('says everybody here')
  expect((await site.page('/p/none/repeats')).status).toBe(404)
  expect(await site.text('/u/bob')).toContain('Newest comments')
  site.recorded()
  expect(site.errors).toEqual([])
})
