import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { BeadRecordQuery, BeadRecords, BeadsExported, BeadsImported, ImportQuery, MAX_IMPORT_BYTES } from './schema.ts'
import type { BeadTransfer } from './transfer.ts'

const JSON_LINES = 'application/x-ndjson'

/** True if a caller names JSON among what it accepts, and neither lines nor anything else. */
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
      summary: 'Import exported beads',
      needs: 'maintain',
      description:
        'Takes lines as the export or `bd export` writes them, with their ids and times, up to 64 MB. Importing the ' +
        'same lines again changes nothing. An existing bead is replaced by a line whose `updated_at` is the same or ' +
        'newer; `created_at` replaces a missing `updated_at`. These lines are skipped, counted and listed: older' +
        ' ones, beads that a session works on, deleted beads (`tombstone`), sessions, waits, and records other than ' +
        'beads, such as memories. With `force`, which is for people, older lines and held beads are replaced as well.' +
        ' If any line is invalid, nothing is imported and the error names the lines. A file of less than 64 KB is one' +
        ' write. A larger one writes all new beads together, then existing beads and mail in batches, so that other ' +
        'writers continue. After an interruption, import the same file again to complete it.',
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
