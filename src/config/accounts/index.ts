export { type Account, homeVariables, isOtherLogin } from './account.ts'
export { Accounts } from './accounts.ts'
export { ForgeTokens } from './forge-tokens.ts'
