import type { CityInfo } from '../../src/supervisor/schema.ts'
import { type Action, isOneOf, table, whole } from './page.ts'
import { toneOf } from './tones.ts'

const statusOf = ({ running, status }: CityInfo): string => (running ? 'running' : (status ?? 'starting'))

/** Every registered city, whether it runs, and why not. */
export const citiesPage = table<CityInfo>({
  name: 'cities',
  title: 'cities',
  help: 'the cities of this supervisor',
  isGlobal: true,
  empty: 'none yet: gc init ~/my-city',
  columns: [
    { title: 'name', width: 20, isName: true, cell: ({ name }) => name },
    { title: 'status', width: 12, cell: (city) => ({ text: statusOf(city), tone: toneOf(statusOf(city)) }) },
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
  load: async ({ client, signal }) => whole((await client.call('GET /v0/cities', { ...(signal && { signal }) })).items),
  actionsOf: (city) => [startOrStop(city), suspendOrResume(city.name, true), suspendOrResume(city.name, false)],
})

const startOrStop = ({ name, running }: CityInfo): Action =>
  running
    ? {
        key: 'x',
        name: 'stop',
        help: 'end the sessions of the city and stop it',
        confirm: `Stop the city ${name} and end all of its sessions?`,
        run: async ({ client }) => {
          await client.city(name).call('POST ~/stop')
          return { text: `${name} is stopped; :start starts it again` }
        },
      }
    : {
        key: 's',
        name: 'start',
        help: 'start the city',
        run: async ({ client }) => {
          await client.city(name).call('POST ~/start')
          return { text: `${name} is started` }
        },
      }

const suspendOrResume = (name: string, suspended: boolean): Action => ({
  key: suspended ? 'S' : 'R',
  name: suspended ? 'suspend' : 'resume',
  help: suspended ? 'start no sessions of the city until it is resumed' : 'let the city start sessions again',
  ...(suspended && { confirm: `Suspend the city ${name}? It starts no sessions until it is resumed.` }),
  run: async ({ client }) => {
    await client.city(name).call('PATCH ~', { body: { suspended } })
    const text = suspended ? `${name} is suspended; R resumes it` : `${name} is resumed`
    return { text, ...(suspended && { undo: suspendOrResume(name, false) }) }
  },
})
