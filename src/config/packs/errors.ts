import { AppError } from '../../core/errors.ts'

/** A repository wants to know who asks. */
export const PACK_CREDENTIAL_REQUIRED = 'pack-credential-required'

/** Error of a fetch from the origin of a pack. */
export const remoteFailed = (message: string): AppError => new AppError('bad-gateway', message)

/** A repository that shows nothing to whom it does not know; says how to give a credential. */
export function credentialRequired(host: string, repository: string): AppError {
  const match = repository === '' ? host : `${host}/${repository}`
  const hint = `gc import credential add ${match} --token-file <file>`
  return new AppError(
    PACK_CREDENTIAL_REQUIRED,
    `${match} asks for a credential; register one with \`${hint}\` and try again`,
    {
      fieldErrors: [
        { location: 'body.host', message: 'asks for a credential', value: host },
        ...(repository === '' ? [] : [{ location: 'body.repo', message: 'asks for a credential', value: repository }]),
        { location: 'body.hint', message: hint, value: hint },
      ],
    },
  )
}

/** A source that an import cannot have. */
export const invalidSource = (reason: string): AppError =>
  new AppError('invalid-request', `invalid import source: ${reason}`)
