import { expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

const AGENT = 'start_command = "x"\n'

test('a prompt has the fragments of the city and then those beside it, templates last in each folder', () => {
  using city = cityFiles({
    'city.toml': '',
    'agents/a/agent.toml': AGENT,
    'agents/a/prompt.template.md': 'a',
    'agents/a/template-fragments/own.template.md': 'beside 2',
    'agents/a/shared/own.md.tmpl': 'beside 1',
    'agents/b/agent.toml': AGENT,
    'agents/b/prompt.md': 'b',
    'prompts/shared/z.md.tmpl': 'city 1',
    'prompts/shared/a.template.md': 'city 2',
    'prompts/shared/notes.md': 'not one',
    'template-fragments/b.template.md': 'city 4',
    'template-fragments/c.md.tmpl': 'city 3',
    'template-fragments/.hidden.template.md': 'not one',
  })
  const { config } = compose(new FileSnapshot(city.path))
  const texts = config.agents.map(({ prompt }) => prompt?.fragments.map(({ text }) => text))
  const shared = ['city 1', 'city 2', 'city 3', 'city 4']
  expect(texts).toEqual([[...shared, 'beside 1', 'beside 2'], shared])
})

test('the fragments behind a prompt are those of the workspace, the agent and the defaults, in this order', () => {
  using city = cityFiles({
    'city.toml': '[workspace]\nglobal_fragments = ["g"]\n[agent_defaults]\nappend_fragments = ["d", "g"]\n',
    'agents/a/agent.toml': `${AGENT}inject_fragments = ["i"]\nappend_fragments = ["o"]\n`,
    'agents/a/prompt.template.md': 'a',
    'agents/b/agent.toml': AGENT,
    'agents/b/prompt.template.md': 'b',
  })
  const { config, warnings } = compose(new FileSnapshot(city.path))
  expect(config.agents.map(({ prompt }) => prompt?.append)).toEqual([
    ['g', 'i', 'o', 'd'],
    ['g', 'd'],
  ])
  expect(warnings).toEqual([])
})

test('a prompt whose file is missing is empty, with a warning', () => {
  using city = cityFiles({ 'city.toml': '', 'agents/a/agent.toml': `${AGENT}prompt_template = "role.md"\n` })
  const { config, warnings, errors } = compose(new FileSnapshot(city.path))
  expect(errors).toEqual([])
  expect(warnings.map(formatDiagnostic)).toEqual([
    'agents/a/agent.toml:2: prompt_template: there is no file agents/a/role.md, so the prompt is empty',
  ])
  expect(config.agents[0]?.prompt).toMatchObject({ text: '' })
})

test('a changed fragment is a changed configuration', () => {
  using city = cityFiles({ 'city.toml': '', 'agents/a/agent.toml': AGENT, 'agents/a/prompt.md': 'a' })
  const states = ['{{define "x"}}1{{end}}', '{{define "x"}}2{{end}}'].map((text) => {
    city.put('template-fragments/x.template.md', text)
    return compose(new FileSnapshot(city.path)).files
  })
  const [before, after] = states
  expect(before && after && before.equals(after)).toBe(false)
})
