import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { SessionPrompt } from '../../src/work/sessions/index.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { pause, printJson } from '../io/io.ts'

interface Prime extends JsonOption {
  agent?: string
  strict?: true
  hook?: true
  hookFormat?: string
}

/** The instructions of an agent that has none of its own: those of the pack core, as they are without an agent. */
async function workerPrompt(): Promise<string> {
  const { BUILTIN_FILES } = await import('../../src/config/packs/builtin/files.ts')
  return BUILTIN_FILES.find(([path]) => path === 'core/assets/prompts/pool-worker.md')?.[1] ?? ''
}

export function primeCommand(program: Command, context: CommandContext): void {
  program
    .command('prime')
    .description('print the instructions of an agent')
    .argument('[agent]', 'agent or session; default is this session')
    .option('--agent <agent>', 'same as the argument')
    .option('--strict', 'fail on unknown agents')
    .option('--hook', 'record the conversation of the calling agent program')
    .option('--hook-format <program>', 'accepted for agent programs that call this')
    .option('--json', 'print one line of JSON')
    .action((agent: string | undefined, options: Prime) => prime(context, agent ?? options.agent, options))
}

async function prime(context: CommandContext, agent: string | undefined, options: Prime): Promise<void> {
  const { GC_SESSION_ID, GC_ALIAS, GC_AGENT, GC_STARTUP_PROMPT_DELIVERED } = context.io.env
  if (options.hook && !GC_SESSION_ID) return
  if (options.hook) await reportConversation(context)
  if (options.hook && GC_STARTUP_PROMPT_DELIVERED && !options.json) return
  const who = agent ?? GC_SESSION_ID ?? GC_ALIAS ?? GC_AGENT
  const prompt = who ? await findPrompt(await context.city(), who) : undefined
  if (!prompt && options.strict) throw failure(who ? `there is no agent or session ${who}` : 'say which agent')
  const content = prompt?.content.trimEnd() ? `${prompt.content.trimEnd()}\n` : await workerPrompt()
  for (const warning of prompt?.warnings ?? []) context.io.err(`gc: ${sanitizeLine(warning)}\n`)
  if (!options.json) return context.io.out(content)
  printJson(context.io, {
    schema_version: '1',
    ok: true,
    command: 'prime',
    ...(prompt && { agent: prompt.agent }),
    hook: options.hook === true,
    ...(options.hookFormat && { hook_format: options.hookFormat }),
    content,
    bytes: Buffer.byteLength(content),
  })
}

/** Time the hook waits for its input. */
const HOOK_MS = 2_000

/** Reports the conversation of this session, so that a later start can resume it. */
async function reportConversation(context: CommandContext): Promise<void> {
  const { GC_SESSION_ID: id, GC_TOKEN, GEMINI_SESSION_ID, GC_PROVIDER_SESSION_ID } = context.io.env
  if (!id || !GC_TOKEN) return
  const input = await readHookInput(context)
  const key = textOf(input.session_id) ?? GEMINI_SESSION_ID ?? GC_PROVIDER_SESSION_ID
  const source = textOf(input.source)?.slice(0, 40)
  if (!key || !/^[A-Za-z0-9][\w.:-]{0,199}$/.test(key)) return
  const city = await context.city()
  await city.call('POST ~/session/{id}/conversation', { params: { id }, body: { key, ...(source && { source }) } })
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** The JSON input of a program's hook, which names its conversation. */
async function readHookInput({ io }: CommandContext): Promise<{ session_id?: unknown; source?: unknown }> {
  if (io.isInteractive) return {}
  const late = new AbortController()
  const text = await Promise.race([io.readInput(), pause(HOOK_MS, late.signal).then(() => '')])
  late.abort()
  try {
    const input: unknown = JSON.parse(text.trim().split('\n')[0] ?? '')
    return typeof input === 'object' && input !== null ? input : {}
  } catch {
    return {}
  }
}

/** The instructions of a session or an agent; undefined when there is neither. */
async function findPrompt(city: CityClient, who: string): Promise<SessionPrompt | undefined> {
  try {
    return await city.call('GET ~/session/{id}/prompt', { params: { id: who } })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'session-not-found') return undefined
    throw error
  }
}
