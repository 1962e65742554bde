import { describe, expect, test } from 'bun:test'
import { PromptRenderer } from '../../../src/config/prompts/prompt-renderer.ts'
import { usedFragments } from '../../../src/config/prompts/prompt-template.ts'
import { type PromptRequest, renderPrompt } from '../../../src/config/prompts/render-prompt.ts'
import { type PromptSubject, promptFields, toData } from '../../../src/config/prompts/subject.ts'
import { Deadlines } from '../../../src/core/deadlines.ts'
import { FULL_LIMITS, SHORT_LIMITS } from '../../../src/core/template/limits.ts'

const subject: PromptSubject = {
  city: 'town',
  cityPath: '/town',
  agent: 'web/gc.worker-1',
  template: 'web/gc.worker',
  name: 'worker',
  binding: 'gc',
  session: 'web--gc__worker-1',
  rig: 'web',
  rigPath: '/src/web',
  workDir: '/src/web',
  provider: { name: 'claude', displayName: 'Claude Code', instructionsFile: 'CLAUDE.md' },
  env: { Dir: 'tools', Rig: 'not this' },
}

const request = (more: Partial<PromptRequest>): PromptRequest => ({
  file: 'agents/worker/prompt.template.md',
  text: '',
  fragments: [],
  append: [],
  data: Object.fromEntries(toData(promptFields(subject))),
  ...more,
})
const fragment = (text: string, file = 'template-fragments/rules.template.md') => ({ file, text })

describe('a prompt', () => {
  test.each([
    ['{{.AgentName}} {{.TemplateName}} {{.BindingName}} {{.BindingPrefix}}mayor', 'web/gc.worker-1 worker gc gc.mayor'],
    ['{{.RigName}} {{.Rig}} {{.RigRoot}} {{.WorkDir}} {{.CityRoot}}', 'web web /src/web /src/web /town'],
    ['{{.ConfigDir}} {{.DefaultBranch}} [{{.Branch}}]', '/town main []'],
    ['{{.ProviderKey}} {{.ProviderDisplayName}} {{.InstructionsFile}}', 'claude Claude Code CLAUDE.md'],
    ['{{.AssignedReadyQuery}}', 'bd ready --assignee="$GC_AGENT" --json'],
    ['{{.Dir}} [{{.Unknown}}]', 'tools []'],
    ['{{cmd}} {{basename .AgentName}} {{session "web/gc.mayor"}}', 'gc gc.worker-1 web--gc__mayor'],
  ])('%p says %p', (text, said) =>
    expect(renderPrompt(request({ text }), SHORT_LIMITS)).toEqual({ text: said, warnings: [] }),
  )

  test('is a template only by the name of its file', () => {
    const text = 'You are {{.AgentName}}.'
    for (const file of ['prompt.md', 'a.template.md.bak', 'template.md']) {
      expect(renderPrompt(request({ file, text }), SHORT_LIMITS).text).toBe(text)
    }
    for (const file of ['x/prompt.template.md', 'prompt.md.tmpl']) {
      expect(renderPrompt(request({ file, text }), SHORT_LIMITS).text).toBe('You are web/gc.worker-1.')
    }
  })

  test('loses the block of YAML that it begins with', () => {
    expect(renderPrompt(request({ text: '---\nversion: 2\n---\n# Role\n\n---\nend\n' }), SHORT_LIMITS).text).toBe(
      '# Role\n\n---\nend',
    )
    expect(renderPrompt(request({ text: '---\nnot closed' }), SHORT_LIMITS).text).toBe('---\nnot closed')
  })

  test.each([
    ['one\n{{nosuch}}', 'there is no function "nosuch"'],
    ['one\n{{template "missing" .}}', 'there is no template "missing"'],
    ['one\n{{if .Rig}}', 'an {{end}} is missing'],
    ['one\n{{.Rig.Name}}', 'string has no field .Name'],
  ])('with an error is used as it is written: %p', (text, problem) => {
    expect(renderPrompt(request({ text }), SHORT_LIMITS)).toEqual({
      text,
      warnings: [`agents/worker/prompt.template.md, line 2: ${problem}; the text is used as it is written`],
    })
  })
})

describe('fragments', () => {
  test('are called by name, the later definition of a name winning, and an empty one never', () => {
    const fragments = [
      fragment('{{define "who"}}first{{end}}{{define "how"}}how {{.Rig}}{{end}}'),
      fragment('{{define "who"}}second{{end}}{{define "how"}}  {{end}}'),
    ]
    const text = '{{template "who" .}}, {{template "how" .}}, {{templateFirst . "none" (printf "w%s" "ho")}}'
    expect(renderPrompt(request({ text, fragments }), SHORT_LIMITS).text).toBe('second, how web, second')
  })

  test('are put behind the prompt, each once', () => {
    const fragments = [
      fragment('{{define "rules"}}\nNever force-push in {{.Rig}}.\n{{end}}{{define "end"}}Bye.{{end}}'),
    ]
    const prompt = request({ text: 'Body\n\n', fragments, append: ['rules', 'end', 'rules'] })
    expect(renderPrompt(prompt, SHORT_LIMITS)).toEqual({
      text: 'Body\n\nNever force-push in web.\n\nBye.',
      warnings: [],
    })
    expect(renderPrompt({ ...prompt, file: 'prompt.md', text: '{{x}}' }, SHORT_LIMITS).text).toBe(
      '{{x}}\n\nNever force-push in web.\n\nBye.',
    )
  })

  test('that are unknown or wrong are warned of and left out', () => {
    const fragments = [fragment('{{define "a"}}{{.Rig.X}}{{end}}'), fragment('{{define "b"}}', 'shared/b.template.md')]
    expect(renderPrompt(request({ text: 'Body', fragments, append: ['a', 'b'] }), SHORT_LIMITS)).toEqual({
      text: 'Body',
      warnings: [
        'shared/b.template.md, line 1: an {{end}} is missing; it is left out',
        'the fragment "a", line 1: string has no field .X; it is left out',
        'agents/worker/prompt.template.md: there is no fragment "b" to put behind it',
      ],
    })
  })

  test('that a prompt does not use are told from those it does', () => {
    const used = fragment('{{define "a"}}{{template "b" .}}{{end}}', 'a')
    const behind = fragment('{{define "b"}}{{end}}', 'b')
    const unused = fragment('{{define "zzz"}}{{end}}', 'c')
    const template = { file: 'p', text: '{{template "a" .}}', fragments: [unused, behind, used], append: [] }
    expect(usedFragments(template)).toEqual([behind, used])
  })
})

describe('a prompt that takes long', () => {
  test('is rendered in a thread of its own, and one without end is used as it is written', async () => {
    const deadlines = new Deadlines()
    const renderer = new PromptRenderer(deadlines)
    const long = request({ text: '{{range 60000}}{{end}}done' })
    expect(() => renderPrompt(long, SHORT_LIMITS)).toThrow('steps')
    expect(renderPrompt(long, FULL_LIMITS).text).toBe('done')
    const endless = request({ text: '{{range 9000000000000000000}}{{end}}' })
    const [rendered, raw] = await Promise.all([renderer.render(long), renderer.render(endless)])
    expect(rendered).toEqual({ text: 'done', warnings: [] })
    expect(raw.text).toBe(endless.text)
    expect(raw.warnings).toEqual([expect.stringContaining('it takes more than 2000000 steps')])
    renderer.stop()
  })
})
