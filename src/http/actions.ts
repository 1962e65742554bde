import { AppError } from '../core/errors.ts'

/** The error for an action in a path that the resource does not have. */
export function unknownAction(action: string, actions: readonly string[]): AppError {
  const message = `must be ${actions.join(', ')}`
  return new AppError('validation-failed', 'validation failed', {
    fieldErrors: [{ location: 'path.action', message, value: action }],
  })
}
