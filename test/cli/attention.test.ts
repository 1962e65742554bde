import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AttentionList } from '../../src/city/attention/schema.ts'
import { AGENT } from '../runtime/acp/agent-host.ts'
import { openTown, type Town } from './town.ts'

let town: Town
beforeAll(async () => {
  town = await openTown()
  await Bun.write(
    town.at('town', 'city.toml'),
    `${await Bun.file(town.at('town', 'city.toml')).text()}
[[agent]]
name = "polly"
session = "acp"
start_command = "exec ${AGENT.join(' ')}"
`,
  )
  while (!(await town.gc(['agent', 'list'])).out.includes('polly')) await Bun.sleep(20)
}, 20_000)
afterAll(() => town[Symbol.asyncDispose]())

describe('gc attention', () => {
  test('lists what waits, and answers it in place', async () => {
    expect(await town.gc(['attention'])).toMatchObject({ status: 0, out: 'Nothing waits for a person.\n' })
    const { id } = await town.json<{ id: string }>(['session', 'new', 'polly', '--message', 'ask it'])
    const waits = async (count: number): Promise<AttentionList> => {
      const list = await town.json<AttentionList>(['attention'])
      return list.total === count ? list : waits(count)
    }
    expect((await waits(1)).items).toMatchObject([{ kind: 'permission', session_id: id, asks: 'Allow make it?' }])
    const { out } = await town.gc(['attention'])
    expect(out).toContain('Allow make it?')
    expect(out).toContain(`gc attention answer ${id} approve|approve_always|deny`)
    const wrong = await town.gc(['attention', 'answer', id, 'perhaps'])
    expect([wrong.status, wrong.err]).toEqual([1, expect.stringContaining('it can be answered with approve')])
    expect(await town.gc(['attention', 'answer', id, 'approve'])).toMatchObject({
      status: 0,
      out: `Session ${id} has its answer: approve.\n`,
    })
    expect((await waits(0)).items).toEqual([])
    expect(town.reports).toEqual([])
  })
})
