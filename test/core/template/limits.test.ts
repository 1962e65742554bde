import { describe, expect, test } from 'bun:test'
import { TemplateError } from '../../../src/core/template/error.ts'
import { SHORT_LIMITS, StepsExceededError } from '../../../src/core/template/limits.ts'
import { TemplateSet } from '../../../src/core/template/template-set.ts'

function render(source: string, options = {}): string {
  const set = new TemplateSet()
  set.add('prompt', source)
  return set.render('prompt', new Map([['Rig', 'shop']]), undefined, options)
}

function problem(run: () => unknown): TemplateError {
  try {
    run()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('nothing was wrong')
}

describe('a template that does not end on its own', () => {
  const endless: Record<string, string> = {
    'calls itself': '{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}',
    'calls another that calls it':
      '{{define "a"}}{{template "b"}}{{end}}{{define "b"}}{{template "a"}}{{end}}{{template "a"}}',
    'counts without writing': '{{range 9000000000000000000}}{{end}}',
    'writes without end': '{{range 9000000000000000000}}all work and no play{{end}}',
    'doubles a text': '{{$x := "a"}}{{range 64}}{{$x = print $x $x}}{{end}}',
    'doubles its calls': `${Array.from({ length: 60 }, (_, i) => `{{define "${i}"}}{{template "${i + 1}"}}{{template "${i + 1}"}}{{end}}`).join('')}{{define "60"}}{{end}}{{template "0"}}`,
    'asks for a wide number': '{{range 1000000}}{{printf "%900000d" 1}}{{end}}',
  }
  for (const [what, source] of Object.entries(endless)) {
    test(`is ended when it ${what}`, () => {
      expect(problem(() => render(source)).kind).toBe('limit')
    })
  }

  test('may take 100 levels and no more', () => {
    const chain = (levels: number) =>
      `${Array.from({ length: levels }, (_, i) => `{{define "${i}"}}{{template "${i + 1}"}}{{end}}`).join('')}{{define "${levels}"}}deep{{end}}{{template "0"}}`
    expect(render(chain(99))).toBe('deep')
    expect(problem(() => render(chain(100))).message).toContain('100 times deep')
  })
})

test('steps can be limited further, and that alone is distinguished', () => {
  const source = '{{range 100000}}{{end}}done'
  expect(render(source)).toBe('done')
  expect(problem(() => render(source, { limits: SHORT_LIMITS }))).toBeInstanceOf(StepsExceededError)
})

test('nesting is limited where a template is parsed', () => {
  expect(problem(() => render('{{if 1}}'.repeat(5000) + '{{end}}'.repeat(5000))).message).toContain('nested')
  expect(problem(() => render(`{{${'('.repeat(5000)}1${')'.repeat(5000)}}}`)).message).toContain('nested')
})

test('an error names its line', () => {
  expect(problem(() => render('one\n\n{{nosuch}}')).line).toBe(3)
  expect(problem(() => render('one\n{{if .Rig}}\n{{.Rig.Name}}{{end}}'))).toMatchObject({ line: 3, kind: 'execution' })
})

test('a field that is missing can be an error', () => {
  expect(problem(() => render('{{.Rg}}', { missing: 'error' })).message).toBe('.Rg is not known; known are Rig')
})
