export { Maintenance } from './maintenance.ts'
export { maintenanceRoutes } from './routes.ts'
