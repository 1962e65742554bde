import type { Output } from '../../src/client/operations.ts'
import { isOneOf, table, whole } from './page.ts'

type Item = Output<'GET ~/readiness'>['items'][string]

const PROGRAMS = 'claude,codex,gemini,opencode,github_cli'

/** Which agent programs are installed and logged in, and what to do about those that are not. */
export const readinessPage = table<Item>({
  name: 'readiness',
  aliases: ['providers'],
  title: 'readiness',
  help: 'whether agent programs are installed and logged in',
  empty: 'nothing was checked',
  columns: [
    { title: 'program', width: 16, isName: true, cell: ({ display_name }) => display_name },
    {
      title: 'status',
      width: 16,
      cell: ({ status }) => ({ text: status, tone: status === 'configured' ? 'good' : 'warning' }),
    },
    { title: 'detail', width: 20, grows: true, cell: ({ detail }) => detail },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('config.', 'login.'),
  load: async ({ city, signal }) => {
    const { items } = await city.call('GET ~/readiness', { query: { items: PROGRAMS }, ...(signal && { signal }) })
    return whole(Object.values(items))
  },
})
