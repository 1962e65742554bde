/** Path of a service in the API. */
export const mountOf = (city: string, name: string): string => `/v0/city/${encodeURIComponent(city)}/svc/${name}`
