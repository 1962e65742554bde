import { AppError } from '../../core/errors.ts'
import type { ProviderOption } from '../../programs/parts/index.ts'
import { PRESETS } from '../../programs/presets.ts'
import type { PromptMode, ProtocolLaunch } from '../../programs/program.ts'
import { renderCommand, type TemplateFields } from '../prompts/index.ts'
import { splitCommand } from './command-words.ts'
import type { Provider } from './config.ts'

/** Launch settings of an agent's declaration; an `AgentSpec` is one. */
export interface LaunchedAgent {
  startCommand?: string
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  optionDefaults?: Readonly<Record<string, string>>
  promptMode?: PromptMode
  promptFlag?: string
  resumeCommand?: string
}

export interface LaunchRequest {
  /** Absent when the agent has a command of its own. */
  provider?: Provider
  agent?: LaunchedAgent
  prompt?: string
  /** The options of this one session. */
  options?: Readonly<Record<string, string>>
  /** The key of the conversation to continue. */
  resume?: string
  /** The fields that commands may use, such as `{{.WorkDir}}`. */
  fields?: TemplateFields
  /** The path of gc, whose own protocol the program is to run without asking. */
  gc?: string
  /** The folder that it is started in, if it is to trust that without asking. */
  trusted?: string | undefined
  /** Transport of the program; an `acp` program gets its prompt as its first turn. */
  transport?: Transport
}

/** Transport of a program: keys on a terminal, or the agent client protocol on its pipes. */
export type Transport = 'terminal' | 'acp'

/** A program to start. `typed` is the prompt when it must be typed once the program is ready. */
export interface Launch {
  argv: string[]
  env: Record<string, string>
  typed?: string
}

/** The system takes no single argument longer than 128 KiB. */
const MAX_ARGUMENT_BYTES = 120 * 1024

/** Builds the command line of a session; no text of others is read by a shell on the way. */
export function buildLaunch(request: LaunchRequest): Launch {
  const { provider, agent = {}, prompt } = request
  const protocol = protocolLaunch(request)
  const env = { ...provider?.env, ...agent.env, ...protocol.env }
  const isAcp = request.transport === 'acp'
  const declaredMode = agent.promptMode ?? (agent.startCommand ? 'none' : provider?.promptMode) ?? 'none'
  // OpenCode ignores the value of its flag when it continues a conversation.
  const mode = isAcp || (declaredMode === 'flag' && request.resume !== undefined) ? 'none' : declaredMode
  const flag = agent.promptFlag ?? provider?.promptFlag
  const promptArgs = prompt ? toPromptArgs(prompt, mode, flag) : []
  const argv = agent.startCommand
    ? shellArgv(agent.startCommand, promptArgs, request)
    : providerArgv(request, protocol.args ?? [], promptArgs)
  const isTyped = prompt && promptArgs.length === 0
  return {
    argv,
    env: prompt && !isTyped ? { ...env, GC_STARTUP_PROMPT_DELIVERED: '1' } : env,
    ...(isTyped ? { typed: prompt } : {}),
  }
}

/** The options active: schema default < provider < agent < session; throws for an unknown key or value. */
export function effectiveOptions(
  provider: Provider,
  agent: Readonly<Record<string, string>> = {},
  session: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const options = new Map(provider.optionsSchema.map((option) => [option.key, option]))
  const values = Object.fromEntries(provider.optionsSchema.map((option) => [option.key, option.default]))
  for (const layer of [provider.optionDefaults, agent, session]) {
    for (const [key, value] of Object.entries(layer)) {
      requireChoice(provider, options.get(key), key, value)
      values[key] = value
    }
  }
  return values
}

function requireChoice(provider: Provider, option: ProviderOption | undefined, key: string, value: string) {
  if (!option) {
    const keys = provider.optionsSchema.map((each) => each.key).join(', ')
    throw new AppError('invalid-request', `${provider.name} has no option "${key}"; it has ${keys || 'none'}`)
  }
  const choice = option.choices.find((each) => each.value === value)
  if (choice) return choice
  const values = option.choices.map((each) => each.value || '""').join(', ')
  throw new AppError('invalid-request', `option "${key}" of ${provider.name} cannot be "${value}"; it can be ${values}`)
}

function optionArgs(provider: Provider, { agent, options }: LaunchRequest): string[] {
  const values = effectiveOptions(provider, agent?.optionDefaults, options)
  return provider.optionsSchema.flatMap((option) => {
    const value = values[option.key] ?? ''
    return value === '' ? [] : requireChoice(provider, option, option.key, value).flagArgs
  })
}

function toPromptArgs(prompt: string, mode: PromptMode, flag: string | undefined): string[] {
  if (mode === 'none' || Buffer.byteLength(prompt) > MAX_ARGUMENT_BYTES) return []
  const argument = prompt.replaceAll('\0', '').replace(/^(?=-)/, ' ')
  if (mode === 'arg') return [argument]
  if (!flag) throw new AppError('validation-failed', 'prompt_mode is "flag" but there is no prompt_flag')
  return [...splitCommand(flag), argument]
}

