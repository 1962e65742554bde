export { LoginAccounts } from './accounts.ts'
export { LoginCheck } from './login-check.ts'
export { accountRoutes } from './routes.ts'
export type { Account, AccountList } from './schema.ts'
