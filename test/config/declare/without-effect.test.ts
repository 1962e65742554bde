import { describe, expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { findBackendProblem } from '../../../src/config/declare/fields.ts'
import { listKeysWithoutEffect } from '../../../src/config/declare/without-effect.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

const AGENT = '[[agent]]\nname = "a"\nstart_command = "x"\n'
const OPTION = '[providers.p]\ncommand = "x"\n[[providers.p.options_schema]]\nkey = "k"\n'

/** The beginning of a city.toml in which the next line is a key of a section. */
const OPENINGS: Readonly<Record<string, string>> = {
  rigs: '[[rigs]]\nname = "a"\npath = "/a"\n',
  agent: AGENT,
  'github.pr_monitor': '[[github.pr_monitor]]\nname = "a"\nowner = "o"\nrepo = "r"\n',
  named_session: `${AGENT}[[named_session]]\ntemplate = "a"\n`,
  pricing: '[[pricing]]\nmodel = "m"\n',
  providers: '[providers.p]\ncommand = "x"\n',
  'providers.options_schema': OPTION,
  'providers.options_schema.choices': `${OPTION}[[providers.p.options_schema.choices]]\n`,
}

const PACK = '[pack]\nname = "p"\nschema = 2\n'

function compositionOf(files: Record<string, string>) {
  using city = cityFiles(files)
  return compose(new FileSnapshot(city.path))
}

/** Those of `city.toml` and packs; `supervisor.toml` has its own. */
const keys = listKeysWithoutEffect()
  .filter(({ section }) => section !== 'supervisor')
  .map(({ section, key, sentence }) => ({ section, sentence, key: key.replace('*', '_window') }))

describe('a key that is known and has no effect', () => {
  test.each(keys)('is warned of in one sentence: $section $key', ({ section, key, sentence }) => {
    const opening = OPENINGS[section] ?? `[${section}]\n`
    const ofPack = section === 'pack-file'
    const header = `[${key}]\n`
    const text = ofPack ? `${PACK}${header}` : section === '' ? header : `${opening}${key} = "UTC"\n`
    const { errors, warnings } = compositionOf({ 'city.toml': '', [ofPack ? 'pack.toml' : 'city.toml']: text })
    expect(errors).toEqual([])
    expect(warnings.map(formatDiagnostic)).toEqual([expect.stringMatching(/^(city|pack)\.toml:\d+: /)])
    expect(warnings[0]?.message).toBe(sentence)
    expect(warnings[0]?.key.split(' ').at(-1)).toBe(key)
  })

  test('is warned of in agent.toml as well', () => {
    const { warnings, allWarnings } = compositionOf({
      'city.toml': '',
      'agents/a/agent.toml': 'start_command = "x"\nmouse_mode = "on"\ncolour = "red"\n',
    })
    expect(warnings.map(formatDiagnostic)).toEqual([
      'agents/a/agent.toml:2: mouse_mode: has no effect: gc runs terminals itself, without tmux',
    ])
    expect(allWarnings.map(formatDiagnostic).at(-1)).toBe(
      'agents/a/agent.toml:3: colour: is not a section or key of this file',
    )
  })

  test('reports it when it would have made something safer', () => {
    const city = '[convergence]\n'
    const { warnings } = compositionOf({ 'city.toml': `${city}${AGENT}assigned_work_defer_limit = 1\n` })
    expect(warnings.map(({ key }) => key)).toEqual(['convergence', '[[agent]] assigned_work_defer_limit'])
    for (const { message } of warnings) expect(message).toContain('NOT')
  })
})

test('the name in agent.toml is warned of when it is not that of its folder', () => {
  const { config, warnings } = compositionOf({
    'city.toml': '',
    'agents/a/agent.toml': 'name = "b"\nstart_command = "x"\n',
    'agents/c/agent.toml': 'name = "c"\nstart_command = "x"\n',
  })
  expect(config.agents.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(warnings.map(formatDiagnostic)).toEqual([
    'agents/a/agent.toml:1: name: has no effect: its folder names it "a"',
  ])
})

describe('a backend of sessions', () => {
  const messagesOf = (text: string) => compositionOf({ 'city.toml': text }).errors.map(formatDiagnostic)

  test.each(['exec:scripts/sessions', 'k8s', 'ssh', 'hybrid', 'fake'])('is rejected when gc lacks it: %s', (name) => {
    const sentence = expect.stringContaining(
      `: "${name}" is not supported: gc runs sessions in its own terminals, or by "acp". Remove it. To start programs`,
    )
    expect(messagesOf(`[session]\nprovider = "${name}"\n`)).toEqual([sentence])
    expect(messagesOf(`${AGENT}session = "${name}"\n`)).toEqual([sentence])
    expect(findBackendProblem(name)).toEqual(sentence)
  })

  test.each(['', 'tmux', 'subprocess', 'acp'])('is accepted when gc has it, or a terminal for it: "%s"', (name) => {
    expect(messagesOf(`[session]\nprovider = "${name}"\n${AGENT}session = "${name}"\n`)).toEqual([])
  })

  test('is read from city.toml only', () => {
    expect(['', 'tmux', undefined].map(findBackendProblem)).toEqual([undefined, undefined, undefined])
    expect(findBackendProblem('acp')).toStartWith('GC_SESSION has no effect: write provider = "acp" into [session]')
  })
})
