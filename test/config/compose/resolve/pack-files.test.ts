import { expect, test } from 'bun:test'
import { compose } from '../../../../src/config/compose/compose.ts'
import { FileSnapshot } from '../../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../../city-files.ts'

const PACK = (name: string) => `[pack]\nname = "${name}"\nschema = 2\n`
const WORKER = 'start_command = "x"\nscope = "city"\n'

test('an agent of a pack has the fragments, overlays, skills and MCP servers of the packs around it', () => {
  using city = cityFiles({
    'city.toml': '[workspace]\ninstall_agent_hooks = ["claude"]\n',
    'pack.toml': `${PACK('town')}[imports.one]\nsource = "packs/one"\n[imports.two]\nsource = "packs/two"\n`,
    'template-fragments/c.template.md': 'city',
    'packs/one/pack.toml': PACK('one'),
    'packs/one/template-fragments/a.template.md': 'one',
    'packs/one/agents/w/agent.toml': `${WORKER}overlay_dir = "files"\ninstall_agent_hooks = ["gemini"]\n`,
    'packs/one/agents/w/prompt.template.md': 'w',
    'packs/one/agents/w/template-fragments/w.template.md': 'beside',
    'packs/two/pack.toml': PACK('two'),
    'packs/two/prompts/shared/b.template.md': 'two',
  })
  const { config, errors } = compose(new FileSnapshot(city.path))
  expect(errors).toEqual([])
  const agent = config.agents.find(({ qualified }) => qualified === 'one.w')
  expect(agent?.prompt?.fragments.map(({ text }) => text)).toEqual(['one', 'two', 'city', 'beside'])
  const at = (name: string) => city.pathOf(name)
  expect(agent?.brings).toEqual({
    overlays: [at('packs/one/overlay'), at('packs/two/overlay'), at('overlay'), at('packs/one/files')],
    hooks: ['claude', 'gemini'],
    skills: [
      { folder: at('packs/one/agents/w/skills'), prefix: '' },
      { folder: at('skills'), prefix: '' },
      { folder: at('packs/one/skills'), prefix: 'one.' },
      { folder: at('packs/two/skills'), prefix: 'two.' },
    ],
    mcp: [at('packs/one/mcp'), at('packs/two/mcp'), at('mcp'), at('packs/one/agents/w/mcp')],
  })
  expect(agent).toMatchObject({ configDir: at('packs/one'), binding: 'one', localName: 'w' })
})
