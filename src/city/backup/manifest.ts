import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { AppError } from '../../core/errors.ts'
import { parseJson } from '../../core/json.ts'

/** Origin of a backup. */
export const Manifest = Type.Object({
  /** The version of this layout. */
  format: Type.Integer(),
  city: Type.String(),
  /** The folder of the city. */
  path: Type.String({ pattern: '^/.' }),
  /** The version of gc that wrote it. */
  version: Type.String(),
  at: Type.String(),
  /** The links and files of its folder that are not in the backup; the first hundred of them. */
  left_out: Type.Optional(Type.Array(Type.String())),
})
export type Manifest = Static<typeof Manifest>

export const FORMAT = 1

/** Reads what a backup says of itself; throws when this gc cannot restore it. */
export function parseManifest(text: string): Manifest {
  const manifest = parseJson(text)
  if (!Value.Check(Manifest, manifest)) {
    throw new AppError('invalid-request', 'this is not a backup of a city: what it says of itself is damaged')
  }
  if (manifest.format === FORMAT) return manifest
  throw new AppError(
    'invalid-request',
    `this backup was made by a newer gc (${manifest.version}); restore it with that version`,
  )
}
