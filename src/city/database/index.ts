export { checkCityDatabase } from './check-database.ts'
export { cityMigrations } from './migrations.ts'
