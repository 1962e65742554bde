export { type RankedFile, rankChanges } from './risk.ts'
