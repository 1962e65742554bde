export type { Login } from './login.ts'
export { LoginLimits } from './login-limits.ts'
export { declaresLogin, Logins } from './logins.ts'
export type { LimitRow } from './table.ts'
