export { databases, hosts, type InitAnswers, type InitHost, mailWays } from './answers.ts'
export { hostAmong } from './package-file.ts'
export { planSite, type SitePlan } from './plan-site.ts'
export { siteDiff, writeSite } from './write-site.ts'
