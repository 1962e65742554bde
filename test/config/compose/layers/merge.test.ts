import { describe, expect, test } from 'bun:test'
import { type AgentFields, FOLDER_AGENT } from '../../../../src/config/agents/agent.ts'
import { NO_DECLARATIONS } from '../../../../src/config/city/declarations.ts'
import { mergeDeclarations } from '../../../../src/config/compose/layers/merge.ts'
import { type Declaration, declareFields, mergeFields } from '../../../../src/config/declare/declaration.ts'
import { openFile } from '../../../../src/config/declare/open-file.ts'
import { Diagnostics } from '../../../../src/config/files/diagnostics.ts'
import { PROVIDER } from '../../../../src/config/providers/fields.ts'
import { DAEMON } from '../../../../src/config/settings/daemon.ts'
import { parseToml } from '../../../../src/core/toml/parse.ts'

const reader = (file: string, text: string) =>
  openFile({
    ...{
      layer: { name: file, isEditable: true },
      diagnostics: new Diagnostics(),
      file,
      toml: { table: parseToml(text) },
    },
    ...{ unknownKeys: 'warning', kind: 'agent' },
  })

const agent = (file: string, text: string): Declaration<Omit<AgentFields, 'name'>> =>
  declareFields(reader(file, text), FOLDER_AGENT)

describe('merging two declarations', () => {
  const lower = agent('low', 'provider = "a"\nargs = ["x"]\nenv = { A = "1", B = "2" }\nsuspended = true\n')
  const higher = agent('high', '\nargs = []\nenv = { B = "3" }\nsuspended = false\n')
  const merged = mergeFields(lower, higher)

  test('takes what the higher one says, and what it leaves open from the lower', () => {
    expect(merged.values).toEqual({ provider: 'a', args: [], env: { A: '1', B: '3' }, suspended: false })
  })

  test('keeps where each value was written', () => {
    const files = Object.entries(merged.origins).map(([name, { block, line }]) => `${name} ${block.file}:${line}`)
    expect(files).toEqual(['suspended high:4', 'provider low:1', 'args high:2', 'env high:3'])
  })

  test('takes a section that only one layer has unchanged', () => {
    const layer = { ...NO_DECLARATIONS, daemon: declareFields(reader('low', ''), DAEMON) }
    expect(mergeDeclarations(layer, {}).daemon).toBe(layer.daemon)
    expect(mergeDeclarations(NO_DECLARATIONS, layer).daemon).toBe(layer.daemon)
  })
})

test('providers of one name are merged field by field, and others stand side by side', () => {
  const provider = (file: string, text: string) => declareFields(reader(file, text), PROVIDER)
  const lower = { ...NO_DECLARATIONS, providers: new Map([['mine', provider('low', 'command = "a"\n')]]) }
  const higher = new Map([
    ['mine', provider('high', 'args = ["-x"]\n')],
    ['other', provider('high', 'command = "b"\n')],
  ])
  const { providers } = mergeDeclarations(lower, { providers: higher })
  expect([...providers].map(([name, { values }]) => [name, values])).toEqual([
    ['mine', { command: 'a', args: ['-x'] }],
    ['other', { command: 'b' }],
  ])
})
