export { type Account, homeVariables, isOtherLogin } from './account.ts'
export { Accounts } from './accounts.ts'
