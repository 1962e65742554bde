import { expect, test } from 'bun:test'
import { TemplateError } from '../../../src/core/template/error.ts'
import { type TemplateFunction, textFunction } from '../../../src/core/template/function.ts'
import { type MakeFunctions, TemplateSet } from '../../../src/core/template/template-set.ts'
import go from './go-cases.json' with { type: 'json' }

/** Result of Go's text/template: its output, or the kind of its error. */
interface GoCase {
  template: string
  fragments?: string[]
  output?: string
  error?: string
}

const functions: MakeFunctions = (set) =>
  new Map<string, TemplateFunction>([
    ['cmd', textFunction([], () => 'gc')],
    ['session', textFunction(['string'], (agent) => `s-${agent.replaceAll('/', '--')}`)],
    ['basename', textFunction(['string'], (name) => name.slice(name.lastIndexOf('/') + 1))],
    [
      'templateFirst',
      {
        params: ['any'],
        rest: 'string',
        call: ([data, ...names]) => {
          const name = names.find((each) => typeof each === 'string' && set.has(each))
          return typeof name === 'string' ? set.render(name, data) : ''
        },
      },
    ],
  ])

const data = new Map(Object.entries(go.data))

function render({ template, fragments = [] }: GoCase): Pick<GoCase, 'output' | 'error'> {
  const set = new TemplateSet(['cmd', 'session', 'basename', 'templateFirst'])
  try {
    for (const fragment of fragments) set.addDefinitions(fragment)
    set.add('prompt', template)
    return { output: set.render('prompt', data, functions) }
  } catch (error) {
    if (error instanceof TemplateError) return { error: error.kind }
    throw error
  }
}

test('renders each template as Go does, and fails where Go fails', () => {
  const cases: GoCase[] = go.cases
  expect(cases.length).toBeGreaterThan(400)
  const differences = cases.flatMap((each) => {
    const { template, output, error } = each
    const actual = render(each)
    return actual.output === output && actual.error === error ? [] : [{ template, go: output ?? error, actual }]
  })
  expect(differences).toEqual([])
})
