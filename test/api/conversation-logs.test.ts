import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, mkdirSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { eventually } from '../support/until.ts'
import { type Town, towns } from './town.ts'

setDefaultTimeout(60_000)

const PROGRAM = join(import.meta.dir, '../support/recording-program.ts')
const toml = (home: string) => `
[providers.scribe]
base = "builtin:claude"
command = "${process.execPath} ${PROGRAM}"
ready_prompt_prefix = "> "
option_defaults = { effort = "", permission_mode = "plan" }
[providers.scribe.env]
HOME = "${home}"
STEPS = "${home}.steps"
[[agent]]
name = "clerk"
provider = "scribe"
max_active_sessions = 5
`

const open = towns()

/** A city with sessions of these names, whose programs write logs on command. */
async function scribes(...names: string[]) {
  const parked = await open()
  const home = parked.world.folder.at(`home-${parked.city.name}`)
  await parked[Symbol.asyncDispose]()
  const town = await open(toml(home))
  const { city } = town
  const ids = new Map<string, string>()
  for (const alias of names) {
    const accepted = await city.call('POST ~/sessions', { body: { kind: 'agent', name: 'clerk', alias } })
    ids.set(alias, String((await city.outcome(accepted.body)).subject))
  }
  const logs = join(home, '.claude/projects', city.path.replace(/[^A-Za-z0-9]/g, '-'))
  await eventually(
    'each writes its log',
    20_000,
    async () => countIn(logs),
    (count) => count === names.length,
  )
  const usage = async (name: string) => (await city.call(`GET ~/session/${ids.get(name)}/usage`)).body
  return {
    town,
    city,
    logs,
    id: (name: string) => ids.get(name) ?? '',
    /** Has the programs of sessions do something, each `<session> <step> <word>`. */
    steps: (...lines: string[]) => appendFileSync(`${home}.steps`, lines.map((line) => `${line}\n`).join('')),
    /** Waits until a session used so many tokens, and returns how many answers those were. */
    async used(name: string, tokens: number) {
      const is = (now: { output_tokens: number; invocations: number }) => now.output_tokens >= tokens
      const { output_tokens, invocations } = await eventually(`${name} used ${tokens}`, 20_000, () => usage(name), is)
      expect([name, output_tokens]).toEqual([name, tokens])
      return invocations
    },
    texts: async (name: string): Promise<string[]> => {
      const { body } = await city.call(`GET ~/session/${ids.get(name)}/transcript`)
      return (body.turns ?? []).map(({ text }: { text: string }) => text)
    },
    found: async (words: string) =>
      (await city.call(`GET ~/transcripts/search?q=${words}`)).body.items.map(
        ({ session, sub_agent = '' }: { session: string; sub_agent?: string }) => [session, sub_agent],
      ),
    [Symbol.asyncDispose]: () => town[Symbol.asyncDispose](),
  }
}

const countIn = (folder: string): number => {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.jsonl')).length
  } catch {
    return 0
  }
}

const budgetOf = async ({ city }: { city: Town['city'] }) => (await city.call('GET ~/budgets')).body.items[0]

describe('the usage of a session', () => {
  test('counts an answer in several blocks once, by its last one', async () => {
    await using all = await scribes('one')
    all.steps('one blocks A', 'one answer B')
    expect(await all.used('one', 110)).toBe(2)
  })

  test('counts sub-agents in files of their own, side chains and abandoned branches, also under a budget', async () => {
    await using all = await scribes('one')
    const budget = { scope: 'agent', name: 'clerk', unit: 'tokens', per: 'day', limit: 1_000_000 }
    await all.city.call('PUT ~/budgets', { body: budget })
    all.steps('one answer A', 'one agent a1', 'one oldAgent a2', 'one sidechain S', 'one rewind B')
    expect(await all.used('one', 10 + 500 + 300 + 70 + 200 + 20)).toBe(6)
    expect(await budgetOf(all)).toMatchObject({ spent: 1106, state: 'ok' })
    expect(await all.texts('one')).toEqual(['instead of B', 'B'])
    expect(await all.found('by-agent-a1')).toEqual([[all.id('one'), 'a1']])
    expect(await all.found('B-abandoned')).toEqual([[all.id('one'), '']])
    const { agents } = (await all.city.call(`GET ~/session/${all.id('one')}/agents`)).body
    expect(agents.map(({ agent_id }: { agent_id: string }) => agent_id).sort()).toEqual(['a1', 'a2'])
  })

  test('continues in the next conversation after /clear, and in a fork, whose copies count once', async () => {
    await using all = await scribes('one')
    all.steps('one answer A', 'one clear NEXT', 'one fork FORKED', 'one agent a3')
    expect(await all.used('one', 10 + 40 + 30 + 500)).toBe(4)
    const texts = await all.texts('one')
    expect(texts.filter((text) => ['A', 'NEXT', 'FORKED'].includes(text))).toEqual(['A', 'NEXT', 'FORKED'])
    expect(await all.found('NEXT')).toEqual([[all.id('one'), '']])
  })

  test('of an older conversation that it goes back to is what it adds', async () => {
    await using all = await scribes('one')
    const old = { type: 'assistant', uuid: 'o1', parentUuid: null, isSidechain: false, cwd: all.city.path }
    const usage = { input_tokens: 1, output_tokens: 9000 }
    const message = {
      id: 'msg_old',
      model: 'claude-sonnet-4-5',
      role: 'assistant',
      content: [{ type: 'text', text: 'OLD' }],
      usage,
    }
    const at = new Date(Date.now() - 86_400_000)
    const path = join(all.logs, 'older.jsonl')
    writeFileSync(`${path}.new`, `${JSON.stringify({ ...old, timestamp: at.toISOString(), message })}\n`)
    renameSync(`${path}.new`, path)
    all.steps('one answer A', 'one resume older:AGAIN', 'one answer MORE')
    expect(await all.used('one', 10 + 60 + 10)).toBe(3)
  })
})

