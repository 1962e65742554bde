import type { ErrorCode } from '../../core/errors.ts'

export const MAINTENANCE_IN_PROGRESS: ErrorCode = { code: 'maintenance-in-progress', status: 409 }
