export { createMails, type Mails, type MailsDeps, type Recipient } from './compose.ts'
export type { Mail, MailData, MailKind, Transport } from './kinds.ts'
