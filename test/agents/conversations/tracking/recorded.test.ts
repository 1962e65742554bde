import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { SessionUsage } from '../../../../src/agents/usage/schema.ts'
import { codexDay, replayDatabase, replayFiles } from '../recorded.ts'
import { openRecordingCity } from '../recording-city.ts'

type Program = 'claude' | 'codex' | 'gemini' | 'opencode'
const PROGRAMS: readonly Program[] = ['claude', 'codex', 'gemini', 'opencode']

const provider = (program: Program) => `
[providers.${program}-scribe]
base = "builtin:${program}"
command = "{parrot}"
prompt_mode = "none"
ready_prompt_prefix = "> "
args = []
[providers.${program}-scribe.env]
HOME = "{homes}/${program}"
`

let town: Awaited<ReturnType<typeof openRecordingCity>>
let homes: string
beforeAll(async () => {
  town = await openRecordingCity((at) => {
    homes = at('homes')
    return PROGRAMS.map(provider).join('').replaceAll('{parrot}', at('parrot')).replaceAll('{homes}', homes)
  })
  for (const program of PROGRAMS) await town.json(['agent', 'add', program, '--provider', `${program}-scribe`])
}, 30_000)
afterAll(async () => {
  expect(town.reports).toEqual([expect.stringContaining('the price of model "scripted" is not known')])
  await town[Symbol.asyncDispose]()
})

/** Recordings of each program: paid responses, and words of each conversation. */
const RECORDINGS: Record<
  Program,
  { replay(home: string): void; answers: number; words: string[]; agents: number; hidden: string[] }
> = {
  claude: {
    replay: (home) =>
      replayFiles('claude', join(home, '.claude/projects', town.city.replace(/[^A-Za-z0-9]/g, '-')), town.city),
    answers: 9,
    words: ['Good day', 'after clear', 'after compact', 'after resume'],
    agents: 2,
    hidden: ['sub task one', 'in the fork'],
  },
  codex: {
    replay: (home) => replayFiles('codex', codexDay(home), town.city),
    answers: 6,
    words: ['Good day', 'second thread', 'in the fork'],
    agents: 2,
    hidden: ['sub task cx'],
  },
  gemini: {
    replay: (home) => {
      const project = createHash('sha256').update(town.city).digest('hex')
      replayFiles('gemini', join(home, '.gemini/tmp', project, 'chats'), town.city)
    },
    answers: 6,
    words: ['Good day', 'after gem clear'],
    agents: 1,
    hidden: ['sub task gem'],
  },
  opencode: {
    replay: (home) => replayDatabase(join(home, '.local/share/opencode/opencode.db'), town.city),
    answers: 7,
    words: ['Good day', 'new oc session', 'instead of it'],
    agents: 1,
    hidden: ['sub task oc'],
  },
}

describe.each(PROGRAMS)('the conversation of a session with %s', (program) => {
  const { replay, answers, words, agents, hidden } = RECORDINGS[program]

  test('is in all logs that the program wrote, and each answer counts once', async () => {
    const session = await town.start(`${program}-1`, program)
    replay(join(homes, program))
    const used = await town.until<SessionUsage>(
      `/session/${session.id}/usage`,
      ({ invocations }) => invocations >= answers,
    )
    expect(used).toMatchObject({ invocations: answers, input_tokens: 100 * answers, output_tokens: 10 * answers })
    const { body } = await town.get<{ turns: { text: string }[] }>(`/session/${session.id}/transcript`)
    const texts = body.turns.map(({ text }) => text)
    expect(words.map((word) => texts.filter((text) => text.includes(word)).length)).toEqual(words.map(() => 1))
    const order = words.map((word) => texts.findIndex((text) => text.includes(word)))
    expect(order).toEqual([...order].sort((a, b) => a - b))
    const listed = await town.get<{ agents: { agent_id: string; parent_tool_use_id: string }[] }>(
      `/session/${session.id}/agents`,
    )
    expect(listed.body.agents).toHaveLength(agents)
    for (const { agent_id: id } of listed.body.agents) {
      const { status, body } = await town.get<{ turns: object[] }>(`/session/${session.id}/agents/${id}/transcript`)
      expect([status, body.turns.length > 1]).toEqual([200, true])
    }
    for (const word of hidden) {
      const found = await town.get<{ items: { sub_agent?: string }[] }>(
        `/transcripts/search?session=${session.id}&q=${encodeURIComponent(word)}`,
      )
      expect(found.body.items.some(({ sub_agent: agent }) => agent !== undefined)).toBe(true)
    }
    await town.gc(['session', 'close', session.id])
    const after = await town.get<SessionUsage>(`/session/${session.id}/usage`)
    expect(after.body.invocations).toBe(answers)
    const closed = await town.get<{ turns: object[] }>(`/session/${session.id}/transcript`)
    expect(closed.body.turns).toHaveLength(body.turns.length)
  }, 30_000)
})
