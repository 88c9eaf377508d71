export { createLinks, type LinkMail, type Links } from './links.ts'
export { loginRouter } from './router.ts'
export { oldLinks } from './statements.ts'
