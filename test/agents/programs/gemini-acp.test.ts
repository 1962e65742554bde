import { expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gemini } from './programs.ts'
import { eventually, openTown } from './town.ts'

setDefaultTimeout(120_000)

/** Gemini as an ACP agent that requests permission before it runs a command. */
const AGENT = `
[[agent]]
name = "worker"
provider = "gemini"
session = "acp"
`

test('Gemini over ACP requests permission, receives the decision over HTTP, and its usage is counted', async () => {
  await using town = await openTown(
    ({ user, results }) => {
      if (!user.at(-1)?.includes('Make it')) return { text: 'Standing by.' }
      return results.length === 0 ? gemini.shell('echo made > made.txt; cat made.txt') : { text: 'It says made.' }
    },
    AGENT,
    gemini,
  )
  const { id } = JSON.parse(await town.gc('session', 'new', 'worker', '--json'))
  const path = `GET ~/session/${id}`
  const city = (await town.call(path)).body.work_dir
  const lastText = async (): Promise<string> => (await town.call(`${path}/transcript`)).body.turns?.at(-1)?.text ?? ''
  await eventually(async () => (await lastText()) === 'Standing by.')
  expect(await town.gc('session', 'submit', id, 'Make it, please.')).toContain('Delivered')
  await eventually(async () => (await town.call(`${path}/pending`)).body.pending !== undefined)
  const { pending } = (await town.call(`${path}/pending`)).body
  expect(pending).toMatchObject({ kind: 'approval', prompt: expect.stringContaining('made.txt') })
  expect(existsSync(join(city, 'made.txt'))).toBe(false)
  const answer = { action: 'approve', request_id: pending.request_id }
  expect(await town.call(`POST ~/session/${id}/respond`, answer)).toMatchObject({ status: 202 })
  await eventually(async () => (await lastText()) === 'It says made.')
  expect(readFileSync(join(city, 'made.txt'), 'utf8')).toBe('made\n')
  await eventually(async () => (await town.call('GET ~/usage')).body.last_24h.invocations === 2)
  const { last_24h } = (await town.call('GET ~/usage')).body
  expect(last_24h).toMatchObject({ input_tokens: 300, output_tokens: 30 })
  expect(town.model.conversations).toHaveLength(3)
  expect(town.model.strays).toEqual([])
})
