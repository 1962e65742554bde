import { describe, expect, test } from 'bun:test'
import { terminalProfileOf } from '../../../src/agents/launch/terminal-profiles.ts'
import type { ProviderConfig } from '../../../src/config/providers/config.ts'
import { resolveProvider } from '../../../src/config/providers/resolve.ts'
import type { ProviderOption } from '../../../src/programs/parts/preset.ts'
import { BUILTINS } from '../../../src/programs/presets.ts'

const declared = (specs: Record<string, ProviderConfig>) => new Map(Object.entries(specs))
const option = (key: string, more: Partial<ProviderOption> = {}): ProviderOption => ({
  key,
  label: key,
  type: 'select',
  default: '',
  choices: [],
  ...more,
})

describe('resolving a provider', () => {
  test('every builtin stands on its own and its defaults are choices it offers', () => {
    for (const name of BUILTINS.keys()) {
      const provider = resolveProvider(name, new Map())
      expect(provider.ancestor).toBe(name)
      if (provider.promptMode === 'flag') expect(provider.promptFlag).toBeDefined()
      for (const { key, default: value, choices } of provider.optionsSchema) {
        const values = choices.map((choice) => choice.value)
        expect(values).toContain(value)
        expect(values).toContain(provider.optionDefaults[key] ?? value)
      }
    }
  })

  test('builtins are listed in their known order', () => {
    expect([...BUILTINS.keys()]).toEqual(
      'claude codex gemini grok kimi kiro cursor copilot amp opencode mimocode groq cerebras auggie pi omp antigravity'.split(
        ' ',
      ),
    )
  })

  test('a declared provider extends the builtin of its name, and its own values win', () => {
    const provider = resolveProvider(
      'claude',
      declared({ claude: { args: ['--verbose'], env: { A: '1' }, optionDefaults: { effort: 'low' } } }),
    )
    expect(provider.command).toBe('claude')
    expect(provider.args).toEqual(['--verbose'])
    expect(provider.optionDefaults).toEqual({ permission_mode: 'unrestricted', effort: 'low' })
    expect(terminalProfileOf(provider).readyPrefixes).toEqual(['❯ '])
    expect(provider.ancestor).toBe('claude')
  })

  test('a provider without a base builds on the builtin whose command it runs', () => {
    expect(resolveProvider('mine', declared({ mine: { command: 'opencode' } })).promptFlag).toBe('--prompt')
  })

  test('an empty base stands alone', () => {
    const provider = resolveProvider('claude', declared({ claude: { base: '', command: 'other' } }))
    expect(provider).toMatchObject({ command: 'other', ancestor: undefined, promptMode: 'arg', optionsSchema: [] })
  })

  test('a chain of bases appends arguments, merges maps and inherits the prompt prefix', () => {
    const provider = resolveProvider(
      'fast',
      declared({
        house: { base: 'builtin:opencode', argsAppend: ['--a'], env: { X: 'house', Y: 'y' }, readyPromptPrefix: '$ ' },
        fast: { base: 'provider:house', argsAppend: ['--b'], env: { X: 'fast' } },
      }),
    )
    expect(provider.args).toEqual(['--a', '--b'])
    expect(provider.env).toEqual({ OPENCODE_PERMISSION: '{"*":"allow"}', X: 'fast', Y: 'y' })
    expect(terminalProfileOf(provider).readyPrefixes).toEqual(['$ ', ''])
    expect(provider.ancestor).toBe('opencode')
  })

  test('options merge by key on request, and an omitted one goes with its default', () => {
    const base = { claude: { optionsSchema: [option('effort', { omit: true }), option('extra')] } }
    const merged = resolveProvider('claude', declared({ claude: { ...base.claude, optionsSchemaMerge: 'by_key' } }))
    expect(merged.optionsSchema.map(({ key }) => key)).toEqual(['permission_mode', 'model', 'extra'])
    expect(merged.optionDefaults).toEqual({ permission_mode: 'unrestricted' })
    const replaced = resolveProvider('claude', declared(base))
    expect(replaced.optionsSchema.map(({ key }) => key)).toEqual(['extra'])
  })

  test.each<[string, Record<string, ProviderConfig>, string]>([
    ['nobody', {}, 'provider "nobody" is not known; known are claude, codex'],
    ['a', { a: { base: 'provider:b' }, b: { base: 'provider:a' } }, 'provider "a" is its own base: a → b → a'],
    ['a', { a: { base: 'builtin:none' } }, 'provider "a" has the base "builtin:none", which is not known'],
    ['a', { a: { base: 'pack:claude' } }, 'provider "a" has the base "pack:claude", which is not known'],
    ['a', { a: { args: ['-x'] } }, 'provider "a" has no command'],
  ])('%p is rejected with the reason', (name, specs, sentence) => {
    expect(() => resolveProvider(name, declared(specs))).toThrow(sentence)
  })
})
