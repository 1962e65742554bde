import type { Output } from '../../src/client/operations.ts'
import { isOneOf, type Line, table, text, whole } from './page.ts'

type Pack = NonNullable<Output<'GET ~/packs'>['packs']>[number]

/** What is wrong with the configuration, or has no effect. */
export const configPage = text({
  name: 'config',
  title: 'configuration',
  help: 'what is wrong with the configuration, and where its agents come from',
  isChangedBy: isOneOf('config.'),
  load: async ({ city, signal }) => {
    const call = signal ? { signal } : {}
    const [checked, explained] = await Promise.all([
      city.call('GET ~/config/validate', call),
      city.call('GET ~/config/explain', call),
    ])
    const errors = checked.errors ?? []
    const warnings = checked.warnings ?? []
    return {
      lines: [
        {
          text: checked.valid ? 'The configuration is valid.' : 'The configuration is not valid.',
          tone: checked.valid ? 'good' : 'bad',
        },
        ...errors.map((line): Line => ({ text: line, tone: 'bad' })),
        ...warnings.map((line): Line => ({ text: line, tone: 'warning' })),
        { text: '' },
        { text: 'agents', tone: 'strong' },
        ...(explained.agents ?? []).map(
          ({ name, dir, provider = '', origin }): Line => ({
            text: [(dir ? `${dir}/${name}` : name).padEnd(28), provider.padEnd(12), originOf(origin)].join(' '),
          }),
        ),
      ],
    }
  },
})

/** Whose files declare an agent. */
export const originOf = (origin: string): string => (origin === 'inline' ? 'this city declares it' : 'from a pack')

/** The packs that the city imports. */
export const packsPage = table<Pack>({
  name: 'packs',
  title: 'packs',
  help: 'the packs that the city imports',
  empty: 'none: gc import add SOURCE',
  columns: [
    { title: 'pack', width: 20, isName: true, cell: ({ name }) => name },
    { title: 'source', width: 20, grows: true, isName: true, cell: ({ source }) => source },
    { title: 'version', width: 12, grows: true, leaves: 1, cell: ({ version }) => version },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('config.'),
  load: async ({ city, signal }) => whole((await city.call('GET ~/packs', { ...(signal && { signal }) })).packs),
})