describe('sessions in one folder', () => {
  test('have each its own logs, although all their programs write beside one another', async () => {
    await using all = await scribes('one', 'two', 'three')
    all.steps('one answer A1', 'two answer A2', 'three answer A3')
    await Promise.all(['one', 'two', 'three'].map((name) => all.used(name, 10)))
    all.steps('two clear CLEARED2')
    await all.used('two', 50)
    all.steps('one agent b1')
    await all.used('one', 510)
    all.steps('three clear CLEARED3')
    await all.used('three', 50)
    all.steps('one answer LAST1', 'two answer LAST2', 'three answer LAST3')
    await Promise.all([all.used('one', 520), all.used('two', 60), all.used('three', 60)])
    expect((await all.texts('two')).slice(-2)).toEqual(['CLEARED2', 'LAST2'])
    expect((await all.city.call('GET ~/usage')).body.today.output_tokens).toBe(640)
  })

  test('count a conversation once that cannot be told apart', async () => {
    await using all = await scribes('one', 'two')
    all.steps('one answer A1', 'two answer A2')
    await Promise.all([all.used('one', 10), all.used('two', 10)])
    const message = { id: 'msg_x', model: 'claude-sonnet-4-5', role: 'assistant', usage: { output_tokens: 7 } }
    const record = { cwd: all.city.path, isSidechain: false, timestamp: new Date().toISOString() }
    const asked = { ...record, uuid: 'x0', parentUuid: null, type: 'user', message: { content: 'by whom' } }
    const answered = { ...record, uuid: 'x1', parentUuid: 'x0', type: 'assistant', message }
    writeFileSync(join(all.logs, 'unknown.jsonl'), `${JSON.stringify(asked)}\n${JSON.stringify(answered)}\n`)
    const total = async () => (await all.city.call('GET ~/usage')).body.today.output_tokens
    expect(await eventually('it is counted', 20_000, total, (tokens) => tokens > 20)).toBe(27)
    expect([...(await all.texts('one')), ...(await all.texts('two'))].filter((text) => text === 'by whom')).toEqual([])
  })
})

test('links, pipes, endless lines and files that are cut or replaced among the logs do no harm', async () => {
  await using all = await scribes('one')
  const sides = join(all.logs, (readdirSync(all.logs)[0] ?? '').replace('.jsonl', ''), 'subagents')
  mkdirSync(sides, { recursive: true })
  symlinkSync('/etc/passwd', join(sides, 'agent-link.jsonl'))
  symlinkSync(dirname(all.logs), join(sides, 'loop'))
  Bun.spawnSync(['mkfifo', join(sides, 'agent-pipe.jsonl'), join(all.logs, 'pipe.jsonl')])
  writeFileSync(join(sides, 'agent-long.jsonl'), Buffer.alloc(40 << 20, 'x'))
  all.steps('one agent a1', 'one answer A')
  await all.used('one', 510)
  truncateSync(join(sides, 'agent-a1.jsonl'), 20)
  all.steps('one agent a1', 'one agent a2')
  expect(await all.used('one', 1010)).toBe(3)
  expect(await all.texts('one')).toContain('A')
})
