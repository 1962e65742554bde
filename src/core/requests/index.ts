export { type AcceptedRequest, RequestFailed, Requests } from './requests.ts'
