export { createReadPages, createWebsite, type ReadPages } from './website.ts'
