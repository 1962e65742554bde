export { order, type RankedFile, rankChanges } from './risk.ts'
