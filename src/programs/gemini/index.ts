export { antigravity, gemini } from './gemini.ts'
