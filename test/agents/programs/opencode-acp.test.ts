import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from './model-server.ts'
import { openTown } from './town.ts'

setDefaultTimeout(120_000)

/** OpenCode as an ACP agent that requests permission before it runs a command. */
const AGENT = `
[[agent]]
name = "worker"
provider = "opencode"
session = "acp"
env = { OPENCODE_PERMISSION = '{"bash":"ask"}' }
`

/** Creates the requested file, and then reports it. */
const maker: Script = ({ user, results }) => {
  if (!user.at(-1)?.includes('Make it')) return { text: 'Standing by.' }
  const [made] = results
  if (made === undefined)
    return { tool: 'bash', input: { command: 'echo made > made.txt; cat made.txt', description: 'Make it' } }
  return { text: `It says ${made.trim()}.` }
}

async function withWorker(script: Script = maker) {
  const town = await openTown(script, AGENT)
  const { id } = JSON.parse(await town.gc('session', 'new', 'worker', '--json'))
  const city = JSON.parse(await town.gc('session', 'show', id, '--json')).work_dir
  const read = async (format: string) => (await town.call(`GET ~/session/${id}/transcript?format=${format}`)).body
  const until = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
    for (let tries = 0; tries < 600; tries++) {
      const value = await look().catch(() => undefined)
      if (value !== undefined) return value
      await Bun.sleep(50)
    }
    throw new Error(`it never came about: ${JSON.stringify(await read('raw'))}`)
  }
  const over = (count: number) =>
    until(async () => {
      const { messages } = await read('raw')
      return messages.filter(({ type }: { type?: string }) => type === 'done').length >= count || undefined
    })
  await over(1)
  return {
    ...town,
    id,
    read,
    over,
    made: join(city, 'made.txt'),
    pending: () => until(async () => (await town.call(`GET ~/session/${id}/pending`)).body.pending),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

interface RawRecord {
  type?: string
  seq?: number
  sessionUpdate?: string
  text?: string
}

describe('OpenCode over ACP', () => {
  test('shows a permission request, receives the decision over HTTP, runs the tool and ends the turn', async () => {
    await using town = await withWorker()
    const { id } = town
    expect(await town.gc('session', 'submit', id, 'Make it, please.')).toContain('Delivered')
    const pending = await town.pending()
    const { request_id } = pending
    expect(pending).toMatchObject({
      request_id: expect.stringMatching(/^permission-/),
      kind: 'approval',
      prompt: 'Allow echo made > made.txt; cat made.txt?',
      options: ['Allow once', 'Always allow', 'Reject'],
    })
    expect((await town.call('GET ~/pending')).body.items).toEqual([{ session_id: id, request_id, kind: 'approval' }])
    expect((await town.call('GET ~/attention')).body.items).toMatchObject([{ session_id: id, kind: 'permission' }])
    expect(existsSync(town.made)).toBe(false)
    const answer = { action: 'approve', request_id }
    expect(await town.call(`POST ~/session/${id}/respond`, answer)).toMatchObject({ status: 202 })
    await town.model.until(({ results }) => results.length === 1)
    await town.over(2)
    expect(readFileSync(town.made, 'utf8')).toBe('made\n')
    const { turns } = await town.read('conversation')
    expect(turns.at(-1).text).toBe('It says made.')
    const messages = JSON.stringify((await town.read('structured')).structured_messages)
    expect(messages).toContain('"kind":"command","command":"echo made > made.txt; cat made.txt"')
    expect(messages).toContain('"stdout":"made\\n"')
    expect((await town.call(`GET ~/session/${id}/pending`)).body).toEqual({ supported: true })
    expect(town.model.strays).toEqual([])
  })

  test('does not run a command whose permission request was denied', async () => {
    await using town = await withWorker()
    await town.gc('session', 'submit', town.id, 'Make it, please.')
    await town.pending()
    await town.gc('attention', 'answer', town.id, 'deny')
    await town.over(2)
    expect(existsSync(town.made)).toBe(false)
  })

  test('continues its turn without a supervisor: no record is missing, and its permission request stays pending', async () => {
    await using town = await withWorker()
    const release = town.model.hold()
    await town.gc('session', 'submit', town.id, 'Make it, please.')
    await town.model.until(({ user }) => user.at(-1)?.includes('Make it') ?? false)
    await town.crash(async () => {
      release()
      // Gives the agent time to request permission while there is no supervisor.
      await Bun.sleep(1500)
    })
    const before = await town.pending()
    await town.crash()
    const after = await town.pending()
    expect(after).toEqual(before)
    expect(await town.call(`POST ~/session/${town.id}/respond`, { action: 'approve' })).toMatchObject({ status: 202 })
    await town.over(2)
    expect(readFileSync(town.made, 'utf8')).toBe('made\n')
    const { messages }: { messages: RawRecord[] } = await town.read('raw')
    const kinds = messages.map(({ type, sessionUpdate }) => sessionUpdate ?? type)
    expect(kinds.filter((kind) => kind === 'turn')).toHaveLength(2)
    expect(kinds.filter((kind) => kind === 'asked')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 'answered')).toHaveLength(1)
    expect(kinds).toContain('tool_call')
    const numbered = messages.flatMap(({ seq }) => seq ?? [])
    expect(numbered).toEqual([...numbered].sort((a, b) => a - b))
    expect(numbered.at(-1)).toBe(messages.length)
    const events = await town.events(({ type }) => type === 'session.answered')
    expect(events.filter(({ type }) => type === 'session.woke')).toHaveLength(1)
  })

  test('accepts the next turn after one was interrupted', async () => {
    await using town = await withWorker()
    const release = town.model.hold()
    await town.gc('session', 'submit', town.id, 'Make it, please.')
    await town.gc('session', 'stop', town.id)
    release()
    await town.over(2)
    await town.gc('session', 'submit', town.id, 'Anything else?')
    await town.over(3)
    const { turns } = await town.read('conversation')
    expect(turns.at(-1).text).toBe('Standing by.')
    expect(existsSync(town.made)).toBe(false)
  })
})
