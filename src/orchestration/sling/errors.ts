import type { ErrorCode } from '../../core/errors.ts'

export const SLING_MISSING_BEAD: ErrorCode = { code: 'sling-missing-bead', status: 400 }
export const SLING_CROSS_RIG: ErrorCode = { code: 'sling-cross-rig', status: 400 }
export const SLING_WORKFLOW_CONFLICT: ErrorCode = { code: 'sling-source-workflow-conflict', status: 409 }
