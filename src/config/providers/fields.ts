import type { OptionChoice, ProviderOption } from '../../programs/parts/index.ts'
import {
  boolean,
  confineTable,
  duration,
  type FieldReader,
  integer,
  oneOf,
  type SectionReader,
  string,
  stringMap,
  strings,
} from '../declare/index.ts'
import { PROMPT_MODES, type ProviderConfig } from './config.ts'

/** An empty base stands alone, which is not the same as no base. */
const base: FieldReader<string> = {
  key: 'base',
  read(section) {
    const node = section.node('base')
    return node?.kind === 'string' ? node.value : section.string('base')
  },
}

const optionsSchema: FieldReader<ProviderOption[]> = {
  key: 'options_schema',
  read(section) {
    if (!section.has('options_schema')) return undefined
    return section.blocks('options_schema', 'providers.options_schema').map(readOption)
  },
}

function readOption(section: SectionReader): ProviderOption {
  const key = section.requiredString('key') ?? ''
  const option: ProviderOption = {
    key,
    label: section.string('label') ?? key,
    type: 'select',
    default: section.string('default') ?? '',
    choices: section.blocks('choices', 'providers.options_schema.choices').map(readChoice),
  }
  return section.boolean('omit') ? { ...option, omit: true } : option
}

function readChoice(section: SectionReader): OptionChoice {
  const value = section.string('value') ?? ''
  return { value, label: section.string('label') ?? value, flagArgs: section.strings('flag_args') ?? [] }
}

/** `[providers.<name>]`: what it declares itself; its bases are merged in where it is used. */
export const PROVIDER = {
  base,
  displayName: string('display_name'),
  command: string('command'),
  args: strings('args'),
  argsAppend: strings('args_append'),
  promptMode: oneOf('prompt_mode', PROMPT_MODES),
  promptFlag: string('prompt_flag'),
  instructionsFile: string('instructions_file'),
  readyDelayMs: integer('ready_delay_ms', { min: 0 }),
  readyPromptPrefix: string('ready_prompt_prefix'),
  startupTimeout: duration('startup_timeout'),
  env: stringMap('env'),
  pathCheck: string('path_check'),
  supportsAcp: boolean('supports_acp'),
  acpCommand: string('acp_command'),
  acpArgs: strings('acp_args'),
  resumeFlag: string('resume_flag'),
  resumeCommand: string('resume_command'),
  optionDefaults: stringMap('option_defaults'),
  optionsSchema,
  optionsSchemaMerge: oneOf('options_schema_merge', ['replace', 'by_key']),
  confine: confineTable,
} satisfies { [Name in Exclude<keyof ProviderConfig, 'packs'>]-?: FieldReader<NonNullable<ProviderConfig[Name]>> }
