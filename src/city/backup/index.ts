export { Backup } from './backup.ts'
export { backupRoutes } from './routes.ts'
