import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { BeadRecordQuery, BeadRecords, BeadsExported, BeadsImported, ImportQuery, MAX_IMPORT_BYTES } from './schema.ts'
import type { BeadTransfer } from './transfer.ts'

const JSON_LINES = 'application/x-ndjson'

/** Whether a caller names JSON among what it accepts, and neither lines nor anything else. */
const acceptsOnlyJson = (request: Request): boolean => {
  const accept = request.headers.get('accept') ?? ''
  return accept.includes('application/json') && !/application\/x-ndjson|\*\/\*|application\/\*/.test(accept)
}

/** The operations that export and import beads. */
export const transferRoutes = (city: CityOf<{ transfer: BeadTransfer }>) => [
  route(
    'GET ~/beads/export',
    {
      id: 'export-beads',
      summary: 'Export all beads',
      description:
        'One JSON object a line, in the fields of `bd export`; closed beads are included. With `Accept: application/json` ' +
        'the same objects come as one list.',
      ok: { media: JSON_LINES, json: BeadsExported },
      extension: true,
    },
    ({ request, response, params }) => {
      const asList = acceptsOnlyJson(request)
      if (asList) response.headers['content-type'] = 'application/json'
      return city({ params }).transfer.export(asList ? 'list' : 'lines')
    },
  ),
  route(
    'GET ~/beads/records',
    {
      id: 'list-bead-records',
      summary: 'Show beads in the fields of `bd`',
      description: 'With the number of comments, dependencies and dependents of each; unknown beads are left out.',
      query: BeadRecordQuery,
      ok: BeadRecords,
      index: true,
      extension: true,
    },
    (exchange) => city(exchange).transfer.records(exchange.query),
  ),
  route(
    'POST ~/beads/import',
    {
      id: 'import-beads',
      summary: 'Import beads that were exported',
      needs: 'maintain',
      description:
        'Lines as the export or `bd export` writes them, with their ids and times, 64 MB at most. Importing the same lines ' +
        'again changes nothing. A bead that exists is replaced by a line whose `updated_at` is the same or newer; a line ' +
        'without one counts as of its `created_at`. Left out, counted and listed are older lines, lines that would take a ' +
        'bead from a session that works on it, deleted beads (`tombstone`), sessions, waits, and records that are no beads, ' +
        'such as memories. With `force`, which is for people, older lines and held beads are replaced, too. When lines are ' +
        'invalid, nothing is imported and the error names them. A file of less than 64 KB is written whole or not at all. ' +
        'Of a larger one all new beads are written together; then beads that exist, and mail, some at a time, so that ' +
        'others can write meanwhile: should that end early, importing the same file again does the rest.',
      query: ImportQuery,
      body: Type.Uint8Array(),
      ok: BeadsImported,
      errors: ['invalid-request', 'forbidden', 'conflict-wrong-state'],
      extension: true,
      longRunning: true,
      maxBodyBytes: MAX_IMPORT_BYTES,
    },
    ({ params, caller, body, signal, query }) => city({ params }).transfer.import(caller, body, signal, query),
  ),
]
