export { createMails, type Mails, type MailsDeps, type Recipient } from './compose.ts'
export { framedMailHeaders, mailboxDirective } from './frame.ts'
export type { Mail, MailData, MailKind, Transport } from './kinds.ts'
export { createNotices, type LinkOf, type Notices } from './notices.ts'
