import { hash } from 'node:crypto'

/** Addresses are compared in lower case, without surrounding space. */
export const normalEmail = (email: string | null | undefined): string | null => {
  const trimmed = email?.trim().toLowerCase()
  return trimmed ? trimmed : null
}

/** Recognises an address that is no longer kept. */
export const emailHash = (email: string): string => hash('sha256', email, 'hex')

/** An address that says whose it is to whoever knows them, and nobody else: `a…@example.com`. */
export const maskEmail = (email: string): string => {
  const at = email.lastIndexOf('@')
  return at < 1 ? '…' : `${email.slice(0, 1)}…${email.slice(at)}`
}
