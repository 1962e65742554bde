export const SLING_MISSING_BEAD = 'sling-missing-bead'
export const SLING_CROSS_RIG = 'sling-cross-rig'
export const SLING_WORKFLOW_CONFLICT = 'sling-source-workflow-conflict'
