import type { Output } from '../../src/client/operations.ts'
import { countOf } from '../../src/client/text.ts'
import { isOneOf, type Line, text } from './page.ts'

type Item = Output<'GET ~/readiness'>['items'][string]

const PROGRAMS = 'claude,codex,gemini,opencode,github_cli'
/** Columns of a status and of a program. */
const [STATUS, PROGRAM] = [18, 14]

/** Which agent programs are installed and logged in, and what to do about those that are not. */
export const readinessPage = text({
  name: 'readiness',
  aliases: ['providers'],
  title: 'readiness',
  help: 'whether agent programs are installed and logged in',
  isChangedBy: isOneOf('config.', 'login.'),
  load: async ({ city, signal }) => {
    const { items } = await city.call('GET ~/readiness', { query: { items: PROGRAMS }, ...(signal && { signal }) })
    const programs = Object.values(items)
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
