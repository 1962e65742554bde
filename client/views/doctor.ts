import { countOf } from '../../src/client/text.ts'
import { type Diagnosis, text } from './page.ts'
import type { Tone } from './tones.ts'

const TONES: Readonly<Record<Diagnosis['status'], Tone>> = {
  ok: 'good',
  warning: 'warning',
  error: 'bad',
  unknown: 'quiet',
}

/** Order of rows: problems first. */
const RANKS: Readonly<Record<Diagnosis['status'], number>> = { error: 0, warning: 1, unknown: 2, ok: 3 }

/** Results of `gc doctor` for this machine and the city, problems first. */
export const doctorPage = text({
  name: 'doctor',
  title: 'doctor',
  help: 'what gc doctor says of this machine and the city',
  isChangedBy: () => false,
  load: async ({ city, machine }) => {
    const results = await machine.diagnose(city.name)
    const count = (status: Diagnosis['status']) => results.filter((each) => each.status === status).length
    const warnings = countOf(count('warning') + count('unknown'), 'warning')
    const counts = `${count('ok')} good, ${warnings}, ${countOf(count('error'), 'error')}`
    return {
      head: [{ text: `${counts} · gc doctor --fix fixes what can be fixed`, tone: 'strong' }],
      lines: [...results].sort((a, b) => RANKS[a.status] - RANKS[b.status]).flatMap(diagnosisLines),
    }
  },
  actions: () => [{ key: 'r', name: 'check', help: 'check again', run: async () => ({ text: 'checking again' }) }],
})

const diagnosisLines = ({ name, status, message, fix_hint: hint, details = [] }: Diagnosis) => [
  { text: `${status.padEnd(8)} ${name}: ${message}`, tone: TONES[status], hang: 9 },
  ...(status === 'ok' ? [] : details.map((line) => ({ text: `           ${line}` }))),
  ...(status !== 'ok' && hint ? [{ text: `         → ${hint}`, hang: 2 }] : []),
]
