import { describe, expect, test } from 'bun:test'
import { explainFolder } from '../../../src/config/offline/explain.ts'
import { cityFiles } from '../city-files.ts'

const CITY = `[workspace]
provider = "mine"
[agent_defaults]
default_sling_formula = "mol"
[providers.mine]
base = "builtin:claude"
args = ["--x"]
[[rigs]]
name = "shop"
prefix = "sp"
[[agent]]
name = "inline"
dir = "shop"
`

const FILES = {
  'city.toml': CITY,
  '.gc/site.toml': '[[rig]]\nname = "shop"\npath = "/home/me/shop"\n',
  'agents/folder/agent.toml': 'start_command = "./run"\nenv = { TOKEN = "secret" }\n',
  'agents/folder/prompt.md': 'go',
}

/** Declaration of each field of one thing, by key. */
function declaredAt(kind: string, name: string): Record<string, string> {
  using city = cityFiles(FILES)
  const { fields } = explainFolder(city.path, city.pathOf('.home'))
  return Object.fromEntries(
    fields
      .filter((field) => field.kind === kind && field.name === name)
      .map(({ key, file, line, section, layer }) => [key, `${layer} ${file}:${line} ${section}`.trim()]),
  )
}

describe('explaining a configuration', () => {
  test('reports where each field of an agent is declared, in its block, its folder or the defaults', () => {
    expect(declaredAt('agent', 'shop/inline')).toEqual({
      name: 'city city.toml:12 [[agent]]',
      dir: 'city city.toml:13 [[agent]]',
      provider: 'city city.toml:2 [workspace]',
      default_sling_formula: 'city city.toml:4 [agent_defaults]',
    })
    expect(declaredAt('agent', 'folder')).toEqual({
      name: 'agents agents/folder/agent.toml:1',
      start_command: 'agents agents/folder/agent.toml:1',
      env: 'agents agents/folder/agent.toml:2',
      prompt_template: 'agents agents/folder/agent.toml:1',
      default_sling_formula: 'city city.toml:4 [agent_defaults]',
    })
  })

  test('reports that the folder of a rig is bound on this machine', () => {
    expect(declaredAt('rig', 'shop')).toEqual({
      name: 'city city.toml:9 [[rigs]]',
      path: 'site .gc/site.toml:3 [[rig]]',
      prefix: 'city city.toml:10 [[rigs]]',
    })
  })

  test('reports what a provider has of its own and what of its base', () => {
    const provider = declaredAt('provider', 'mine')
    expect(provider).toMatchObject({
      base: 'city city.toml:6 [providers.mine]',
      args: 'city city.toml:7 [providers.mine]',
      command: 'builtin gc:1 [providers.claude]',
      resume_flag: 'builtin gc:1 [providers.claude]',
    })
    expect(provider.acp_command).toBeUndefined()
  })

  test('says what is wrong with files that cannot be applied', () => {
    using city = cityFiles({ 'city.toml': '[daemon]\nmax_restarts = "x"\n' })
    expect(explainFolder(city.path, city.pathOf('.home'))).toEqual({
      fields: [],
      errors: ['city.toml:2: [daemon] max_restarts: must be a whole number, not "x"'],
    })
  })
})
