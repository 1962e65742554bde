export * as maintenanceEvents from './events.ts'
export { Maintenance } from './maintenance.ts'
export { maintenanceRoutes } from './routes.ts'
