import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Script } from './model-server.ts'
import { claude, codex, gemini, type Program } from './programs.ts'
import { eventually, openTown } from './town.ts'

setDefaultTimeout(120_000)

/** Creates the requested file, and then reports it. */
const maker =
  ({ shell }: Program): Script =>
  ({ user, results }) => {
    if (!user.at(-1)?.includes('Make it')) return { text: 'Standing by.' }
    return results.length === 0 ? shell('echo made > made.txt; cat made.txt') : { text: 'It says made.' }
  }

/** The processes that run with a home, even if their parents have exited. */
const processesIn = (home: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`\0HOME=${home}\0`)
    } catch {
      return false
    }
  })

/** A session of a program that has written its first message. */
async function atWork(program: Program) {
  const town = await openTown(maker(program), '', program)
  await town.gc('agent', 'add', 'web/worker', '--provider', program.provider, '--prompt', 'You work on web.')
  const { id } = JSON.parse(await town.gc('session', 'new', 'web/worker', '--json'))
  const transcript = async (format: string) => (await town.call(`GET ~/session/${id}/transcript?format=${format}`)).body
  const says = (count: number, text: string) =>
    eventually(async () => {
      const turns: { role: string; text: string }[] = (await transcript('conversation')).turns ?? []
      return turns.filter((turn) => turn.role === 'assistant' && turn.text === text).length === count
    })
  const becomes = (state: string) =>
    eventually(async () => (await town.call(`GET ~/session/${id}`)).body.state === state)
  await says(1, 'Standing by.')
  /** Sends it a message, once it is ready. */
  const tell = (text: string) =>
    eventually(async () => (await town.gc('session', 'send', id, text).catch(String)).includes('Delivered'))
  return { ...town, tell, id, transcript, says, becomes, [Symbol.asyncDispose]: () => town[Symbol.asyncDispose]() }
}

describe.each([codex, gemini, claude])('$provider before a scripted model', (program) => {
  test('is detected as ready, receives messages, is read from its own log, exits cleanly and resumes its conversation', async () => {
    await using town = await atWork(program)
    const { id } = town
    expect(await town.gc('session', 'send', id, 'Make it, please.')).toContain('Delivered')
    await town.says(1, 'It says made.')
    expect(readFileSync(join(town.rig, 'made.txt'), 'utf8')).toBe('made\n')
    const isIdle = async () => (await town.transcript('structured')).history.tail_state.activity === 'idle'
    await eventually(isIdle)
    const transcript = await town.transcript('structured')
    expect(transcript.history.continuity).toEqual({ status: 'continuous' })
    expect(JSON.stringify(transcript.structured_messages)).toContain(
      '"kind":"command","command":"echo made > made.txt; cat made.txt"',
    )
    const conversation: { role: string; text: string }[] = (await town.transcript('conversation')).turns
    expect(conversation.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(
      expect.arrayContaining([expect.stringContaining('You work on web.'), 'Make it, please.']),
    )
    const turns = town.model.conversations.length
    await eventually(async () => (await town.call('GET ~/usage')).body.last_24h.invocations === turns)
    const { last_24h } = (await town.call('GET ~/usage')).body
    expect(last_24h).toMatchObject({ input_tokens: 100 * turns, output_tokens: 10 * turns })

    expect(processesIn(town.home)).not.toEqual([])
    await town.gc('session', 'suspend', id)
    await eventually(() => processesIn(town.home).length === 0)
    await town.gc('session', 'wake', id)
    await town.becomes('active')
    await town.tell('What did you do?')
    const again = await town.model.until(({ user }) => user.at(-1)?.includes('What did you do?') ?? false)
    expect(again.user.join('\n')).toContain('Make it, please.')
    await town.says(2, 'Standing by.')
    const after = await town.transcript('structured')
    expect(after.history.provider_session_id).toBe(transcript.history.provider_session_id)
    await eventually(async () => (await town.call('GET ~/usage')).body.last_24h.invocations === turns + 1)

    await town.gc('session', 'close', id)
    await eventually(() => processesIn(town.home).length === 0)
    expect(town.model.strays).toEqual([])
  })
})
