import type { Output } from '../../src/client/operations.ts'
import { countOf } from '../../src/client/text.ts'
import { isOneOf, type Line, text } from './page.ts'

type Item = Output<'GET ~/readiness'>['items'][string]

/** Shown beside the programs that are checked by default, although its login cannot be checked. */
const ALSO = 'opencode'
/** Columns of a status and of a program. */
const [STATUS, PROGRAM] = [18, 14]

/** Installed and logged-in agent programs, with fixes for others. */
export const readinessPage = text({
  name: 'readiness',
  aliases: ['providers'],
  title: 'readiness',
  help: 'whether agent programs are installed and logged in',
  isChangedBy: isOneOf('config.', 'login.'),
  load: async ({ city, signal }) => {
    const options = signal ? { signal } : {}
    const answers = await Promise.all([
      city.call('GET ~/readiness', options),
      city.call('GET ~/readiness', { query: { items: ALSO }, ...options }),
    ])
    const found = answers.flatMap(({ items }) => Object.values(items))
    const programs = [
      ...found.filter(({ kind }) => kind === 'provider'),
      ...found.filter(({ kind }) => kind === 'tool'),
    ]
    const ready = programs.filter(({ status }) => status === 'configured').length
    return {
      head: [{ text: `${ready} of ${countOf(programs.length, 'program')} ready`, tone: 'strong' }],
      lines: programs.map(programLine),
    }
  },
})

const IN_WORDS: Readonly<Record<string, string>> = {
  ...{ configured: 'ready', needs_auth: 'not logged in', not_installed: 'not installed' },
  ...{ invalid_configuration: 'set up wrongly', probe_error: 'cannot be asked' },
}

const programLine = ({ display_name: name, status, detail = '' }: Item): Line => ({
  text: `${(IN_WORDS[status] ?? status).padEnd(STATUS)} ${name.padEnd(PROGRAM)} ${detail}`,
  tone: status === 'configured' ? 'good' : 'warning',
  hang: STATUS + PROGRAM + 2,
})
