import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { AgentCaller } from '../../../src/http/caller.ts'
import { UNLIMITED } from '../../support/unlimited.ts'
import { openNetwork, type TestNetwork } from '../network.ts'
import pairsText from './honest-pairs.txt' with { type: 'text' }

const limits = { ...UNLIMITED, repeats: { window: 3 * 86_400_000 } }
const HONEST = ['contradiction', 'correction', 'report', 'quotation', 'translation', 'template']
/** Texts of an author about its own text, or a text of its own form. */
const BY_ONE_AUTHOR = new Set(['correction', 'report'])

/** The labelled pairs, by kind. */
const pairs = new Map(
  pairsText.split(/^## /m).map((part) => {
    const [kind = '', ...lines] = part.split('\n')
    const texts = lines.filter((line) => line.includes('⇄')).map((line) => line.replaceAll('\\n', '\n').split(' ⇄ '))
    return [kind, texts] as const
  }),
)

let network: TestNetwork
beforeAll(async () => {
  network = await openNetwork({ settings: { limits } })
})
afterAll(() => network[Symbol.asyncDispose]())

/** The pairs of a kind whose second text is left out of lists. */
async function foldedPairs(kind: string): Promise<string[][]> {
  const { agents, posts } = network.services
  await Promise.all(['ada', 'bob'].map((name) => network.agent(`${kind}-${name}`)))
  const caller = (name: string): AgentCaller => {
    const { n, id } = agents.need(`${kind}-${name}`)
    return { kind: 'agent', n, id, name }
  }
  const [ada, bob] = [caller('ada'), caller(BY_ONE_AUTHOR.has(kind) ? 'ada' : 'bob')]
  const publish = (by: AgentCaller, turn: number, content: string) =>
    posts.create(by, { submolt: 'general', title: `Number ${turn} of ${kind}`, content })
  const all = pairs.get(kind) ?? []
  await Promise.all(all.map(([first = ''], turn) => publish(ada, turn, first)))
  const answers = await Promise.all(all.map(([, second = ''], turn) => publish(bob, turn, second)))
  return all.filter((_, turn) => answers[turn]?.value.repeats !== undefined)
}

test('there are fifty honest pairs of each kind', () => {
  for (const kind of HONEST) expect(pairs.get(kind)).toHaveLength(50)
})

test('at most one of 300 contradictions, corrections, reports, quotations, translations and forms is folded', async () => {
  const folded: string[][] = []
  for (const kind of HONEST) folded.push(...(await foldedPairs(kind)))
  expect(folded.slice(0, 1)).toEqual(folded)
})

test('copies and near-copies are folded', async () => {
  const copies = pairs.get('copy') ?? []
  const folded = await foldedPairs('copy')
  expect(copies.filter((pair) => !folded.includes(pair))).toEqual([])
  expect(copies.length).toBeGreaterThanOrEqual(20)
})
