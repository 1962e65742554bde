export { cerebras, groq, mimocode, opencode } from './opencode.ts'