/** Launch settings that keep a program from asking about things gc causes: its own protocol and folders it created. */
export function protocolLaunch(request: LaunchRequest): ProtocolLaunch {
  const { provider, agent = {}, options, resume, gc, transport, trusted } = request
  const isOther = agent.startCommand || (resume !== undefined && (agent.resumeCommand ?? provider?.resumeCommand))
  if (!provider || gc === undefined || isOther) return {}
  const env = { ...provider.env, ...agent.env }
  const own = transport === 'acp' ? {} : effectiveOptions(provider, agent.optionDefaults, options)
  const { permission_mode: mode = '' } = own
  const preset = PRESETS.get(provider.ancestor ?? provider.name)
  const words = [...splitCommand(provider.command), ...provider.args, ...(agent.args ?? [])]
  const protocol = preset?.protocol?.({ gc, env, mode, words })
  const trust = trusted === undefined ? undefined : preset?.trust?.(trusted)
  return {
    args: [...(protocol?.args ?? []), ...(trust?.args ?? [])],
    env: { ...protocol?.env, ...trust?.env },
    // The host answers what a program asks by ACP.
    files: transport === 'acp' ? [] : (protocol?.files ?? []),
  }
}

function providerArgv(request: LaunchRequest, protocolArgs: readonly string[], promptArgs: string[]): string[] {
  const { provider, agent = {}, resume, fields = {} } = request
  if (!provider) {
    throw new AppError('validation-failed', 'the agent has neither a provider nor a start_command; give it one')
  }
  // A bridge to the program, which is a program of its own, knows none of its options.
  const ownArgs = request.transport === 'acp' && provider.acpCommand !== undefined ? [] : protocolArgs
  if (request.transport === 'acp') return [...acpArgv(provider, agent, fields), ...ownArgs]
  const render = (words: readonly string[]) => words.map((word) => renderCommand(word, fields))
  const options = [...render(agent.args ?? []), ...optionArgs(provider, request), ...ownArgs]
  const rest = [...render(provider.args), ...options, ...promptArgs]
  const command = render(splitCommand(provider.command))
  if (resume === undefined) return [...command, ...rest]
  const resumeCommand = agent.resumeCommand ?? provider.resumeCommand
  return resumeArgv(provider, resumeCommand, checkedKey(resume), command, rest)
}

/** The command that speaks the protocol; it takes no options of the full-screen program. */
function acpArgv(provider: Provider, agent: LaunchedAgent, fields: TemplateFields): string[] {
  if (!provider.supportsAcp && provider.acpCommand === undefined) {
    throw new AppError(
      'validation-failed',
      `${provider.name} is not known to speak the agent client protocol; give it acp_command, or supports_acp = true`,
    )
  }
  const words = [...splitCommand(provider.acpCommand ?? provider.command), ...(provider.acpArgs ?? provider.args)]
  return [...words, ...(agent.args ?? [])].map((word) => renderCommand(word, fields))
}

function resumeArgv(
  provider: Provider,
  resumeCommand: string | undefined,
  resume: string,
  command: string[],
  rest: string[],
) {
  if (resumeCommand) return splitCommand(resumeCommand).map((word) => renderCommand(word, { SessionKey: resume }))
  if (!provider.resumeFlag) return [...command, ...rest]
  return [...command, ...splitCommand(provider.resumeFlag), resume, ...rest]
}

/** A conversation's key comes from the program itself, so it is checked before it becomes an argument. */
function checkedKey(resume: string): string {
  if (/^[A-Za-z0-9][\w.:-]{0,199}$/.test(resume)) return resume
  throw new AppError('validation-failed', `"${resume}" is not the key of a conversation`)
}

/** A command for a shell. The prompt arrives as `"$@"`, which is put at the end unless the command says where. */
function shellArgv(command: string, promptArgs: string[], { agent, fields = {} }: LaunchRequest): string[] {
  const rendered = renderShellCommand(command, fields, 'start_command')
  const extra = [...(agent?.args ?? []), ...promptArgs]
  if (extra.length === 0) return ['/bin/sh', '-c', rendered]
  const line = /\$(?:[@*1]|\{[@*1])/.test(rendered) ? rendered : `${rendered} "$@"`
  return ['/bin/sh', '-c', line, 'gc', ...extra]
}

/** Renders a declared command for a shell; throws for a value with characters that a shell interprets. */
export function renderShellCommand(command: string, fields: TemplateFields, name: string): string {
  for (const [field, value] of Object.entries(fields)) {
    if (!new RegExp(`\\.${field}\\b`).test(command) || /^[\w./:@%+=,-]*$/.test(value ?? '')) continue
    throw new AppError(
      'validation-failed',
      `${name} mentions {{.${field}}}, whose value holds characters that a shell would read; use the variable of the session's environment instead`,
    )
  }
  return renderCommand(command, fields)
}
