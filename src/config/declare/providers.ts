import { errorMessage } from '../../core/errors.ts'
import {
  type OptionChoice,
  PROMPT_MODES,
  type ProviderConfig,
  type ProviderOption,
  RESUME_STYLES,
} from '../providers/provider.ts'
import { resolveProvider } from '../providers/resolve.ts'
import type { TomlNode } from '../toml/toml.ts'
import type { Reader } from './section-reader.ts'

/** `[providers.<name>]`: what each says itself; its bases are merged in where it is used. */
export function readProviders(city: Reader): Map<string, ProviderConfig> {
  const providers = new Map<string, ProviderConfig>()
  const all = city.within('providers')
  for (const name of all.table.entries.keys()) {
    const at = all.within(name)
    if (name.includes(':')) at.warn('', 'a name with ":" cannot be told from a base such as builtin:claude')
    providers.set(name, readProvider(at))
    at.end()
  }
  for (const name of providers.keys()) {
    try {
      resolveProvider(name, providers)
    } catch (error) {
      const at = all.within(name)
      at.wrong(at.has('base') ? 'base' : 'command', errorMessage(error))
    }
  }
  return providers
}

function readProvider(at: Reader): ProviderConfig {
  return said({
    base: emptyToo(at, 'base'),
    displayName: at.text('display_name'),
    command: at.text('command'),
    args: at.texts('args'),
    argsAppend: at.texts('args_append'),
    promptMode: at.oneOf('prompt_mode', PROMPT_MODES),
    promptFlag: at.text('prompt_flag'),
    readyDelayMs: at.whole('ready_delay_ms', 0),
    readyPromptPrefix: at.text('ready_prompt_prefix'),
    processNames: at.texts('process_names'),
    emitsPermissionWarning: at.flag('emits_permission_warning'),
    acceptStartupDialogs: at.flag('accept_startup_dialogs'),
    env: at.map('env'),
    pathCheck: at.text('path_check'),
    supportsAcp: at.flag('supports_acp'),
    acpCommand: at.text('acp_command'),
    acpArgs: at.texts('acp_args'),
    supportsHooks: at.flag('supports_hooks'),
    instructionsFile: at.text('instructions_file'),
    resumeFlag: at.text('resume_flag'),
    resumeStyle: at.oneOf('resume_style', RESUME_STYLES),
    resumeCommand: at.text('resume_command'),
    sessionIdFlag: at.text('session_id_flag'),
    forkFlag: at.text('fork_flag'),
    permissionModes: at.map('permission_modes'),
    optionDefaults: at.map('option_defaults'),
    optionsSchema: at.has('options_schema') ? at.each('options_schema').map(readOption) : undefined,
    optionsSchemaMerge: at.oneOf('options_schema_merge', ['replace', 'by_key']),
    upstreamEnv: at.has('upstream_env') ? readUpstreamEnv(at.within('upstream_env')) : undefined,
    printArgs: at.texts('print_args'),
    titleModel: at.text('title_model'),
  })
}

/** Only what was said, so that a base shows through everywhere else. */
const said = (spec: ProviderConfig): ProviderConfig =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined))

/** A base of '' stands alone, which is not the same as no base. */
function emptyToo(at: Reader, key: string): string | undefined {
  const node = at.raw(key)
  return node?.kind === 'string' ? node.value : at.text(key)
}

function readUpstreamEnv(at: Reader): ProviderConfig['upstreamEnv'] {
  const names = { baseUrl: at.text('base_url'), apiKey: at.text('api_key'), authToken: at.text('auth_token') }
  at.end()
  return names
}

function readOption(at: Reader): ProviderOption {
  const key = at.required('key') ?? ''
  at.keep('type')
  const option: ProviderOption = {
    key,
    label: at.text('label') ?? key,
    type: 'select',
    default: at.text('default') ?? '',
    choices: at.each('choices').map(readChoice),
  }
  const omit = at.flag('omit')
  at.end()
  return omit ? { ...option, omit } : option
}

function readChoice(at: Reader): OptionChoice {
  const value = at.text('value') ?? ''
  const choice = {
    value,
    label: at.text('label') ?? value,
    flagArgs: at.texts('flag_args') ?? [],
    flagAliases: lists(at.raw('flag_aliases')),
  }
  at.end()
  return choice
}

function lists(node: TomlNode | undefined): string[][] {
  if (node?.kind !== 'array') return []
  return node.items.flatMap((item) =>
    item.kind === 'array' ? [item.items.flatMap((word) => (word.kind === 'string' ? [word.value] : []))] : [],
  )
}
