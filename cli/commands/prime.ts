import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ClientProblem } from '../../src/client/problem.ts'
import type { Here } from '../context/context.ts'
import type { Json } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { json, rest } from '../io/io.ts'

interface Prime extends Json {
  strict?: true
  hook?: true
  hookFormat?: string
}

/** What an agent does that was told nothing else. */
const WORKER = `You are a worker in a city of agents. Work comes to you as beads, one at a time.

1. \`gc hook --claim --json\` takes the next piece of work; with "action":"work" it is yours, and "bead_id" names it.
2. \`bd show <id>\` says what is to be done. Do it, in the folder you are in, and commit what you changed.
3. \`bd close <id> --reason "<what came of it>"\` when it is done; then begin again at 1.
4. With "action":"drain" there is nothing left: run \`gc runtime drain-ack\` and stop.

What you find out on the way that is work of its own: \`bd create "<title>" --description "<text>"\`.
`

export function primeCommand(program: Command, here: Here): void {
  program
    .command('prime')
    .description('print what an agent is told to be; inside a session, its own instructions')
    .argument('[agent]', 'an agent or a session; inside a session, its own')
    .option('--strict', 'fail when there is no such agent, instead of printing what any worker is told')
    .option('--hook', 'for agent programs that call this when they start: learns what their conversation is called')
    .option('--hook-format <program>', 'the same')
    .option('--json', 'print one line of JSON')
    .action((agent: string | undefined, options: Prime) => prime(here, agent, options))
}

async function prime(here: Here, told: string | undefined, options: Prime): Promise<void> {
  const { GC_SESSION_ID, GC_ALIAS, GC_AGENT, GC_STARTUP_PROMPT_DELIVERED } = here.io.env
  if (options.hook) await learn(here)
  if (options.hook && GC_STARTUP_PROMPT_DELIVERED && !options.json) return
  const who = told ?? GC_SESSION_ID ?? GC_ALIAS ?? GC_AGENT
  const found = who ? await promptOf(await here.city(), who) : undefined
  if (!found && options.strict) throw failure(who ? `there is no agent or session ${who}` : 'say which agent')
  const content = found?.content.trimEnd() ? `${found.content.trimEnd()}\n` : WORKER
  if (!options.json) return here.io.out(content)
  json(here.io, {
    schema_version: '1',
    ok: true,
    command: 'prime',
    ...(found && { agent: found.agent }),
    hook: options.hook === true,
    ...(options.hookFormat && { hook_format: options.hookFormat }),
    content,
    bytes: Buffer.byteLength(content),
  })
}

/** How long a program may take to say what it has to say on standard input. */
const HOOK_MS = 2_000

/** Tells the supervisor which conversation this session has, so that a later start goes on with it. */
async function learn(here: Here): Promise<void> {
  const { GC_SESSION_ID: id, GC_TOKEN, GEMINI_SESSION_ID, GC_PROVIDER_SESSION_ID } = here.io.env
  if (!id || !GC_TOKEN) return
  const key = (await said(here)) ?? GEMINI_SESSION_ID ?? GC_PROVIDER_SESSION_ID
  if (!key || !/^[A-Za-z0-9][\w.:-]{0,199}$/.test(key)) return
  const city = await here.city()
  await city.call('POST ~/session/{id}/conversation', { params: { id }, body: { key } })
}

/** The conversation that a starting program names in the JSON it hands its hook. */
async function said({ io }: Here): Promise<string | undefined> {
  if (io.asks) return undefined
  const late = new AbortController()
  const text = await Promise.race([io.read(), rest(HOOK_MS, late.signal).then(() => '')])
  late.abort()
  try {
    const told: unknown = JSON.parse(text.trim().split('\n')[0] ?? '')
    const key = typeof told === 'object' && told !== null && 'session_id' in told ? told.session_id : undefined
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}

/** The instructions of a session, or of the newest session of an agent. */
async function promptOf(city: CityClient, who: string): Promise<{ agent: string; content: string } | undefined> {
  const own = await unlessMissing(city.call('GET ~/session/{id}/prompt', { params: { id: who } }))
  if (own) return own
  const { items } = await city.call('GET ~/sessions', { query: { template: who, limit: 1 } })
  const [newest] = items
  return newest && unlessMissing(city.call('GET ~/session/{id}/prompt', { params: { id: newest.id } }))
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ClientProblem && error.status === 404) return undefined
    throw error
  }
}
