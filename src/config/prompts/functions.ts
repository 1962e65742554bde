import { type MakeFunctions, type TemplateFunction, textFunction } from '../../core/template/index.ts'

/** The functions of prompts beside those that every template has. */
export const FUNCTION_NAMES = ['cmd', 'session', 'basename', 'templateFirst'] as const

/** The name of an agent's session: its qualified name without separators. */
const sessionName = (agent: string): string => agent.replaceAll('/', '--').replaceAll('.', '__')

export const promptFunctions: MakeFunctions = (set) =>
  new Map<string, TemplateFunction>([
    ['cmd', textFunction([], () => 'gc')],
    ['session', textFunction(['string'], sessionName)],
    ['basename', textFunction(['string'], (name) => name.slice(name.lastIndexOf('/') + 1))],
    [
      'templateFirst',
      {
        params: ['any'],
        rest: 'string',
        call([data, ...names]) {
          const name = names.find((each) => typeof each === 'string' && set.has(each))
          return typeof name === 'string' ? set.render(name, data) : ''
        },
      },
    ],
  ])
