import { opencode } from '../programs.ts'
import { type AskedCase, asks, CHANGE, CODE, COLOURS, calls, code, commands, SIZES } from './case.ts'

export const opencodeCases = (): AskedCase[] => [
  ...commands(opencode),
  asks(
    opencode,
    'a new file of 80 lines',
    ['b.ts', ...CODE],
    calls({ tool: 'write', input: { filePath: 'b.ts', content: CODE.join('\n') } }),
  ),
  asks(
    opencode,
    'an edit',
    ['a.ts', CHANGE.before, CHANGE.after],
    calls({
      tool: 'edit',
      input: { filePath: 'a.ts', oldString: CHANGE.before, newString: CHANGE.after },
    }),
    { prepare: code },
  ),
  asks(
    opencode,
    'a web fetch',
    ['https://example.com/a?b=c'],
    calls({ tool: 'webfetch', input: { url: 'https://example.com/a?b=c', format: 'text' } }),
  ),
  asks(opencode, 'a folder elsewhere', ['/etc'], calls({ tool: 'read', input: { filePath: '/etc/hostname' } })),
  asks(
    opencode,
    'two questions',
    ['Colour', 'Size'],
    calls({ tool: 'question', input: { questions: [COLOURS, SIZES] } }),
    {},
    'choice',
  ),
  {
    ...asks(
      opencode,
      'boxes to tick',
      [],
      calls({ tool: 'question', input: { questions: [{ ...COLOURS, multiple: true }] } }),
      {},
      'choice',
    ),
    together: ['Red', 'Blue'],
  },
  asks(opencode, 'a question', [], calls({ tool: 'question', input: { questions: [COLOURS] } }), {}, 'choice'),
]
