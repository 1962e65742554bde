export const MAINTENANCE_IN_PROGRESS = 'maintenance-in-progress'
