export { ProviderDeclarations } from './provider-declarations.ts'
export { providerRoutes } from './routes.ts'
