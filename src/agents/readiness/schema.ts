import { type Static, Type } from '@sinclair/typebox'
import { DEFAULT_ITEMS, DEFAULT_PROVIDERS } from './probes.ts'

const closed = { additionalProperties: false } as const

const status = Type.String({
  description: '`configured`, `needs_auth`, `not_installed`, `invalid_configuration` or `probe_error`.',
})
const detail = Type.Optional(Type.String({ description: 'Missing parts, or the reason the check failed.' }))
const display_name = Type.String({ description: 'The display name.' })

export const ReadinessItem = Type.Object(
  { name: Type.String(), kind: Type.String({ description: '`provider` or `tool`.' }), display_name, status, detail },
  { $id: 'ReadinessItem', ...closed },
)
export type ReadinessItem = Static<typeof ReadinessItem>

export const ReadinessResponse = Type.Object(
  { items: Type.Record(Type.String(), ReadinessItem) },
  { $id: 'ReadinessResponse', ...closed },
)
export type ReadinessResponse = Static<typeof ReadinessResponse>

export const ProviderReadiness = Type.Object({ display_name, status, detail }, { $id: 'ProviderReadiness', ...closed })
export type ProviderReadiness = Static<typeof ProviderReadiness>

export const ProviderReadinessResponse = Type.Object(
  { providers: Type.Record(Type.String(), ProviderReadiness) },
  { $id: 'ProviderReadinessResponse', ...closed },
)
export type ProviderReadinessResponse = Static<typeof ProviderReadinessResponse>

const fresh = Type.Optional(Type.Boolean({ description: 'Checks again instead of returning a recent result.' }))

export const ReadinessQuery = Type.Object({
  items: Type.Optional(
    Type.String({ description: `Names separated by commas; \`${DEFAULT_ITEMS.join()}\` when absent.` }),
  ),
  fresh,
})
export type ReadinessQuery = Static<typeof ReadinessQuery>

export const ProviderReadinessQuery = Type.Object({
  providers: Type.Optional(
    Type.String({ description: `Names separated by commas; \`${DEFAULT_PROVIDERS.join()}\` when absent.` }),
  ),
  fresh,
})
export type ProviderReadinessQuery = Static<typeof ProviderReadinessQuery>
