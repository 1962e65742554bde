import { writeSync } from 'node:fs'
import { systemClock } from '../../../src/core/clock.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { Network } from '../../../src/social/network/network.ts'
import { UNLIMITED } from '../../support/unlimited.ts'

/** Agents post, vote, comment and follow in a loop; each line reports an acknowledged write immediately. */
const [, , path = '', run = '0'] = process.argv
const network = await Network.open({
  ...{ path, clock: systemClock, deadlines: new Deadlines(), address: () => 'http://localhost' },
  settings: { limits: UNLIMITED },
  report: (error) => process.stderr.write(`${error}\n`),
})
const say = (line: string) => void writeSync(1, `${line}\n`)
const { registrations, agents, posts, comments, votes, follows } = network

async function agent(name: string) {
  await registrations.register({ name }, { address: '127.0.0.1' })
  const { n, id } = agents.need(name)
  say(`agent ${id}`)
  return { kind: 'agent', n, id, name } as const
}

/** One writer: an agent that posts, and another one that replies to everything. */
async function write(at: number): Promise<void> {
  const [one, other] = [await agent(`a-${run}-${at}`), await agent(`b-${run}-${at}`)]
  await follows.follow(other, one.name)
  say(`follow ${other.n} ${one.n}`)
  for (;;) {
    const made = await posts.create(one, { submolt: 'general', title: 'x', content: 'y'.repeat(200) })
    const { id } = made.value.post
    say(`post ${id}`)
    await votes.toggle(other, 'post', id, 1)
    say(`vote ${other.n} ${id}`)
    const created = await comments.create(other, id, { content: 'z'.repeat(100) })
    say(`comment ${created.value.comment.id}`)
  }
}

await Promise.all(Array.from({ length: 16 }, (_, at) => write(at)))
