import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { BeadsImported } from './schema.ts'
import type { BeadTransfer } from './transfer.ts'

/** The operations that export and import beads. */
export const transferRoutes = (city: CityOf<{ transfer: BeadTransfer }>) => [
  route(
    'GET ~/beads/export',
    {
      id: 'export-beads',
      summary: 'Export all beads',
      description: 'One JSON object a line, in the fields of `bd export`; closed beads are included.',
      ok: { media: 'application/x-ndjson' },
      extension: true,
    },
    (exchange) => city(exchange).transfer.export(),
  ),
  route(
    'POST ~/beads/import',
    {
      id: 'import-beads',
      summary: 'Import beads that were exported',
      description:
        'Lines as the export writes them, with their ids and times. Importing the same lines again changes nothing.',
      body: Type.Uint8Array(),
      ok: BeadsImported,
      errors: ['invalid-request', 'forbidden', 'conflict-wrong-state'],
      extension: true,
      longRunning: true,
    },
    (exchange) => city(exchange).transfer.import(exchange.caller, exchange.body),
  ),
]
