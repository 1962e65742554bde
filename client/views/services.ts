import type { Client } from '../../src/client/client.ts'
import type { Output } from '../../src/client/operations.ts'
import { type Action, isOneOf, table, whole } from './page.ts'
import { toneOf } from './tones.ts'

export type Service = Output<'GET ~/services'>['items'][number]

/** The services of the city and its packs. */
export const servicesPage = table<Service>({
  name: 'services',
  title: 'services',
  help: 'the programs that packs keep running beside the agents',
  empty: 'none: [[service]] in city.toml or a pack declares one',
  columns: [
    { title: 'service', width: 18, isName: true, cell: ({ service_name }) => service_name },
    { title: 'state', width: 14, cell: ({ local_state: state }) => ({ text: state, tone: toneOf(state) }) },
    { title: 'kind', width: 14, leaves: 3, yields: true, cell: ({ kind }) => ({ text: kind ?? '', tone: 'quiet' }) },
    { title: 'published', width: 10, leaves: 1, cell: ({ publication_state }) => publication_state },
    { title: 'at', width: 16, grows: true, leaves: 2, isName: true, cell: ({ url, mount_path }) => url ?? mount_path },
    { title: 'why', width: 24, grows: true, cell: (service) => ({ text: whyNotReady(service), tone: 'warning' }) },
  ],
  idOf: ({ service_name }) => service_name,
  isChangedBy: isOneOf('service.', 'config.', 'attention.'),
  opens: ({ service_name: name }, city) => ({ page: 'service', city, subject: name }),
  load: async ({ city, signal }) => whole((await city.call('GET ~/services', { ...(signal && { signal }) })).items),
  actionsOf: (service) => serviceActions(service),
})

/** Meanings of the server's words; other reasons are sentences. A route that works is no reason. */
const REASONS: Readonly<Record<string, string>> = {
  route_active: '',
  process_exited: 'its process ended',
  direct_base_url_unavailable: 'other machines cannot reach it: gc serve has no --public-listen',
}

/** Reason it is not ready, or not published. */
export const whyNotReady = ({ reason = '' }: Service): string => REASONS[reason] ?? reason

/** Address: the published one, else the local one. */
export const addressOf = ({ url, mount_path: path }: Service, { access }: Client, city: string): string =>
  url ?? `${access.url}/v0/city/${city}${path}/`

/** Actions on a service. */
export const serviceActions = (service: Service): Action[] => [
  {
    key: 'r',
    name: 'restart',
    help: 'end it and start it again',
    confirm: `Restart the service ${service.service_name}? Requests to it fail until it is up again.`,
    run: async ({ city }) => {
      const name = service.service_name
      await city.call('POST ~/service/{name}/restart', { params: { name } })
      return { text: `${name} is restarted` }
    },
  },
  {
    key: 'y',
    name: 'copy',
    help: 'copy its address',
    run: async ({ client, city }) => ({ text: 'copied', copy: addressOf(service, client, city.name) }),
  },
]
