export { createPartnerPages } from './pages.ts'
export { type PartnerRoutesDeps, partnerHome, partnerRoutes } from './routes.ts'
export { createPartnerSessions } from './sessions.ts'
