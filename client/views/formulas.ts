import type { Output } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { isOneOf, type Line, table, text, whole } from './page.ts'
import { section, textLines } from './sections.ts'
import { slingFormula } from './sling-actions.ts'
import { isBookkeeping } from './steps.ts'

type Formula = Output<'GET ~/formula-files'>['formulas'][number]
type Compiled = Output<'POST ~/formulas/{name}/compile'>

/** Columns of the name of a step, at most. */
const MAX_STEP = 24

/** The formulas of the city and its packs, the broken ones with what is wrong. */
export const formulasPage = table<Formula>({
  name: 'formulas',
  title: 'formulas',
  help: 'how kinds of work are done, step by step',
  empty: 'none: put NAME.toml into the formulas folder of the city',
  columns: [
    { title: 'formula', width: 20, isName: true, cell: ({ name }) => name },
    {
      title: 'errors',
      width: 6,
      cell: ({ errors }) => ({ text: errors.length === 0 ? '' : String(errors.length), tone: 'bad' }),
    },
    {
      title: 'warnings',
      width: 8,
      leaves: 2,
      cell: ({ warnings }) => ({ text: warnings.length === 0 ? '' : String(warnings.length), tone: 'warning' }),
    },
    { title: 'description', width: 32, grows: true, cell: ({ description }) => description },
    {
      title: 'from',
      width: 16,
      grows: true,
      leaves: 3,
      isName: true,
      cell: ({ source }) => ({ text: source, tone: 'quiet' }),
    },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('config.', 'formula.'),
  opens: ({ name }, city) => ({ page: 'formula', city, subject: name }),
  load: async ({ city, signal }) =>
    whole((await city.call('GET ~/formula-files', { ...(signal && { signal }) })).formulas),
  actionsOf: ({ name, source }) => [
    slingFormula(name),
    copy('y', 'copy', 'its name', name),
    copy('Y', 'copy-file', 'its file', source),
  ],
})

/** One formula: what is wrong with it, its variables and its steps. */
export const formulaPage = text({
  name: 'formula',
  about: 'formula',
  title: 'formula',
  help: 'a formula with its variables and steps',
  isChangedBy: isOneOf('config.', 'formula.'),
  load: async ({ city, subject: name, signal }) => {
    const call = signal ? { signal } : {}
    const { formulas } = await city.call('GET ~/formula-files', call)
    const file = formulas.find((each) => each.name === name)
    const isBroken = file !== undefined && file.errors.length > 0
    const compiled = isBroken
      ? undefined
      : await city.call('POST ~/formulas/{name}/compile', { params: { name }, body: {}, ...call })
    const lines: Line[] = [
      { text: name, tone: 'strong' },
      ...(file ? fileLines(file) : []),
      ...(compiled ? [...section('variables', compiled.vars.map(variableLine)), ...stepLines(compiled)] : []),
    ]
    return { lines, actions: [slingFormula(name)] }
  },
})

function fileLines({ source, description, errors, warnings }: Formula): Line[] {
  const told = ({ file, line, step, message }: Formula['errors'][number]): string => {
    const place = file === source ? `line ${line}` : `${file}:${line}`
    return `${place}: ${step === undefined ? '' : `step "${step}": `}${message}`
  }
  return [
    { text: source, tone: 'quiet' },
    ...errors.map((error): Line => ({ text: told(error), tone: 'bad', hang: 2 })),
    ...warnings.map((warning): Line => ({ text: told(warning), tone: 'warning', hang: 2 })),
    ...(description.trim() === '' ? [] : [{ text: '' }, ...textLines(description.trimEnd())]),
  ]
}

function variableLine({
  name,
  description,
  default: initial,
  required,
  enum: choices,
}: Compiled['vars'][number]): Line {
  const facts = [
    required && 'required',
    description,
    choices && choices.length > 0 && `one of ${choices.join(', ')}`,
    initial !== undefined && initial !== '' && `default ${String(initial)}`,
  ]
  return { text: `${name.padEnd(15)} ${facts.filter(Boolean).join(' · ')}`, hang: 16 }
}

/** The steps that somebody works on, what each waits for, who does it, and what checks it. */
function stepLines({ name, steps, deps }: Compiled): Line[] {
  const short = (id: string) => (id.startsWith(`${name}.`) ? id.slice(name.length + 1) : id)
  const shown = steps.filter(
    ({ is_root, metadata = {} }) =>
      !is_root && !isBookkeeping(metadata['gc.kind']) && metadata['gc.attempt'] === undefined,
  )
  const known = new Set(shown.map(({ id }) => id))
  const waits = Map.groupBy(
    deps.filter(({ type, depends_on_id }) => type !== 'parent-child' && known.has(depends_on_id)),
    ({ step_id }) => step_id,
  )
  const width = Math.min(MAX_STEP, Math.max(...shown.map(({ id }) => short(id).length)))
  return section(
    'steps',
    shown.map((step): Line => {
      const before = [...new Set(waits.get(step.id)?.map(({ depends_on_id }) => short(depends_on_id)))]
      const after = before.length > 0 ? ` ← ${before.join(', ')}` : ''
      const facts = [step.title, ...factsOf(step)].join(' · ')
      return { text: `${short(step.id).padEnd(width)} ${facts}${after}`, hang: width + 1 }
    }),
  )
}

/** Facts about a step: its recipient, if not the run's, and its attempts with their check. */
function factsOf({ metadata = {} }: Compiled['steps'][number]): string[] {
  const { 'gc.run_target': target, 'gc.max_attempts': most, 'gc.check_path': check } = metadata
  return [
    ...(target ? [`by ${target}`] : []),
    ...(most ? [`tried ${most} times at most${check ? `, until ${check} passes` : ''}`] : []),
  ]
}
