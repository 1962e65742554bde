import type { Output } from '../../src/client/operations.ts'
import { countOf } from '../../src/client/text.ts'
import { waitingLines } from './attention.ts'
import { isOneOf, type Line, table, text, whole } from './page.ts'

type Pack = NonNullable<Output<'GET ~/packs'>['packs']>[number]

/** A pack with the agents that it declares. */
type Listed = Pack & { readonly agents: readonly string[] }

/** Errors of the configuration, and keys without effect. */
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
          text: checked.valid
            ? `The configuration is valid${warnings.length > 0 ? `, with ${countOf(warnings.length, 'warning')}` : ''}.`
            : 'The configuration has errors: the affected parts are ignored, or the last good configuration stays active.',
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

/** Origin of an agent's declaration. */
export const originOf = (origin: string): string => (origin === 'inline' ? 'this city declares it' : 'from a pack')

/** The packs that the city imports. */
export const packsPage = table<Listed>({
  name: 'packs',
  title: 'packs',
  help: 'the packs that the city imports, and the agents of each',
  empty: 'none: gc import add SOURCE',
  columns: [
    { title: 'pack', width: 20, isName: true, cell: ({ name }) => name },
    { title: 'source', width: 20, grows: true, isName: true, cell: ({ source }) => source },
    { title: 'version', width: 12, leaves: 1, cell: ({ version }) => version },
    { title: 'agents', width: 12, grows: true, leaves: 2, cell: ({ agents }) => agents.join(', ') },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('config.', 'attention.'),
  opens: (_, city) => ({ page: 'config', city, subject: '' }),
  load: async ({ city, signal }) => {
    const call = signal ? { signal } : {}
    const [{ packs }, agents, attention, checked] = await Promise.all([
      city.call('GET ~/packs', call),
      city.call('GET ~/agents', call),
      city.call('GET ~/attention', call),
      city.call('GET ~/config/validate', call),
    ])
    const items = (packs ?? []).map((pack) => ({
      ...pack,
      agents: [...new Set(agents.items.flatMap((each) => (each.pack === pack.name ? [each.pool ?? each.name] : [])))],
    }))
    const count = (checked.errors?.length ?? 0) + (checked.warnings?.length ?? 0)
    const remarks = `${countOf(count, 'remark')} on the configuration, packs among it; enter lists them`
    const head: Line[] = [
      ...waitingLines(attention.items.filter(({ kind }) => kind === 'pack')),
      ...(count > 0 ? [{ text: remarks, tone: 'warning' as const }] : []),
    ]
    return { ...whole(items), head }
  },
})
