import { resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { readSecretFrom, type SecretSource } from '../../accounts/index.ts'
import type { PictureSettings } from '../../shared/index.ts'

const text = Type.String({ minLength: 1 })

/** The `[pictures]` of `social.toml`: a folder, or a bucket of a store with the interface of Amazon S3. */
export const PicturesTable = Type.Object(
  {
    folder: Type.Optional(text),
    bucket: Type.Optional(text),
    endpoint: Type.Optional(Type.String({ format: 'uri', pattern: '^https?://' })),
    region: Type.Optional(text),
    prefix: Type.Optional(Type.String({ pattern: '^([A-Za-z0-9._-]+/)*$', examples: ['agents/'] })),
    access_key_id: Type.Optional(text),
    secret_access_key_file: Type.Optional(text),
    secret_access_key_env: Type.Optional(text),
  },
  { additionalProperties: false },
)
export type PicturesTable = Static<typeof PicturesTable>

/** Storage of pictures. */
export function parsePictures(table: PicturesTable, source: SecretSource): PictureSettings {
  const { folder, bucket: name, access_key_id: accessKeyId, endpoint, region, prefix = '' } = table
  if ((folder === undefined) === (name === undefined)) throw source.errorFor('pictures has a folder or a bucket')
  if (folder !== undefined) return { folder: resolve(source.path, '..', folder) }
  if (name === undefined || accessKeyId === undefined) throw source.errorFor('pictures.access_key_id is missing')
  const { secret_access_key_file: file, secret_access_key_env: variable } = table
  const secretAccessKey = readSecretFrom({ owner: 'pictures', field: 'secret_access_key', file, variable }, source)
  const place = { ...(endpoint !== undefined && { endpoint }), ...(region !== undefined && { region }) }
  return { bucket: { name, prefix, accessKeyId, secretAccessKey, ...place } }
}
