import { describe, expect, test } from 'bun:test'
import type { Bead } from '../../src/work/schema.ts'
import type { CommandResult } from './shell.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const convoy = (title: string, ...more: string[]) => town.json<Bead>(['convoy', 'create', title, ...more])

interface Step {
  seen: string
  act?: () => Promise<unknown>
}

/**
 * Watches until `seen` has been written, does what should be done then, and so on; ends when the command does, or else
 * with the last.
 */
async function watched(args: string[], steps: Step[], width?: number): Promise<CommandResult> {
  const ended = new AbortController()
  const left = [...steps]
  const onOutput = (out: string) => {
    const [next] = left
    if (!next || !out.includes(next.seen)) return
    left.shift()
    if (next.act) void next.act()
    else ended.abort()
  }
  const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(10_000)])
  const result = await town.gc([...args, '--watch'], { signal, onOutput, ...(width && { width }) })
  expect(left).toEqual([])
  return result
}

describe('--watch', () => {
  test('show ends when the convoy is closed with the last of its beads', async () => {
    const [one, two] = [await town.bead('one'), await town.bead('two')]
    const { id } = await convoy('Watched', one.id, two.id)
    const close = (closed: Bead) => () => town.json(['bead', 'close', closed.id])
    const result = await watched(
      ['convoy', 'show', id],
      [
        { seen: '0 of 2', act: close(one) },
        { seen: '1 of 2', act: close(two) },
      ],
      100,
    )
    expect(result).toMatchObject({ status: 0, err: '' })
    const [, last] = result.out.split('\u001b[H\u001b[2J').slice(-2)
    expect(last).toContain('2 of 2')
    expect(result.out).toMatch(/status +closed/)
  })

  test('list and bead list show new entries until ctrl-c', async () => {
    const steps = [{ seen: 'TITLE', act: () => convoy('Appears') }, { seen: 'Appears' }]
    expect((await watched(['convoy', 'list', '--all'], steps)).status).toBe(0)
    await town.bead('Is there')
    const work = [{ seen: 'TITLE', act: () => town.bead('Comes') }, { seen: 'Comes' }]
    expect((await watched(['bead', 'list'], work)).status).toBe(0)
    const ready = [{ seen: '"items"', act: () => town.bead('Waits') }, { seen: 'Waits' }]
    const { out } = await watched(['bead', 'ready', '--json'], ready)
    for (const each of out.trimEnd().split('\n')) expect(JSON.parse(each)).toHaveProperty('items')
  })

  test('budget list and usage show changes', async () => {
    const set = () => town.json(['budget', 'set', '3usd', '--per', 'hour'])
    const budgets = [{ seen: 'There are no budgets', act: set }, { seen: '$3.00' }]
    expect((await watched(['budget', 'list'], budgets)).status).toBe(0)
    const { status, out } = await watched(['usage'], [{ seen: 'last 24 hours' }])
    expect([status, out]).toEqual([0, expect.stringContaining('PERIOD')])
    const { out: lines } = await watched(['usage', '--json'], [{ seen: 'updated_at' }])
    for (const each of lines.trimEnd().split('\n')) expect(JSON.parse(each)).toHaveProperty('today')
  })
})
