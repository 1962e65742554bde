import type { Output } from '../../src/client/operations.ts'
import { isOneOf, type Line, table, text, whole } from './page.ts'
import { slingFormula } from './sling-actions.ts'

type Formula = Output<'GET ~/formula-files'>['formulas'][number]

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
  actionsOf: ({ name }) => [slingFormula(name)],
})

/** One formula: what is wrong with it, its variables and its steps. */
export const formulaPage = text({
  name: 'formula',
  about: 'formula',
  title: 'formula',
  help: 'a formula with its variables and steps',
  isChangedBy: isOneOf('config.', 'formula.'),
  load: async ({ city, subject: name, signal }) => {
    const { formulas } = await city.call('GET ~/formula-files', { ...(signal && { signal }) })
    const file = formulas.find((each) => each.name === name)
    const lines: Line[] = [
      { text: name, tone: 'strong' },
      { text: file?.source ?? '', tone: 'quiet' },
      ...(file?.errors ?? []).map(({ message }): Line => ({ text: message, tone: 'bad' })),
      ...(file?.warnings ?? []).map(({ message }): Line => ({ text: message, tone: 'warning' })),
      { text: '' },
      ...(file?.description.split(/\r?\n/) ?? []).map((line): Line => ({ text: line })),
    ]
    return { lines, actions: [slingFormula(name)] }
  },
})
