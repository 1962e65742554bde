import { describe, expect, test } from 'bun:test'
import { getProvider, listProviders, listPublicProviders } from '../../../src/config/catalog/catalog.ts'
import type { ProviderConfig } from '../../../src/config/providers/config.ts'

const declared = new Map<string, ProviderConfig>([
  ['zeta', { base: 'builtin:claude', command: 'zeta', args: ['-v'], env: { KEY: 'k' } }],
  ['codex', { displayName: 'Ours', optionDefaults: { effort: 'low' } }],
  ['broken', { base: 'builtin:nobody' }],
])

describe('listing providers', () => {
  test('the declared ones come first by name, then the builtins that are not declared', () => {
    const { items, total } = listProviders(declared)
    expect(items?.slice(0, 5).map(({ name }) => name)).toEqual(['broken', 'codex', 'zeta', 'claude', 'gemini'])
    expect(total).toBe(19)
  })

  test('a declared one is shown as declared, without its base', () => {
    expect(getProvider(declared, 'zeta')).toEqual({
      name: 'zeta',
      builtin: false,
      city_level: true,
      command: 'zeta',
      args: ['-v'],
      env: { KEY: 'k' },
    })
    expect(getProvider(declared, 'codex')).toEqual({
      name: 'codex',
      builtin: true,
      city_level: true,
      display_name: 'Ours',
    })
  })

  test('an environment without a variable is left out', () => {
    expect(getProvider(declared, 'mimocode')).not.toHaveProperty('env')
    expect(getProvider(declared, 'opencode').env).toEqual({ OPENCODE_PERMISSION: '{"*":"allow"}' })
  })

  test('an unknown one is rejected', () => {
    expect(() => getProvider(declared, 'constructor')).toThrow('provider "constructor" is neither declared')
  })

  test('the public list merges bases, and shows no command, environment or flag', () => {
    const { items } = listPublicProviders(declared)
    const codex = items?.find(({ name }) => name === 'codex')
    expect(codex?.display_name).toBe('Ours')
    expect(codex?.effective_defaults).toEqual({
      permission_mode: 'unrestricted',
      model: 'gpt-5.5',
      effort: 'low',
      sandbox: '',
    })
    expect(codex?.options_schema?.[0]?.choices?.[0]).toEqual({ value: 'suggest', label: 'Ask before anything' })
    expect(JSON.stringify(items)).not.toMatch(/--|"KEY"|OPENCODE_/)
    expect(items?.find(({ name }) => name === 'broken')).toEqual({ name: 'broken', builtin: false, city_level: true })
  })
})
