export { createWebsite } from './website.ts'
