import type { Output } from '../../src/client/operations.ts'
import type { CityInfo } from '../../src/supervisor/schema.ts'
import { type Action, isOneOf, type Reach, table, whole } from './page.ts'
import { toneOf } from './tones.ts'

const statusOf = ({ running, status }: CityInfo): string => (running ? 'running' : (status ?? 'starting'))

/** A city, with how it stands where it runs. */
type Listed = CityInfo & { readonly waiting?: number; readonly standing?: Output<'GET ~/status'> }

/** Maximum cities whose state is read. */
const STANDING = 20
const REREADS_MS = 5_000

/** Every registered city, whether it runs, and why not; with what waits and what is under way in it. */
export const citiesPage = table<Listed>({
  name: 'cities',
  title: 'cities',
  help: 'the cities of this supervisor',
  isGlobal: true,
  empty: 'none yet: gc init ~/my-city',
  columns: [
    { title: 'name', width: 20, isName: true, cell: ({ name }) => name },
    { title: 'status', width: 12, cell: (city) => ({ text: statusOf(city), tone: toneOf(statusOf(city)) }) },
    {
      title: 'waiting',
      width: 7,
      cell: ({ waiting = 0 }) => ({ text: waiting > 0 ? `! ${waiting}` : '', tone: 'warning' }),
    },
    { title: 'sessions', width: 8, leaves: 1, cell: ({ standing }) => standing && String(standing.running) },
    {
      title: 'under way',
      width: 9,
      leaves: 2,
      cell: ({ standing }) => standing && String(standing.work.in_progress),
    },
    { title: 'ready', width: 5, leaves: 3, cell: ({ standing }) => standing && String(standing.work.ready) },
    {
      title: 'folder',
      width: 16,
      grows: true,
      cell: ({ path, error }) => ({ text: error ?? path, tone: error ? 'bad' : 'quiet' }),
    },
  ],
  idOf: ({ name }) => name,
  isChangedBy: isOneOf('city.', 'supervisor.', 'request.'),
  opens: ({ name }) => ({ page: 'overview', city: name, subject: '' }),
  rereadsMs: REREADS_MS,
  load: async (reach) => {
    const { client, signal } = reach
    const { items } = await client.call('GET /v0/cities', { ...(signal && { signal }) })
    return whole(await Promise.all((items ?? []).map((city, at) => (at < STANDING ? withStanding(reach, city) : city))))
  },
  actionsOf: (city) => [start(city), stop(city), suspendOrResume(city.name, true), suspendOrResume(city.name, false)],
})

/** A city that has just stopped is listed without. */
async function withStanding({ client, signal }: Reach, city: CityInfo): Promise<Listed> {
  if (!city.running) return city
  const call = signal ? { signal } : {}
  try {
    const own = client.city(city.name)
    const [standing, { items }] = await Promise.all([own.call('GET ~/status', call), own.call('GET ~/attention', call)])
    return { ...city, standing, waiting: items.length }
  } catch {
    return city
  }
}

const start = ({ name, running }: CityInfo): Action => ({
  key: 's',
  name: 'start',
  help: 'start the city',
  disabled: running ? `${name} runs already` : undefined,
  run: async ({ client }) => {
    await client.city(name).call('POST ~/start')
    return { text: `${name} is started` }
  },
})

const stop = ({ name, running }: CityInfo): Action => ({
  key: 'x',
  name: 'stop',
  help: 'end the sessions of the city and stop it',
  disabled: running ? undefined : `${name} does not run; s starts it`,
  confirm: `Stop the city ${name} and end all of its sessions?`,
  run: async ({ client }) => {
    await client.city(name).call('POST ~/stop')
    return { text: `${name} is stopped; s starts it again` }
  },
})

const suspendOrResume = (name: string, suspended: boolean): Action => ({
  key: suspended ? 'S' : 'R',
  name: suspended ? 'suspend' : 'resume',
  help: suspended ? 'start no sessions of the city until it is resumed' : 'let the city start sessions again',
  ...(suspended && { confirm: `Suspend the city ${name}? It starts no sessions until it is resumed.` }),
  run: async ({ client }) => {
    await client.city(name).call('PATCH ~', { body: { suspended } })
    const text = suspended ? `${name} is suspended; R resumes it` : `${name} is resumed`
    return { text, undo: suspendOrResume(name, !suspended) }
  },
})
