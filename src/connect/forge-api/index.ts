export { ask, type ForgeRequest, type ForgeResponse, NoAnswer, send, TooSoon } from './api.ts'
