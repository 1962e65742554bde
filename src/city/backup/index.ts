export { Backup } from './backup.ts'
export { adoptBackup } from './restore.ts'
export { backupRoutes } from './routes.ts'
export { BackupFile } from './unpack.ts'
